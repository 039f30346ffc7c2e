"""The most similar samples, by cosine, in blocks: memory stays a chosen number of pairs, whatever n is.

Products in single precision find the neighbours, double precision decides between those that come close to each other.
Near ties are therefore decided alike on every processor.
"""

from __future__ import annotations

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.memory import held_at_a_time
from tsrp.numerics.threads import parallel_map

# Similarities that a thread holds at a time (32 MB).
PAIRS_IN_MEMORY = 1 << 23
LARGEST_BLOCK = 1024
# The largest of so many similarities are found first, and then searched for the neighbours.
GROUP = 64
# Cosines that differ by less are equal: products of equal rows differ in the last bits.
TIE = 16 * np.finfo(np.float64).eps


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
    step = max(1, min(LARGEST_BLOCK, held_at_a_time(PAIRS_IN_MEMORY, 8) // max(width, 1)))
    single = references.astype(np.float32)
    # What two products in single precision can be off by.
    margin = 2 * (references.shape[1] + 4) * np.finfo(np.float32).eps

    def search(start: int) -> tuple[IntArray, FloatArray]:
        block = queries[start : start + step]
        screen = np.full((len(block), width), -np.inf, dtype=np.float32)
        np.matmul(block.astype(np.float32), single.T, out=screen[:, :n])
        if others:
            own = np.arange(len(block))
            screen[own, start + own] = -np.inf
        found = _largest(screen, few)
        reached = np.take_along_axis(screen, found, axis=1).min(axis=1) - margin
        for row in np.flatnonzero(np.count_nonzero(screen >= reached[:, None], axis=1) > few):
            candidates = np.flatnonzero(screen[row] >= reached[row])
            found[row] = candidates[_first_largest(references[candidates] @ block[row], few)]
        found.sort(axis=1)
        exact = [np.einsum("ij,ij->i", references[column], block) for column in found.T]
        return found, np.stack(exact, axis=1)

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


def _first_largest(cosines: FloatArray, few: int) -> IntArray:
    """Where the largest cosines are; among those that tie for the last places, the first."""
    last = np.partition(cosines, -few)[-few]
    clear = np.flatnonzero(cosines > last + TIE)
    tied = np.flatnonzero(np.abs(cosines - last) <= TIE)
    return np.concatenate([clear, tied[: few - len(clear)]])
