"""The family's eigenproblem, in as few dimensions as the samples span.

    minimise  tr A' (F' Theta F + ridge I) A   subject to   A' F' H F A = I

Its solution is made of the generalised eigenvectors of smallest eigenvalue, each scaled to unit Euclidean length.
F are the samples (primal) or their kernel matrix, H centres, Theta is a `Term`. All solutions lie in the span of the
samples, so a `Reduction` writes F in r = rank coordinates once, with orthogonal columns of lengths `scale`:

    F' F = diag(scale^2)        F' H F = M M',  M = diag(scale) (I - v v')^(1/2),  v = the coordinates of the mean

The smallest theta of (L, M M') are the largest eigenvalues 1/theta of the ordinary symmetric matrix M' L^-1 M, with
L = F' Theta F + ridge I. For MMD terms L is a multiple of the identity plus a few columns, and Lanczos never needs it
as a matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackError

from tsrp._cached import cached_property
from tsrp._types import FloatArray
from tsrp.exceptions import InputError
from tsrp.numerics.features import FeatureProblem
from tsrp.numerics.forms import ColumnSums, QuadraticForms
from tsrp.numerics.leading import leading, leading_of, shifted_until_definite
from tsrp.numerics.products import congruent, times, weighted_gram
from tsrp.numerics.terms import Term

# Directions whose squared singular value is below this share of the largest are rounding noise.
RANK_CUT = 1e-9
# What may be missing to length 1 of the mean's part in the samples' span, if it lies there as a whole.
MEAN_IN_SPAN = 1e-9
# With so many samples for each feature, a matrix of all features in every round costs less than F does.
MANY_SAMPLES = 8
# A difference of vectors that is this much shorter than they are has lost half of its digits.
CANCELLED = 1e-8
NO_SOLUTION = "the projection cannot be computed with these settings: use a ridge nearer to 1, and smaller weights."


@dataclass(frozen=True)
class Reduction:
    """F in the r-dimensional coordinates of its span.

    Attributes
    ----------
    samples : array of shape (n, m) or (n, r)
        What F is made from: F is ``samples @ back`` if the samples are `plain`, and otherwise the samples.
    scale : array of shape (r,)
        Lengths of the columns of F, which are orthogonal.
    mean : array of shape (r,)
        The vector v above.
    back : array of shape (m, r) or (n, r)
        Takes a new sample (linear) or its kernel row (rbf) into the coordinates.
    plain : bool
        Whether the samples are as they were. Few steps need F itself, which is large: their products with F come
        from products with the samples.
    """

    samples: FloatArray
    scale: FloatArray
    mean: FloatArray
    back: FloatArray
    plain: bool

    @cached_property
    def F(self) -> FloatArray:
        """The samples in these coordinates, in float64."""
        if self.plain:
            return times(self.samples, self.back)
        return self.samples.astype(np.float64, copy=False)

    @cached_property
    def constraint(self) -> FloatArray:
        """F' H F as a matrix."""
        M = self.root(np.eye(len(self.scale)))
        return M @ M.T

    @property
    def rank(self) -> int:
        """How many directions vary: one less than r if the samples' mean lies in their span as a whole."""
        return len(self.scale) - int(self.mean @ self.mean > 1 - MEAN_IN_SPAN)

    @property
    def variance(self) -> float:
        """The trace of F' H F: the sum of squared distances from the mean."""
        return float((self.scale**2) @ (1 - self.mean**2))

    def solver(self, ridge: float, n_components: int) -> Solver:
        """What solves the eigenproblem for one term after the other."""
        return Solver(self, ridge, n_components)

    def project(self, Y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """F Y, and the weights ``back @ Y`` that project new samples.

        In float64, also for float32 samples: the similarities of equal samples must come out equal.
        """
        weights = self.back @ Y
        return times(self.samples, weights if self.plain else Y), weights

    def column_sums(self, theta: Term, of_samples: ColumnSums | None = None) -> FloatArray:
        """The term's columns' F; `of_samples` may know some of them from the term before."""
        sums = (of_samples or ColumnSums(self.samples))(theta)
        return sums @ self.back if self.plain else sums

    def quadratic_forms(self) -> Callable[[Term], FloatArray]:
        """F' Theta F as a function of Theta, for terms that come one after the other."""
        if self._has_many_samples:
            of_samples = QuadraticForms(self.samples)
            return lambda theta: congruent(of_samples(theta), self.back)
        return QuadraticForms(self.F)

    def dense_solver(self, ridge: float, k: int) -> Callable[[Term], FloatArray]:
        """The k solutions as a function of Theta, for terms of any kind that come one after the other."""
        if self._has_many_samples and self.rank == len(self.back):
            problem = FeatureProblem.of(self.back, self.scale, self.mean)
            if problem is not None:
                of_samples, turn = QuadraticForms(self.samples), (self.back / np.sum(self.back**2, axis=0)).T
                return lambda theta: turn @ problem.solve(of_samples(theta), ridge, k)
        form = self.quadratic_forms()
        return lambda theta: _solve_dense(self, form(theta), ridge, k)

    @property
    def _has_many_samples(self) -> bool:
        return self.plain and len(self.samples) > MANY_SAMPLES * len(self.back)

    def root(self, x: FloatArray) -> FloatArray:
        """M x."""
        return (self.scale * self._centre(x).T).T

    def root_transposed(self, x: FloatArray) -> FloatArray:
        """M' x."""
        return self._centre((self.scale * x.T).T)

    def times_root(self, x: FloatArray) -> FloatArray:
        """The product x M."""
        scaled = x * self.scale
        # In the order in which LAPACK has x.
        scaled -= np.multiply.outer(self.mean, self._shrinkage(0.5) * (scaled @ self.mean)).T
        return scaled

    def root_inverse_transposed(self, x: FloatArray) -> FloatArray:
        """M'^-1 x, where the mean does not lie in the span of the samples as a whole."""
        return (self._centre(x, power=-0.5).T / self.scale).T

    def _centre(self, x: FloatArray, power: float = 0.5) -> FloatArray:
        """(I - v v')^power x."""
        shrink = self._shrinkage(power)
        return x - shrink * np.multiply.outer(self.mean, self.mean @ x) if shrink else x

    def _shrinkage(self, power: float) -> float:
        """The number c for which (I - v v')^power = I - c v v'."""
        square = min(float(self.mean @ self.mean), 1.0)
        if square == 0:
            return 0.0
        # Where nothing of v remains, the inverse is that of the rest: what is asked for is orthogonal to v.
        remains = 1 - square > MEAN_IN_SPAN or power > 0
        return float((1 - ((1 - square) ** power if remains else 0.0)) / square)


def reduce_samples(X: FloatArray, power: int) -> Reduction:
    """Reduction of the samples themselves (power 1: primal) or of their linear kernel X X' (power 2).

    With X = P S Q', F is P S^power: both cost r = rank(X), never n.
    """
    return reduction_of(X, power, decompose_samples(X))


def decompose_samples(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """S, and Q or P, whichever is smaller: nearly all of the cost of a reduction, whatever the power."""
    n, m = X.shape
    return decompose(weighted_gram(X if m <= n else X.T))


def reduction_of(X: FloatArray, power: int, decomposition: tuple[FloatArray, FloatArray]) -> Reduction:
    """Reduction of samples that are decomposed."""
    n, m = X.shape
    s, vectors = decomposition
    if m <= n:
        back = vectors * s ** (power - 1)
        mean = X.sum(axis=0, dtype=np.float64) @ back / s**power / np.sqrt(n)
        return Reduction(X, s**power, mean, back, plain=True)
    F = (vectors * s**power).astype(X.dtype, copy=False)
    return _reduction(F, s**power, X.T @ (vectors * s ** (power - 2.0)))


def reduce_kernel(K: FloatArray, power: int = 2) -> Reduction:
    """Reduction of a symmetric positive semi-definite n x n kernel matrix, or of features that have it (power 1)."""
    s, P = decompose(K)
    return _reduction(P * s**power, s**power, P * s ** (power - 2.0))


def _reduction(F: FloatArray, scale: FloatArray, back: FloatArray) -> Reduction:
    mean = F.sum(axis=0, dtype=np.float64) / scale / np.sqrt(len(F))
    return Reduction(F, scale, mean, back, plain=False)


def decompose(gram: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Singular values above the noise, largest first, and their vectors, from a Gram matrix."""
    squares, vectors = linalg.eigh(gram, driver="evd", overwrite_a=True, check_finite=False)
    keep = squares > RANK_CUT * squares[-1]
    return np.sqrt(squares[keep][::-1]), vectors[:, keep][:, ::-1]


class Solver:
    """The eigenproblem for terms that come one after the other, round by round.

    Parameters
    ----------
    reduction : Reduction
    ridge : float
        Positive.
    n_components : int
        At most ``reduction.rank``.
    """

    def __init__(self, reduction: Reduction, ridge: float, n_components: int) -> None:
        self._reduction, self._ridge, self._k = reduction, ridge, n_components
        self._solve_dense: Callable[[Term], FloatArray] | None = None
        self._column_sums = ColumnSums(reduction.samples)

    def smallest_eigenvectors(self, theta: Term) -> FloatArray:
        """The coordinates, of unit length, of the eigenvectors of smallest eigenvalue, smallest first.

        Returns
        -------
        array of shape (r, n_components)
            ``reduction.F @ result`` are the projected samples.
        """
        return unit_columns(lambda: self._solve(theta))

    def _solve(self, theta: Term) -> FloatArray:
        if theta.is_low_rank:
            columns = self._reduction.column_sums(theta, self._column_sums).T
            return _solve_low_rank(self._reduction, columns * np.sqrt(theta.coefficients / self._ridge), self._k)
        if self._solve_dense is None:
            self._solve_dense = self._reduction.dense_solver(self._ridge, self._k)
        return self._solve_dense(theta)


def smallest_eigenvectors(reduction: Reduction, theta: Term, ridge: float, n_components: int) -> FloatArray:
    """As `Solver` finds them, for one term."""
    return Solver(reduction, ridge, n_components).smallest_eigenvectors(theta)


def smallest_eigenvectors_weighted(
    features: Reduction, theta: Term, ridge: float, penalty: FloatArray, n_components: int
) -> FloatArray:
    """The kernel's problem with ridge * diag(penalty) instead of ridge * I: its vectors a, of unit length.

    The kernel is K = F F' of features F, each row of a belongs to a sample and has its own price. All solutions are
    L^-1 F c, L = ridge diag(penalty) + K Theta K, so that the symmetric matrix to decompose is M' (F' L^-1 F) M.

    Parameters
    ----------
    features : Reduction
        Of the samples, power 1.
    theta : Term
        Of low rank.
    ridge : float
        Positive.
    penalty : array of shape (n,)
        Positive.
    n_components : int
        At most ``features.rank``.

    Returns
    -------
    array of shape (n, n_components)
        ``F @ (F.T @ result)`` are the projected samples.
    """
    return unit_columns(lambda: _solve_weighted(features, theta, ridge, penalty, n_components))


def unit_columns(solve: Callable[[], FloatArray]) -> FloatArray:
    """A solution with columns of unit length, or one sentence if there is none."""
    with np.errstate(all="ignore"):
        try:
            Y = solve()
        except (linalg.LinAlgError, ArpackError, ValueError) as error:
            # LAPACK's and ARPACK's ways of saying that a number left its range.
            raise InputError(NO_SOLUTION) from error
        Y = Y / np.linalg.norm(Y, axis=0)
    if not np.isfinite(Y).all():
        raise InputError(NO_SOLUTION)
    return Y


def _solve_weighted(features: Reduction, theta: Term, ridge: float, penalty: FloatArray, k: int) -> FloatArray:
    """With N = F' diag(penalty)^-1 F and few columns G, ridge F' L^-1 F = N - N G (I + G' N G)^-1 G' N."""
    F = features.F
    N = weighted_gram(F, 1 / penalty)
    G = features.column_sums(theta).T * np.sqrt(theta.coefficients / ridge)
    factor = linalg.cho_factor(np.eye(G.shape[1]) + G.T @ N @ G)

    def deflate(c: FloatArray) -> FloatArray:
        return c - G @ linalg.cho_solve(factor, G.T @ (N @ c))

    def apply(x: FloatArray) -> FloatArray:
        return features.root_transposed(N @ deflate(features.root(x)))

    c = features.root(leading(apply, len(N), k))
    return (F @ deflate(c)) / penalty[:, None]


def _solve_low_rank(reduction: Reduction, G: FloatArray, k: int) -> FloatArray:
    """L = ridge (I + G G') with few columns G, so that ridge L^-1 = I - Q Q' + Q (I + S^2)^-1 Q', G = Q S R'."""
    Q, lengths, _ = linalg.svd(G, full_matrices=False)
    kept = 1 / (1 + lengths**2)

    def apply_inverse(x: FloatArray) -> FloatArray:
        # Not I - Q (I - ...) Q': what a long G leaves of x along Q would be lost to rounding.
        inner = Q.T @ x
        return x - Q @ inner + Q @ (kept * inner.T).T

    def apply(x: FloatArray) -> FloatArray:
        return reduction.root_transposed(apply_inverse(reduction.root(x)))

    vectors = leading(apply, len(reduction.scale), k)
    whole = reduction.root(vectors)
    Y = apply_inverse(whole)
    # L^-1 M x is also theta^-1 M'^-1 x: where the first form has cancelled to noise, the second has not.
    lost = np.linalg.norm(Y, axis=0) < CANCELLED * np.linalg.norm(whole, axis=0)
    if lost.any():
        Y[:, lost] = reduction.root_inverse_transposed(vectors[:, lost])
    return Y


def _solve_dense(reduction: Reduction, L: FloatArray, ridge: float, k: int) -> FloatArray:
    """Any term, with L = F' Theta F: one factorisation, one symmetric eigenproblem of size r."""
    L[np.diag_indices_from(L)] += ridge
    factor = shifted_until_definite(L, lambda: reduction.constraint, _cholesky)
    inverse, _ = linalg.lapack.dtrtri(factor, lower=1)
    half = reduction.times_root(inverse)
    vectors = leading_of(congruent(None, half), k)
    return linalg.solve_triangular(factor, half @ vectors, lower=True, trans="T", check_finite=False)


def _cholesky(L: FloatArray) -> FloatArray:
    factor: FloatArray = linalg.cholesky(L, lower=True, check_finite=False)
    return factor
