"""Leading eigenvectors of symmetric matrices and operators, by Lanczos where few of many are wanted."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from tsrp._types import FloatArray

# Lanczos is worth it when few of many eigenvectors are wanted.
LANCZOS_RATIO = 5
# Products with a dense matrix cost more than with a few columns.
DENSE_LANCZOS_RATIO = 16
# What makes the restarts of `eigsh` the same in every call, where this scipy has it.
SEEDED = {"rng": 0} if "rng" in signature(eigsh).parameters else {}


def leading(apply: Callable[[FloatArray], FloatArray], r: int, k: int) -> FloatArray:
    """The k leading eigenvectors of a symmetric operator of size r, largest first."""
    vectors = _lanczos(apply, r, k) if r > LANCZOS_RATIO * k else None
    return _largest(apply(np.eye(r)), k) if vectors is None else vectors


def leading_of(matrix: FloatArray, k: int) -> FloatArray:
    """The k leading eigenvectors of a symmetric matrix, largest first."""

    def apply(x: FloatArray) -> FloatArray:
        return linalg.blas.dsymv(1.0, matrix.T, x, lower=1)

    vectors = _lanczos(apply, len(matrix), k) if len(matrix) > DENSE_LANCZOS_RATIO * k else None
    return _largest(matrix, k) if vectors is None else vectors


def _lanczos(apply: Callable[[FloatArray], FloatArray], r: int, k: int) -> FloatArray | None:
    """The k leading eigenvectors by Lanczos, largest first, or None if it does not converge."""
    start = np.random.default_rng(0).standard_normal(r)
    operator = LinearOperator((r, r), matvec=apply, dtype=np.float64)
    try:
        _, vectors = eigsh(operator, k=k, which="LA", ncv=min(r, max(3 * k // 2, 20)), v0=start, **SEEDED)
    except ArpackNoConvergence:
        return None
    return vectors[:, ::-1]


def _largest(matrix: FloatArray, k: int) -> FloatArray:
    """Eigenvectors of the k largest eigenvalues of a symmetric matrix, largest first."""
    r = len(matrix)
    _, vectors = linalg.eigh(matrix, subset_by_index=[r - k, r - 1], overwrite_a=True, check_finite=False)
    return vectors[:, ::-1]


def shifted_until_definite(
    L: FloatArray, constraint: Callable[[], FloatArray], cholesky: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Cholesky factor of L, or of L + shift * constraint if L is indefinite: all eigenvalues move by the shift."""
    try:
        return cholesky(L)
    except linalg.LinAlgError:
        right = constraint()
        shift = 1e-3 * np.abs(np.diag(L)).max() / np.diag(right).max()
    for _ in range(40):
        try:
            return cholesky(L + shift * right)
        except linalg.LinAlgError:
            shift *= 4
    raise linalg.LinAlgError("no shift makes the left side definite")
