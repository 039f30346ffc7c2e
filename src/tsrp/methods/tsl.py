"""TSL: transfer subspace learning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from tsrp._types import FloatArray, IntArray
from tsrp.base.components import principal_components
from tsrp.base.contract import Mapping
from tsrp.base.maps import LinearMap
from tsrp.base.once import LearnedOnce
from tsrp.exceptions import InputError
from tsrp.numerics.densities import bandwidth, density_divergence
from tsrp.numerics.graphs import neighbour_graph
from tsrp.numerics.stiefel import minimise
from tsrp.parameters import Number, OneOf, Optional
from tsrp.progress import Step, report
from tsrp.registry import register
from tsrp.validation import check_components, warn

OBJECTIVES = ("pca", "flda", "lpp")
# Of each sample, in the graph of LPP.
NEIGHBOURS = 5
# Shares of the whole scatter that are added to a cost and to a gain: neither must vanish in any direction.
COST_FLOOR, GAIN_FLOOR = 1e-6, 1e-9
# Scatter for each sample, of samples whose mean square is 1, that is nothing but rounding.
NO_SCATTER = 1e-24


@register(
    "tsl",
    summary="PCA, FLDA or LPP with densities made alike",
    reference="Si et al., IEEE TKDE 2010",
    cost="all pairs of samples in each of some hundred steps",
    small={"": {}, "flda": {"objective": "flda", "alignment": 1.0}, "lpp": {"n_components": 3, "objective": "lpp"}},
)
class TSL(LearnedOnce):
    """Transfer subspace learning: a classical projection, held to make the two domains' densities alike.

    Minimises ``F(U) + alignment * D(U)`` over orthonormal U. F is the objective of a projection that is known without
    transfer, D the integral of the squared difference of the projected domains' densities (Gaussian kernel estimates
    of one width, which is fixed where the descent starts), divided by that of a single kernel. Rows are scaled to unit
    length and reduced to their principal components first, and scaled again after the projection.

    The descent starts from the best U without alignment and follows the gradient along the Stiefel manifold; its line
    search never raises the objective. The method's paper leaves bandwidths, weights and start open; those here are
    ours.

    Parameters
    ----------
    n_components : int, optional
        Dimensions of the projection; None is half as many as it starts from, and with Fisher's discriminant analysis
        one less than there are classes.
    objective : {"pca", "flda", "lpp"}, default "pca"
        Principal components: the share of both domains' variance that is lost. Fisher's discriminant analysis:
        scatter within the source's classes over scatter between them. Locality preserving projections: distances of
        neighbours over the scatter of all samples, in both domains.
    alignment : float, default 100.0
        Weight of the densities' difference (lambda); 0 is the classical projection alone.
    pca_components : int, default 200
        Principal components that the projection starts from; as many as there are, if fewer.
    max_steps : int, default 300
        At most this many steps; a `ConvergenceWarning` says if they ran out.
    tolerance : float, default 1e-3
        Ends when a step lowers the objective by less than this share of it.
    classifier : scikit-learn classifier, optional
        Labels the target; None is 1-nearest-neighbour.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    objective_ : array of shape (n_steps + 1,)
        What is minimised, at the start and after each step; it never rises.
    divergence_ : tuple of two floats
        D before and after: 0 if the densities are equal.
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    References
    ----------
    S. Si, D. Tao, B. Geng: Bregman divergence-based regularization for transfer subspace learning. IEEE Transactions
    on Knowledge and Data Engineering 22(7), 2010.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import TSL
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> model = TSL().fit(X[:60], y[:60], X[60:] + 1.0)
    >>> before, after = model.divergence_
    >>> after < before
    True
    """

    constraints: ClassVar = {
        "n_components": Optional(Number(low=1, whole=True)),
        "objective": OneOf(OBJECTIVES),
        "alignment": Number(low=0),
        "pca_components": Number(low=1, whole=True),
        "max_steps": Number(low=1, whole=True),
        "tolerance": Number(low=0),
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        objective: str = "pca",
        alignment: float = 100.0,
        pca_components: int = 200,
        max_steps: int = 300,
        tolerance: float = 1e-3,
        classifier: Any = None,
        max_fit_rows: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.objective = objective
        self.alignment = alignment
        self.pca_components = pca_components
        self.max_steps = max_steps
        self.tolerance = tolerance
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    def _learn(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Mapping:
        mean, directions, X = principal_components(Xs, Xt, self.pca_components, unit=True)
        # One size for all data, so that one tolerance and one first step fit all.
        size = np.sqrt((X**2).sum(axis=1).mean())
        X /= size
        if self.n_components is None:
            # In all dimensions there would be nothing to leave out, and so nothing to align by.
            d = min(n_classes - 1, X.shape[1]) if self.objective == "flda" else (X.shape[1] + 1) // 2
        else:
            d = check_components(self.n_components, X.shape[1], "principal components that TSL starts from")
        cost, gain = objective_matrices(self.objective, X, ys, d)
        start = best_ratio(cost, gain, d)
        domains = X[: len(Xs)], X[len(Xs) :]
        square = bandwidth(X @ start)
        function = transfer_objective(cost, gain, self.alignment, domains, square)
        found = minimise(
            function,
            start,
            max_steps=self.max_steps,
            tolerance=self.tolerance,
            report=lambda step, value: report(Step(step, self.max_steps, "objective", value)),
        )
        if not found.converged:
            warn(
                f"TSL stopped after max_steps={self.max_steps} while its objective still fell by more than "
                f"tolerance={self.tolerance} a step; allow more steps or a larger tolerance.",
                ConvergenceWarning,
            )
        self.objective_ = np.array(found.values)
        before, after = (density_divergence(domains[0] @ U, domains[1] @ U, square)[0] for U in (start, found.U))
        self.divergence_ = before, after
        return LinearMap(directions @ found.U / size, mean=mean, unit_before=True, unit_after=True)


def transfer_objective(
    cost: FloatArray,
    gain: FloatArray,
    alignment: float,
    domains: tuple[FloatArray, FloatArray],
    square: float,
) -> Callable[[FloatArray], tuple[float, FloatArray]]:
    """F(U) + alignment * D(U) and its gradient, as a function of U."""
    Xs, Xt = domains

    def function(U: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = ratio(cost, gain, U)
        if alignment > 0:
            divergence, gradient_s, gradient_t = density_divergence(Xs @ U, Xt @ U, square)
            value += alignment * divergence
            gradient = gradient + alignment * (Xs.T @ gradient_s + Xt.T @ gradient_t)
        return value, gradient

    return function


def objective_matrices(name: str, X: FloatArray, ys: IntArray, d: int) -> tuple[FloatArray, FloatArray]:
    """Two matrices whose traces in the projection have the ratio to be made small; the source comes first in X."""
    identity = np.eye(X.shape[1])
    if name == "pca":
        covariance = X.T @ X / len(X)
        # The share that is lost: the trace of U'U, which is d, makes 1 of the whole variance.
        whole = identity * (np.trace(covariance) / d)
        return whole - covariance, whole
    cost, gain = _fisher(X[: len(ys)], ys) if name == "flda" else _locality(X)
    each = (np.trace(cost) + np.trace(gain)) / len(identity)
    if each <= NO_SCATTER * len(X):
        raise InputError(
            'objective="flda" has nothing to separate: scaled to unit length, all rows of Xs are equal; use '
            'objective="pca".'
        )
    return cost + COST_FLOOR * each * identity, gain + GAIN_FLOOR * each * identity


def _fisher(X: FloatArray, y: IntArray) -> tuple[FloatArray, FloatArray]:
    """Scatter within the classes, scatter between them."""
    X = X - X.mean(axis=0)
    sizes = np.bincount(y)
    means = np.vstack([X[y == c].mean(axis=0) for c in range(len(sizes))])
    within = X - means[y]
    return within.T @ within, (means.T * sizes) @ means


def _locality(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Distances of neighbours, and the scatter of all samples, each as often as it has neighbours."""
    graph = neighbour_graph(X, NEIGHBOURS, np.ones_like)
    weighted = X.T @ (graph.sum(axis=1)[:, None] * X)
    return weighted - X.T @ (graph @ X), weighted


