"""Methods that learn their projection once, without the target's labels: one round is all they need."""

from __future__ import annotations

from abc import abstractmethod

from tsrp._types import FloatArray, IntArray
from tsrp.base.adapter import Method
from tsrp.base.contract import Mapping, Rounds


class LearnedOnce(Method):
    """A method that makes no use of target labels; subclasses say what it learns (`_learn`)."""

    uses_target_labels = False

    def prepare(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
        """Begin a fit (see `tsrp.base.contract`)."""
        return _OneRound(self._learn(Xs, ys, Xt, n_classes), Xs, Xt)

    @abstractmethod
    def _learn(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Mapping:
        """The projection of these domains."""


class _OneRound:
    def __init__(self, mapping: Mapping, Xs: FloatArray, Xt: FloatArray) -> None:
        self._mapping, self._Xs, self._Xt = mapping, Xs, Xt

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        return self._mapping.transform(self._Xs), self._mapping.transform(self._Xt)

    def mapping(self) -> Mapping:
        return self._mapping
