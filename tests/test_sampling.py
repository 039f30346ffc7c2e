"""Which rows a fit learns from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsrp.known import Known
from tsrp.sampling import RARE, drawn, source_rows, target_rows
from tsrp.validation import Domains

COUNTS = st.lists(st.integers(1, 400), min_size=2, max_size=30)


def codes_of(counts, seed=0):
    return np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))


@given(COUNTS, st.integers(1, 3000))
def test_a_sample_of_the_source_has_as_many_rows_as_it_may_and_some_of_each_class(counts, limit):
    codes = codes_of(counts)
    rows = source_rows(codes, limit)
    assert (np.diff(rows) > 0).all()
    # Of each class the last row is left out that would not be a whole one.
    assert max(limit, len(counts)) >= len(rows) >= min(len(codes), limit - len(counts))
    left = np.bincount(codes[rows], minlength=len(counts))
    least = np.minimum(counts, max(1, limit // (RARE * len(counts))))
    assert (left >= least).all()


@given(COUNTS, st.integers(50, 3000))
def test_classes_that_are_not_rare_keep_their_proportions(counts, limit):
    codes = codes_of(counts)
    left = np.bincount(codes[source_rows(codes, limit)], minlength=len(counts))
    least = np.minimum(counts, max(1, limit // (RARE * len(counts))))
    common = left > least
    if common.any():
        there = np.array(counts)[common]
        # But for rounding, by less than a row.
        assert ((left[common] - 1) / there).max() < ((left[common] + 1) / there).min()


def test_a_sample_of_the_target_has_all_known_rows():
    known = np.array([3, 77, 999])
    rows = target_rows(1000, 100, known)
    assert len(rows) == 100 == len(np.unique(rows))
    assert np.isin(known, rows).all()


def test_known_rows_leave_room_for_half_a_sample_of_others():
    known = np.arange(400)
    assert np.bincount(target_rows(1000, 100, known) >= 400).tolist() == [400, 50]


def test_a_larger_sample_has_the_rows_of_a_smaller_one():
    nothing = np.empty(0, dtype=np.intp)
    small, large = (target_rows(5000, limit, nothing) for limit in (100, 1000))
    assert np.isin(small, large).all()
    assert abs(large.mean() - 2500) < 150


@pytest.mark.parametrize("limit", [None, 40])
def test_nothing_is_drawn_from_few_rows(limit):
    domains = Domains(np.zeros((40, 1)), np.arange(40) % 2, np.zeros((30, 1)), np.array(["a", "b"]))
    assert drawn(domains, limit) == (domains, None)


def test_what_is_drawn_is_as_it_stood():
    rng = np.random.default_rng(0)
    Xs, Xt, ys = rng.normal(size=(50, 2)), rng.normal(size=(60, 2)), np.arange(50) % 3
    known = Known(np.array([5, 59]), np.array([1, 2]))
    sample, rows = drawn(Domains(Xs, ys, Xt, np.array(["a", "b", "c"]), known), 20)
    assert rows is not None
    np.testing.assert_array_equal(sample.Xt, Xt[rows])
    np.testing.assert_array_equal(rows[sample.known.rows], known.rows)
    np.testing.assert_array_equal(sample.known.codes, known.codes)
    chosen = source_rows(ys, 20)
    np.testing.assert_array_equal(sample.Xs, Xs[chosen])
    np.testing.assert_array_equal(sample.ys, ys[chosen])
    # Whoever draws from a sample once more gets all of it.
    assert drawn(sample, 20) == (sample, None)
