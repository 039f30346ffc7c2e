"""Triangular factors and products are those of LAPACK for any size of blocks, and to the same bits on any threads."""

import numpy as np
import pytest
from scipy import linalg
from threadpoolctl import threadpool_limits

from tsrp.numerics import triangular
from tsrp.numerics.triangular import cholesky, lower_gram, solve_lower


def definite(seed, m):
    X = np.random.default_rng(seed).normal(size=(2 * m + 1, m))
    return X.T @ X


@pytest.mark.parametrize("m", [0, 1, 7, 12, 25])
def test_blocks_give_what_whole_matrices_give(m, monkeypatch):
    monkeypatch.setattr(triangular, "BLOCK", 6)
    A = definite(0, m)
    C, T = cholesky(A), cholesky(definite(1, m))
    np.testing.assert_allclose(C, linalg.cholesky(A, lower=True) if m else A, atol=1e-12 * (m + 1))
    G = solve_lower(C, T)
    np.testing.assert_allclose(C @ G, T, atol=1e-12 * (m + 1))
    assert not np.triu(C, 1).any()
    assert not np.triu(G, 1).any()
    np.testing.assert_allclose(lower_gram(G), G.T @ G, atol=1e-12 * (m + 1))
    np.testing.assert_array_equal(lower_gram(G), lower_gram(G).T)


def test_only_the_lower_triangle_is_read_and_nothing_is_changed():
    A = definite(2, 9)
    given = np.tril(A) + np.triu(np.full((9, 9), np.nan), 1)
    kept = given.copy()
    np.testing.assert_array_equal(cholesky(given), cholesky(A))
    np.testing.assert_array_equal(given, kept)


@pytest.mark.parametrize("place", [0, 8, 20])
def test_a_matrix_that_is_not_positive_definite_is_refused(place, monkeypatch):
    monkeypatch.setattr(triangular, "BLOCK", 6)
    A = definite(3, 21)
    A[place, place] = -1.0
    with pytest.raises(linalg.LinAlgError):
        cholesky(A)


@pytest.mark.parametrize("threads", [2, 8])
def test_the_number_of_threads_changes_no_bit(threads, monkeypatch):
    monkeypatch.setattr(triangular, "BLOCK", 16)
    A, B = definite(4, 100), definite(5, 100)

    def compute(n):
        with threadpool_limits(n):
            C = cholesky(A)
            G = solve_lower(C, cholesky(B))
            return C, G, lower_gram(G)

    for one, many in zip(compute(1), compute(threads), strict=True):
        np.testing.assert_array_equal(one, many)
