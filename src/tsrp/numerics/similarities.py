"""Cosine similarities of all pairs of a set, in blocks: memory stays a chosen number of pairs, whatever n is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp.numerics.rows import unit_rows
from tsrp.numerics.sorting import by_place, sort_numbers
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
TRIANGLE_STEPS = 8
FEW_ROWS = 128
# Ranges of similarities that are collected at once, each small enough to be sorted in the cache.
RANGES_AT_ONCE = 16

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
            # In steps, each without most of the columns that belong to pairs i >= j.
            rows = max(1, min(PAIRS_AT_ONCE // S.shape[1], max(FEW_ROWS, len(S) // TRIANGLE_STEPS)))
            for first in range(0, len(S), rows):
                part = S[first : first + rows, first:]
                i, j = np.divmod(np.flatnonzero(part >= threshold), part.shape[1])
                upper = i < j
                yield i[upper] + (start + first), j[upper] + (start + first)

    def quantile(self, share: float) -> float | None:
        """Distinct non-zero similarity number ``floor(share * their count)``, counted from 1; None for number 0."""
        if self._single is not None:
            values = sort_numbers(_upper(self._single))
            # What is zero stands together.
            values = np.delete(values, slice(*np.searchsorted(values, [-SAME, np.nextafter(SAME, 1.0)])))
            begins = _begins(values, -np.inf)
            number = _number(share, int(np.count_nonzero(begins)))
            return _nth(values, begins, number) if number else None
        ranges = self._ranges(-1 - 2 * SAME, 1 + 2 * SAME)
        counts, last = [0], [-np.inf]
        for parts in self._passes(ranges):
            for values in self._sorted(parts):
                counts.append(counts[-1] + int(np.count_nonzero(_begins(values, last[-1]))))
                last.append(float(values[-1]) if len(values) else last[-1])
        number = _number(share, counts[-1])
        if number == 0:
            return None
        which = int(np.searchsorted(counts, number)) - 1
        (values,) = self._sorted([ranges[which]])
        return _nth(values, _begins(values, last[which]), number - counts[which])

    def _passes(self, ranges: list[_Range]) -> list[list[_Range]]:
        """Ranges that fit in memory together, one group after the other."""
        passes: list[list[_Range]] = []
        for part in ranges:
            if passes and sum(other.count for other in passes[-1]) + part.count <= self._budget:
                passes[-1].append(part)
            else:
                passes.append([part])
        return passes

    def _block(self, start: int) -> FloatArray:
        """Row i has the similarities of sample start + i with samples start + 0, 1, ..."""
        return self._units[start : start + self._rows] @ self._units[start:].T

    def _each_block(self, work: Callable[[FloatArray], R]) -> list[R]:
        """What a function makes of the non-zero similarities of each block."""
        starts = range(0, len(self._units), self._rows)
        return parallel_map(lambda start: work(_nonzero(_upper(self._block(start)))), starts)

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
            elif ranges and ranges[-1].count + n <= self._budget // RANGES_AT_ONCE:
                ranges[-1] = _Range(ranges[-1].low, right, ranges[-1].count + n)
            else:
                ranges.append(_Range(left, right, n))
        return ranges

    def _sorted(self, parts: list[_Range]) -> Iterator[FloatArray]:
        """The similarities of consecutive ranges, each ascending; of one that is too much, the first and the last."""
        low, high = parts[0].low, parts[-1].high
        if parts[0].count > self._budget:
            # It is no wider than one value is.
            ends = self._each_block(lambda values: _ends(values[(low <= values) & (values < high)]))
            both = np.concatenate(ends)
            yield np.array([both.min(), both.max()])
            return
        found = [np.empty(part.count) for part in parts]
        n_found, lock = [0] * len(parts), threading.Lock()
        borders = np.array([part.low for part in parts[1:]])

        def collect(values: FloatArray) -> None:
            inside = values[(low <= values) & (values < high)]
            grouped, starts = by_place(inside, np.searchsorted(borders, inside, side="right"), len(parts))
            with lock:
                for number, group in enumerate(np.split(grouped, starts[1:-1])):
                    found[number][n_found[number] : n_found[number] + len(group)] = group
                    n_found[number] += len(group)

        self._each_block(collect)
        while found:
            yield sort_numbers(found.pop(0))


def _ends(values: FloatArray) -> FloatArray:
    return np.array([values.min(), values.max()]) if len(values) else values


def _upper(S: FloatArray) -> FloatArray:
    """The similarities of pairs i < j of a block, row by row: the two products of a pair may differ in the last bit."""
    return np.concatenate([row[i + 1 :] for i, row in enumerate(S)])


def _nonzero(values: FloatArray) -> FloatArray:
    return values[np.abs(values) > SAME]


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
