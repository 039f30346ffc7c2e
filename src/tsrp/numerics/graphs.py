"""Graphs of nearest neighbours."""

from __future__ import annotations

from collections.abc import Callable

from scipy import sparse
from sklearn.neighbors import kneighbors_graph

from tsrp._types import FloatArray


def neighbour_graph(X: FloatArray, n_neighbors: int, weigh: Callable[[FloatArray], FloatArray]) -> sparse.csr_array:
    """A symmetric graph in which each sample is joined to its nearest others, and to those that it is a nearest of.

    Parameters
    ----------
    X : array of shape (n, m)
    n_neighbors : int
        As many as there are, if fewer.
    weigh : callable
        Makes weights of the squared distances of all joined pairs.

    Examples
    --------
    >>> import numpy as np
    >>> neighbour_graph(np.array([[0.0], [1.0], [3.0]]), 1, np.ones_like).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    if len(X) == 1:
        return sparse.csr_array((1, 1))
    graph = sparse.csr_array(kneighbors_graph(X, min(n_neighbors, len(X) - 1), mode="distance"))
    graph.data = weigh(graph.data**2)
    return sparse.csr_array(graph.maximum(graph.T))
