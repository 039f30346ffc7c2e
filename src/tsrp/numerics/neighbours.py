"""The nearest neighbour, exactly, at the speed of matrix products.

Squared distances from a matrix product are fast but lose digits, so here they only *screen*: every reference that
could be the nearest within the product's rounding error is a candidate, and the candidates are compared by the sum
of squared differences. The answer therefore does not depend on block sizes, threads or the precision of the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.numerics.threads import parallel_map

QUERY_BLOCK = 512
REFERENCE_BLOCK = 2048
# More candidates than this per query mean that float32 cannot tell the neighbours apart and float64 screens again;
# if that cannot either, they are decided among as they come, and memory stays bounded.
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
    # A common scale keeps squares in range; a power of two changes no digit.
    largest = max(np.abs(references).max(initial=0.0), np.abs(queries).max(initial=0.0))
    scale = 2.0 ** np.frexp(float(largest))[1] if largest > 0 else 1.0
    references = np.asarray(references, dtype=np.float64) / scale
    queries = np.asarray(queries, dtype=np.float64) / scale
    # Equal rows may differ by a few roundings of each feature; one that is constant does not tell rows apart.
    varies = references.max(axis=0) != references.min(axis=0)
    noise = np.einsum("ij,ij->i", queries[:, varies], queries[:, varies]) * (8 * np.finfo(np.float64).eps) ** 2

    # The screen may shift both: that changes no distance, and keeps its own rounding errors small.
    centre = references.mean(axis=0)
    shifted = references - centre
    single = _Screen(shifted, np.float32)
    # Few queries want float64, if any: it is made when the first one does.
    double = cache(lambda: _Screen(shifted, np.float64))

    def search(start: int) -> IntArray:
        part = slice(start, start + QUERY_BLOCK)
        block, slack = queries[part], noise[part]

        def decide(rows: IntArray, candidates: IntArray) -> IntArray:
            return _first_nearest(references, block, rows, candidates, slack)

        found = single.candidates(block - centre, slack)
        if found is None:
            found = double().candidates(block - centre, slack, decide)
        assert found is not None
        return decide(*found)

    found = parallel_map(search, range(0, len(queries), QUERY_BLOCK))
    return np.concatenate(found) if found else np.empty(0, dtype=np.intp)


class _Screen:
    """Which references may be the nearest of a query, given products rounded to a type."""

    def __init__(self, references: FloatArray, dtype: type[np.floating[Any]]) -> None:
        half_squares = 0.5 * np.einsum("ij,ij->i", references, references)
        # (r, |r|^2 / 2) . (-q, 1) is half the squared distance without the query's own square, which orders nothing.
        self._extended = np.column_stack([references, half_squares]).astype(dtype)
        self._reach = float(np.sqrt(2 * half_squares.max(initial=0.0)))
        self._eps, self._tiny = np.finfo(dtype).eps, np.finfo(dtype).tiny

    def candidates(
        self, block: FloatArray, noise: FloatArray, decide: Callable[[IntArray, IntArray], IntArray] | None = None
    ) -> tuple[IntArray, IntArray] | None:
        """All (query, reference) pairs that may be nearest or tied; None if they are many and nobody decides."""
        length = np.sqrt(np.einsum("ij,ij->i", block, block))
        # Both sides of a comparison are off by at most about m roundings of the largest product involved.
        rounding = 4 * (self._extended.shape[1] + 4) * self._eps * self._reach * (length + self._reach)
        margin = rounding + TIE * (length + self._reach) ** 2 + noise + self._tiny

        extended = np.column_stack([-block, np.ones(len(block))]).astype(self._extended.dtype)
        margin = margin.astype(extended.dtype)
        best = np.full(len(block), np.inf, dtype=extended.dtype)
        rows: IntArray = np.empty(0, dtype=np.intp)
        columns: IntArray = np.empty(0, dtype=np.intp)
        values = np.empty(0, dtype=extended.dtype)
        for start in range(0, len(self._extended), REFERENCE_BLOCK):
            score = extended @ self._extended[start : start + REFERENCE_BLOCK].T
            np.minimum(best, score.min(axis=1), out=best)
            near = np.flatnonzero(score <= (best + margin)[:, None])
            row, column = np.divmod(near, score.shape[1])
            rows, columns = np.concatenate([rows, row]), np.concatenate([columns, column + start])
            values = np.concatenate([values, score.ravel()[near]])
            keep = values <= (best + margin)[rows]
            rows, columns, values = rows[keep], columns[keep], values[keep]
            if len(rows) > MANY_CANDIDATES * len(block):
                if decide is None:
                    return None
                # References come in order, so the first of the nearest so far speaks for all of them.
                columns = decide(rows, columns)
                rows, values = np.arange(len(block)), np.full(len(block), -np.inf, dtype=extended.dtype)
        return rows, columns


def _first_nearest(
    references: FloatArray, block: FloatArray, rows: IntArray, candidates: IntArray, noise: FloatArray
) -> IntArray:
    """Among each query's candidates, the first whose distance is the smallest, up to ties."""
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
    tied = squares <= (smallest * (1 + TIE) + noise)[rows]
    first = np.full(len(block), len(references), dtype=np.intp)
    np.minimum.at(first, rows[tied], candidates[tied])
    return np.where(alone, answer, first)