def ratio(cost: FloatArray, gain: FloatArray, U: FloatArray) -> tuple[float, FloatArray]:
    """The ratio of the traces of U' cost U and U' gain U, and its gradient."""
    cost_U, gain_U = cost @ U, gain @ U
    below = float(np.sum(U * gain_U))
    value = float(np.sum(U * cost_U)) / below
    return value, (2 / below) * (cost_U - value * gain_U)


def _smallest(matrix: FloatArray, d: int) -> FloatArray:
    """Eigenvectors of the d smallest eigenvalues of a symmetric matrix."""
    try:
        _, vectors = linalg.eigh(matrix, subset_by_index=[0, d - 1], check_finite=False)
    except linalg.LinAlgError:
        # LAPACK's driver for some of the vectors may fail where many eigenvalues are nearly equal.
        _, vectors = linalg.eigh(matrix, driver="evd", check_finite=False)
    return vectors[:, :d]


def best_ratio(cost: FloatArray, gain: FloatArray, d: int) -> FloatArray:
    """The orthonormal U of smallest `ratio`: eigenvectors of cost - ratio * gain, until the ratio settles."""
    value = float(np.trace(cost) / np.trace(gain))
    for _ in range(100):
        U = _smallest(cost - value * gain, d)
        before, (value, _) = value, ratio(cost, gain, U)
        if abs(before - value) <= 1e-12 * before:
            break
    return U
