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

from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp.blocked.elsewhere import sender
from tsrp.numerics.remote import search_elsewhere
from tsrp.numerics.threads import parallel_map

# Products of such blocks stay in the cache while they are looked at.
QUERY_BLOCK = 1024
REFERENCE_BLOCK = 512
# Of fewer queries smaller blocks are made, for every thread to have some.
FEW_QUERIES = 4 * QUERY_BLOCK
# More candidates than this per query mean that float32 cannot tell the neighbours apart and float64 screens again;
# if that cannot either, they are decided among as they come, and memory stays bounded.
MANY_CANDIDATES = 16
# Squared distances that differ by less than this, relatively, are ties: equal rows may differ in the last bits.
TIE = 1e-12
EXACT_CHUNK = 1 << 16
# Fewer pairs than this are not worth a way to other machines.
WORTH_SENDING = 1 << 22


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
    scale = _common_scale(references, queries)
    references, queries = _scaled(references, scale), _scaled(queries, scale)
    return _search(references, queries, _noise(queries, _varies(references)))[0]


class GrowingPool:
    """A search for the nearest neighbours of some queries in a pool that queries join: only what is new is searched.

    Parameters
    ----------
    references : array of shape (n, m)
        The pool at first.
    queries : array of shape (q, m)

    Examples
    --------
    >>> import numpy as np
    >>> pool = GrowingPool(np.array([[0.0], [9.0]]), np.array([[2.0], [3.0], [6.0]]))
    >>> pool.nearest(np.array([0, 2]))
    array([0, 1])
    >>> pool.add(np.array([1]))
    >>> pool.nearest(np.array([0]))
    array([2])
    """

    def __init__(self, references: FloatArray, queries: FloatArray) -> None:
        scale = _common_scale(references, queries)
        self._queries = _scaled(queries, scale)
        # With room for all queries: those that never join are never written, and take no memory.
        self._rows = np.empty((len(references) + len(queries), queries.shape[1]))
        np.divide(references, scale, out=self._rows[: len(references)])
        self._size = len(references)
        self._lowest, self._highest = self._pool.min(axis=0), self._pool.max(axis=0)
        self._varies = np.zeros(queries.shape[1], dtype=bool)
        self._n_searched = 0
        self._nearest = np.empty(len(queries), dtype=np.intp)
        self._squares = np.empty(len(queries))

    @property
    def _pool(self) -> FloatArray:
        return self._rows[: self._size]

    def add(self, rows: IntArray) -> None:
        """Let these queries join the pool, behind those that are there."""
        if len(rows) == 0:
            return
        new = self._queries[rows]
        if self._size + len(rows) > len(self._rows):
            # Some have joined more than once.
            self._rows = np.vstack([self._pool, new])
        self._rows[self._size : self._size + len(rows)] = new
        self._size += len(rows)
        np.minimum(self._lowest, new.min(axis=0), out=self._lowest)
        np.maximum(self._highest, new.max(axis=0), out=self._highest)

    def nearest(self, rows: IntArray) -> IntArray:
        """What `nearest` finds in the pool for these queries; all of them were asked about each time before."""
        varies = self._lowest != self._highest
        if self._n_searched == 0 or not np.array_equal(varies, self._varies):
            # Another feature tells samples apart, which moves the bound of what is a tie.
            self._varies, self._n_searched = varies, 0
            self._noise = _noise(self._queries, varies)
        noise = self._noise[rows]
        new = self._pool[self._n_searched :]
        if self._n_searched == 0:
            self._nearest[rows], self._squares[rows] = _search(new, self._queries[rows], noise)
        elif len(new):
            found, squares = _search(new, self._queries[rows], noise)
            known = self._squares[rows]
            tied = (squares < known) & (known <= squares * (1 + TIE) + noise)
            closer = (squares < known) & ~tied
            self._nearest[rows[closer]] = found[closer] + self._n_searched
            self._squares[rows[closer]] = squares[closer]
            if tied.any():
                # Which of the old ones is the first within the new bound, only they can say.
                again = rows[tied]
                self._nearest[again], self._squares[again] = _search(self._pool, self._queries[again], noise[tied])
        self._n_searched = self._size
        return self._nearest[rows]


