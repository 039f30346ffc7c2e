"""Methods that learn their projection once, without the target's labels: one round is all they need."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tsrp._types import FloatArray, IntArray
from tsrp.adaptation import Adapter
from tsrp.projections.contract import Mapping, Rounds


class LearnedOnce(Adapter, ABC):
    """A method that makes no use of target labels; subclasses say what it learns (`_learn`)."""

    uses_target_labels = False
    # Of whatever a method repeats within its only round.
    max_iter: int = 1

    def prepare(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
        """Begin a fit (see `tsrp.projections.contract`)."""
        self._check_parameters()
        return _OneRound(self._learn(Xs, ys, Xt, n_classes), Xs, Xt)

    @abstractmethod
    def _learn(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Mapping:
        """The projection of these domains."""

    def _n_rounds(self) -> int:
        return 1


class _OneRound:
    def __init__(self, mapping: Mapping, Xs: FloatArray, Xt: FloatArray) -> None:
        self._mapping, self._Xs, self._Xt = mapping, Xs, Xt

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        return self._mapping.transform(self._Xs), self._mapping.transform(self._Xt)

    def mapping(self) -> Mapping:
        return self._mapping
