"""The graph of the most similar samples is the one that a dense matrix of all cosines gives."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tsrp.numerics import cosines
from tsrp.numerics.rows import unit_rows
from tsrp.trust.graph import affinity


def rows(n, k=5, seed=0):
    return unit_rows(np.random.default_rng(seed).normal(size=(n, k)))


def dense_affinity(units, n_neighbors):
    """All cosines at once, one sample after the other."""
    n = len(units)
    cosines = units @ units.T
    W = np.zeros((n, n))
    for i in range(n):
        others = [j for j in np.argsort(-cosines[i], kind="stable") if j != i][:n_neighbors]
        for j in others:
            weight = np.exp((cosines[i, j] - 1) / 0.1)
            W[i, j] = max(W[i, j], weight)
            W[j, i] = max(W[j, i], weight)
    degree = np.where(W.sum(axis=1) > 0, W.sum(axis=1), 1)
    return W / np.sqrt(degree[:, None] * degree)


@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_it_is_the_graph_of_all_cosines(n):
    np.testing.assert_allclose(affinity(rows(n), 10).toarray(), dense_affinity(rows(n), 10), atol=1e-12)


def test_blocks_and_threads_change_nothing(monkeypatch):
    units = rows(300)
    whole = affinity(units)
    monkeypatch.setattr(cosines, "PAIRS_IN_MEMORY", 300 * 7)
    with threadpool_limits(2, "blas"):
        blocked = affinity(units)
    np.testing.assert_array_equal(whole.indices, blocked.indices)
    np.testing.assert_allclose(whole.data, blocked.data, rtol=1e-12)


def test_neighbours_that_single_precision_cannot_tell_apart_are_told_apart():
    angles = np.array([0.0, 0.3 + 1e-9, 0.3 + 2e-9, -0.3])
    units = np.column_stack([np.cos(angles), np.sin(angles)])
    assert affinity(units, 1).toarray()[0].nonzero()[0].tolist() == [3]
