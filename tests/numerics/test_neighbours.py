"""The blocked nearest neighbour equals the plain one, ties and extremes included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.support import textbook
from tsrp.numerics import neighbours
from tsrp.numerics.neighbours import nearest

# Small integers make many exact ties and leave no rounding.
grids = st.integers(1, 4).flatmap(
    lambda m: st.tuples(
        *[hnp.arrays(float, st.tuples(st.integers(1, 25), st.just(m)), elements=st.integers(-3, 3)) for _ in range(2)]
    )
)


@given(grids)
def test_first_of_the_nearest_wins(arrays):
    references, queries = arrays
    squares = ((queries[:, None] - references[None]) ** 2).sum(axis=2)
    assert nearest(references, queries).tolist() == squares.argmin(axis=1).tolist()


@pytest.mark.parametrize(("queries", "block"), [(7, 3), (600, 4096), (1100, 128)])
def test_blocks_do_not_matter(monkeypatch, queries, block):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(500, 20)), rng.normal(size=(queries, 20))
    monkeypatch.setattr(neighbours, "REFERENCE_BLOCK", block)
    np.testing.assert_array_equal(nearest(A, B), textbook.nearest(A, B))


@given(st.sampled_from([1e-200, 1e-30, 1.0, 1e30, 1e300]), st.integers(0, 1000))
def test_scale_does_not_matter(scale, seed):
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(40, 5)), rng.normal(size=(30, 5))
    np.testing.assert_array_equal(nearest(A * scale, B * scale), textbook.nearest(A, B))


def test_a_large_common_offset_does_not_matter():
    rng = np.random.default_rng(0)
    A, B = rng.integers(0, 100, size=(200, 3)).astype(float), rng.integers(0, 100, size=(200, 3)).astype(float)
    np.testing.assert_array_equal(nearest(A + 1e9, B + 1e9), textbook.nearest(A, B))


@pytest.mark.parametrize("far", [1e7, 1e20, 1e100])
def test_one_far_away_row_does_not_blur_the_others(far):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(300, 5)), rng.normal(size=(300, 5))
    A[17] = B[3] = far
    np.testing.assert_array_equal(nearest(A, B), textbook.nearest(A, B))


def test_a_large_constant_feature_does_not_matter():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(300, 5)), rng.normal(size=(300, 5))
    wide = [np.column_stack([X, np.full(300, 1.7e15)]) for X in (A, B)]
    np.testing.assert_array_equal(nearest(*wide), textbook.nearest(A, B))


def test_what_float32_cannot_tell_apart_is_told_apart():
    rng = np.random.default_rng(0)
    A = 1 + 1e-7 * rng.normal(size=(400, 30))
    B = 1 + 1e-7 * rng.normal(size=(600, 30))
    np.testing.assert_array_equal(nearest(A, B), textbook.nearest(A, B))


def test_many_candidates_are_decided_in_parts(monkeypatch):
    monkeypatch.setattr(neighbours, "REFERENCE_BLOCK", 16)
    rng = np.random.default_rng(0)
    A, B = rng.integers(0, 2, size=(500, 3)).astype(float), rng.normal(size=(40, 3))
    np.testing.assert_array_equal(nearest(A, B), ((B[:, None] - A[None]) ** 2).sum(axis=2).argmin(axis=1))


def test_rows_that_differ_in_the_last_bit_are_a_tie():
    a = np.array([0.1, 0.2, 0.3])
    references = np.array([a * (1 + 4e-16), a])
    assert nearest(references, np.array([a, a + 0.5])).tolist() == [0, 0]


def test_equal_references_are_a_tie_for_the_first():
    assert nearest(np.ones((5000, 3)), np.zeros((2, 3))).tolist() == [0, 0]


def test_no_queries_no_answers():
    assert nearest(np.ones((3, 2)), np.empty((0, 2))).shape == (0,)
