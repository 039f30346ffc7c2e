"""Samples in two halves: with all classes, copies together, in whatever order they are."""

import numpy as np
import pytest

from tsrp.selection import halves as module
from tsrp.selection.halves import copies_of, halves, some_rows, within_reach


@pytest.fixture
def samples():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 4)), np.arange(60) % 3


def test_each_sample_is_asked_about_once_and_learnt_from_otherwise(samples):
    X, codes = samples
    parts = list(halves(copies_of(X), codes, keep_copies_together=True))
    assert np.sort(np.concatenate([asked for _, asked in parts])).tolist() == list(range(60))
    assert all(np.intersect1d(learnt, asked).size == 0 for learnt, asked in parts)


def test_halves_have_about_the_same_shares_of_the_classes(samples):
    X, codes = samples
    assert all(
        np.ptp(np.bincount(codes[learnt])) <= 1 for learnt, _ in halves(copies_of(X), codes, keep_copies_together=True)
    )


def test_copies_of_a_sample_are_in_the_same_half_if_they_must(samples):
    X, codes = np.repeat(samples[0], 3, axis=0), np.repeat(samples[1], 3)
    copies = copies_of(X)
    together = halves(copies, codes, keep_copies_together=True)
    assert all(np.intersect1d(copies[learnt], copies[asked]).size == 0 for learnt, asked in together)


def test_copies_of_a_sample_are_in_both_halves_if_they_may_be(samples):
    X, codes = np.repeat(samples[0], 4, axis=0), np.repeat(samples[1], 4)
    copies = copies_of(X)
    apart = halves(copies, codes, keep_copies_together=False)
    assert all(len(np.unique(copies[learnt])) == 60 for learnt, _ in apart)


def test_the_order_of_samples_does_not_matter(samples):
    X, codes = samples
    order = np.random.default_rng(1).permutation(60)
    found = [X[learnt] for learnt, _ in halves(copies_of(X), codes, keep_copies_together=True)]
    mixed = [X[order][learnt] for learnt, _ in halves(copies_of(X[order]), codes[order], keep_copies_together=True)]
    for one, other in zip(found, mixed, strict=True):
        np.testing.assert_array_equal(one, other)


def test_of_many_samples_the_same_ones_are_taken_in_whatever_order_they_are(samples, monkeypatch):
    monkeypatch.setattr(module, "ENOUGH", 25)
    X, codes = np.repeat(samples[0][:30], 2, axis=0), np.arange(60) % 3
    order = np.random.default_rng(1).permutation(60)
    rows, mixed = some_rows(X, codes), some_rows(X[order], codes[order])
    assert len(rows) == len(mixed) <= 25
    np.testing.assert_array_equal(X[rows], X[order][mixed])
    np.testing.assert_array_equal(codes[rows], codes[order][mixed])


@pytest.mark.parametrize(("scale", "offset"), [(1e-200, 0), (1e307, 0), (1.0, 1e9)])
def test_units_do_not_matter(samples, scale, offset):
    X = samples[0]
    expected = within_reach(X, of=X[:40])
    np.testing.assert_allclose(within_reach(scale * (X + offset), of=scale * (X[:40] + offset)), expected, atol=1e-6)
    assert (expected[:40].min(), expected[:40].max()) == (0, 1)


@pytest.mark.parametrize("others", [[7.0, 7.0], [0.3, 0.1 + 0.2]])
def test_a_feature_that_does_not_vary_is_0(others):
    assert within_reach(np.array([[7.0], [8.0]]), of=np.array(others)[:, np.newaxis]).tolist() == [[0.0], [0.0]]


def test_what_is_beyond_all_numbers_is_far_away():
    assert within_reach(np.array([[1e300], [-1e300]]), of=np.array([[0.0], [1e-300]])).tolist() == [[1e6], [-1e6]]
