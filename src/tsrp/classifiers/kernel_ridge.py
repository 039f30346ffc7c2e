"""Kernel ridge regression of the classes, on rows of unit length."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy import linalg
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from tsrp._types import FloatArray, LabelArray
from tsrp.exceptions import InputError
from tsrp.numerics.classes import first_largest
from tsrp.numerics.kernels import expansion, landmarks, n_landmarks
from tsrp.numerics.rows import unit_rows
from tsrp.numerics.threads import one_blas_thread
from tsrp.parameters import Number, NumberOr, check_parameters

ROUNDINGS = 32


class KernelExpansion(ClassifierMixin, BaseEstimator):
    """A classifier whose score of a class is a weighted sum of kernel values; the first class wins a tie."""

    _gamma: float
    _samples: FloatArray
    _weights: FloatArray
    classes_: LabelArray

    def predict(self, X: npt.ArrayLike) -> LabelArray:
        """The class of the largest score of each sample."""
        check_is_fitted(self)
        queries = unit_rows(validate_data(self, X, reset=False, dtype=[np.float64, np.float32]))
        with one_blas_thread():
            scores = expansion(queries, self._samples, self._weights, self._gamma)
        # No kernel value exceeds 1: a score is off by at most about so much, alone and in a batch by something else.
        rounding = ROUNDINGS * np.finfo(np.float64).eps * np.abs(self._weights).sum(axis=0).max()
        return self.classes_[first_largest(scores, rounding)]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_weights")


class KernelRidge(KernelExpansion):
    """Kernel ridge regression of the classes' indicators, with the rbf kernel on rows scaled to unit length.

    The scores of a sample are ``k(x, X) (K + ridge I)^-1 Y``, with a column of Y for each class, 1 on its samples. It
    is smoother than 1-nearest-neighbour: better where single neighbours mislead, worse where classes are curved.

    Parameters
    ----------
    gamma : float, default 1.0
        Of the kernel ``exp(-gamma |x - y|^2)``.
    ridge : float, default 0.1
        Weight of the regulariser.
    n_landmarks : int or "auto", default "auto"
        With fewer landmarks than samples, the kernel is approximated from as many samples, chosen at random (Nystroem's
        method); otherwise the solution is exact, with a kernel matrix of all pairs. "auto" is exact up to 5,000
        samples, and takes 1,000 landmarks beyond.
    random_state : int, default 0
        Seed of the choice of landmarks.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    n_features_in_ : int

    Examples
    --------
    >>> from tsrp import KernelRidge
    >>> model = KernelRidge().fit([[1.0, 0.0], [0.0, 1.0]], ["flat", "steep"])
    >>> model.predict([[2.0, 0.1], [0.1, 3.0]]).tolist()
    ['flat', 'steep']
    """

    constraints: ClassVar = {
        "gamma": Number(low=0, open_low=True),
        "ridge": Number(low=0, open_low=True),
        "n_landmarks": NumberOr(Number(low=1, whole=True), "auto"),
        "random_state": Number(low=0, whole=True),
    }

    def __init__(
        self, *, gamma: float = 1.0, ridge: float = 0.1, n_landmarks: int | str = "auto", random_state: int = 0
    ) -> None:
        self.gamma = gamma
        self.ridge = ridge
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> KernelRidge:
        """Learn the weights of the samples, or of the landmarks.

        Parameters
        ----------
        X, y : arrays of shape (n, k) and (n,)
        sample_weight : array of shape (n,), optional
            What the error of each sample counts. One of 0 is left out.

        Returns
        -------
        self
        """
        check_parameters(self)
        samples, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        counts = np.ones(len(samples))
        if sample_weight is not None:
            counts = _check_sample_weight(sample_weight, samples, dtype=np.float64, ensure_non_negative=True)
            if not counts.any():
                raise InputError("sample_weight is 0 for all samples: there is nothing to learn from.")
            samples, labels, counts = samples[counts > 0], labels[counts > 0], counts[counts > 0]
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self._gamma = float(self.gamma)
        units = unit_rows(samples).astype(np.float64, copy=False)
        Y = np.eye(len(self.classes_))[codes]
        few = n_landmarks(self.n_landmarks, len(units))
        with one_blas_thread():
            if few is None:
                self._samples = units
                self._weights = _ridge_solution(rbf_kernel(units, gamma=self._gamma), self.ridge / counts, Y)
            else:
                self._samples, root = landmarks(units, few, self._gamma, self.random_state)
                features = expansion(units, self._samples, root, self._gamma)
                weighted = features * counts[:, None]
                self._weights = root @ _ridge_solution(weighted.T @ features, self.ridge, weighted.T @ Y)
        return self


def _ridge_solution(A: FloatArray, ridge: float | FloatArray, B: FloatArray) -> FloatArray:
    """(A + ridge I)^-1 B, with one ridge or one for each row; A is overwritten."""
    A[np.diag_indices_from(A)] += ridge
    return linalg.solve(A, B, assume_a="pos", overwrite_a=True)
