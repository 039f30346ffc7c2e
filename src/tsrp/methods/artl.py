"""ARTL: adaptation regularisation based transfer learning."""

from __future__ import annotations

from tsrp._types import FloatArray, IntArray
from tsrp.base.contract import Mapping
from tsrp.base.graph import GraphMethod
from tsrp.methods.nn import UnitRows
from tsrp.registry import register


@register(
    "artl",
    summary="a classifier that is smooth on the target and alike in both domains",
    reference="Long et al., IEEE TKDE 2014",
    cost="one factorisation of all pairs, or landmarks",
    small={"": {}, "landmarks": {"n_landmarks": 60}},
)
class ARTL(GraphMethod):
    """Adaptation regularisation: a classifier that fits the source, follows the target's graph and aligns the domains.

    The features stay as they are, scaled to unit length; all is in the classifier, `GraphRidge`. Each round aligns the
    classes of the source with those that the round before gave the target.

    Parameters
    ----------
    mu : float in [0, 1] or "auto", default 0.5
        0 aligns the domains only, 1 the classes only. "auto" estimates it as `BDA` does, from A-distances.
    alignment : float, default 10.0
        Weight of the alignment (lambda).
    ridge : float, default 0.1
        Weight of the regulariser.
    smoothness : float, default 1.0
        Weight of the graph.
    n_neighbors : int, default 10
        Neighbours of a sample in the graph.
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
    classifier_ : GraphRidge
        Trained; its `mu_` is the weight of the last round.
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    References
    ----------
    M. Long, J. Wang, G. Ding, S. J. Pan, P. S. Yu: Adaptation regularization: a general framework for transfer
    learning. IEEE Transactions on Knowledge and Data Engineering 26(5), 2014.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import ARTL
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> model = ARTL().fit(X[:60], y[:60], X[60:] + 1.0)
    >>> model.predict(X[:2] + 1.0).shape
    (2,)
    """

    def _learn(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Mapping:
        return UnitRows()
