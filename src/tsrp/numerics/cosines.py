"""The most similar samples, by cosine, in blocks: memory stays a chosen number of pairs, whatever n is.

Products in single precision find the neighbours, double precision decides between those that come close to each other.
Near ties are therefore decided alike on every processor.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tsrp._types import FloatArray, IntArray
from tsrp.memory import held_at_a_time
from tsrp.numerics.threads import parallel_map

# Similarities in single precision that a thread holds at a time (32 MB).
PAIRS_IN_MEMORY = 1 << 23
# Many references are looked at in parts: the largest similarities of each place in a part are found first, which are
# fewer, and then searched for the neighbours.
PARTS, MANY = 32, 2048
# Similarities to a part, which stay in the cache while the largest are found.
PAIRS_IN_CACHE = 1 << 17
FEWEST_ROWS, MOST_ROWS = 64, 1024
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
    parts = PARTS if n > MANY else 1
    width = -(-n // parts)
    most = held_at_a_time(PAIRS_IN_MEMORY, 8) // max(1, width * parts)
    step = max(1, min(MOST_ROWS, most, max(FEWEST_ROWS, PAIRS_IN_CACHE // max(1, width))))
    single = references.astype(np.float32)
    # What two products in single precision can be off by.
    margin = 2 * (references.shape[1] + 4) * np.finfo(np.float32).eps

    def search(start: int) -> tuple[IntArray, FloatArray]:
        block = queries[start : start + step]
        screen, largest = _screened(single, block.astype(np.float32), parts, start if others else None)
        found, reached, n_near = _largest(screen, largest, few, margin)
        for row in np.flatnonzero(n_near > few):
            candidates = np.flatnonzero(screen[row] >= reached[row])
            found[row] = candidates[_first_largest(references[candidates] @ block[row], few)]
        found.sort(axis=1)
        exact = [np.einsum("ij,ij->i", references[column], block) for column in found.T]
        return found, np.stack(exact, axis=1)

    if few == 0 or len(queries) == 0:
        return np.empty((len(queries), few), dtype=np.intp), np.empty((len(queries), few), dtype=queries.dtype)
    found, exact = zip(*parallel_map(search, range(0, len(queries), step)), strict=True)
    return np.vstack(found), np.vstack(exact)


def _screened(
    references: FloatArray, queries: FloatArray, parts: int, first: int | None
) -> tuple[FloatArray, FloatArray]:
    """All similarities, and the largest at each place of so many parts of the references.

    `first` is the number of the first query among the references, where none is its own neighbour.
    """
    n, q = len(references), len(queries)
    width = -(-n // parts)
    screen = np.empty((q, parts * width), dtype=np.float32)
    largest = np.full((q, width), -np.inf, dtype=np.float32)
    for start in range(0, parts * width, width):
        part, stop = screen[:, start : start + width], min(n, start + width)
        np.matmul(queries, references[start:stop].T, out=part[:, : max(0, stop - start)])
        part[:, max(0, stop - start) :] = -np.inf
        if first is not None:
            own = np.arange(max(first, start), min(first + q, stop))
            part[own - first, own - start] = -np.inf
        np.maximum(largest, part, out=largest)
    return screen, largest


def _largest(
    screen: FloatArray, largest: FloatArray, k: int, margin: float
) -> tuple[IntArray, FloatArray, npt.NDArray[np.int_]]:
    """The columns of the k largest values of each row, the least value that may be one of them, and how many may be.

    They lie in the k places whose largest values are largest, which are much fewer to search.
    """
    n_rows, width = largest.shape
    rows = np.arange(n_rows)[:, np.newaxis]
    places = np.argpartition(largest, max(0, width - k), axis=1)[:, max(0, width - k) :]
    starts = np.arange(0, screen.shape[1], width)[:, np.newaxis]
    columns = (starts + places[:, np.newaxis, :]).reshape(n_rows, -1)
    candidates = screen[rows, columns]
    best = np.argpartition(candidates, columns.shape[1] - k, axis=1)[:, columns.shape[1] - k :]
    reached = candidates[rows, best].min(axis=1, keepdims=True) - margin
    n_near = np.count_nonzero(candidates >= reached, axis=1)
    # A place that was not searched counts once, if something there is large enough.
    largest[rows, places] = -np.inf
    return columns[rows, best], reached.ravel(), n_near + np.count_nonzero(largest >= reached, axis=1)


def _first_largest(cosines: FloatArray, few: int) -> IntArray:
    """Where the largest cosines are; among those that tie for the last places, the first."""
    last = np.partition(cosines, -few)[-few]
    clear = np.flatnonzero(cosines > last + TIE)
    tied = np.flatnonzero(np.abs(cosines - last) <= TIE)
    return np.concatenate([clear, tied[: few - len(clear)]])
