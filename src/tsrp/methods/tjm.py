"""TJM: transfer joint matching."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.base.contract import Mapping
from tsrp.base.once import LearnedOnce
from tsrp.base.spectral import KernelSpace, SpectralMethod, View, feasible
from tsrp.numerics.eigenproblem import smallest_eigenvectors_weighted
from tsrp.numerics.forms import quadratic_form
from tsrp.numerics.principal import signs
from tsrp.numerics.products import times
from tsrp.numerics.terms import Term, marginal_mmd
from tsrp.parameters import Number, OneOf
from tsrp.progress import Step, report
from tsrp.registry import register

# Keeps the penalty of a source sample finite whose row of A vanishes.
EPSILON = float(np.finfo(np.float64).eps)


@register(
    "tjm",
    summary="TCA that gives up irrelevant source samples",
    reference="Long et al., CVPR 2014",
    cost="a small eigenproblem in each of ten reweightings",
    small={"": {"n_components": 5}, "rbf": {"n_components": 5, "kernel": "rbf", "reweighting": "constrained"}},
)
class TJM(LearnedOnce, SpectralMethod):
    """Transfer joint matching: TCA that also gives up source samples which look like none of the target's.

    Minimises ``tr A' K M0 K A + ridge * (2 |A_s|_21 + |A_t|^2)`` subject to ``A' K H K A = I``. The rows of A belong
    to samples, and the sum of lengths ``|A_s|_21`` drives the rows of irrelevant source samples to zero. It is solved
    by reweighting: in each step a source row costs its squared length over its length in the step before. Rows are
    scaled to unit length before the projection, not after it.

    Parameters
    ----------
    n_components : int, default 20
        Dimensions of the projection. More than the data has are reduced to what it has, with a warning.
    ridge : float, default 1.0
        Weight of the regulariser (lambda); `JDA` says how it scales with the number of samples.
    kernel : {"linear", "rbf"}, default "linear"
        There is no primal form: what is reweighted are samples.
    gamma : float or "median", default 1.0
        Of the rbf kernel, as in `JDA`.
    reweighting : {"unit", "constrained"}, default "unit"
        Which scale of A the next step's costs come from. "unit": vectors of unit length, as in the authors' program;
        the published figures need it, and the objective fell in every step of every task that we measured, but
        nothing makes it. "constrained": the A of the constraint, with which no step can raise the objective, but for
        rounding at a ridge far below 1e-8.
    max_steps : int, default 10
        How often the penalties are reweighted; the first step is `TCA` on unit rows.
    classifier : scikit-learn classifier, optional
        Labels the target; None is 1-nearest-neighbour.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    source_weights_ : array of shape (n_source,)
        Lengths of the rows of A that belong to the source, divided by their largest: what each sample counts.
    objective_ : array of shape (max_steps,)
        What is minimised, at the A of each step, scaled as `reweighting` says.
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    References
    ----------
    M. Long, J. Wang, G. Ding, J. Sun, P. S. Yu: Transfer joint matching for unsupervised domain adaptation. CVPR 2014.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import TJM
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> model = TJM(n_components=2).fit(X[:60], y[:60], X[60:] + 1.0)
    >>> bool(model.objective_[-1] < model.objective_[0])
    True
    """

    _unit_after = False

    constraints: ClassVar = {
        "kernel": OneOf(("linear", "rbf")),
        "reweighting": OneOf(("unit", "constrained")),
        "max_steps": Number(low=1, whole=True),
    }

    def __init__(
        self,
        n_components: int = 20,
        *,
        ridge: float = 1.0,
        kernel: str = "linear",
        gamma: float | str = 1.0,
        reweighting: str = "unit",
        max_steps: int = 10,
        classifier: Any = None,
        max_fit_rows: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.kernel = kernel
        self.gamma = gamma
        self.reweighting = reweighting
        self.max_steps = max_steps
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    @property
    def takes_blocks(self) -> bool:
        """Never: each of its steps needs the features of all samples."""
        return False

    def _theta(self, view: View) -> Term:
        return marginal_mmd(len(view.ys), view.n_target).normalised()

    def _learn(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Mapping:
        space = KernelSpace(self._kernel(), Xs, Xt)
        features = space.reduce(power=1)
        k = feasible(self.n_components, features, space)
        theta = self._theta(View(ys, len(Xt), n_classes))
        n_source = len(Xs)
        penalty = np.ones(n_source + len(Xt))
        objective = []
        for number in range(1, self.max_steps + 1):
            A = smallest_eigenvectors_weighted(features, theta, self.ridge, penalty, k)
            KA = times(features.F, features.F.T @ A)
            scale = 1.0 if self.reweighting == "unit" else 1 / np.linalg.norm(KA - KA.mean(axis=0), axis=0)
            lengths = np.sqrt(((A[:n_source] * scale) ** 2).sum(axis=1) + EPSILON)
            penalty[:n_source] = 1 / lengths
            size = 2 * lengths.sum() + ((A[n_source:] * scale) ** 2).sum()
            objective.append(float(np.trace(quadratic_form(KA * scale, theta)) + self.ridge * size))
            report(Step(number, self.max_steps, "objective", objective[-1]))
        self.objective_ = np.array(objective)
        self.source_weights_ = lengths / lengths.max()
        weights = A if self.kernel == "rbf" else space.samples.T @ A
        return space.mapping(weights * signs(weights))
