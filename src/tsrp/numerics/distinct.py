"""A quantile of the distinct values among more numbers than fit in memory: exactly, in a few passes over them.

How many values are distinct is known only once all numbers are in order. The first pass counts them by size. Each of
the next ones puts in order what fits in memory: of a number, the cell of width 2^-48 that it lies in, of which 32 bits
are kept. Cells leave open only a few of the differences that decide where a new value begins. One more pass looks at
the numbers on both sides of these, and at the numbers around the quantile; what is surely above it is known before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp.numerics.sorting import by_place
from tsrp.numerics.threads import parallel_map

# Calls a function with each block of the numbers, on any thread and in any order; with the same blocks every time. The
# function may not keep them.
Read: TypeAlias = Callable[[Callable[[FloatArray], None]], Any]
Cells: TypeAlias = npt.NDArray[np.int64]

# Cells to a unit: a power of two, which makes the cell of a number exact.
CELLS = 1 << 48
# A bin has 2^32 cells, so that 32 bits say which of them it is; one with too many numbers is cut into 2^16 bins.
BIN_BITS, CUT_BITS = 32, 16
# From -1 to 1, and one bin more at both ends, for roundings.
LOWEST, N_BINS = -CELLS - (1 << BIN_BITS), (2 * CELLS >> BIN_BITS) + 2
# Cells that are put in order at a time.
STRETCH = 1 << 17


def distinct_quantile(read: Read, share: float, *, same: float, in_memory: int) -> float | None:
    """Distinct value number ``floor(share * their count)``, counted from 1; None for number 0.

    Parameters
    ----------
    read : callable
        Calls a function with each block of the numbers, which lie between -1 and 1.
    share : float in [0, 1]
    same : float
        A number that exceeds the one before it by no more than this is the same value.
    in_memory : int
        The cells of so many numbers, 4 bytes each, are held at a time.

    Returns
    -------
    float or None
        The smallest number of that value.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = np.array([0.5, 0.25]), np.array([0.75, 0.5])
    >>> distinct_quantile(lambda work: [work(block) for block in blocks], 0.7, same=1e-12, in_memory=100)
    0.5
    """
    doubt = put_in_order(read, same=same, in_memory=in_memory).doubt(share)
    if doubt is None:
        return None
    read(doubt.look)
    return doubt.value()


def put_in_order(read: Read, *, same: float, in_memory: int) -> Order:
    """All numbers in order, but for what cells leave open; the parameters are those of `distinct_quantile`."""
    groups = _bins(read, LOWEST, BIN_BITS, N_BINS, in_memory)
    return Order([stretch for bins in groups for stretch in _put_in_order(read, bins, same)], same)


def number_of(share: float, count: int) -> int:
    """Which of so many distinct values is the quantile, counted from 1; 0 for none.

    Examples
    --------
    >>> number_of(0.29, 100)
    29
    """
    # The guard keeps 0.29 * 100 from becoming 28.
    return int(np.floor(share * count + 1e-9))


@dataclass(frozen=True, eq=False)
class _Bins:
    """Consecutive bins of 2^bits cells from cell `low` on, and how many numbers are in each."""

    low: int
    bits: int
    counts: Cells


def _bins(read: Read, low: int, bits: int, n_bins: int, in_memory: int) -> Iterator[_Bins]:
    """The bins from `low` on, ascending, as many at a time as fit in memory; one that does not fit is cut."""
    counts, lock = np.zeros(n_bins, dtype=np.int64), threading.Lock()

    def count(numbers: FloatArray) -> None:
        found = np.bincount(_cells_from(low, n_bins << bits, numbers) >> bits, minlength=n_bins)
        with lock:
            np.add(counts, found, out=counts)

    read(count)
    if bits == 0:
        # Each bin is a cell: nothing is left to be put in order.
        yield _Bins(low, 0, counts)
        return
    reached = np.concatenate([[0], np.cumsum(counts)])
    start = 0
    while reached[start] < reached[-1]:
        stop = int(np.searchsorted(reached, reached[start] + in_memory, side="right")) - 1
        if stop > start:
            yield _Bins(low + (start << bits), bits, counts[start:stop])
        else:
            finer = max(bits - CUT_BITS, 0)
            yield from _bins(read, low + (start << bits), finer, 1 << (bits - finer), in_memory)
            stop = start + 1
        start = stop


def _cells(numbers: FloatArray) -> Cells:
    return np.floor(numbers * CELLS).astype(np.int64)


def _cells_from(low: int, n_cells: int, numbers: FloatArray) -> Cells:
    """The cells of numbers, counted from `low`, without those that lie before or n_cells or more behind it."""
    cells = _cells(numbers)
    cells -= low
    # Those before it are large without a sign.
    inside = cells.view(np.uint64) < n_cells
    return cells if inside.all() else cells[inside]


@dataclass(frozen=True, eq=False)
class _Stretch:
    """What consecutive numbers, from cell `low` to cell `high`, are like.

    There are `size` of them, and `n_begins` surely begin a value, the first one not counted. A row of `open` has two
    cells that follow each other, with numbers that may be one value or two.
    """

    low: int
    high: int
    size: int
    n_begins: int
    open: Cells


def _put_in_order(read: Read, bins: _Bins, same: float) -> list[_Stretch]:
    """The numbers of some bins, a stretch after the other."""
    if bins.bits == 0:
        cells = bins.low + np.flatnonzero(bins.counts)
        return [_stretch(cells, int(bins.counts.sum()), same)] if len(cells) else []
    ends = np.concatenate([[0], np.cumsum(bins.counts)])
    lows = bins.low + (np.arange(len(bins.counts)) << bins.bits)
    kept = _collect(read, bins, ends[:-1].copy())

    def put(bounds: tuple[int, int]) -> list[_Stretch]:
        first, last = bounds
        for start, stop in pairwise(ends[first : last + 1].tolist()):
            kept[start:stop].sort()
        stretches = []
        for start in range(int(ends[first]), int(ends[last]), STRETCH):
            sizes = np.diff(ends[first : last + 1].clip(start, start + STRETCH))
            cells = np.repeat(lows[first:last], sizes)
            cells += kept[start : start + len(cells)]
            stretches.append(_stretch(cells, len(cells), same))
        return stretches

    # Bins with about a stretch of numbers together.
    borders = np.unique(np.append(np.searchsorted(ends, np.arange(0, ends[-1], STRETCH)), len(bins.counts)))
    parts = parallel_map(put, pairwise(borders.tolist()))
    return [stretch for part in parts for stretch in part]


def _collect(read: Read, bins: _Bins, free: IntArray) -> npt.NDArray[np.uint32]:
    """The cells of numbers, counted from the low end of their bin, bin by bin; `free` is where each bin starts."""
    kept, lock = np.empty(int(bins.counts.sum()), dtype=np.uint32), threading.Lock()
    n_bins, last_bits = len(bins.counts), (1 << bins.bits) - 1

    def collect(numbers: FloatArray) -> None:
        cells = _cells_from(bins.low, n_bins << bins.bits, numbers)
        found, starts = by_place((cells & last_bits).astype(np.uint32), (cells >> bins.bits).astype(np.int32), n_bins)
        sizes = np.diff(starts)
        with lock:
            offsets = free - starts[:-1]
            np.add(free, sizes, out=free)
        to = np.repeat(offsets, sizes)
        to += np.arange(len(found))
        kept[to] = found

    read(collect)
    return kept


def _bounds(same: float) -> tuple[int, int]:
    """From and to how many cells apart numbers may be one value or two; nearer ones are one, others two."""
    return int(np.floor(same * CELLS)), int(np.ceil(same * CELLS))


def _stretch(cells: Cells, size: int, same: float) -> _Stretch:
    low, high = _bounds(same)
    gaps = np.diff(cells)
    (unclear,) = np.nonzero((low <= gaps) & (gaps <= high))
    pairs = np.column_stack([cells[unclear], cells[unclear + 1]])
    return _Stretch(int(cells[0]), int(cells[-1]), size, int(np.count_nonzero(gaps > high)), pairs)


class Order:
    """All numbers in order, as stretches, but for some differences that cells leave open.

    Attributes
    ----------
    same : float
        The largest difference within a value.
    open : array of shape (n_open, 2)
        The cells between which a value may begin.
    """

    def __init__(self, stretches: list[_Stretch], same: float) -> None:
        self.same = same
        self._stretches = stretches
        low, high = _bounds(same)
        self._n_begins = np.array([stretch.n_begins for stretch in stretches], dtype=np.int64)
        self._n_begins[:1] += 1
        unclear = [(stretch.open, number) for number, stretch in enumerate(stretches)]
        for number, (before, after) in enumerate(pairwise(stretches), 1):
            gap = after.low - before.high
            self._n_begins[number] += gap > high
            if low <= gap <= high:
                unclear.append((np.array([[before.high, after.low]]), number))
        self.open = np.concatenate([np.empty((0, 2), dtype=np.int64), *(pairs for pairs, _ in unclear)])
        self._owners = np.repeat([number for _, number in unclear], [len(pairs) for pairs, _ in unclear])

    def reached(self, begins: BoolArray) -> Cells:
        """How many values have begun at the end of each stretch, given between which open cells one begins."""
        return np.cumsum(self._n_begins + np.bincount(self._owners[begins], minlength=len(self._stretches)))

    def doubt(self, share: float) -> Doubt | None:
        """Where the quantile may be; None where there is none."""
        if not self._stretches:
            return None
        fewest, most = (self.reached(np.full(len(self.open), begins)) for begins in (False, True))
        # With more values its number is higher, and every value is reached earlier.
        lowest, highest = number_of(share, int(fewest[-1])), number_of(share, int(most[-1]))
        if highest == 0:
            return None
        first = int(np.searchsorted(most, lowest))
        last = min(int(np.searchsorted(fewest, highest)), len(self._stretches) - 1)
        return Doubt(self, share, self._stretches[first : last + 1], last)


class Doubt:
    """What is open about a quantile, until all numbers have been looked at.

    Attributes
    ----------
    low, high : float
        The quantile is at least `low`, and less than `high`.
    size : int
        How many numbers lie between them.
    """

    def __init__(self, order: Order, share: float, stretches: list[_Stretch], last: int) -> None:
        self._order, self._share, self._last = order, share, last
        low, high = stretches[0].low, stretches[-1].high + 1
        self.low, self.high = low / CELLS, high / CELLS
        self.size = sum(stretch.size for stretch in stretches)
        self._cells = np.unique(order.open)
        self._looked_at = np.zeros(N_BINS, dtype=bool)
        self._looked_at[(self._cells - LOWEST) >> BIN_BITS] = True
        self._looked_at[(low - LOWEST) >> BIN_BITS : ((high - 1 - LOWEST) >> BIN_BITS) + 1] = True
        # In each cell that an open difference begins or ends at.
        self._smallest, self._largest = np.full(len(self._cells), np.inf), np.full(len(self._cells), -np.inf)
        self._inside: list[FloatArray] = []
        self._lock = threading.Lock()

    def look(self, numbers: FloatArray) -> None:
        """Look at a block of the numbers."""
        own = _cells(numbers)
        (near,) = np.nonzero(self._looked_at[(own - LOWEST) >> BIN_BITS])
        own, numbers = own[near], numbers[near]
        # Equal numbers may be too many to keep.
        within = np.unique(numbers[(self.low <= numbers) & (numbers < self.high)])
        cells = self._cells
        places = np.searchsorted(cells, own)
        (known,) = np.nonzero(cells[np.minimum(places, len(cells) - 1)] == own) if len(cells) else (places[:0],)
        with self._lock:
            self._inside.append(within)
            np.minimum.at(self._smallest, places[known], numbers[known])
            np.maximum.at(self._largest, places[known], numbers[known])

    def value(self) -> float | None:
        """The quantile, once all blocks have been looked at."""
        before, after = np.searchsorted(self._cells, self._order.open).T
        reached = self._order.reached(self._smallest[after] - self._largest[before] > self._order.same)
        number = number_of(self._share, int(reached[-1]))
        if number == 0:
            return None
        values = np.unique(np.concatenate(self._inside))
        begins = np.concatenate([[0], np.flatnonzero(np.diff(values) > self._order.same) + 1])
        # Counted from the end: whether the first one begins a value does not matter.
        return float(values[begins[number - int(reached[self._last]) - 1]])
