"""Scaling of rows."""

from __future__ import annotations

import numpy as np

from tsrp._types import FloatArray
from tsrp.numerics.threads import parallel_map

ROWS_AT_ONCE = 2048
# The square of a smaller value has fewer digits, or none.
SMALLEST = float(np.sqrt(np.finfo(np.float64).tiny))


def stacked_unit_rows(*parts: FloatArray) -> FloatArray:
    """The rows of all parts, one below the other and each scaled by `unit_rows`; nothing else of this size is made.

    Examples
    --------
    >>> import numpy as np
    >>> stacked_unit_rows(np.array([[3.0, 4.0]]), np.array([[0.0, 0.0], [0.0, 2.0]]))
    array([[0.6, 0.8],
           [0. , 0. ],
           [0. , 1. ]])
    """
    starts = np.cumsum([0, *(len(part) for part in parts)])
    stacked = np.empty((starts[-1], parts[0].shape[1]), dtype=np.result_type(*parts))

    def fill(block: tuple[FloatArray, int, int]) -> None:
        part, start, first = block
        rows = part[first : first + ROWS_AT_ONCE].astype(stacked.dtype, copy=False)
        stacked[start + first : start + first + len(rows)] = unit_rows(rows)

    blocks = [
        (part, int(start), first)
        for part, start in zip(parts, starts[:-1], strict=True)
        for first in range(0, len(part), ROWS_AT_ONCE)
    ]
    parallel_map(fill, blocks)
    return stacked


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


def with_squares(X: FloatArray) -> FloatArray:
    """Samples with 0 for values whose squares underflow: liblinear never ends on such values.

    Examples
    --------
    >>> import numpy as np
    >>> with_squares(np.array([1.0, 1e-200])).tolist()
    [1.0, 0.0]
    """
    return np.where(np.abs(X) < SMALLEST, 0.0, X)
