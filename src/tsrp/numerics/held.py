"""A quantile of the distinct values among numbers that fit in memory, which takes little more than they do.

The numbers are split by size, block by block and in place, into runs that fit in the cache. One run after the other is
put in order, and only what is counted there is kept.
"""

from __future__ import annotations

import threading

import numpy as np

from tsrp._types import FloatArray
from tsrp.numerics.distinct import Read, number_of
from tsrp.numerics.sorting import by_place, sort_numbers
from tsrp.numerics.threads import parallel_map

# Numbers to a run, on the average and at most.
RUN, LONGEST_RUN = 1 << 15, 1 << 17
# Runs that numbers are split into at once: enough for crowded ones to become fewer, few enough to be fast.
FEWEST_RUNS, MOST_RUNS = 16, 512


def held_quantile(read: Read, at_most: int, share: float, *, same: float) -> float | None:
    """Distinct value number ``floor(share * their count)``, counted from 1; None for number 0.

    What `tsrp.numerics.distinct.distinct_quantile` finds, in one pass.

    Parameters
    ----------
    read, share, same
        As for `distinct_quantile`.
    at_most : int
        As many numbers as there are, or more.

    Returns
    -------
    float or None
        The smallest number of that value.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = np.array([0.5, 0.25]), np.array([0.75, 0.5])
    >>> held_quantile(lambda work: [work(block) for block in blocks], 4, 0.7, same=1e-12)
    0.5
    """
    runs = _runs(_collect(read, at_most), same)
    if not runs:
        return None
    counted = parallel_map(lambda run: _count(_in_order(run), same), runs, light=len(runs) == 1)
    lows, highs, n_begins = (np.array(column) for column in zip(*counted, strict=True))
    # The first number of a run begins a value unless it is the same as the last one before.
    first_begins = np.concatenate([[True], lows[1:] - highs[:-1] > same])
    reached = np.cumsum(n_begins + first_begins)
    number = number_of(share, int(reached[-1]))
    if number == 0:
        return None
    which = int(np.searchsorted(reached, number))
    values = _in_order(runs[which])
    begins = np.flatnonzero(values[1:] - values[:-1] > same) + 1
    # Counted from the end: whether the first number begins a value does not matter.
    from_end = int(reached[which]) - number
    return float(values[begins[-1 - from_end]] if from_end < len(begins) else values[0])


def _collect(read: Read, at_most: int) -> list[FloatArray]:
    """Copies of the blocks, in one piece of memory."""
    numbers = np.empty(at_most)
    blocks: list[FloatArray] = []
    used, lock = 0, threading.Lock()

    def keep(block: FloatArray) -> None:
        nonlocal used
        with lock:
            copy = numbers[used : used + len(block)]
            used += len(block)
            blocks.append(copy)
        copy[:] = block

    read(keep)
    return blocks


def _runs(blocks: list[FloatArray], same: float) -> list[list[FloatArray]]:
    """Parts of the blocks, ascending: all numbers of a run come before those of the next one."""
    blocks = [block for block in blocks if len(block)]
    n = sum(map(len, blocks))
    if n <= LONGEST_RUN:
        return [blocks] if blocks else []
    low, high = min(float(block.min()) for block in blocks), max(float(block.max()) for block in blocks)
    if high - low <= same:
        # All of them are one value, of which only the ends matter.
        return [[np.array([low, high])]]
    n_runs = min(max(n // RUN, FEWEST_RUNS), MOST_RUNS)
    factor = n_runs / (high - low)

    def split(block: FloatArray) -> list[FloatArray]:
        places = ((block - low) * factor).astype(np.int32)
        np.minimum(places, n_runs - 1, out=places)
        block[:], starts = by_place(block, places, n_runs)
        return np.split(block, starts[1:-1])

    parts = parallel_map(split, blocks)
    return [run for parts_of_run in zip(*parts, strict=True) for run in _runs(list(parts_of_run), same)]


def _in_order(run: list[FloatArray]) -> FloatArray:
    return sort_numbers(np.concatenate(run))


def _count(values: FloatArray, same: float) -> tuple[float, float, int]:
    """The first and the last of numbers in order, and how many of those between begin a value."""
    return float(values[0]), float(values[-1]), int(np.count_nonzero(values[1:] - values[:-1] > same))
