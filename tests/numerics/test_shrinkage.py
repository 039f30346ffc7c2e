"""Shrinkage of entries and singular values, against whole decompositions."""

import numpy as np
import pytest
from scipy.sparse.linalg import ArpackNoConvergence

from tests.support import textbook
from tsrp.numerics import shrinkage
from tsrp.numerics.shrinkage import shrink, shrink_singular_values


def plain(W, amount):
    U, s, Vt = np.linalg.svd(W, full_matrices=False)
    return (U * textbook.soft(s, amount)) @ Vt, int(np.sum(s > amount))


def test_entries_move_towards_zero():
    A = np.random.default_rng(0).normal(size=(5, 7))
    np.testing.assert_allclose(shrink(A, 0.4), textbook.soft(A, 0.4))


@pytest.mark.parametrize("shape", [(80, 50), (50, 80), (60, 60), (3, 40)])
@pytest.mark.parametrize("rank", [0, 1, 4, 30])
@pytest.mark.parametrize("guess", [0, 5, 100])
def test_singular_values_move_towards_zero(shape, rank, guess):
    rng = np.random.default_rng(rank)
    rank = min(rank, *shape)
    large = rng.normal(size=(shape[0], rank)) @ rng.normal(size=(rank, shape[1]))
    W = large + 0.01 * rng.normal(size=shape)
    left, right = shrink_singular_values(W, 0.5, guess)
    expected, kept = plain(W, 0.5)
    assert left.shape[1] == right.shape[0] == kept
    np.testing.assert_allclose(left @ right, expected, atol=1e-8 * max(1, np.abs(W).max()))


def test_a_matrix_of_zeros_stays_one():
    left, right = shrink_singular_values(np.zeros((30, 20)), 0.1)
    assert left.shape == (30, 0)
    assert right.shape == (0, 20)


def test_lanczos_that_does_not_converge_is_replaced(monkeypatch):
    def give_up(*arguments, **settings):
        raise ArpackNoConvergence("no", np.empty(0), np.empty((0, 0)))

    monkeypatch.setattr(shrinkage, "eigsh", give_up)
    W = np.random.default_rng(0).normal(size=(40, 50))
    left, right = shrink_singular_values(W, 5.0)
    np.testing.assert_allclose(left @ right, plain(W, 5.0)[0], atol=1e-9)
