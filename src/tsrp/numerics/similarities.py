"""Cosine similarities of all pairs of a set, in blocks: memory stays a chosen number of pairs, whatever n is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.numerics.rows import unit_rows

# At most this many similarities are held at a time (128 MB of float64).
PAIRS_IN_MEMORY = 1 << 24
# Similarities closer than this are one value: those of equal samples differ in the last bits, and whether they do
# must not decide how many distinct values there are.
SAME = 1e-12
BINS = 4096
PAIRS_AT_ONCE = 1 << 21


class Similarities:
    """The cosine similarities of all pairs i < j of the rows of Z; a row of zeros is similar to nothing (0).

    Examples
    --------
    >>> import numpy as np
    >>> pairs = Similarities(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0]]))
    >>> len(pairs.distinct())
    2
    """

    def __init__(self, Z: FloatArray, pairs_in_memory: int = PAIRS_IN_MEMORY) -> None:
        self._units = unit_rows(np.asarray(Z, dtype=np.float64))
        self._budget = pairs_in_memory
        n = len(self._units)
        self._rows = max(1, pairs_in_memory // max(n, 1))
        self._single = self._block(0) if self._rows >= n else None

    def blocks(self) -> Iterator[tuple[int, FloatArray]]:
        """Pairs ``(start, S)``: row i of S has sample start + i against samples start + 0, 1, ...; NaN where i >= j."""
        if self._single is not None:
            yield 0, self._single
            return
        for start in range(0, len(self._units), self._rows):
            yield start, self._block(start)

    def _block(self, start: int) -> FloatArray:
        rows = self._units[start : start + self._rows]
        S = rows @ self._units[start:].T
        # Each pair counts once: its two products may differ in the last bit.
        S[np.tri(*S.shape, dtype=np.bool_)] = np.nan
        return S

    def distinct(self, low: float = -np.inf, high: float = np.inf) -> FloatArray:
        """The distinct non-zero similarities in [low, high), ascending."""
        found = [_merge(_between(S[np.abs(S) > SAME], low, high)) for _, S in self.blocks()]
        return found[0] if len(found) == 1 else _merge(np.concatenate(found))

    def pairs_from(self, threshold: float) -> Iterator[tuple[IntArray, IntArray]]:
        """The pairs (i, j) at least this similar, a part at a time."""
        for start, S in self.blocks():
            rows = max(1, PAIRS_AT_ONCE // S.shape[1])
            for first in range(0, len(S), rows):
                i, j = np.divmod(np.flatnonzero(S[first : first + rows] >= threshold), S.shape[1])
                yield i + (start + first), j + start

    def quantile(self, share: float) -> float | None:
        """Distinct non-zero similarity number ``floor(share * their count)``, counted from 1; None for number 0."""
        ranges = self._ranges(-1 - 2 * SAME, 1 + 2 * SAME)
        if len(ranges) == 1:
            values = self.distinct()
            number = _number(share, len(values))
        else:
            ends = np.cumsum([len(self.distinct(low, high)) for low, high, _ in ranges])
            number = _number(share, ends[-1])
            which = int(np.searchsorted(ends, number))
            values = self.distinct(*ranges[which][:2])
            number -= int(ends[which - 1]) if which else 0
        return float(values[number - 1]) if number else None

    def _ranges(self, low: float, high: float) -> list[tuple[float, float, int]]:
        """Cut [low, high) into ranges, each with no more pairs than fit in memory (or with one value only)."""
        if self._single is not None:
            return [(low, high, self._single.size)]
        edges = np.linspace(low, high, BINS + 1)
        counts = np.zeros(BINS, dtype=np.int64)
        for _, S in self.blocks():
            counts += np.histogram(S[(low <= S) & (high > S)], edges)[0]
        ranges: list[tuple[float, float, int]] = []
        for left, right, count in zip(edges[:-1], edges[1:], counts.tolist(), strict=True):
            if count > self._budget and right - left > SAME:
                ranges += self._ranges(left, right)
            elif ranges and ranges[-1][2] + count <= self._budget:
                ranges[-1] = (ranges[-1][0], right, ranges[-1][2] + count)
            else:
                ranges.append((left, right, count))
        return ranges


def _between(values: FloatArray, low: float, high: float) -> FloatArray:
    return values if low == -np.inf and high == np.inf else values[(values >= low) & (values < high)]


def _merge(values: FloatArray) -> FloatArray:
    """Sorted, with runs of values that are the same reduced to their first."""
    values = np.sort(values)
    return values[np.diff(values, prepend=-np.inf) > SAME]


def _number(share: float, count: int) -> int:
    # The guard keeps 0.29 * 100 from becoming 28.
    return int(np.floor(share * count + 1e-9))
