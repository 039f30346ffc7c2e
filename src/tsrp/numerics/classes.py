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
    ends = np.cumsum(np.bincount(codes, minlength=n_classes))
    members = np.split(np.argsort(codes, kind="stable"), ends[:-1])

    def fill(first: int) -> None:
        for code in range(first, min(first + CLASSES_AT_ONCE, n_classes)):
            rows = members[code]
            for start in range(0, len(rows), ROWS):
                sums[code] += X[rows[start : start + ROWS]].sum(axis=0, dtype=np.float64)

    parallel_map(fill, range(0, n_classes, CLASSES_AT_ONCE), light=X.size < LIGHT)
    return sums


def first_largest(scores: FloatArray, tie: float) -> IntArray:
    """The first of the largest scores of each row; scores that differ by no more than `tie` are equal.

    Examples
    --------
    >>> import numpy as np
    >>> first_largest(np.array([[0.1, 0.5, 0.5 + 1e-16], [0.1, 0.5, 0.6]]), tie=1e-12)
    array([1, 2])
    """
    return (scores >= scores.max(axis=1, keepdims=True) - tie).argmax(axis=1)
