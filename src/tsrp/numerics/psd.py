"""Quadratic problems over positive semi-definite matrices."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from tsrp._types import FloatArray

RELAXATION = 1.6
MOST_ROUNDS = 2000


def minimise_quadratic(
    K: FloatArray, R: FloatArray, start: FloatArray, tolerance: float = 1e-6
) -> tuple[FloatArray, bool]:
    """The positive semi-definite M of smallest tr(M K M) - tr(M R), for a positive definite K.

    Without the bound M would solve the Lyapunov equation ``K M + M K = R``; clipping its negative eigenvalues is not
    the answer. ADMM: in K's eigenvectors the equation is solved entry by entry, in turns with the clipping.

    Parameters
    ----------
    K, R : arrays of shape (m, m)
        Symmetric.
    start : array of shape (m, m)
        Positive semi-definite; where to begin.
    tolerance : float, default 1e-6
        Ends when a round changes and violates less than this share of M.

    Returns
    -------
    M : array of shape (m, m)
    converged : bool
        Whether the tolerance was reached in 2,000 rounds.

    Examples
    --------
    >>> import numpy as np
    >>> M, _ = minimise_quadratic(np.eye(2), np.diag([4.0, -4.0]), np.eye(2))
    >>> np.round(M, 6) + 0.0
    array([[2., 0.],
           [0., 0.]])
    """
    k, V = linalg.eigh(K)
    # Rounding may turn the smallest negative.
    k = np.maximum(k, np.finfo(np.float64).eps * k[-1])
    penalty = 2 * np.sqrt(k[0] * k[-1])
    right = V.T @ R @ V
    divisor = k[:, None] + k + penalty
    M = V.T @ start @ V
    dual = np.zeros_like(M)
    for _ in range(MOST_ROUNDS):
        free = RELAXATION * (right + penalty * (M - dual)) / divisor + (1 - RELAXATION) * M
        before, M = M, _clip(free + dual)
        dual += free - M
        converged = np.linalg.norm(free - M) + np.linalg.norm(M - before) <= tolerance * np.linalg.norm(M)
        if converged:
            break
    return _symmetric(V @ M @ V.T), bool(converged)


def _clip(A: FloatArray) -> FloatArray:
    """The nearest positive semi-definite matrix."""
    values, vectors = linalg.eigh(_symmetric(A), check_finite=False)
    positive = values > 0
    return (vectors[:, positive] * values[positive]) @ vectors[:, positive].T


def _symmetric(A: FloatArray) -> FloatArray:
    return (A + A.T) / 2
