"""Sums class by class, and the class of the largest score."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tsrp.numerics import classes
from tsrp.numerics.classes import RunningSums, class_sums, first_largest


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [1, 3, 256])
def test_sums_are_those_of_each_class_in_double_precision_on_one_thread_and_on_two(dtype, rows, monkeypatch):
    monkeypatch.setattr(classes, "ROWS", rows)
    monkeypatch.setattr(classes, "CLASSES_AT_ONCE", 2)
    monkeypatch.setattr(classes, "LIGHT", 0)
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(60, 3)).astype(dtype), rng.integers(4, size=60)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(class_sums(X, codes, 5))
    np.testing.assert_array_equal(found[0], found[1])
    assert found[0].dtype == np.float64
    for code in range(5):
        np.testing.assert_allclose(found[0][code], X[codes == code].sum(axis=0, dtype=float), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_running_sums_are_to_the_last_bit_those_of_all_samples(dtype):
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(600, 3)).astype(dtype), rng.integers(4, size=600)
    running = RunningSums(X)
    for n_moved, n_classes in ((600, 4), (600, 6), (0, 6), (1, 6), (5, 6), (300, 6), (2, 8), (0, 6)):
        codes = codes.copy()
        codes[rng.choice(600, n_moved, replace=False)] = rng.integers(4, size=n_moved)
        np.testing.assert_array_equal(running(codes, n_classes), class_sums(X, codes, n_classes))
    # What is handed out, and what was handed in, may be changed.
    running(codes, 6)[:] = np.nan
    codes[codes == 1] = 5
    np.testing.assert_array_equal(running(codes, 6), class_sums(X, codes, 6))


def test_the_first_of_scores_that_differ_by_rounding_wins():
    scores = np.array([[0.3, 0.1 + 0.2, 0.0], [0.0, 1.0, 1.0 - 1e-15], [0.0, 0.5, 0.6]])
    np.testing.assert_array_equal(first_largest(scores, 1e-12), [0, 1, 2])
    np.testing.assert_array_equal(first_largest(scores, 0.0), scores.argmax(axis=1))
