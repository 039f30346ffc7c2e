"""Sums class by class."""

import numpy as np

from tsrp.numerics.classes import class_sums, members


def test_sums_are_those_of_each_class_in_double_precision():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(20, 3)).astype(np.float32), rng.integers(4, size=20)
    sums = class_sums(X, codes, 5)
    assert sums.dtype == np.float64
    for code in range(5):
        np.testing.assert_allclose(sums[code], X[codes == code].sum(axis=0, dtype=float), atol=1e-12)


def test_each_sample_is_a_member_of_one_class():
    np.testing.assert_array_equal(members(np.array([2, 0, 2]), 3).toarray(), [[0, 0, 1], [1, 0, 0], [0, 0, 1]])
