"""Many samples of linearly independent features, for terms of any kind: without a decomposition into eigenvectors.

A `Reduction` of such samples has as many coordinates as there are features. Coordinates that are orthogonal serve terms
of low rank; for others any F = X B will do whose B B' is the same, and a Cholesky factor costs a tenth of the
eigenvectors, which LAPACK computes on one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from tsrp._types import FloatArray
from tsrp.numerics.eigenproblem import (
    MANY_SAMPLES,
    MEAN_IN_SPAN,
    RANK_CUT,
    Reduction,
    decompose,
    reduce_samples,
    reduction_of,
    unit_columns,
)
from tsrp.numerics.features import FeatureProblem
from tsrp.numerics.forms import QuadraticForms
from tsrp.numerics.leading import SEEDED
from tsrp.numerics.products import times, weighted_gram
from tsrp.numerics.terms import Term
from tsrp.numerics.triangular import cholesky, lower_gram, solve_lower

# Eigenvectors of fewer features cost little.
MANY_FEATURES = 512
# How well the extreme eigenvalues are known that decide whether features are independent, and the margin for it.
KNOWN, MARGIN = 1e-2, 2.0


@dataclass(frozen=True, eq=False)
class IndependentFeatures:
    """F = X B in the place of a `Reduction`, for terms of any kind.

    Attributes
    ----------
    samples : array of shape (n, m)
        X.
    back : array of shape (m, m), or None
        B, lower triangular; None is the identity.
    problem : FeatureProblem
    variance : float
        The sum of squared distances from the mean of F.
    """

    samples: FloatArray
    back: FloatArray | None
    problem: FeatureProblem
    variance: float

    @property
    def rank(self) -> int:
        """How many directions vary: all."""
        return self.samples.shape[1]

    def project(self, Y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """F Y, and the weights B Y that project new samples."""
        weights = Y if self.back is None else self.back @ Y
        return times(self.samples, weights), weights

    def solver(self, ridge: float, n_components: int) -> IndependentSolver:
        """What solves the eigenproblem for one term after the other."""
        return IndependentSolver(self, ridge, n_components)


class IndependentSolver:
    """As `tsrp.numerics.eigenproblem.Solver`."""

    def __init__(self, features: IndependentFeatures, ridge: float, n_components: int) -> None:
        self._features, self._ridge, self._k = features, ridge, n_components
        self._form = QuadraticForms(features.samples)

    def smallest_eigenvectors(self, theta: Term) -> FloatArray:
        """The coordinates, of unit length, of the eigenvectors of smallest eigenvalue, smallest first."""
        return unit_columns(lambda: self._solve(theta))

    def _solve(self, theta: Term) -> FloatArray:
        w = self._features.problem.solve(self._form(theta), self._ridge, self._k)
        back = self._features.back
        return w if back is None else linalg.solve_triangular(back, w, lower=True, check_finite=False)


def reduce_for_any_term(X: FloatArray, power: int) -> Reduction | IndependentFeatures:
    """As `reduce_samples`, for terms that are not of low rank."""
    n, m = X.shape
    if m < MANY_FEATURES or n <= MANY_SAMPLES * m:
        return reduce_samples(X, power)
    gram = weighted_gram(X)
    return _independent(X, gram, power) or reduction_of(X, power, decompose(gram))


def _independent(X: FloatArray, gram: FloatArray, power: int) -> IndependentFeatures | None:
    """Without a decomposition of X' X, or None where `Reduction` would find a smaller rank, or might."""
    total = X.sum(axis=0, dtype=np.float64)
    try:
        factor = cholesky(gram)
        shares = linalg.solve_triangular(factor, total, lower=True, check_finite=False)
        if not _has_full_rank(gram, factor) or shares @ shares > (1 - MEAN_IN_SPAN) * len(X):
            return None
        K = gram - np.outer(total, total / len(X))
        root = cholesky(K)
    except (linalg.LinAlgError, ArpackNoConvergence):
        return None
    if power == 1:
        return IndependentFeatures(X, None, FeatureProblem(np.eye(len(gram)), root), float(np.trace(K)))
    penalty = lower_gram(solve_lower(factor, np.eye(len(gram))))
    return IndependentFeatures(X, factor, FeatureProblem(penalty, root), float(np.sum(K * gram)))


def _has_full_rank(gram: FloatArray, factor: FloatArray) -> bool:
    """Whether no eigenvalue is so small that it may be rounding noise."""
    upper = factor.T

    def invert(x: FloatArray) -> FloatArray:
        return linalg.blas.dtrsv(upper, linalg.blas.dtrsv(upper, x, trans=1))

    def times_gram(x: FloatArray) -> FloatArray:
        return linalg.blas.dsymv(1.0, gram.T, x, lower=1)

    return _largest(times_gram, len(gram)) * _largest(invert, len(gram)) * MARGIN * RANK_CUT < 1


def _largest(apply: Callable[[FloatArray], FloatArray], m: int) -> float:
    """The largest eigenvalue of a positive definite operator, roughly."""
    start = np.random.default_rng(0).standard_normal(m)
    operator = LinearOperator((m, m), matvec=apply, dtype=np.float64)
    return float(eigsh(operator, k=1, which="LA", v0=start, tol=KNOWN, return_eigenvectors=False, **SEEDED)[0])
