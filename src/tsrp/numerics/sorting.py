"""Sorting of many numbers: in places by size first, then a few neighbours at a time.

numpy sorts short rows several times faster, number by number, than long ones, and on some processors (AMD's Zen 4) its
vectorised sort of long arrays is slow.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from tsrp._types import FloatArray, IntArray
from tsrp.numerics.threads import parallel_map

# Fewer numbers than this are sorted as they are.
FEW = 1 << 13
# Numbers to a place, on the average; and places, of which more would not stay in the cache.
PER_PLACE = 32
MOST_PLACES = 1 << 18
# Rows of twice this length are sorted at once; a place with more numbers is sorted by itself.
CROWDED = 128
ROWS_AT_ONCE = 1 << 12


def sort_numbers(values: FloatArray) -> FloatArray:
    """The values in ascending order, as `numpy.sort` has them.

    Parameters
    ----------
    values : array of float64, shape (n,)
        Finite.

    Returns
    -------
    array of shape (n,)
        A new array.

    Examples
    --------
    >>> import numpy as np
    >>> sort_numbers(np.array([0.5, -1.0, 0.25]))
    array([-1.  ,  0.25,  0.5 ])
    """
    n = len(values)
    if n < FEW:
        return np.sort(values)
    low, high = float(values.min()), float(values.max())
    n_places = min(n // PER_PLACE, MOST_PLACES)
    width = (high - low) / n_places
    if not 0 < width < np.inf:
        return np.sort(values)
    places = ((values - low) / width).astype(np.int32)
    np.minimum(places, n_places - 1, out=places)
    placed, starts = by_place(values, places, n_places)
    _sort_within(placed, starts)
    return placed


def by_place(values: FloatArray, places: IntArray, n_places: int) -> tuple[FloatArray, IntArray]:
    """The values, those of a place together and in their order, and where each place starts; the last entry is n.

    Examples
    --------
    >>> import numpy as np
    >>> placed, starts = by_place(np.array([0.5, 0.1, 0.6]), np.array([2, 0, 2]), 3)
    >>> placed, starts.tolist()
    (array([0.1, 0.5, 0.6]), [0, 1, 1, 3])
    """
    # The transpose of a sparse row lists its values column by column: a counting sort.
    placed = sparse.csr_array((values, places, np.array([0, len(values)])), shape=(1, n_places)).tocsc()
    return placed.data, placed.indptr


def _sort_within(values: FloatArray, starts: IntArray) -> None:
    """Sort in place what is sorted but for the order within places."""
    crowded = np.flatnonzero(np.diff(starts) > CROWDED)
    parallel_map(lambda place: values[starts[place] : starts[place + 1]].sort(), crowded.tolist())
    # No number is further than `CROWDED` from where it belongs: it gets there within one of two overlapping rows.
    for offset in (0, CROWDED):
        _sort_rows(values[offset:])


def _sort_rows(values: FloatArray) -> None:
    """Sort in place row by row, and what fills no row."""
    whole = len(values) // (2 * CROWDED) * (2 * CROWDED)
    rows = values[:whole].reshape(-1, 2 * CROWDED)
    parallel_map(lambda first: rows[first : first + ROWS_AT_ONCE].sort(axis=1), range(0, len(rows), ROWS_AT_ONCE))
    values[whole:].sort()
