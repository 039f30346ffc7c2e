"""The probability simplex: weights that are not negative and sum to one."""

from __future__ import annotations

import numpy as np

from tsrp._types import FloatArray


def project_on_simplex(Q: FloatArray) -> FloatArray:
    """The nearest point of the simplex to each row, in Euclidean distance.

    It is the row less a threshold, zero where that is negative; sorting finds the threshold.

    Parameters
    ----------
    Q : array of shape (n, k)
        With at least one column.

    Returns
    -------
    array of shape (n, k)
        Rows sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> project_on_simplex(np.array([[0.2, 0.6], [5.0, -1.0]])).round(6)
    array([[0.3, 0.7],
           [1. , 0. ]])
    """
    # A constant added to a row changes nothing: this one keeps large values from swallowing the one.
    Q = Q - Q.max(axis=1, keepdims=True)
    descending = -np.sort(-Q, axis=1)
    thresholds = (np.cumsum(descending, axis=1) - 1) / np.arange(1, Q.shape[1] + 1)
    last = np.count_nonzero(descending > thresholds, axis=1, keepdims=True) - 1
    return np.maximum(Q - np.take_along_axis(thresholds, last, axis=1), 0)
