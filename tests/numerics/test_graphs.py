"""Neighbour graphs join each sample to its nearest others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from scipy.spatial.distance import cdist

from tests.support import textbook
from tsrp.numerics import graphs
from tsrp.numerics.cosines import nearest_cosines
from tsrp.numerics.graphs import nearest_others, neighbour_graph, scaled_by_degree, symmetric_graph
from tsrp.numerics.rows import unit_rows


def test_each_is_joined_to_its_nearest_and_to_those_whose_nearest_it_is():
    X = np.random.default_rng(0).normal(size=(30, 4))
    squares = cdist(X, X, "sqeuclidean") + np.diag(np.full(30, np.inf))
    nearest = squares <= np.sort(squares, axis=1)[:, [2]]
    graph = neighbour_graph(X, 3, lambda d: 1 + d).toarray()
    np.testing.assert_array_equal(graph > 0, nearest | nearest.T)
    np.testing.assert_allclose(graph[graph > 0], 1 + squares[graph > 0])


def test_there_are_no_more_neighbours_than_others():
    assert neighbour_graph(np.zeros((1, 2)), 3, np.ones_like).toarray().tolist() == [[0]]
    assert neighbour_graph(np.eye(3), 9, np.ones_like).toarray().tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


@st.composite
def samples(draw):
    """Points of a small grid: equal samples and equal distances are common."""
    n, m = draw(st.integers(1, 14)), draw(st.integers(1, 3))
    return draw(hnp.arrays(float, (n, m), elements=st.integers(-2, 2)))


@given(samples(), st.integers(1, 15))
def test_the_nearest_others_are_those_of_sorted_distances(X, k):
    order, squares = textbook.others_by_distance(X)
    indices, found = nearest_others(X, k)
    assert indices.shape == found.shape == (len(X), min(k, len(X) - 1))
    for i in range(len(X)):
        assert indices[i].tolist() == order[i][:k]
        np.testing.assert_allclose(found[i], squares[i, indices[i]], atol=1e-12)


@given(st.integers(0, 1000), st.sampled_from([np.float64, np.float32]))
@settings(max_examples=20)
def test_blocks_change_nothing(seed, dtype):
    X = np.random.default_rng(seed).normal(size=(40, 5)).astype(dtype)
    whole = nearest_others(X, 6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graphs, "LARGEST_BLOCK", 7)
        patch.setattr(graphs, "EXACT_CHUNK", 11)
        parts = nearest_others(X, 6)
    for a, b in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(a, b)


def test_samples_far_from_the_origin_keep_their_distances():
    X = np.array([[0.0, 0.0], [1e-3, 0.0], [3e-3, 0.0]]) + 1e3
    np.testing.assert_allclose(np.sqrt(nearest_others(X, 1)[1].ravel()), [1e-3, 1e-3, 2e-3], rtol=1e-6)


@given(n=st.integers(1, 30), k=st.integers(1, 4), n_neighbors=st.integers(1, 40), seed=st.integers(0, 99))
def test_a_graph_is_symmetric_and_its_laplacian_positive_semi_definite(n, k, n_neighbors, seed):
    units = unit_rows(np.random.default_rng(seed).normal(size=(n, k)))
    indices, found = nearest_cosines(units, units, n_neighbors, others=True)
    graph = symmetric_graph(indices, np.maximum(found, 0))
    assert (abs(graph - graph.T)).sum() == 0
    assert graph.diagonal().sum() == 0
    assert np.all(np.diff(graph.indptr) <= n - 1)
    values = np.linalg.eigvalsh(scaled_by_degree(graph).toarray())
    assert np.abs(values).max(initial=0) <= 1 + 1e-12


def test_a_sample_that_nothing_is_joined_to_has_no_weights():
    graph = scaled_by_degree(sparse.csr_array(np.diag([0.0, 3.0])))
    np.testing.assert_allclose(graph.toarray(), np.diag([0.0, 1.0]))