def _common_scale(references: FloatArray, queries: FloatArray) -> float:
    """A common scale keeps squares in range; a power of two changes no digit."""
    largest = max(np.abs(references).max(initial=0.0), np.abs(queries).max(initial=0.0))
    return float(2.0 ** np.frexp(float(largest))[1]) if largest > 0 else 1.0


def _scaled(X: FloatArray, scale: float) -> FloatArray:
    return np.asarray(X, dtype=np.float64) / scale


def _varies(references: FloatArray) -> BoolArray:
    """The features that tell references apart."""
    return references.max(axis=0) != references.min(axis=0)


def _noise(queries: FloatArray, varies: BoolArray) -> FloatArray:
    """Equal rows may differ by a few roundings of each feature; one that is constant does not tell rows apart."""
    telling = queries if varies.all() else queries[:, varies]
    return np.einsum("ij,ij->i", telling, telling) * (8 * np.finfo(np.float64).eps) ** 2


def _search(references: FloatArray, queries: FloatArray, noise: FloatArray) -> tuple[IntArray, FloatArray]:
    """The first nearest reference of each query, up to ties, and the smallest squared distance."""
    send = sender()
    if send is None or len(references) * len(queries) < WORTH_SENDING:
        return _search_here(references, queries, noise)
    return search_elsewhere(send, _search_here, references, queries, noise, TIE)


def _search_here(references: FloatArray, queries: FloatArray, noise: FloatArray) -> tuple[IntArray, FloatArray]:
    # The screen may shift both: that changes no distance, and keeps its own rounding errors small.
    centre = references.mean(axis=0)
    shifted = references - centre
    single = _Screen(shifted, np.float32)
    # Few queries want float64, if any: it is made when the first one does.
    double = cache(lambda: _Screen(shifted, np.float64))
    step = QUERY_BLOCK if len(queries) > FEW_QUERIES else QUERY_BLOCK // 2

    def search(start: int) -> tuple[IntArray, FloatArray]:
        part = slice(start, start + step)
        block, slack = queries[part], noise[part]

        def decide(rows: IntArray, candidates: IntArray) -> IntArray:
            return _first_nearest(references, block, rows, candidates, slack)[0]

        found = single.candidates(block - centre, slack)
        if found is None:
            found = double().candidates(block - centre, slack, decide)
        assert found is not None
        return _first_nearest(references, block, *found, slack)

    found = parallel_map(search, range(0, len(queries), step))
    if not found:
        return np.empty(0, dtype=np.intp), np.empty(0)
    first, squares = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return first, squares


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
        buffer = np.empty((len(block), min(REFERENCE_BLOCK, len(self._extended))), dtype=extended.dtype)
        for start in range(0, len(self._extended), REFERENCE_BLOCK):
            references = self._extended[start : start + REFERENCE_BLOCK]
            score = np.matmul(extended, references.T, out=buffer[:, : len(references)])
            lowest = score.min(axis=1)
            np.minimum(best, lowest, out=best)
            # Few queries have their nearest so far among these references: the others are not looked at again.
            (hit,) = np.nonzero(lowest <= best + margin)
            row, column = np.divmod(np.flatnonzero(score[hit] <= (best + margin)[hit, None]), len(references))
            rows, columns = np.concatenate([rows, hit[row]]), np.concatenate([columns, column + start])
            values = np.concatenate([values, score[hit[row], column]])
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
) -> tuple[IntArray, FloatArray]:
    """Among each query's candidates, the first whose squared distance is the smallest, up to ties, and the smallest."""
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
    return first, smallest
