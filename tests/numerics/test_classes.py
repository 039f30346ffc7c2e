"""Sums class by class, and the class of the largest score."""

import numpy as np

from tsrp.numerics.classes import class_sums, first_largest, members


def test_sums_are_those_of_each_class_in_double_precision():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(20, 3)).astype(np.float32), rng.integers(4, size=20)
    sums = class_sums(X, codes, 5)
    assert sums.dtype == np.float64
    for code in range(5):
        np.testing.assert_allclose(sums[code], X[codes == code].sum(axis=0, dtype=float), atol=1e-12)


def test_each_sample_is_a_member_of_one_class():
    np.testing.assert_array_equal(members(np.array([2, 0, 2]), 3).toarray(), [[0, 0, 1], [1, 0, 0], [0, 0, 1]])


def test_the_first_of_scores_that_differ_by_rounding_wins():
    scores = np.array([[0.3, 0.1 + 0.2, 0.0], [0.0, 1.0, 1.0 - 1e-15], [0.0, 0.5, 0.6]])
    np.testing.assert_array_equal(first_largest(scores, 1e-12), [0, 1, 2])
    np.testing.assert_array_equal(first_largest(scores, 0.0), scores.argmax(axis=1))
