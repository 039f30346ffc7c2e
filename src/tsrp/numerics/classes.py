"""Samples summed up class by class, and the class of the largest score."""

from __future__ import annotations

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.numerics.threads import parallel_map

# Rows of a class that are copied together: few enough to stay in the cache.
ROWS = 256
CLASSES_AT_ONCE = 8
# Fewer numbers than this are not worth a second thread.
LIGHT = 1 << 20


def class_sums(X: FloatArray, codes: IntArray, n_classes: int) -> FloatArray:
    """The sum of each class's samples, in float64 and in the order of the samples, whatever the number of threads.

    Parameters
    ----------
    X : array of shape (n, m)
    codes : array of int, shape (n,)
    n_classes : int

    Returns
    -------
    array of shape (n_classes, m)
        A row of zeros for a class without samples.

    Examples
    --------
    >>> import numpy as np
    >>> class_sums(np.array([[1.0], [2.0], [4.0]]), np.array([2, 0, 2]), 3)
    array([[2.],
           [0.],
           [5.]])
    """
    sums = np.zeros((n_classes, X.shape[1]))
    _sum_classes(X, codes, np.arange(n_classes), sums)
    return sums


class RunningSums:
    """`class_sums` for codes that come one after the other: only classes that gained or lost a sample are summed again.

    The sums are to the last bit those of `class_sums`.

    Parameters
    ----------
    X : array of shape (n, m)

    Examples
    --------
    >>> import numpy as np
    >>> sums = RunningSums(np.array([[1.0], [2.0], [4.0]]))
    >>> sums(np.array([2, 0, 2]), 3).ravel()
    array([2., 0., 5.])
    >>> sums(np.array([2, 0, 1]), 3).ravel()
    array([2., 4., 1.])
    """

    def __init__(self, X: FloatArray) -> None:
        self._X = X
        self._codes: IntArray | None = None
        self._sums: FloatArray = np.zeros((0, X.shape[1]))

    def __call__(self, codes: IntArray, n_classes: int) -> FloatArray:
        """The sums for these codes."""
        if self._codes is None or n_classes != len(self._sums):
            self._sums = class_sums(self._X, codes, n_classes)
        else:
            moved = codes != self._codes
            changed = np.union1d(codes[moved], self._codes[moved])
            self._sums[changed] = 0.0
            _sum_classes(self._X, codes, changed, self._sums)
        self._codes = codes.copy()
        return self._sums.copy()


def _sum_classes(X: FloatArray, codes: IntArray, wanted: IntArray, sums: FloatArray) -> None:
    """Add the samples of the wanted classes to their rows of `sums`."""
    is_wanted = np.zeros(len(sums), dtype=bool)
    is_wanted[wanted] = True
    rows = np.flatnonzero(is_wanted[codes])
    ends = np.cumsum(np.bincount(codes[rows], minlength=len(sums)))
    members = np.split(rows[np.argsort(codes[rows], kind="stable")], ends[:-1])

    def fill(first: int) -> None:
        for code in wanted[first : first + CLASSES_AT_ONCE]:
            own = members[code]
            for start in range(0, len(own), ROWS):
                sums[code] += X[own[start : start + ROWS]].sum(axis=0, dtype=np.float64)

    parallel_map(fill, range(0, len(wanted), CLASSES_AT_ONCE), light=len(rows) * X.shape[1] < LIGHT)


def first_largest(scores: FloatArray, tie: float) -> IntArray:
    """The first of the largest scores of each row; scores that differ by no more than `tie` are equal.

    Examples
    --------
    >>> import numpy as np
    >>> first_largest(np.array([[0.1, 0.5, 0.5 + 1e-16], [0.1, 0.5, 0.6]]), tie=1e-12)
    array([1, 2])
    """
    return (scores >= scores.max(axis=1, keepdims=True) - tie).argmax(axis=1)
