"""Kernel ridge regression of the classes, on rows of unit length."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import linalg
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tsrp._types import LabelArray
from tsrp.numerics.rows import unit_rows

GAMMA = 1.0
RIDGE = 0.1


class KernelRidge(ClassifierMixin, BaseEstimator):
    """Kernel ridge regression of the classes' indicators, with the rbf kernel; the first class wins a tie."""

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> KernelRidge:
        """Learn the weights of the samples."""
        samples, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.samples_ = unit_rows(samples.astype(np.float64, copy=False))
        K = rbf_kernel(self.samples_, gamma=GAMMA)
        K[np.diag_indices_from(K)] += RIDGE
        self.weights_ = linalg.solve(K, np.eye(len(self.classes_))[codes], assume_a="pos", overwrite_a=True)
        return self

    def predict(self, X: npt.ArrayLike) -> LabelArray:
        """The class of the largest score of each sample."""
        check_is_fitted(self)
        queries = unit_rows(validate_data(self, X, reset=False, dtype=[np.float64, np.float32]))
        scores = rbf_kernel(queries.astype(np.float64, copy=False), self.samples_, gamma=GAMMA) @ self.weights_
        return self.classes_[scores.argmax(axis=1)]
