"""What the outer loop asks of a base method, and how a scikit-learn transformer answers.

A *base method* is any object (scikit-learn's `get_params` is welcome, but not needed) with

``uses_target_labels``
    Whether its projection depends on the target's labels. If not, it is made once, and one round is all unless the
    classifier depends on them (`tsrp.classifiers.training`).
``prepare(Xs, ys, Xt, n_classes)``
    Called once per fit with checked arrays and class codes 0..C-1. Does whatever does not depend on the target's
    labels, and returns the *rounds*: an object with

    ``project(yt)``
        Learns the projection for these target codes (None in the first round); returns the projected source and
        target, ``Zs`` and ``Zt``.
    ``mapping()``
        The last projection as an object whose ``transform(X)`` projects unseen samples: its answer for the training
        rows agrees with ``project``'s. It must pickle, and should not hold on to what only the fit needs.

    and, if the method needs them,

    ``classifier(classes)``
        The method's own classifier (`LabelsItself`), trained for the last projection, which labels the target unless
        the user has chosen another. `classes` are what the codes mean: it answers with them.
    ``know(known)``
        Takes the target rows whose class is known (`tsrp.known.Known`), before the first round. The codes that
        ``project`` is given are right for these rows anyway, and classifiers other than the method's own learn from
        them without this.
    ``remembers``
        True if a round depends on more than the labels that it is given, such as on the projection of the round before:
        all rounds are run then, even if no label changes in one.

A method whose samples need not be in memory says so with

``takes_blocks``
    True.
``prepare_blocks(Xs, ys, Xt, n_classes)``
    As ``prepare``, for samples in blocks (`tsrp.blocked.samples.BlockedSamples`), over which it makes passes. What its
    rounds project is in memory.

A scikit-learn transformer is a base method as it stands: see `TransformerRounds`.
"""

from __future__ import annotations

from inspect import signature
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags

from tsrp._types import FloatArray, IntArray, LabelArray
from tsrp.exceptions import WrongTypeError
from tsrp.known import Known
from tsrp.validation import asking


class Mapping(Protocol):
    """A learned projection."""

    def transform(self, X: FloatArray) -> FloatArray:
        """Project samples."""


class Rounds(Protocol):
    """One fit of a base method."""

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        """Learn the projection for these target labels and project both domains."""

    def mapping(self) -> Mapping:
        """The last projection."""


@runtime_checkable
class LabelsItself(Protocol):
    """Rounds of a method with a classifier of its own."""

    def classifier(self, classes: LabelArray) -> Any:
        """The classifier, trained for the last projection."""


@runtime_checkable
class LearnsFromKnown(Protocol):
    """Rounds that make use of known target labels by themselves."""

    def know(self, known: Known) -> None:
        """Learn from these rows."""


@runtime_checkable
class BaseMethod(Protocol):
    """A method that projects both domains, given the current labels of the target."""

    uses_target_labels: bool

    def prepare(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
        """Begin a fit."""


class TransformerRounds:
    """A scikit-learn transformer as a base method.

    A transformer that needs no labels (PCA, a scaler, a pipeline of both) is fitted once to both domains together.
    One that requires labels (LinearDiscriminantAnalysis, NeighborhoodComponentsAnalysis) is fitted to the source in
    the first round, and to both domains with the target's current labels from then on.
    """

    def __init__(self, transformer: Any, Xs: FloatArray, ys: IntArray, Xt: FloatArray) -> None:
        self._transformer = transformer
        self._supervised = requires_labels(transformer)
        self._Xs, self._ys, self._Xt = Xs, ys, Xt

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        self._fitted = clone(self._transformer)
        with asking(self._transformer):
            if not self._supervised:
                self._fitted.fit(np.vstack([self._Xs, self._Xt]))
            elif yt is None:
                self._fitted.fit(self._Xs, self._ys)
            else:
                self._fitted.fit(np.vstack([self._Xs, self._Xt]), np.concatenate([self._ys, yt]))
            mapping = self.mapping()
            return mapping.transform(self._Xs), mapping.transform(self._Xt)

    def mapping(self) -> Mapping:
        return _PlainArrays(self._fitted)


class _PlainArrays:
    """A transformer whose output is a dense array, whatever it was: some make data frames or sparse matrices."""

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    def transform(self, X: FloatArray) -> FloatArray:
        Z = self.transformer.transform(X)
        return Z.toarray() if sparse.issparse(Z) else np.asarray(Z)


def requires_labels(transformer: Any) -> bool:
    """Whether a scikit-learn transformer cannot be fitted without labels."""
    return bool(get_tags(transformer).target_tags.required)


def uses_target_labels(base: Any) -> bool:
    """Whether the base method's projection changes with the target's labels."""
    return base.uses_target_labels if isinstance(base, BaseMethod) else requires_labels(base)


def prepare(base: Any, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
    """Begin a fit of a base method or of a scikit-learn transformer."""
    if isinstance(base, BaseMethod):
        return base.prepare(Xs, ys, Xt, n_classes)
    return TransformerRounds(base, Xs, ys, Xt)


def adapts(method: Any) -> bool:
    """Whether an object is a whole method of adaptation, fitted to a source, its labels and a target."""
    return hasattr(method, "fit") and not isinstance(method, type) and "Xt" in signature(method.fit).parameters


def check_base(base: Any) -> None:
    """Refuse an object that is neither a base method nor a transformer."""
    if isinstance(base, type):
        raise WrongTypeError(f"base must be an object, not a class: pass {base.__name__}() instead of {base.__name__}.")
    if isinstance(base, BaseMethod):
        return
    if adapts(base):
        raise WrongTypeError(f"base must not be {type(base).__name__}, which adapts by itself: put it outside of TSRP.")
    if hasattr(base, "fit") and hasattr(base, "transform"):
        return
    raise WrongTypeError(
        f"base must be a method such as DICD(), or a scikit-learn transformer with fit and transform, but it is "
        f"{base!r}."
    )
