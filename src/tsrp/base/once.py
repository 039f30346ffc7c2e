"""Methods that learn their projection once, without the target's labels: one round is all they need."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from tsrp._types import FloatArray, IntArray
from tsrp.base.adapter import Method
from tsrp.base.blocked import projected, refusal
from tsrp.base.contract import Mapping, Rounds
from tsrp.blocked.samples import BlockedSamples


class LearnedOnce(Method):
    """A method that makes no use of target labels; subclasses say what it learns (`_learn`)."""

    uses_target_labels = False

    def prepare(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
        """Begin a fit (see `tsrp.base.contract`)."""
        mapping = self._learn(Xs, ys, Xt, n_classes)
        return _OneRound(mapping, lambda: (mapping.transform(Xs), mapping.transform(Xt)))

    def prepare_blocks(self, Xs: BlockedSamples, ys: IntArray, Xt: BlockedSamples, n_classes: int) -> Rounds:
        """Begin a fit to samples in blocks (see `tsrp.base.contract`)."""
        mapping = self._learn_blocks(Xs, Xt)
        return _OneRound(mapping, lambda: (projected(Xs, mapping), projected(Xt, mapping)))

    @abstractmethod
    def _learn(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Mapping:
        """The projection of these domains."""

    def _learn_blocks(self, Xs: BlockedSamples, Xt: BlockedSamples) -> Mapping:
        """The projection of domains in blocks, by methods that take them."""
        raise refusal(self.method_name)


class _OneRound:
    def __init__(self, mapping: Mapping, project: Callable[[], tuple[FloatArray, FloatArray]]) -> None:
        self._mapping, self._project = mapping, project

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        return self._project()

    def mapping(self) -> Mapping:
        return self._mapping
