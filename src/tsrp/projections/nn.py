"""NN: no projection; the source's labels go to the nearest target samples as they are."""

from __future__ import annotations

from typing import Any

from tsrp._types import FloatArray, IntArray
from tsrp.adaptation import Adapter
from tsrp.projections.contract import Mapping, Rounds


class NN(Adapter):
    """The classifier trained on the source and applied to the target, without adaptation.

    The baseline of every comparison, and with `TSRP` around it already a method.

    Parameters
    ----------
    classifier : scikit-learn classifier, optional
        None is 1-nearest-neighbour, Euclidean, the first source sample winning a tie.

    Attributes
    ----------
    labels_ : array of shape (n_target,)
        Labels of the target.
    confident_ : array of bool, shape (n_target,)
        Which of them to trust: what `utsp` picks with its default trust.
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

    uses_target_labels = False
    max_iter = 1

    def __init__(self, *, classifier: Any = None) -> None:
        self.classifier = classifier

    def prepare(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
        """Begin a fit (see `tsrp.projections.contract`)."""
        self._check_parameters()
        return _Unprojected(Xs, Xt)


class _Identity:
    def transform(self, X: FloatArray) -> FloatArray:
        return X


class _Unprojected:
    def __init__(self, Xs: FloatArray, Xt: FloatArray) -> None:
        self._samples = Xs, Xt

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        return self._samples

    def mapping(self) -> Mapping:
        return _Identity()
