"""The nearest neighbour, exactly, at the speed of matrix products.

Squared distances from a matrix product are fast but lose digits, so here they only *screen*: every reference that
could be the nearest within the product's rounding error is a candidate, and the candidates are compared by the sum
of squared differences. The answer therefore does not depend on block sizes, threads or the precision of the screen.
"""

from __future__ import annotations

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.linalg.threads import parallel_map

QUERY_BLOCK = 512
REFERENCE_BLOCK = 4096
# More candidates than this per query mean that float32 cannot tell the neighbours apart; float64 screens again.
MANY_CANDIDATES = 16
# Squared distances that differ by less than this, relatively, are ties: equal rows may differ in the last bits.
TIE = 1e-12
EXACT_CHUNK = 1 << 16


def nearest(references: FloatArray, queries: FloatArray) -> IntArray:
    """Index of the nearest reference of each query: Euclidean distance, the first reference wins a tie.

    Parameters
    ----------
    references : array of shape (n, m)
    queries : array of shape (q, m)

    Returns
    -------
    array of shape (q,)
        Indices into `references`.

    Examples
    --------
    >>> import numpy as np
    >>> nearest(np.array([[0.0], [2.0], [2.0]]), np.array([[1.0], [1.9]]))
    array([0, 1])
    """
    # Distances do not change under a shift and a common scale; both keep the screen's rounding errors small.
    # Shrinking before the shift keeps values near the largest double finite.
    largest = max(np.abs(references).max(initial=0.0), np.abs(queries).max(initial=0.0))
    unit = float(largest) if largest > 0 else 1.0
    references = np.asarray(references, dtype=np.float64) / unit
    queries = np.asarray(queries, dtype=np.float64) / unit
    # A distance of zero comes out as a few roundings of the rows' own lengths.
    zero = 1e-26 * np.einsum("ij,ij->i", queries, queries)
    centre = references.mean(axis=0)
    references = references - centre
    queries = queries - centre

    single = references.astype(np.float32)
    starts = range(0, len(queries), QUERY_BLOCK)

    def search(start: int) -> IntArray:
        block = queries[start : start + QUERY_BLOCK]
        slack = zero[start : start + QUERY_BLOCK]
        rows, candidates = _screen(single, block, slack)
        if len(rows) > MANY_CANDIDATES * len(block):
            rows, candidates = _screen(references, block, slack)
        return _first_nearest(references, block, rows, candidates, slack)

    found = parallel_map(search, starts)
    return np.concatenate(found) if found else np.empty(0, dtype=np.intp)


def _screen(references: FloatArray, block: FloatArray, zero: FloatArray) -> tuple[IntArray, IntArray]:
    """All (query, reference) pairs that may be nearest or tied, given a product rounded to the references' type."""
    dtype = references.dtype
    block = block.astype(dtype, copy=False)
    half_squares = 0.5 * np.einsum("ij,ij->i", references, references)
    reach = float(np.sqrt(2 * half_squares.max(initial=0.0)))
    # Both sides of a comparison are off by at most about m roundings of the largest product involved.
    length = np.sqrt(np.einsum("ij,ij->i", block, block))
    margin = 4 * (references.shape[1] + 4) * np.finfo(dtype).eps * reach * (length + reach)
    margin = (margin + TIE * (length + reach) ** 2 + zero + np.finfo(dtype).tiny).astype(dtype)

    best = np.full(len(block), np.inf, dtype=dtype)
    rows: list[IntArray] = []
    columns: list[IntArray] = []
    values: list[FloatArray] = []
    for start in range(0, len(references), REFERENCE_BLOCK):
        part = references[start : start + REFERENCE_BLOCK]
        # |q - r|^2 / 2 without the query's own square, which does not change the order.
        score = half_squares[start : start + REFERENCE_BLOCK] - block @ part.T
        np.minimum(best, score.min(axis=1), out=best)
        row, column = np.nonzero(score <= (best + margin)[:, None])
        rows.append(row)
        columns.append(column + start)
        values.append(score[row, column])
    row = np.concatenate(rows)
    keep = np.concatenate(values) <= (best + margin)[row]
    return row[keep], np.concatenate(columns)[keep]


def _first_nearest(
    references: FloatArray, block: FloatArray, rows: IntArray, candidates: IntArray, zero: FloatArray
) -> IntArray:
    """Among each query's candidates, the first whose sum of squared differences is the smallest, up to ties."""
    answer = np.empty(len(block), dtype=np.intp)
    alone = np.bincount(rows, minlength=len(block)) == 1
    decided = alone[rows]
    answer[rows[decided]] = candidates[decided]
    rows, candidates = rows[~decided], candidates[~decided]

    squares = np.empty(len(rows))
    chunk = max(1, EXACT_CHUNK // max(1, block.shape[1]))
    for start in range(0, len(rows), chunk):
        part = slice(start, start + chunk)
        difference = block[rows[part]] - references[candidates[part]]
        squares[part] = np.einsum("ij,ij->i", difference, difference)
    smallest = np.full(len(block), np.inf)
    np.minimum.at(smallest, rows, squares)
    tied = squares <= (smallest * (1 + TIE) + zero)[rows]
    first = np.full(len(block), len(references), dtype=np.intp)
    np.minimum.at(first, rows[tied], candidates[tied])
    return np.where(alone, answer, first)
