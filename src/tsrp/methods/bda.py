"""BDA: balanced distribution adaptation."""

from __future__ import annotations

from typing import Any, ClassVar

from tsrp.base.spectral import SpectralMethod, View
from tsrp.divergence import class_share
from tsrp.methods.jda import joint_mmd
from tsrp.numerics.terms import Term
from tsrp.parameters import Number, NumberOr
from tsrp.registry import register


@register(
    "bda",
    summary="JDA with a weight between aligning the domains and their classes",
    reference="Wang et al., ICDM 2017",
    cost="as JDA",
    small={"": {"n_components": 5, "mu": 0.3}, "auto": {"n_components": 5, "mu": "auto"}},
)
class BDA(SpectralMethod):
    """Balanced distribution adaptation: JDA with a weight between the domains' and the classes' discrepancies.

    Minimises ``(1 - mu) * C * M0 + mu * sum_c Mc``, otherwise as `JDA`, which is ``mu=0.5``.

    Parameters
    ----------
    n_components : int, default 100
        Dimensions of the projection. More than the data has are reduced to what it has, with a warning.
    mu : float in [0, 1] or "auto", default 0.5
        0 aligns the domains only, 1 the classes only. "auto" estimates it in each round from the A-distances of the
        projected domains and of their classes: the share of the classes' distance in both.
    ridge : float, default 1.0
        Weight of the regulariser (lambda); `JDA` says how it scales with the number of samples.
    ridge_scale : {"absolute", "relative"}, default "absolute"
        As in `JDA`.
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
    mu_ : float
        The weight of the last round.
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    References
    ----------
    J. Wang, Y. Chen, S. Hao, W. Feng, Z. Shen: Balanced distribution adaptation for transfer learning. ICDM 2017.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import BDA
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> model = BDA(n_components=4, mu="auto").fit(X[:60], y[:60], X[60:] + 1.0)
    >>> 0 <= model.mu_ <= 1
    True
    """

    constraints: ClassVar = {
        "mu": NumberOr(Number(low=0, high=1), "auto"),
    }

    def __init__(
        self,
        n_components: int = 100,
        *,
        mu: float | str = 0.5,
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
        self.mu = mu

    def _theta(self, view: View) -> Term:
        self.mu_ = estimate_mu(view) if self.mu == "auto" else float(self.mu)
        return joint_mmd(view, self.mu_)


def estimate_mu(view: View) -> float:
    """The classes' share of the distances in the round before; 0 before there are target labels."""
    if view.yt is None or view.projected is None:
        return 0.0
    Zs, Zt = view.projected
    return class_share(Zs, view.ys, Zt, view.yt)
