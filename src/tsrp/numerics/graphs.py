"""Graphs of nearest neighbours."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

from tsrp._types import FloatArray, IntArray
from tsrp.numerics.threads import parallel_map

# Distances that a thread holds at a time (32 MB of float64), in at most so many rows.
PAIRS_IN_MEMORY = 1 << 22
LARGEST_BLOCK = 512
# Numbers of differences that are held at a time.
EXACT_CHUNK = 1 << 20
# Squared distances closer than this share of the largest squared length are one value.
SAME = 1e-11


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


def nearest_others(X: FloatArray, n_neighbors: int) -> tuple[IntArray, FloatArray]:
    """The nearest other samples of each sample, nearest first, and their squared distances; ties by index.

    Exact, in blocks: products only screen, the distances are sums of squared differences.

    Parameters
    ----------
    X : array of shape (n, m)
    n_neighbors : int
        As many as there are, if fewer.

    Returns
    -------
    indices : array of int, shape (n, n_neighbors)
    squares : array of shape (n, n_neighbors)

    Examples
    --------
    >>> import numpy as np
    >>> nearest_others(np.array([[0.0], [1.0], [3.0]]), 1)
    (array([[1],
           [0],
           [1]]), array([[1.],
           [1.],
           [4.]]))
    """
    n = len(X)
    few = min(n_neighbors, n - 1)
    if few == 0:
        return np.empty((n, 0), dtype=np.intp), np.empty((n, 0))
    # A shift changes no distance, and keeps the products' rounding errors small.
    X = X - X.mean(axis=0, dtype=np.float64)
    lengths = np.einsum("ij,ij->i", X, X)
    same = max(SAME * float(lengths.max()), np.finfo(np.float64).tiny)
    step = max(1, min(LARGEST_BLOCK, PAIRS_IN_MEMORY // n))

    def search(start: int) -> tuple[IntArray, FloatArray]:
        block = X[start : start + step]
        screen = lengths - 2 * (block @ X.T)
        own = np.arange(len(block))
        screen[own, start + own] = np.inf
        reach = np.partition(screen, few - 1, axis=1)[:, few - 1] + same
        rows, columns = np.nonzero(screen <= reach[:, None])
        squares = _squares(X, rows + start, columns)
        order = np.lexsort((columns, np.round(squares / same), rows))
        rows, columns, squares = rows[order], columns[order], squares[order]
        chosen = np.searchsorted(rows, own)[:, None] + np.arange(few)
        return columns[chosen], squares[chosen]

    parts = parallel_map(search, range(0, n, step))
    return np.vstack([part[0] for part in parts]), np.vstack([part[1] for part in parts])


def _squares(X: FloatArray, rows: IntArray, columns: IntArray) -> FloatArray:
    """Squared distances of pairs of samples."""
    squares = np.empty(len(rows))
    chunk = max(1, EXACT_CHUNK // X.shape[1])
    for start in range(0, len(rows), chunk):
        part = slice(start, start + chunk)
        difference = X[rows[part]] - X[columns[part]]
        squares[part] = np.einsum("ij,ij->i", difference, difference)
    return squares


def directed_graph(indices: IntArray, weights: FloatArray) -> sparse.csr_array:
    """The graph in which row i has weights at its own indices.

    Examples
    --------
    >>> import numpy as np
    >>> directed_graph(np.array([[1], [0]]), np.array([[0.5], [2.0]])).toarray()
    array([[0. , 0.5],
           [2. , 0. ]])
    """
    n, k = indices.shape
    starts = np.arange(n + 1) * k
    return sparse.csr_array((weights.ravel(), indices.ravel(), starts), shape=(n, n))


def symmetric_graph(indices: IntArray, weights: FloatArray) -> sparse.csr_array:
    """The graph that joins each sample to its neighbours and to those that it is a neighbour of.

    Parameters
    ----------
    indices : array of int, shape (n, k)
        The neighbours of each of n samples, ascending.
    weights : array of shape (n, k)
        Not negative. A pair that is weighted twice has the larger weight.

    Examples
    --------
    >>> import numpy as np
    >>> symmetric_graph(np.array([[1], [2], [1]]), np.array([[0.5], [0.2], [0.1]])).toarray()
    array([[0. , 0.5, 0. ],
           [0.5, 0. , 0.2],
           [0. , 0.2, 0. ]])
    """
    one_way = directed_graph(indices, weights)
    return sparse.csr_array(one_way.maximum(one_way.T))


def scaled_by_degree(graph: sparse.csr_array) -> sparse.csr_array:
    """D^-1/2 W D^-1/2, with D the sums of W's rows; a sample that nothing is joined to stays alone.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> scaled_by_degree(sparse.csr_array(np.array([[0.0, 4.0], [4.0, 0.0]]))).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    degree = np.asarray(graph.sum(axis=1)).ravel()
    scale = sparse.dia_array((1 / np.sqrt(np.where(degree > 0, degree, 1.0))[None, :], [0]), shape=graph.shape)
    return sparse.csr_array(scale @ graph @ scale)
