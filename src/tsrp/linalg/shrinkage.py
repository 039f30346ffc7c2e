"""Shrinkage: of entries, and of singular values."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackNoConvergence, svds

from tsrp._types import FloatArray
from tsrp.linalg.spectral import LANCZOS_RATIO


def shrink(A: FloatArray, amount: float) -> FloatArray:
    """Every entry moved towards zero by an amount, and not beyond it.

    Examples
    --------
    >>> import numpy as np
    >>> shrink(np.array([-3.0, 0.5, 2.0]), 1.0)
    array([-2.,  0.,  1.])
    """
    return A - np.clip(A, -amount, amount)


def shrink_singular_values(W: FloatArray, amount: float, guess: int = 0) -> tuple[FloatArray, FloatArray]:
    """The same for singular values, as a product of two thin matrices.

    Only what is larger than the amount is computed: by Lanczos if that is little, otherwise from the smaller Gram
    matrix.

    Parameters
    ----------
    W : array of shape (n, q)
    amount : float
        Positive.
    guess : int, default 0
        About how many singular values are larger.

    Returns
    -------
    left, right : arrays of shape (n, rank) and (rank, q)

    Examples
    --------
    >>> import numpy as np
    >>> left, right = shrink_singular_values(np.diag([5.0, 3.0, 1.0]), 2.0)
    >>> np.round(left @ right, 6) + 0.0
    array([[3., 0., 0.],
           [0., 1., 0.],
           [0., 0., 0.]])
    """
    if np.linalg.norm(W) <= amount:
        return np.zeros((len(W), 0)), np.zeros((0, W.shape[1]))
    k = guess + 1
    while LANCZOS_RATIO * k < min(W.shape):
        found = _lanczos(W, k)
        if found is None:
            break
        U, s, Vt = found
        if s.min() <= amount:
            large = s > amount
            return U[:, large] * (s[large] - amount), Vt[large]
        k *= 2
    return _from_gram(W, amount) if W.shape[0] <= W.shape[1] else _from_gram(W.T, amount, transposed=True)


def _lanczos(W: FloatArray, k: int) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    start = np.random.default_rng(0).standard_normal(min(W.shape))
    try:
        return svds(W, k=k, v0=start)
    except ArpackNoConvergence:
        return None


def _from_gram(W: FloatArray, amount: float, *, transposed: bool = False) -> tuple[FloatArray, FloatArray]:
    squares, U = linalg.eigh(W @ W.T, subset_by_value=[amount**2, np.inf], overwrite_a=True, check_finite=False)
    left, right = U * (1 - amount / np.sqrt(squares)), U.T @ W
    return (right.T, left.T) if transposed else (left, right)
