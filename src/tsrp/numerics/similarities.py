"""Cosine similarities of all pairs of a set, in blocks: memory stays a chosen number of pairs, whatever n is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp.numerics.rows import unit_rows
from tsrp.numerics.threads import parallel_map

# At most this many similarities are held at a time (128 MB of float64).
PAIRS_IN_MEMORY = 1 << 24
# Those that a thread computes at a time.
BLOCK_PAIRS = 1 << 20
# Similarities closer than this are one value: those of equal samples differ in the last bits, and whether they do
# must not decide how many distinct values there are.
SAME = 1e-12
BINS = 4096
PAIRS_AT_ONCE = 1 << 21

R = TypeVar("R")


@dataclass(frozen=True)
class _Range:
    """Similarities from `low` to below `high`, and how many they are."""

    low: float
    high: float
    count: int


class Similarities:
    """The cosine similarities of all pairs i < j of the rows of Z; a row of zeros is similar to nothing (0).

    Examples
    --------
    >>> import numpy as np
    >>> pairs = Similarities(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0]]))
    >>> float(round(pairs.quantile(1.0), 6))
    1.0
    """

    def __init__(self, Z: FloatArray, pairs_in_memory: int = PAIRS_IN_MEMORY) -> None:
        self._units = unit_rows(np.asarray(Z, dtype=np.float64))
        self._budget = pairs_in_memory
        n = len(self._units)
        is_small = n * n <= pairs_in_memory
        self._rows = n if is_small else max(1, min(BLOCK_PAIRS, pairs_in_memory) // max(n, 1))
        self._single = self._block(0) if is_small else None

    def pairs_from(self, threshold: float) -> Iterator[tuple[IntArray, IntArray]]:
        """The pairs (i, j) at least this similar, a part at a time."""
        for start in range(0, len(self._units), self._rows):
            S = self._block(start) if self._single is None else self._single
            rows = max(1, PAIRS_AT_ONCE // S.shape[1])
            for first in range(0, len(S), rows):
                i, j = np.divmod(np.flatnonzero(S[first : first + rows] >= threshold), S.shape[1])
                yield i + (start + first), j + start

    def quantile(self, share: float) -> float | None:
        """Distinct non-zero similarity number ``floor(share * their count)``, counted from 1; None for number 0."""
        if self._single is not None:
            values = np.sort(_nonzero(self._single))
            begins = _begins(values, -np.inf)
            number = _number(share, int(np.count_nonzero(begins)))
            return _nth(values, begins, number) if number else None
        ranges = self._ranges(-1 - 2 * SAME, 1 + 2 * SAME)
        counts, last = [0], [-np.inf]
        for part in ranges:
            count, end = self._count(part, last[-1])
            counts.append(counts[-1] + count)
            last.append(end)
        number = _number(share, counts[-1])
        if number == 0:
            return None
        which = int(np.searchsorted(counts, number)) - 1
        values = self._sorted(ranges[which])
        return _nth(values, _begins(values, last[which]), number - counts[which])

    def _count(self, part: _Range, before: float) -> tuple[int, float]:
        """How many distinct values of a range there are beyond the largest `before`, and the largest now."""
        values = self._sorted(part)
        return int(np.count_nonzero(_begins(values, before))), float(values[-1]) if len(values) else before

    def _block(self, start: int) -> FloatArray:
        """Row i has the similarities of sample start + i with samples start + 0, 1, ...; NaN where i >= j."""
        rows = self._units[start : start + self._rows]
        S = rows @ self._units[start:].T
        # Each pair counts once: its two products may differ in the last bit.
        S[:, : len(rows)][np.tri(len(rows), dtype=np.bool_)] = np.nan
        return S

    def _each_block(self, work: Callable[[FloatArray], R]) -> list[R]:
        """What a function makes of the non-zero similarities of each block."""
        starts = range(0, len(self._units), self._rows)
        return parallel_map(lambda start: work(_nonzero(self._block(start))), starts)

    def _ranges(self, low: float, high: float) -> list[_Range]:
        """Cut [low, high) into ranges, each with no more pairs than fit in memory, or no wider than one value is."""
        edges = np.linspace(low, high, BINS + 1)

        def count(values: FloatArray) -> IntArray:
            inside = values[(low <= values) & (values < high)]
            # By its width a bin is off by one at most, where rounding decides: the edges have the last word.
            bins = ((inside - low) * (BINS / (high - low))).astype(np.intp)
            np.clip(bins, 0, BINS - 1, out=bins)
            bins -= inside < edges[bins]
            bins += inside >= edges[bins + 1]
            return np.bincount(bins, minlength=BINS)

        counts = sum(self._each_block(count))
        ranges: list[_Range] = []
        for left, right, n in zip(edges[:-1].tolist(), edges[1:].tolist(), np.asarray(counts).tolist(), strict=True):
            if n > self._budget and right - left > SAME:
                ranges += self._ranges(left, right)
            elif ranges and ranges[-1].count + n <= self._budget:
                ranges[-1] = _Range(ranges[-1].low, right, ranges[-1].count + n)
            else:
                ranges.append(_Range(left, right, n))
        return ranges

    def _sorted(self, part: _Range) -> FloatArray:
        """The similarities of a range, ascending; of one that is no wider than one value is, the first and the last."""
        too_many = part.count > self._budget
        found, n_found, lock = np.empty(0 if too_many else part.count), 0, threading.Lock()
        ends: list[FloatArray] = []

        def collect(values: FloatArray) -> None:
            nonlocal n_found
            inside = values[(part.low <= values) & (values < part.high)]
            if too_many:
                ends.extend([inside.min(keepdims=True), inside.max(keepdims=True)] if len(inside) else [])
                return
            inside.sort()
            with lock:
                found[n_found : n_found + len(inside)] = inside
                n_found += len(inside)

        self._each_block(collect)
        if too_many:
            both = np.concatenate(ends)
            return np.array([both.min(), both.max()])
        # What is sorted already is only merged by this kind.
        found.sort(kind="stable")
        return found


def _nonzero(S: FloatArray) -> FloatArray:
    return S[np.abs(S) > SAME]


def _begins(values: FloatArray, before: float) -> BoolArray:
    """Where a new value begins among sorted ones, of which some differ by rounding only; `before` is the one before."""
    begins = np.empty(len(values), dtype=bool)
    begins[:1] = values[:1] - before > SAME
    for start in range(0, len(values), BLOCK_PAIRS):
        part = values[start : start + BLOCK_PAIRS + 1]
        np.greater(part[1:] - part[:-1], SAME, out=begins[start + 1 : start + len(part)])
    return begins


def _nth(values: FloatArray, begins: BoolArray, number: int) -> float:
    """Distinct value number `number`, counted from 1."""
    for start in range(0, len(values), BLOCK_PAIRS):
        here = np.flatnonzero(begins[start : start + BLOCK_PAIRS])
        if number <= len(here):
            break
        number -= len(here)
    return float(values[start + here[number - 1]])


def _number(share: float, count: int) -> int:
    # The guard keeps 0.29 * 100 from becoming 28.
    return int(np.floor(share * count + 1e-9))
