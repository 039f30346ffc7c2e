"""DICD: domain invariant and class discriminative features."""

from __future__ import annotations

from math import sqrt
from typing import Any, ClassVar

from tsrp.base.spectral import SpectralMethod, View
from tsrp.methods.jda import joint_mmd
from tsrp.numerics.terms import Term, scatter
from tsrp.parameters import Number
from tsrp.registry import register

# Samples of a task that the published settings are for: there `discrimination` means the same in both scales.
USUAL_SIZE = 2000


@register(
    "dicd",
    summary="JDA that also separates the classes",
    reference="Li et al., IEEE TIP 2018",
    cost="a dense eigenproblem of the data's rank per round",
    small={
        "": {"n_components": 5},
        "primal": {"n_components": 5, "kernel": "primal", "repulsion": 1.0, "ridge": 0.1},
        "rbf": {"n_components": 5, "kernel": "rbf"},
    },
)
class DICD(SpectralMethod):
    """Domain invariant and class discriminative features: JDA that also draws classes together and pushes them apart.

    Adds to `JDA`'s term ``discrimination * Q / |Q|``: within each domain, samples of a class attract each other and
    samples of different classes repel each other.

    Parameters
    ----------
    n_components : int, default 100
        Dimensions of the projection. More than the data has are reduced to what it has, with a warning.
    discrimination : float, default 1.0
        Weight of the discriminative term (the method's beta).
    repulsion : float, default 0.1
        Weight of the repulsion between classes against the attraction within them (the method's r).
    ridge : float, default 1.0
        Weight of the regulariser (lambda); `JDA` says how it scales with the number of samples.
    ridge_scale : {"absolute", "relative"}, default "absolute"
        As in `JDA`. "relative" also multiplies `discrimination` by the square root of n / 2,000 for n samples, because
        the discriminative term grows only as the square root of n against the others.
    kernel : {"linear", "primal", "rbf"}, default "linear"
        As in `JDA`.
    gamma : float or "median", default 1.0
        Of the rbf kernel, as in `JDA`.
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
    S. Li, S. Song, G. Huang, Z. Ding, C. Wu: Domain invariant and class discriminative feature learning for visual
    domain adaptation. IEEE Transactions on Image Processing 27(9), 2018.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import DICD
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> model = DICD(n_components=4).fit(X[:60], y[:60], X[60:] + 1.0)
    >>> model.transform(X[:2]).shape
    (2, 4)
    """

    _low_rank = False
    constraints: ClassVar = {
        "discrimination": Number(low=0),
        "repulsion": Number(low=0),
    }

    def __init__(
        self,
        n_components: int = 100,
        *,
        discrimination: float = 1.0,
        repulsion: float = 0.1,
        ridge: float = 1.0,
        ridge_scale: str = "absolute",
        kernel: str = "linear",
        gamma: float | str = 1.0,
        max_iter: int = 10,
        classifier: Any = None,
        max_fit_rows: int | None = None,
    ) -> None:
        super().__init__(
            n_components,
            ridge=ridge,
            ridge_scale=ridge_scale,
            kernel=kernel,
            gamma=gamma,
            max_iter=max_iter,
            classifier=classifier,
            max_fit_rows=max_fit_rows,
        )
        self.discrimination = discrimination
        self.repulsion = repulsion

    def _theta(self, view: View) -> Term:
        Q = scatter(view.ys, view.yt, view.n_target, view.n_classes, self.repulsion)
        weight = self.discrimination
        if self.ridge_scale == "relative":
            weight *= sqrt((len(view.ys) + view.n_target) / USUAL_SIZE)
        return joint_mmd(view, mu=0.5) + Q.normalised() * weight
