"""Cosine similarities of all pairs of a set, in blocks: memory is bounded, whatever their number is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.numerics.distinct import Doubt, distinct_quantile, number_of, put_in_order
from tsrp.numerics.held import held_quantile
from tsrp.numerics.sorting import sort_numbers
from tsrp.numerics.threads import parallel_map

# Memory for the similarities of a set, in bytes, and what one takes where all are held. For few rows the matrix of all
# products is held, and the similarities are sorted as a whole: faster, and so many bytes to an entry.
MEMORY = 5 << 25
BYTES_HELD = 8
BYTES_OF_MATRIX, MOST_ROWS_OF_MATRIX = 48, 1024
# Similarities closer than this are one value: those of equal samples differ in the last bits, and whether they do
# must not decide how many distinct values there are.
SAME = 1e-12
# Rows and columns of the products that a thread looks at at a time (1 MB).
TILE_ROWS, TILE_COLUMNS = 256, 512
PAIRS_AT_ONCE = 1 << 21
# Pairs that wait until it is known whether they reach the quantile (24 bytes each).
MOST_DOUBTFUL = 1 << 19
TRIANGLE_STEPS = 8
FEW_ROWS = 128


class Similarities:
    """The cosine similarities of all pairs i < j of rows; a row of zeros is similar to nothing (0).

    Parameters
    ----------
    units : array of float64, shape (n, k)
        Rows of unit length or of zeros.
    memory : int
        In bytes, for the similarities of many rows.

    Examples
    --------
    >>> import numpy as np
    >>> pairs = Similarities(np.array([[1.0, 0.0], [0.6, 0.8], [0.6, 0.8]]))
    >>> float(round(pairs.quantile(0.5), 6))
    0.6
    """

    def __init__(self, units: FloatArray, memory: int = MEMORY) -> None:
        self._units = units
        self._memory = memory
        n = len(units)
        self._n_pairs = n * (n - 1) // 2
        is_small = n <= MOST_ROWS_OF_MATRIX and n**2 * BYTES_OF_MATRIX <= memory
        self._single = units @ units.T if is_small else None

    def each_pair_from_quantile(self, share: float, work: Callable[[IntArray, IntArray], None]) -> float | None:
        """Call a function with the pairs (i, j) at least as similar as a quantile, and return the quantile.

        The pairs come a part at a time, on any thread. If the quantile is not positive some of them may be missing.
        """
        if self._single is not None or self._n_pairs * BYTES_HELD <= self._memory:
            threshold = self.quantile(share)
        else:
            doubt = put_in_order(self._read, same=SAME, in_memory=self._memory // 4).doubt(share)
            if doubt is None:
                return None
            if doubt.size <= MOST_DOUBTFUL:
                return self._each_pair_from(doubt, work)
            self._read(doubt.look)
            threshold = doubt.value()
        if threshold is not None and threshold > 0:
            self.each_pair_from(threshold, work)
        return threshold

    def _each_pair_from(self, doubt: Doubt, work: Callable[[IntArray, IntArray], None]) -> float | None:
        """The same, where it is known but for a doubt: in the pass that settles it."""
        doubtful: list[tuple[IntArray, IntArray, FloatArray]] = []

        def look(S: FloatArray, row: int, column: int) -> None:
            doubt.look(_numbers(S, row, column))
            if doubt.high > SAME:
                # What is zero does not reach a positive quantile.
                i, j = _pairs(S, row, column, max(doubt.low, SAME))
                values = S[i - row, j - column]
                sure = values >= doubt.high
                doubtful.append((i[~sure], j[~sure], values[~sure]))
                work(i[sure], j[sure])

        self._each_tile(look)
        threshold = doubt.value()
        if threshold is not None:
            for i, j, values in doubtful:
                reached = values >= threshold
                work(i[reached], j[reached])
        return threshold

    def each_pair_from(self, threshold: float, work: Callable[[IntArray, IntArray], None]) -> None:
        """Call a function with the pairs (i, j) at least this similar, a part at a time, on any thread."""
        if self._single is None:
            self._each_tile(lambda S, row, column: work(*_pairs(S, row, column, threshold)))
            return
        n = len(self._single)
        # In steps, each without most of the columns that belong to pairs i >= j.
        rows = max(1, min(PAIRS_AT_ONCE // max(n, 1), max(FEW_ROWS, n // TRIANGLE_STEPS)))
        for first in range(0, n, rows):
            work(*_pairs(self._single[first : first + rows, first:], first, first, threshold))

    def quantile(self, share: float) -> float | None:
        """Distinct non-zero similarity number ``floor(share * their count)``, counted from 1; None for number 0."""
        if self._single is None:
            if self._n_pairs * BYTES_HELD <= self._memory:
                return held_quantile(self._read, self._n_pairs, share, same=SAME)
            return distinct_quantile(self._read, share, same=SAME, in_memory=self._memory // 4)
        values = sort_numbers(_upper(self._single))
        # What is zero stands together.
        first, last = np.searchsorted(values, [-SAME, np.nextafter(SAME, 1.0)])
        if first < last:
            values = np.concatenate([values[:first], values[last:]])
        if len(values) == 0:
            return None
        begins = np.concatenate([[0], np.flatnonzero(values[1:] - values[:-1] > SAME) + 1])
        number = number_of(share, len(begins))
        return float(values[begins[number - 1]]) if number else None

    def _read(self, work: Callable[[FloatArray], None]) -> None:
        """Call a function with the non-zero similarities, tile by tile."""
        self._each_tile(lambda S, row, column: work(_numbers(S, row, column)))

    def _each_tile(self, work: Callable[[FloatArray, int, int], None]) -> None:
        """Call a function with tiles that hold all pairs i < j, and with the first row and column of each.

        A tile has pairs i >= j only if its first row and column are the same. It is overwritten by the next one.
        """
        n = len(self._units)

        def strip(row: int) -> None:
            rows = self._units[row : row + TILE_ROWS]
            room = np.empty(len(rows) * TILE_COLUMNS)
            for column in range(row, n, TILE_COLUMNS):
                columns = self._units[column : column + TILE_COLUMNS]
                tile = room[: len(rows) * len(columns)].reshape(len(rows), len(columns))
                work(np.matmul(rows, columns.T, out=tile), row, column)

        parallel_map(strip, range(0, n, TILE_ROWS))


def _numbers(S: FloatArray, row: int, column: int) -> FloatArray:
    """The non-zero similarities of pairs i < j of a tile."""
    values = _upper(S) if row == column else S.ravel()
    zero = np.abs(values) <= SAME
    return values[~zero] if zero.any() else values


def _pairs(S: FloatArray, row: int, column: int, threshold: float) -> tuple[IntArray, IntArray]:
    """The pairs i < j at least this similar of products whose first row and column are these."""
    i, j = np.divmod(np.flatnonzero(threshold <= S), S.shape[1])
    i, j = i + row, j + column
    upper = i < j
    return (i, j) if upper.all() else (i[upper], j[upper])


def _upper(S: FloatArray) -> FloatArray:
    """The similarities of pairs i < j of a block, row by row: the two products of a pair may differ in the last bit."""
    return S[np.arange(len(S))[:, None] < np.arange(S.shape[1])]
