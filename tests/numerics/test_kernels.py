"""Kernel values in blocks are those of one matrix, and features of all landmarks have the kernel as inner products."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from tests.support import textbook
from tsrp.numerics import kernels
from tsrp.numerics.kernels import expansion, landmarks, squared_distances


def samples(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 4))


def test_blocks_and_threads_change_nothing(monkeypatch):
    X, L, weights = samples(50), samples(9, 1), samples(9, 2)
    whole = expansion(X, L, weights, 0.3)
    monkeypatch.setattr(kernels, "BLOCK", 7)
    with threadpool_limits(2, "blas"):
        np.testing.assert_allclose(expansion(X, L, weights, 0.3), whole, rtol=1e-12)
    assert expansion(X[:0], L, weights, 0.3).shape == (0, 4)


def test_all_samples_as_landmarks_give_the_kernel_itself():
    X = samples(30)
    chosen, root = landmarks(X, 30, 0.5, seed=0)
    np.testing.assert_array_equal(chosen, X)
    features = expansion(X, chosen, root, 0.5)
    np.testing.assert_allclose(features @ features.T, textbook.kernel_matrix(X, "rbf", 0.5), atol=1e-9)


def test_equal_landmarks_add_no_feature():
    X = np.repeat(samples(5), 4, axis=0)
    chosen, root = landmarks(X, 20, 0.5, seed=0)
    assert root.shape == (20, 5)
    features = expansion(X, chosen, root, 0.5)
    np.testing.assert_allclose(features @ features.T, textbook.kernel_matrix(X, "rbf", 0.5), atol=1e-9)


def test_the_seed_chooses_the_landmarks():
    X = samples(40)
    first, again, other = (landmarks(X, 10, 0.5, seed)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    with pytest.raises(ValueError, match="larger sample than population"):
        landmarks(X, 41, 0.5, 0)


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e8])
def test_squared_distances_are_those_of_differences(monkeypatch, offset):
    X, Y = samples(30) + offset, samples(20, 1) + offset
    Y[:5] = X[:5]
    monkeypatch.setattr(kernels, "DIFFERENCES", 40)
    np.testing.assert_allclose(squared_distances(X, Y), cdist(X, Y, "sqeuclidean"), rtol=1e-6)


def test_far_from_zero_a_sample_alone_has_the_kernel_values_of_the_batch():
    X, weights = samples(9) + 1e8, samples(9, 1)
    alone = np.vstack([expansion(row[None], X, weights, 0.5) for row in X])
    np.testing.assert_allclose(alone, expansion(X, X, weights, 0.5), rtol=1e-9)
