"""TCA: transfer component analysis."""

from __future__ import annotations

from typing import Any

from tsrp.base.spectral import SpectralMethod, View
from tsrp.numerics.terms import Term, marginal_mmd
from tsrp.registry import register


@register(
    "tca",
    summary="aligns the domains' means",
    reference="Pan et al., IEEE TNN 2011",
    cost="one small eigenproblem",
    small={
        "": {"n_components": 5},
        "primal": {"n_components": 5, "kernel": "primal", "ridge": 0.1},
        "rbf": {"n_components": 5, "kernel": "rbf"},
    },
)
class TCA(SpectralMethod):
    """Transfer component analysis: a projection in which the domains' means agree, at fixed total variance.

    Minimises ``tr A' (K M0 K + ridge I) A`` subject to ``A' K H K A = I``, with ``M0`` of Frobenius norm 1 and each
    vector of ``A`` scaled to unit length. Rows are taken as they come and left as the projection makes them: scale
    them to unit length yourself (``PerDomain(Normalizer(), TCA())``) where their length means nothing.

    Parameters
    ----------
    n_components : int, default 100
        Dimensions of the projection. More than the data has are reduced to what it has, with a warning.
    ridge : float, default 1.0
        Weight of the regulariser (lambda); `JDA` says how it scales with the number of samples. The smaller, the
        closer the projected means.
    ridge_scale : {"absolute", "relative"}, default "absolute"
        As in `JDA`.
    kernel : {"linear", "primal", "rbf"}, default "linear"
        As in `JDA`.
    gamma : float or "median", default "median"
        Of the rbf kernel ``exp(-gamma |x - y|^2)``; "median" is one over the median squared distance of all pairs.
    classifier : scikit-learn classifier, optional
        Labels the target; None is 1-nearest-neighbour.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    References
    ----------
    S. J. Pan, I. W. Tsang, J. T. Kwok, Q. Yang: Domain adaptation via transfer component analysis. IEEE Transactions
    on Neural Networks 22(2), 2011.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import TCA
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> model = TCA(n_components=2).fit(X[:60], y[:60], X[60:] + 1.0)
    >>> model.transform(X[:2]).shape
    (2, 2)
    """

    uses_target_labels = False
    _unit_before = False
    _unit_after = False

    def __init__(
        self,
        n_components: int = 100,
        *,
        ridge: float = 1.0,
        ridge_scale: str = "absolute",
        kernel: str = "linear",
        gamma: float | str = "median",
        classifier: Any = None,
        max_fit_rows: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.ridge_scale = ridge_scale
        self.kernel = kernel
        self.gamma = gamma
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    def _theta(self, view: View) -> Term:
        return marginal_mmd(len(view.ys), view.n_target).normalised()
