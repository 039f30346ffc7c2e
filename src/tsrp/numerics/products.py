"""Products of tall matrices in blocks of rows: in float64 without a float64 copy of all rows, and on all threads.

Blocks and the order in which they are added up do not depend on the number of threads, so that results do not either.
"""

from __future__ import annotations

import numpy as np

from tsrp._types import FloatArray
from tsrp.numerics.threads import parallel_map

ROW_BLOCK = 2048
COLUMN_BLOCK = 256
# Sums of blocks that are kept apart, each as large as the result.
PARTS = 4
# Rows that are copied to be multiplied again.
CHANGED_ROWS = ROW_BLOCK * PARTS
# Weights that differ by less, relatively, differ by rounding only.
ROUNDING = 16 * np.finfo(np.float64).eps


def times(X: FloatArray, W: FloatArray) -> FloatArray:
    """X W in float64.

    Parameters
    ----------
    X : array of shape (n, m)
    W : array of shape (m, k)

    Returns
    -------
    array of shape (n, k)

    Examples
    --------
    >>> import numpy as np
    >>> times(np.ones((2, 3), dtype=np.float32), np.ones((3, 1)))
    array([[3.],
           [3.]])
    """
    product = np.empty((len(X), W.shape[1]))

    def fill(start: int) -> None:
        part = slice(start, start + ROW_BLOCK)
        np.matmul(X[part].astype(np.float64, copy=False), W, out=product[part])

    parallel_map(fill, range(0, len(X), ROW_BLOCK))
    return product


def weighted_gram(X: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """X' diag(weights) X in float64; weights may be negative, and are ones if there are none.

    Parameters
    ----------
    X : array of shape (n, m)
    weights : array of shape (n,), optional

    Returns
    -------
    array of shape (m, m)

    Examples
    --------
    >>> import numpy as np
    >>> weighted_gram(np.array([[1.0, 0.0], [1.0, 2.0]]), np.array([3.0, -1.0]))
    array([[ 2., -2.],
           [-2., -4.]])
    """
    n, m = X.shape
    step = ROW_BLOCK * PARTS

    def part(first: int) -> FloatArray:
        gram = np.zeros((m, m))
        for start in range(first, n, step):
            rows = slice(start, start + ROW_BLOCK)
            block = X[rows].astype(np.float64, copy=False)
            if weights is None:
                gram += block.T @ block
                continue
            # A matrix times itself costs half as much as times another: so the weights are split into their roots.
            signs, block = np.sign(weights[rows]), block * np.sqrt(np.abs(weights[rows]))[:, None]
            for sign in (1, -1):
                if (signs == sign).any():
                    chosen = block if (signs == sign).all() else block[signs == sign]
                    gram += sign * (chosen.T @ chosen)
        return gram

    return _total(parallel_map(part, range(0, min(n, step), ROW_BLOCK)), (m, m))


def congruent(S: FloatArray | None, W: FloatArray) -> FloatArray:
    """W' S W for a symmetric matrix S, the identity if there is none; only half of it is multiplied.

    Parameters
    ----------
    S : array of shape (m, m), or None
    W : array of shape (m, r)

    Returns
    -------
    array of shape (r, r)
        Symmetric to the last bit.

    Examples
    --------
    >>> import numpy as np
    >>> congruent(np.array([[2.0, 1.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 1.0]]))
    array([[4., 1.],
           [1., 0.]])
    """
    r = W.shape[1]
    result = np.empty((r, r))

    def fill(start: int) -> None:
        stop = min(start + COLUMN_BLOCK, r)
        columns = W[:, start:stop]
        below = W[:, start:].T @ (columns if S is None else S @ columns)
        result[start:, start:stop] = below
        result[start:stop, stop:] = below[stop - start :].T
        square = below[: stop - start]
        result[start:stop, start:stop] = np.tril(square) + np.tril(square, -1).T

    parallel_map(fill, range(0, r, COLUMN_BLOCK))
    return result


def signed_gram(G: FloatArray, coefficients: FloatArray) -> FloatArray:
    """G' diag(coefficients) G for few rows G; coefficients may be negative.

    Examples
    --------
    >>> import numpy as np
    >>> signed_gram(np.array([[1.0, 0.0], [1.0, 2.0]]), np.array([3.0, -1.0]))
    array([[ 2., -2.],
           [-2., -4.]])
    """
    scaled = np.sqrt(np.abs(coefficients))[:, None] * G
    result = congruent(None, scaled[coefficients > 0])
    if (coefficients < 0).any():
        result -= congruent(None, scaled[coefficients < 0])
    return result


class RunningGram:
    """X' diag(weights) X for weights that come one after the other: only rows whose weight has changed are multiplied.

    A factor that all weights have in common is not a change; rounding of the weights is not either.

    Parameters
    ----------
    X : array of shape (n, m)

    Examples
    --------
    >>> import numpy as np
    >>> gram = RunningGram(np.array([[1.0, 0.0], [1.0, 2.0]]))
    >>> gram(np.array([3.0, -1.0]))
    array([[ 2., -2.],
           [-2., -4.]])
    >>> gram(np.array([6.0, -1.0]))
    array([[ 5., -2.],
           [-2., -4.]])
    """

    def __init__(self, X: FloatArray) -> None:
        self._X = X
        self._weights: FloatArray | None = None

    def __call__(self, weights: FloatArray) -> FloatArray:
        """The matrix for these weights."""
        if self._weights is None or self._weights[0] == 0 or weights[0] == 0:
            self._gram, self._weights = weighted_gram(self._X, weights), weights.copy()
            return self._gram.copy()
        factor = weights[0] / self._weights[0]
        self._gram *= factor
        self._weights *= factor
        changed = np.flatnonzero(np.abs(weights - self._weights) > ROUNDING * np.abs(weights))
        for start in range(0, len(changed), CHANGED_ROWS):
            rows = changed[start : start + CHANGED_ROWS]
            self._gram += weighted_gram(self._X[rows], weights[rows] - self._weights[rows])
        self._weights[changed] = weights[changed]
        return self._gram.copy()


def _total(parts: list[FloatArray], shape: tuple[int, int]) -> FloatArray:
    """The sum in the order given, in the place of the first."""
    if not parts:
        return np.zeros(shape)
    for part in parts[1:]:
        parts[0] += part
    return parts[0]
