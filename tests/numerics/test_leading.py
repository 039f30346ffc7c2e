"""Leading eigenvectors are those of a dense solver; a left side is shifted until it has a Cholesky factor."""

import numpy as np
import pytest
from scipy import linalg

from tsrp.numerics.leading import leading, leading_of, shifted_until_definite


def symmetric(seed, r):
    A = np.random.default_rng(seed).normal(size=(r, r))
    return A + A.T


@pytest.mark.parametrize(("r", "k"), [(5, 5), (40, 3), (100, 4)])
def test_the_vectors_are_those_of_the_largest_eigenvalues_largest_first(r, k):
    A = symmetric(0, r)
    expected = np.linalg.eigh(A)[1][:, ::-1][:, :k]
    for found in (leading_of(A.copy(), k), leading(lambda x: A @ x, r, k)):
        np.testing.assert_allclose(np.abs(np.sum(found * expected, axis=0)), 1.0)


def test_a_definite_matrix_is_not_shifted():
    L = symmetric(1, 6) + 20 * np.eye(6)
    found = shifted_until_definite(L, lambda: pytest.fail("asked for the constraint"), np.linalg.cholesky)
    np.testing.assert_allclose(found @ found.T, L)


def test_an_indefinite_matrix_is_shifted_by_a_multiple_of_the_constraint():
    L, K = np.diag([3.0, -1.0]), np.diag([1.0, 2.0])
    found = shifted_until_definite(L, lambda: K, np.linalg.cholesky)
    shift = (found @ found.T - L) / np.where(K > 0, K, 1.0)
    assert shift[0, 0] == pytest.approx(shift[1, 1])
    assert shift[0, 0] > 0.5


def test_where_no_shift_helps_that_is_said():
    with pytest.raises(linalg.LinAlgError, match="no shift"):
        shifted_until_definite(-np.eye(2), lambda: np.diag([1.0, 0.0]), np.linalg.cholesky)
