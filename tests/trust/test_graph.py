"""The graph of the most similar samples is the one that a dense matrix of all cosines gives."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tsrp.numerics.rows import unit_rows
from tsrp.trust import graph
from tsrp.trust.graph import affinity, nearest_cosines


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
    np.testing.assert_allclose(affinity(rows(n), 10).toarray(), dense_affinity(rows(n), 10), atol=1e-5)


def test_blocks_and_threads_change_nothing(monkeypatch):
    units = rows(300)
    whole = affinity(units)
    monkeypatch.setattr(graph, "PAIRS_IN_MEMORY", 300 * 7)
    with threadpool_limits(2, "blas"):
        blocked = affinity(units)
    np.testing.assert_array_equal(whole.indices, blocked.indices)
    np.testing.assert_allclose(whole.data, blocked.data, rtol=1e-5)


def test_neighbours_of_new_samples_may_be_the_samples_themselves():
    references = rows(30)
    found, cosines = nearest_cosines(references, references[:4], 3)
    expected = np.argsort(-(references[:4] @ references.T), axis=1)[:, :3]
    np.testing.assert_array_equal(found, np.sort(expected, axis=1))
    np.testing.assert_allclose(cosines.max(axis=1), 1.0)
    assert nearest_cosines(references, references[:0], 3)[0].shape == (0, 3)


@pytest.mark.parametrize("n", [3, 64, 641, 1500])
def test_the_largest_cosines_are_found_among_any_number(n):
    references, queries = rows(n), rows(20, seed=1)
    found, cosines = nearest_cosines(references, queries, 10)
    expected = -np.sort(-(queries @ references.T), axis=1)[:, :10]
    np.testing.assert_allclose(-np.sort(-cosines, axis=1), expected)
    np.testing.assert_allclose(np.take_along_axis(queries @ references.T, found, axis=1), cosines)


def test_at_most_so_many_pairs_are_held_at_a_time(monkeypatch):
    sizes = []
    original = graph._largest

    def counted(values, k):
        sizes.append(values.size)
        return original(values, k)

    monkeypatch.setattr(graph, "PAIRS_IN_MEMORY", 1000)
    monkeypatch.setattr(graph, "_largest", counted)
    nearest_cosines(rows(90), rows(90), 10, others=True)
    assert max(sizes) <= 1000
    # Of each sample, those to all others, and empty places up to a multiple of a group.
    assert sum(sizes) == 90 * 128
