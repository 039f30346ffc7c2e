"""RTML: robust transfer metric learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from tsrp._types import FloatArray, IntArray
from tsrp.base.adapter import Method
from tsrp.base.components import principal_components
from tsrp.base.contract import Mapping, Rounds
from tsrp.base.maps import Chain, LinearMap
from tsrp.base.spectral import View
from tsrp.exceptions import InputError
from tsrp.methods.jda import joint_mmd
from tsrp.numerics.forms import quadratic_form
from tsrp.numerics.psd import minimise_quadratic
from tsrp.numerics.rows import unit_rows
from tsrp.parameters import Number
from tsrp.registry import register
from tsrp.validation import check_components, warn

# Turns between the metric and its vanishing directions in a round.
TURNS = 5


@register(
    "rtml",
    summary="a low-rank metric that aligns and restores; a reconstruction",
    reference="Ding and Fu, IEEE TIP 2017",
    cost="five metrics of 100 x 100 per round",
    small={"": {"n_components": 10, "rank": 5}},
)
class RTML(Method):
    """Robust transfer metric learning: a low-rank metric that aligns the domains and restores corrupted samples.

    A reconstruction: no program of the authors is public, and this is built from what their text says. With W the
    discrepancy of `JDA`, X~ the samples with each coordinate dropped with probability ``dropout``, and Gamma the
    directions of M that are to vanish::

        minimise  tr(M X'W X) + restoration E|X - X~ M|^2 / n + low_rank tr(S)/d |M Gamma|^2   over M >= 0

    in turns for M and for Gamma, which are the eigenvectors of M for all but its ``rank`` largest eigenvalues. The
    expectation over the drops is known in closed form (S is X'X / n). Distances are ``(x - z)' M (x - z)``.

    What is ours: each M is the exact minimiser over positive semi-definite matrices, so that no turn raises the
    objective; each round begins with M the identity and Gamma the directions of smallest variance. Rows are scaled to
    unit length, reduced to their principal components, and scaled again before the metric and after it.

    Parameters
    ----------
    n_components : int, default 100
        Principal components that the metric is learned in (d). More than the data has are reduced to what it has,
        with a warning.
    rank : int, default 30
        Directions that the metric may keep freely.
    restoration : float, default 10.0
        Weight of the corrupted samples (alpha).
    low_rank : float, default 100.0
        Weight of the directions beyond the rank (lambda).
    dropout : float in [0, 0.99], default 0.1
        How often a coordinate is dropped.
    max_iter : int, default 10
        At most this many rounds; fewer if the labels settle.
    classifier : scikit-learn classifier, optional
        Labels the target in each round; None is 1-nearest-neighbour.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    References
    ----------
    Z. Ding, Y. Fu: Robust transfer metric learning for image classification. IEEE Transactions on Image Processing
    26(2), 2017.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import RTML
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> RTML(n_components=4, rank=2).fit(X[:60], y[:60], X[60:] + 1.0).labels_.shape
    (60,)
    """

    uses_target_labels = True

    constraints: ClassVar = {
        "n_components": Number(low=1, whole=True),
        "rank": Number(low=1, whole=True),
        "restoration": Number(low=0, open_low=True),
        "low_rank": Number(low=0),
        "dropout": Number(low=0, high=0.99),
    }

    def __init__(
        self,
        n_components: int = 100,
        *,
        rank: int = 30,
        restoration: float = 10.0,
        low_rank: float = 100.0,
        dropout: float = 0.1,
        max_iter: int = 10,
        classifier: Any = None,
        max_fit_rows: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.rank = rank
        self.restoration = restoration
        self.low_rank = low_rank
        self.dropout = dropout
        self.max_iter = max_iter
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    def prepare(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
        """Begin a fit (see `tsrp.base.contract`)."""
        weights = MetricWeights(self.rank, self.restoration, self.low_rank, self.dropout)
        return _MetricRounds(weights, self.n_components, Xs, ys, Xt, n_classes)


@dataclass(frozen=True)
class MetricWeights:
    """What a metric is asked for; as the parameters of `RTML`."""

    rank: int
    restoration: float
    low_rank: float
    dropout: float


class _MetricRounds:
    """One reduction per fit, a metric for the discrepancy of each round."""

    def __init__(
        self,
        weights: MetricWeights,
        n_components: int,
        Xs: FloatArray,
        ys: IntArray,
        Xt: FloatArray,
        n_classes: int,
    ) -> None:
        self._weights = weights
        self._view = View(ys, len(Xt), n_classes)
        mean, directions, X = principal_components(Xs, Xt, n_components, unit=True)
        check_components(n_components, directions.shape[1])
        self._components = LinearMap(directions, mean=mean, unit_before=True, unit_after=True)
        self._X = unit_rows(X).astype(np.float64, copy=False)
        self._moments = self._X.T @ self._X / len(self._X)

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        view = self._view
        view.yt = yt
        discrepancy = quadratic_form(self._X, joint_mmd(view, mu=0.5))
        M: FloatArray = np.eye(len(discrepancy))
        # Principal components come by falling variance: at first the last ones are to vanish.
        vectors = M[:, ::-1]
        for _ in range(TURNS):
            vanishing = vectors[:, : max(len(M) - self._weights.rank, 0)]
            problem = metric_problem(vanishing, discrepancy, self._moments, self._weights)
            M, converged = minimise_quadratic(*problem, start=M)
            values, vectors = linalg.eigh(M)
        if not values[-1] > 0:
            raise InputError(
                "the metric vanishes with these settings; use a larger restoration, a smaller low_rank or less dropout."
            )
        if not converged:
            warn(
                "RTML's metric is not exact: its weights are too far apart; use a restoration and a low_rank nearer to "
                "each other.",
                ConvergenceWarning,
            )
        self._root = LinearMap(vectors * np.sqrt(np.maximum(values, 0)), unit_after=True)
        Z = self._root.transform(self._X)
        return Z[: len(view.ys)], Z[len(view.ys) :]

    def mapping(self) -> Mapping:
        return Chain([self._components, self._root])


def metric_problem(
    vanishing: FloatArray, discrepancy: FloatArray, moments: FloatArray, weights: MetricWeights
) -> tuple[FloatArray, FloatArray]:
    """K and R with tr(M K M) - tr(M R) the objective but for a constant.

    Of a sample with dropped coordinates x~: E[x~ x~'] is (1 - p)^2 S off the diagonal and (1 - p) S on it, and
    E[x x~'] is (1 - p) S.
    """
    kept = 1 - weights.dropout
    corrupted = kept**2 * moments + kept * weights.dropout * np.diag(np.diag(moments))
    weight = weights.low_rank * np.trace(moments) / len(moments)
    K = weights.restoration * corrupted + weight * (vanishing @ vanishing.T)
    return K, 2 * weights.restoration * kept * moments - discrepancy
