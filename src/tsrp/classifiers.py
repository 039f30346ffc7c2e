"""The classifier of the paper, and how any scikit-learn classifier takes its place."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tsrp._types import FloatArray, IntArray, LabelArray
from tsrp.exceptions import UsageError
from tsrp.numerics.neighbours import nearest
from tsrp.validation import asking


class NearestNeighbour(ClassifierMixin, BaseEstimator):
    """1-nearest-neighbour with Euclidean distance; the first training sample wins a tie.

    Exact whatever the scale of the data, in blocks of bounded memory, the same on any number of threads.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    n_features_in_ : int

    Examples
    --------
    >>> from tsrp import NearestNeighbour
    >>> NearestNeighbour().fit([[0.0], [1.0]], ["low", "high"]).predict([[0.2], [0.9]]).tolist()
    ['low', 'high']
    """

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> NearestNeighbour:
        """Remember the samples and their labels."""
        self._samples, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(labels)
        self.classes_, self._codes = np.unique(labels, return_inverse=True)
        return self

    def predict(self, X: npt.ArrayLike) -> LabelArray:
        """The label of each sample's nearest neighbour."""
        check_is_fitted(self)
        queries = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return self.classes_[self._codes[nearest(self._samples, queries)]]


def train(classifier: Any, Z: FloatArray, codes: IntArray, classes: LabelArray) -> Any:
    """A fresh classifier (None: 1-NN), trained with the user's own labels, not our codes."""
    fresh = NearestNeighbour() if classifier is None else clone(classifier)
    with asking(fresh):
        return fresh.fit(Z, classes[codes])


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
