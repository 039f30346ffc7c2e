"""MEDA: manifold embedded distribution alignment."""

from __future__ import annotations

from typing import Any, ClassVar

from tsrp._types import FloatArray, IntArray
from tsrp.base.contract import Mapping
from tsrp.base.graph import GraphMethod
from tsrp.base.maps import LinearMap
from tsrp.methods.gfk import flow_kernel_root, subspaces
from tsrp.parameters import Number
from tsrp.registry import register


@register(
    "meda",
    summary="GFK's features, and a classifier that is smooth on the target and alike in both domains",
    reference="Wang et al., ACM MM 2018",
    cost="one factorisation of all pairs, or landmarks",
    small={
        "": {"n_components": 3},
        "auto": {"n_components": 3, "mu": "auto"},
        "landmarks": {"n_components": 3, "n_landmarks": 60},
    },
)
class MEDA(GraphMethod):
    """Manifold embedded distribution alignment: `ARTL` on the features of the geodesic flow kernel.

    Samples are mapped by a root of `GFK`'s kernel and scaled to unit length; there `GraphRidge` labels the target, in
    rounds that align the classes of the source with those that the round before gave the target.

    Parameters
    ----------
    n_components : int, default 20
        Dimensions of each domain's subspace, half as many as the features that `GFK` makes of them; at most as many as
        each domain has.
    mu : float in [0, 1] or "auto", default 0.5
        0 aligns the domains only, 1 the classes only. "auto" estimates it in each round as `BDA` does, from the
        A-distances of the domains and of their classes.
    alignment : float, default 10.0
        Weight of the alignment (lambda).
    ridge : float, default 0.1
        Weight of the regulariser (eta).
    smoothness : float, default 1.0
        Weight of the graph (rho).
    n_neighbors : int, default 10
        Neighbours of a sample in the graph (p).
    n_landmarks : int or "auto", default "auto"
        As in `GraphRidge`: "auto" is exact up to 5,000 samples of both domains, and takes 1,000 landmarks beyond.
    max_iter : int, default 10
        At most this many rounds; fewer if the labels settle.
    classifier : scikit-learn classifier, optional
        Labels the target in the place of `GraphRidge`, which the parameters above, from mu to n_landmarks, are for.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    n_components_ : int
        The dimensions that were used.
    classifier_ : GraphRidge
        Trained; its `mu_` is the weight of the last round.
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    References
    ----------
    J. Wang, W. Feng, Y. Chen, H. Yu, M. Huang, P. S. Yu: Visual domain adaptation with manifold embedded distribution
    alignment. ACM Multimedia 2018.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import MEDA
    >>> X, y = make_blobs(120, n_features=6, random_state=0)
    >>> model = MEDA(n_components=2).fit(X[:60], y[:60], X[60:] + 1.0)
    >>> model.transform(X[:2]).shape
    (2, 4)
    """

    constraints: ClassVar = {
        "n_components": Number(low=1, whole=True),
    }

    def __init__(
        self,
        n_components: int = 20,
        *,
        mu: float | str = 0.5,
        alignment: float = 10.0,
        ridge: float = 0.1,
        smoothness: float = 1.0,
        n_neighbors: int = 10,
        n_landmarks: int | str = "auto",
        max_iter: int = 10,
        classifier: Any = None,
        max_fit_rows: int | None = None,
    ) -> None:
        super().__init__(
            mu=mu,
            alignment=alignment,
            ridge=ridge,
            smoothness=smoothness,
            n_neighbors=n_neighbors,
            n_landmarks=n_landmarks,
            max_iter=max_iter,
            classifier=classifier,
            max_fit_rows=max_fit_rows,
        )
        self.n_components = n_components

    def _learn(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Mapping:
        source, target = subspaces(Xs, Xt, self.n_components)
        self.n_components_ = source.shape[1]
        root, _ = flow_kernel_root(source, target)
        return LinearMap(root, unit_after=True)
