"""Shrinkage: of entries, and of singular values."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from tsrp._types import FloatArray
from tsrp.numerics.leading import LANCZOS_RATIO, SEEDED

# Eigenvalues that are asked for beyond the number expected: one below the bound says that there are no more above it.
SPARE = 10


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

    Only what is larger than the amount is computed, from the smaller Gram matrix: by Lanczos if that is little.

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
    if W.shape[0] > W.shape[1]:
        left, right = shrink_singular_values(W.T, amount, guess)
        return right.T, left.T
    if np.linalg.norm(W) <= amount:
        return np.zeros((len(W), 0)), np.zeros((0, W.shape[1]))
    squares, U = _large_eigenpairs(W, amount**2, guess)
    return U * (1 - amount / np.sqrt(squares)), U.T @ W


def _large_eigenpairs(W: FloatArray, bound: float, guess: int) -> tuple[FloatArray, FloatArray]:
    """The eigenvalues of W W' above a bound, and their vectors."""
    gram = W @ W.T
    k = guess + guess // 4 + SPARE
    # Matrices of low rank are the rule here, and they make Lanczos restart: at random, where it cannot be seeded.
    while SEEDED and LANCZOS_RATIO * k < len(W):
        found = _lanczos(gram, k)
        if found is None:
            break
        squares, U = found
        if squares.min() <= bound:
            return squares[squares > bound], U[:, squares > bound]
        k *= 2
    return linalg.eigh(gram, subset_by_value=[bound, np.inf], overwrite_a=True, check_finite=False)


def _lanczos(gram: FloatArray, k: int) -> tuple[FloatArray, FloatArray] | None:
    """The k largest eigenvalues and their vectors, or None if they do not converge."""
    start = np.random.default_rng(0).standard_normal(len(gram))
    try:
        return eigsh(gram, k=k, v0=start, **SEEDED)
    except ArpackNoConvergence:
        return None
