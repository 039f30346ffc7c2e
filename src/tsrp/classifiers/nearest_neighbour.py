"""The classifier of the paper."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tsrp._types import FloatArray, LabelArray
from tsrp.numerics.neighbours import GrowingPool, nearest


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
        rows = self._check(X)
        return self.classes_[self._codes[nearest(self._samples, rows)]]

    def search(self, X: npt.ArrayLike) -> GrowingPool:
        """A search for the nearest neighbours of samples, which they can join."""
        rows = self._check(X)
        return GrowingPool(self._samples, rows)

    def _check(self, X: npt.ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
