"""Principal directions are those of the covariance."""

import numpy as np
import pytest

from tsrp.numerics.principal import principal_directions, signs


@pytest.mark.parametrize("shape", [(40, 12), (15, 60)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_they_are_orthonormal_eigenvectors_of_the_covariance(shape, dtype):
    X = (np.random.default_rng(0).normal(size=shape) * np.arange(1, shape[1] + 1) + 5).astype(dtype)
    mean, directions = principal_directions(X, 5)
    np.testing.assert_allclose(mean, X.mean(axis=0, dtype=np.float64))
    np.testing.assert_allclose(directions.T @ directions, np.eye(5), atol=1e-6)
    covariance = np.cov(X.T.astype(np.float64), bias=True)
    variances = np.diag(directions.T @ covariance @ directions)
    np.testing.assert_allclose(variances, np.linalg.eigvalsh(covariance)[::-1][:5], rtol=1e-5)
    assert np.all(np.take_along_axis(directions, np.abs(directions).argmax(axis=0)[None], 0) > 0)


def test_equal_samples_have_none():
    # A mean of these is rounded, and what is left of the samples is noise.
    X = np.tile([0.1, 0.7, 1e6 / 3], (7, 1))
    assert principal_directions(X)[1].shape == (3, 0)


def test_there_are_no_more_than_the_samples_vary_in():
    X = np.random.default_rng(0).normal(size=(5, 30))
    assert principal_directions(X)[1].shape == (30, 4)


def test_signs_make_the_largest_entry_positive():
    np.testing.assert_array_equal(signs(np.array([[1.0, -3.0, 0.0], [-2.0, 2.0, 0.0]])), [-1, -1, 1])
