"""NN: no projection; the source's labels go to the nearest target samples as they are."""

from __future__ import annotations

from typing import Any, ClassVar

from tsrp._types import FloatArray, IntArray
from tsrp.base.contract import Mapping
from tsrp.base.once import LearnedOnce
from tsrp.blocked.samples import BlockedSamples
from tsrp.numerics.rows import unit_rows
from tsrp.parameters import Flag
from tsrp.registry import register


@register(
    "nn",
    summary="no adaptation: the source's nearest neighbours",
    reference="the baseline",
    cost="one search for neighbours",
    small={"": {}, "unit": {"unit_rows": True}},
)
class NN(LearnedOnce):
    """The classifier trained on the source and applied to the target, without adaptation.

    The baseline of every comparison, and with `TSRP` around it already a method.

    Parameters
    ----------
    unit_rows : bool, default False
        Scale rows to unit length first, as most methods of adaptation do: a part of what they seem to bring is this.
    classifier : scikit-learn classifier, optional
        None is 1-nearest-neighbour, Euclidean, the first source sample winning a tie.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    labels_ : array of shape (n_target,)
        Labels of the target.
    trust_ : array of shape (n_target,)
        How far to trust each of them, from 0 to 1: to sort by.
    probability_ : array of shape (n_target,)
        That the label is right.
    confident_ : array of bool, shape (n_target,)
        Whether that is at least 0.9.
    estimated_accuracy_ : EstimatedAccuracy
        How many labels are right. Like the three above it is computed when it is first asked for.
    history_ : list of Round
    n_iter_ : int
    classes_ : array of shape (n_classes,)
    n_features_in_ : int

    Examples
    --------
    >>> from tsrp import NN
    >>> NN().fit([[0.0], [1.0]], ["low", "high"], [[0.2], [0.9]]).labels_.tolist()
    ['low', 'high']
    """

    constraints: ClassVar = {
        "unit_rows": Flag(),
    }

    def __init__(self, *, unit_rows: bool = False, classifier: Any = None, max_fit_rows: int | None = None) -> None:
        self.unit_rows = unit_rows
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    def _learn(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Mapping:
        return self._mapping()

    @property
    def takes_blocks(self) -> bool:
        """Whether `fit` takes samples in blocks, if all of them fit into memory in the end."""
        return True

    def _learn_blocks(self, Xs: BlockedSamples, Xt: BlockedSamples) -> Mapping:
        return self._mapping()

    def _mapping(self) -> Mapping:
        return UnitRows() if self.unit_rows else _Identity()


class _Identity:
    def transform(self, X: FloatArray) -> FloatArray:
        return X


class UnitRows:
    """Rows scaled to unit length, and nothing else."""

    def transform(self, X: FloatArray) -> FloatArray:
        return unit_rows(X)
