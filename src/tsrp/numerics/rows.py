"""Scaling of rows."""

from __future__ import annotations

import numpy as np

from tsrp._types import FloatArray


def unit_rows(X: FloatArray) -> FloatArray:
    """Scale each row to unit Euclidean length; a row of zeros stays zero.

    Parameters
    ----------
    X : array of shape (n, m)
        Finite values; float32 stays float32.

    Returns
    -------
    array of shape (n, m)
        A new array.

    Examples
    --------
    >>> import numpy as np
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    with np.errstate(over="ignore", under="ignore"):
        length = np.sqrt(np.einsum("ij,ij->i", X, X))
    # Squares of very large or very small values leave the floating-point range: bring such rows near 1 first.
    extremes = np.finfo(X.dtype)
    risky = ~((length > np.sqrt(extremes.tiny) * 1e4) & (length < np.sqrt(extremes.max)))
    if risky.any():
        X = X.copy()
        largest = np.abs(X[risky]).max(axis=1, initial=0.0)
        X[risky] /= np.where(largest > 0, largest, 1.0)[:, None]
        length[risky] = np.sqrt(np.einsum("ij,ij->i", X[risky], X[risky]))
    return X / np.where(length > 0, length, 1.0)[:, None]
