"""How the outer loop and the remedy train a classifier: any of scikit-learn's, or one that sees the target too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from tsrp._types import FloatArray, IntArray, LabelArray
from tsrp.classifiers.nearest_neighbour import NearestNeighbour
from tsrp.exceptions import UsageError
from tsrp.validation import asking


@runtime_checkable
class TransductiveClassifier(Protocol):
    """A classifier that also learns from the samples it is to label, and from what they are thought to be.

    Any scikit-learn classifier with a method `begin` is one, such as `GraphRidge`. A method of adaptation hands it
    the projected target, and in each round the labels of the round before.
    """

    def begin(self, X: FloatArray, y: LabelArray, unlabelled: FloatArray) -> Callable[[LabelArray | None], Any]:
        """Do what does not depend on the guessed labels.

        Parameters
        ----------
        X, y : arrays of shape (n, k) and (n,)
            Samples, and their labels.
        unlabelled : array of shape (q, k)
            The samples to label.

        Returns
        -------
        callable
            Takes the present labels of `unlabelled`, None while there are none, and returns the trained classifier.
            It may be called again with other labels.
        """

    def fit(self, X: FloatArray, y: LabelArray) -> Any:
        """Learn from labelled samples alone, as any classifier does."""

    def predict(self, X: FloatArray) -> LabelArray:
        """Label samples, also ones that it has not seen."""


def is_transductive(classifier: Any) -> bool:
    """Whether a classifier learns from the target too.

    Examples
    --------
    >>> from tsrp import GraphRidge, NearestNeighbour
    >>> is_transductive(GraphRidge()), is_transductive(NearestNeighbour()), is_transductive(None)
    (True, False, False)
    """
    return isinstance(classifier, TransductiveClassifier)


def is_nearest_neighbour(classifier: Any) -> bool:
    """Whether a classifier (None: the default) is `NearestNeighbour` itself, whose answers may be found in other ways.

    Examples
    --------
    >>> from tsrp import NearestNeighbour
    >>> is_nearest_neighbour(NearestNeighbour()), is_nearest_neighbour(None)
    (True, True)
    """
    return classifier is None or type(classifier) is NearestNeighbour


def fit_weighted(classifier: Any, Z: FloatArray, y: LabelArray, weights: FloatArray | None) -> Any:
    """Fit a classifier to samples that count differently, if it knows of weights (None: all count alike).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> fit_weighted(DummyClassifier(), np.zeros((3, 1)), np.array([0, 0, 1]), np.array([1, 1, 5])).predict([[0.0]])
    array([1])
    """
    last, prefix = classifier, ""
    while isinstance(last, Pipeline):
        name, last = last.steps[-1]
        prefix += f"{name}__"
    if weights is None or not has_fit_parameter(last, "sample_weight"):
        return classifier.fit(Z, y)
    return classifier.fit(Z, y, **{f"{prefix}sample_weight": weights})


def trainer(
    classifier: Any,
    Z: FloatArray,
    codes: IntArray,
    classes: LabelArray,
    unlabelled: FloatArray,
    weights: FloatArray | None = None,
) -> Callable[[IntArray | None], Any]:
    """How to train a classifier (None: 1-NN) on these samples: a function of the present codes of the unlabelled ones.

    The classifier is a fresh one, and sees the user's own labels, not our codes. `weights` are what the samples count,
    for classifiers that know of such.
    """
    fresh = NearestNeighbour() if classifier is None else clone(classifier)
    with asking(fresh):
        if not is_transductive(fresh):
            trained = fit_weighted(fresh, Z, classes[codes], weights)
            return lambda guess: trained
        learn = fresh.begin(Z, classes[codes], unlabelled)

    def train_again(guess: IntArray | None) -> Any:
        with asking(fresh):
            return learn(None if guess is None else classes[guess])

    return train_again


def predict_shares(trained: Any, Z: FloatArray, classes: LabelArray) -> FloatArray | None:
    """The probabilities that a trained classifier gives each class; None if it gives none.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> trained = DummyClassifier(strategy="prior").fit(np.zeros((4, 1)), ["a", "c", "c", "c"])
    >>> predict_shares(trained, np.zeros((1, 1)), np.array(["a", "b", "c"]))
    array([[0.25, 0.  , 0.75]])
    """
    if not hasattr(trained, "predict_proba"):
        return None
    shares = np.zeros((len(Z), len(classes)))
    with asking(trained):
        shares[:, np.searchsorted(classes, trained.classes_)] = trained.predict_proba(Z)
    return shares


def predict_codes(trained: Any, Z: FloatArray, classes: LabelArray) -> IntArray:
    """What a trained classifier says, as codes."""
    with asking(trained):
        predicted = np.asarray(trained.predict(Z))
    if predicted.shape == (len(Z),):
        codes = np.minimum(np.searchsorted(classes, predicted), len(classes) - 1)
        if np.all(classes[codes] == predicted):
            return codes
    raise UsageError(
        f"the classifier {trained!r} does not answer with one of the source's classes for each sample; use another."
    )
