"""PCA: principal components of both domains together."""

from __future__ import annotations

from typing import Any, ClassVar

from tsrp._types import FloatArray, IntArray
from tsrp.base.components import principal_components, principal_components_of_blocks
from tsrp.base.contract import Mapping
from tsrp.base.maps import LinearMap
from tsrp.base.once import LearnedOnce
from tsrp.blocked.samples import BlockedSamples
from tsrp.parameters import Number
from tsrp.registry import register
from tsrp.validation import check_components


@register(
    "pca",
    summary="principal components of both domains",
    reference="a baseline",
    cost="one eigenproblem of the data's rank",
    small={"": {"n_components": 5}},
)
class PCA(LearnedOnce):
    """The principal components of both domains together, and the source's nearest neighbours among them.

    No adaptation, only fewer dimensions: the second baseline of every comparison.

    Parameters
    ----------
    n_components : int, default 100
        Dimensions of the projection. More than the data has are reduced to what it has, with a warning.
    classifier : scikit-learn classifier, optional
        Labels the target; None is 1-nearest-neighbour.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import PCA
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> PCA(n_components=2).fit(X[:60], y[:60], X[60:]).transform(X[:2]).shape
    (2, 2)
    """

    constraints: ClassVar = {
        "n_components": Number(low=1, whole=True),
    }

    def __init__(self, n_components: int = 100, *, classifier: Any = None, max_fit_rows: int | None = None) -> None:
        self.n_components = n_components
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    def _learn(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Mapping:
        mean, directions, _ = principal_components(Xs, Xt, self.n_components, unit=False)
        return self._mapping(mean, directions)

    @property
    def takes_blocks(self) -> bool:
        """Whether `fit` takes samples in blocks."""
        return True

    def _learn_blocks(self, Xs: BlockedSamples, Xt: BlockedSamples) -> Mapping:
        return self._mapping(*principal_components_of_blocks(Xs, Xt, self.n_components))

    def _mapping(self, mean: FloatArray, directions: FloatArray) -> Mapping:
        check_components(self.n_components, directions.shape[1])
        return LinearMap(directions, mean=mean)
