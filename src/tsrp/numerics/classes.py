"""Samples summed up class by class, and the class of the largest score."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from tsrp._types import FloatArray, IntArray


def members(codes: IntArray, n_classes: int) -> sparse.csr_array:
    """The classes of some samples, one-hot.

    Examples
    --------
    >>> import numpy as np
    >>> members(np.array([1, 0]), 3).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """
    n = len(codes)
    return sparse.csr_array((np.ones(n), (np.arange(n), codes)), shape=(n, n_classes))


def class_sums(X: FloatArray, codes: IntArray, n_classes: int) -> FloatArray:
    """The sum of each class's samples.

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
    return np.asarray(members(codes, n_classes).T @ X, dtype=np.float64)


def first_largest(scores: FloatArray, tie: float) -> IntArray:
    """The first of the largest scores of each row; scores that differ by no more than `tie` are equal.

    Examples
    --------
    >>> import numpy as np
    >>> first_largest(np.array([[0.1, 0.5, 0.5 + 1e-16], [0.1, 0.5, 0.6]]), tie=1e-12)
    array([1, 2])
    """
    return (scores >= scores.max(axis=1, keepdims=True) - tie).argmax(axis=1)
