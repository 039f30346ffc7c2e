"""The nearest neighbour, exactly, at the speed of matrix products.

Squared distances from a matrix product are fast but lose digits, so here they only *screen*: every reference that
could be the nearest within the product's rounding error is a candidate, and the candidates are compared by the sum
of squared differences. The answer therefore does not depend on block sizes, threads or the precision of the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from tsrp._cached import cached_property
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
    rows = _Rows(references, queries)
    n = len(references)
    noise = rows.noise(_varies(references))
    return _search(rows, np.arange(n), np.arange(n, n + len(queries)), noise)[0]


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
        self._rows = _Rows(references, queries)
        self._n_references = len(references)
        # Which rows are in the pool, in their order.
        self._pool = np.arange(len(references))
        self._varies = _varies(references)
        self._noise = self._rows.noise(self._varies)
        self._n_searched = 0
        self._nearest = np.empty(len(queries), dtype=np.intp)
        self._squares = np.empty(len(queries))

    def add(self, rows: IntArray) -> None:
        """Let these queries join the pool, behind those that are there."""
        (constant,) = np.nonzero(~self._varies)
        known, new = self._rows.references[:1, constant], self._rows.queries[np.ix_(rows, constant)]
        telling = constant[(new != known).any(axis=0)]
        self._pool = np.concatenate([self._pool, rows + self._n_references])
        if len(telling):
            # Another feature tells samples apart, which moves the bound of what is a tie.
            self._varies[telling] = True
            self._noise = self._rows.noise(self._varies)
            self._n_searched = 0

    def nearest(self, rows: IntArray) -> IntArray:
        """What `nearest` finds in the pool for these queries; all of them were asked about each time before."""
        new = self._pool[self._n_searched :]
        if self._n_searched == 0:
            self._nearest[rows], self._squares[rows] = self._search(new, rows)
        elif len(new):
            found, squares = self._search(new, rows)
            known = self._squares[rows]
            tied = (squares < known) & (known <= squares * (1 + TIE) + self._noise[rows])
            closer = (squares < known) & ~tied
            self._nearest[rows[closer]] = found[closer] + self._n_searched
            self._squares[rows[closer]] = squares[closer]
            if tied.any():
                # Which of the old ones is the first within the new bound, only they can say.
                again = rows[tied]
                self._nearest[again], self._squares[again] = self._search(self._pool, again)
        self._n_searched = len(self._pool)
        return self._nearest[rows]

    def _search(self, pool: IntArray, rows: IntArray) -> tuple[IntArray, FloatArray]:
        return _search(self._rows, pool, rows + self._n_references, self._noise[rows])


def _varies(references: FloatArray) -> BoolArray:
    """The features that tell references apart."""
    return references.max(axis=0) != references.min(axis=0)


def _search(rows: _Rows, pool: IntArray, queries: IntArray, noise: FloatArray) -> tuple[IntArray, FloatArray]:
    """The first nearest row of a pool, up to ties, of each row asked about, and the smallest squared distance."""
    send = sender()
    if send is None or len(pool) * len(queries) < WORTH_SENDING:
        return _search_rows(rows, pool, queries, noise)
    return search_elsewhere(send, _search_here, rows.exact(pool), rows.exact(queries), noise, TIE)


def _search_here(references: FloatArray, queries: FloatArray, noise: FloatArray) -> tuple[IntArray, FloatArray]:
    """The same of references and queries, as they are sent."""
    n = len(references)
    return _search_rows(_Rows(references, queries), np.arange(n), np.arange(n, n + len(queries)), noise)


def _search_rows(rows: _Rows, pool: IntArray, queries: IntArray, noise: FloatArray) -> tuple[IntArray, FloatArray]:
    single = rows.single.take(pool)
    # Few queries want float64, if any: it is made when the first one does.
    double = cache(lambda: rows.shifted(pool))
    step = QUERY_BLOCK if len(queries) > FEW_QUERIES else QUERY_BLOCK // 2

    def search(start: int) -> tuple[IntArray, FloatArray]:
        part = slice(start, start + step)
        asked, slack = queries[part], noise[part]

        def first_nearest(numbers: IntArray, candidates: IntArray) -> tuple[IntArray, FloatArray]:
            return _first_nearest(rows, pool, asked, numbers, candidates, slack)

        found = _candidates(single, rows.single.take(asked), slack)
        if found is None:
            block = rows.shifted(asked)
            found = _candidates(double(), block, slack, lambda *pairs: first_nearest(*pairs)[0])
        assert found is not None
        return first_nearest(*found)

    found = parallel_map(search, range(0, len(queries), step))
    if not found:
        return np.empty(0, dtype=np.intp), np.empty(0)
    first, squares = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return first, squares


@dataclass(frozen=True, eq=False)
class _Shifted:
    """Rows as the screen takes them: from a centre, in a type; with half their squared lengths as one more column.

    The screen may shift rows: that changes no distance, and keeps its own rounding errors small.
    """

    rows: FloatArray
    lengths: FloatArray

    @classmethod
    def empty(cls, n: int, m: int, dtype: type[np.floating[Any]]) -> _Shifted:
        """Room for n rows of m features."""
        return cls(np.empty((n, m + 1), dtype=dtype), np.empty(n))

    def take(self, which: IntArray) -> _Shifted:
        """Some of the rows; without a copy if they follow each other."""
        first = int(which[0]) if len(which) else 0
        follow = np.array_equal(which, np.arange(first, first + len(which)))
        taken = slice(first, first + len(which)) if follow else which
        return _Shifted(self.rows[taken], self.lengths[taken])


class _Rows:
    """The rows of a search, references first, then queries; on a common scale, which keeps squares in range.

    Nothing of their size is made but what the first screen takes them for, in float32.
    """

    def __init__(self, references: FloatArray, queries: FloatArray) -> None:
        self.references, self.queries = references, queries
        largest = max(np.abs(part).max(initial=0.0) for part in (references, queries))
        # A power of two changes no digit.
        self._scale = float(2.0 ** np.frexp(float(largest))[1]) if largest > 0 else 1.0

    @cached_property
    def _centre(self) -> FloatArray:
        sums = [block.sum(axis=0) for _, block in self._blocks(self.references)]
        return np.sum(sums, axis=0) / max(len(self.references), 1)

    @cached_property
    def single(self) -> _Shifted:
        """All rows as a screen in float32 takes them."""
        n = len(self.references)
        shifted = _Shifted.empty(n + len(self.queries), self.queries.shape[1], np.float32)
        for first, part in ((0, self.references), (n, self.queries)):
            for start, block in self._blocks(part):
                self._shift(block, slice(first + start, first + start + len(block)), shifted)
        return shifted

    def exact(self, which: IntArray) -> FloatArray:
        """Some of the rows in double precision."""
        n = len(self.references)
        rows = np.empty((len(which), self.queries.shape[1]))
        for part, first, own in ((self.references, 0, which < n), (self.queries, n, which >= n)):
            if own.all():
                np.divide(part[which - first], self._scale, out=rows, dtype=np.float64)
            elif own.any():
                rows[own] = np.divide(part[which[own] - first], self._scale, dtype=np.float64)
        return rows

    def shifted(self, which: IntArray) -> _Shifted:
        """Some of the rows as a screen in float64 takes them."""
        shifted = _Shifted.empty(len(which), self.queries.shape[1], np.float64)
        self._shift(self.exact(which), slice(None), shifted)
        return shifted

    def noise(self, varies: BoolArray) -> FloatArray:
        """Equal rows may differ by a few roundings of each feature; one that is constant does not tell rows apart."""
        squares = np.empty(len(self.queries))
        for start, block in self._blocks(self.queries):
            telling = block if varies.all() else block[:, varies]
            squares[start : start + len(block)] = np.einsum("ij,ij->i", telling, telling)
        return squares * (8 * np.finfo(np.float64).eps) ** 2

    def _blocks(self, part: FloatArray) -> Iterator[tuple[int, FloatArray]]:
        step = max(1, EXACT_CHUNK // max(1, part.shape[1]))
        for start in range(0, len(part), step):
            yield start, np.divide(part[start : start + step], self._scale, dtype=np.float64)

    def _shift(self, block: FloatArray, rows: slice, to: _Shifted) -> None:
        block = block - self._centre
        squares = np.einsum("ij,ij->i", block, block)
        to.rows[rows, :-1], to.rows[rows, -1], to.lengths[rows] = block, 0.5 * squares, np.sqrt(squares)


def _candidates(
    references: _Shifted,
    queries: _Shifted,
    noise: FloatArray,
    decide: Callable[[IntArray, IntArray], IntArray] | None = None,
) -> tuple[IntArray, IntArray] | None:
    """All (query, reference) pairs that may be nearest or tied; None if they are many and nobody decides."""
    dtype = np.finfo(references.rows.dtype)
    length, reach = queries.lengths, float(references.lengths.max(initial=0.0))
    # Both sides of a comparison are off by at most about m roundings of the largest product involved.
    rounding = 4 * (references.rows.shape[1] + 4) * dtype.eps * reach * (length + reach)
    margin = (rounding + TIE * (length + reach) ** 2 + noise + dtype.tiny).astype(references.rows.dtype)
    # (r, |r|^2 / 2) . (-q, 1) is half the squared distance without the query's own square, which orders nothing.
    extended = -queries.rows
    extended[:, -1] = 1.0
    best = np.full(len(extended), np.inf, dtype=extended.dtype)
    rows: IntArray = np.empty(0, dtype=np.intp)
    columns: IntArray = np.empty(0, dtype=np.intp)
    values = np.empty(0, dtype=extended.dtype)
    buffer = np.empty((len(extended), min(REFERENCE_BLOCK, len(references.rows))), dtype=extended.dtype)
    for start in range(0, len(references.rows), REFERENCE_BLOCK):
        part = references.rows[start : start + REFERENCE_BLOCK]
        score = np.matmul(extended, part.T, out=buffer[:, : len(part)])
        lowest = score.min(axis=1)
        np.minimum(best, lowest, out=best)
        # Few queries have their nearest so far among these references: the others are not looked at again.
        (hit,) = np.nonzero(lowest <= best + margin)
        row, column = np.divmod(np.flatnonzero(score[hit] <= (best + margin)[hit, None]), len(part))
        rows, columns = np.concatenate([rows, hit[row]]), np.concatenate([columns, column + start])
        values = np.concatenate([values, score[hit[row], column]])
        keep = values <= (best + margin)[rows]
        rows, columns, values = rows[keep], columns[keep], values[keep]
        if len(rows) > MANY_CANDIDATES * len(extended):
            if decide is None:
                return None
            # References come in order, so the first of the nearest so far speaks for all of them.
            columns = decide(rows, columns)
            rows, values = np.arange(len(extended)), np.full(len(extended), -np.inf, dtype=extended.dtype)
    return rows, columns


def _first_nearest(
    rows: _Rows, pool: IntArray, asked: IntArray, numbers: IntArray, candidates: IntArray, noise: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Among each query's candidates, the first whose squared distance is the smallest, up to ties, and the smallest.

    Parameters
    ----------
    rows : _Rows
    pool, asked : arrays of int
        Which of the rows are references, and which are queries.
    numbers, candidates : arrays of int
        Pairs: numbers in `asked` and in `pool`.
    noise : array, one number for each query
    """
    squares = np.empty(len(numbers))
    chunk = max(1, EXACT_CHUNK // max(1, rows.queries.shape[1]))
    for start in range(0, len(numbers), chunk):
        part = slice(start, start + chunk)
        difference = rows.exact(asked[numbers[part]]) - rows.exact(pool[candidates[part]])
        squares[part] = np.einsum("ij,ij->i", difference, difference)
    smallest = np.full(len(asked), np.inf)
    np.minimum.at(smallest, numbers, squares)
    tied = squares <= (smallest * (1 + TIE) + noise)[numbers]
    first = np.full(len(asked), len(pool), dtype=np.intp)
    np.minimum.at(first, numbers[tied], candidates[tied])
    return first, smallest
