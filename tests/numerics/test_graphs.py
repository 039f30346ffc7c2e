"""Neighbour graphs join each sample to its nearest others."""

import numpy as np
from scipy.spatial.distance import cdist

from tsrp.numerics.graphs import neighbour_graph


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
