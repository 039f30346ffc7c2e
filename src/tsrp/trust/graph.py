"""Graphs of the most similar samples, by cosine, in blocks: memory stays a chosen number of pairs, whatever n is."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from tsrp._types import FloatArray, IntArray
from tsrp.numerics.threads import parallel_map

NEIGHBOURS = 10
# Similarities that a thread holds at a time (32 MB of float32).
PAIRS_IN_MEMORY = 1 << 23
LARGEST_BLOCK = 1024
# The largest of so many similarities are found first, and then searched for the neighbours.
GROUP = 64
# A neighbour whose cosine is lower by this much counts less by a factor of e.
WIDTH = 0.1


def nearest_cosines(
    references: FloatArray, queries: FloatArray, n_neighbors: int, *, others: bool = False
) -> tuple[IntArray, FloatArray]:
    """The references of largest cosine of each query, and the cosines, in the order of the references.

    Parameters
    ----------
    references, queries : arrays of shape (n, k) and (q, k)
        Rows of unit length, or of zeros.
    n_neighbors : int
        As many as there are, if fewer.
    others : bool, default False
        The queries are the references, and none is its own neighbour.

    Returns
    -------
    indices : array of int, shape (q, n_neighbors)
    cosines : array of shape (q, n_neighbors)

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> nearest_cosines(rows, rows, 1, others=True)[0].ravel()
    array([1, 2, 1])
    """
    n = len(references)
    few = min(n_neighbors, n - 1 if others else n)
    width = -(-n // GROUP) * GROUP
    step = max(1, min(LARGEST_BLOCK, PAIRS_IN_MEMORY // max(width, 1)))

    def search(start: int) -> tuple[IntArray, FloatArray]:
        block = queries[start : start + step]
        cosines = np.full((len(block), width), -np.inf, dtype=queries.dtype)
        np.matmul(block, references.T, out=cosines[:, :n])
        if others:
            own = np.arange(len(block))
            cosines[own, start + own] = -np.inf
        found = np.sort(_largest(cosines, few), axis=1)
        return found, np.take_along_axis(cosines, found, axis=1)

    if few == 0 or len(queries) == 0:
        return np.empty((len(queries), few), dtype=np.intp), np.empty((len(queries), few), dtype=queries.dtype)
    parts = parallel_map(search, range(0, len(queries), step))
    return np.vstack([part[0] for part in parts]), np.vstack([part[1] for part in parts])


def _largest(values: FloatArray, k: int) -> IntArray:
    """The columns of the k largest values of each row; their number is a multiple of `GROUP`.

    They lie in the k groups whose maxima are largest, which are much fewer to search.
    """
    n_rows, width = values.shape
    n_groups = width // GROUP
    if n_groups <= k:
        return np.argpartition(values, width - k, axis=1)[:, width - k :]
    grouped = values.reshape(n_rows, GROUP, n_groups)
    groups = np.argpartition(grouped.max(axis=1), n_groups - k, axis=1)[:, n_groups - k :]
    columns = (groups[:, None, :] + n_groups * np.arange(GROUP)[:, None]).reshape(n_rows, -1)
    candidates = np.take_along_axis(values, columns, axis=1)
    best = np.argpartition(candidates, GROUP * k - k, axis=1)[:, GROUP * k - k :]
    return np.take_along_axis(columns, best, axis=1)


def closeness(cosines: FloatArray) -> FloatArray:
    """The weight of a neighbour: 1 in the same direction, less by a factor of e for each `WIDTH` of cosine.

    Examples
    --------
    >>> import numpy as np
    >>> closeness(np.array([1.0, 0.9])).round(2)
    array([1.  , 0.37])
    """
    return np.exp((cosines.astype(np.float64) - 1.0) / WIDTH)


def affinity(units: FloatArray, n_neighbors: int = NEIGHBOURS) -> sparse.csr_array:
    """The symmetric graph of the most similar samples, normalised: D^-1/2 W D^-1/2.

    Each sample is joined to its neighbours of largest cosine and to those that it is a neighbour of.

    Parameters
    ----------
    units : array of shape (n, k)
        Rows of unit length.
    n_neighbors : int, default 10
        As many as there are, if fewer.

    Examples
    --------
    >>> import numpy as np
    >>> affinity(np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8]]), 1).toarray().round(2)
    array([[0.  , 0.41, 0.  ],
           [0.41, 0.  , 0.91],
           [0.  , 0.91, 0.  ]])
    """
    n = len(units)
    # Half the time of float64, and no weight changes by more than a millionth.
    indices, cosines = nearest_cosines(*2 * (units.astype(np.float32),), n_neighbors, others=True)
    starts = np.arange(n + 1) * indices.shape[1]
    one_way = sparse.csr_array((closeness(cosines).ravel(), indices.ravel(), starts), shape=(n, n))
    both_ways = sparse.csr_array(one_way.maximum(one_way.T))
    degree = np.asarray(both_ways.sum(axis=1)).ravel()
    scale = sparse.dia_array((1 / np.sqrt(np.where(degree > 0, degree, 1.0))[None, :], [0]), shape=(n, n))
    return sparse.csr_array(scale @ both_ways @ scale)
