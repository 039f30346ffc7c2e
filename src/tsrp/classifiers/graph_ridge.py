"""Kernel ridge regression that also sees the samples to label: smooth along their graph, alike in both domains."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from tsrp._types import FloatArray, IntArray
from tsrp.classifiers.kernel_ridge import KernelExpansion
from tsrp.divergence import class_share
from tsrp.exceptions import InputError
from tsrp.numerics.graph_ridge import ExactProblem, LandmarkProblem, cosine_graph
from tsrp.numerics.kernels import n_landmarks
from tsrp.numerics.neighbours import nearest
from tsrp.numerics.rows import unit_rows
from tsrp.numerics.terms import mmd
from tsrp.numerics.threads import one_blas_thread
from tsrp.parameters import Constraint, Number, NumberOr, check_parameters

# Of the kernel exp(-gamma |x - y|^2), which is exp(cosine - 1) on rows of unit length.
GAMMA = 0.5

PARAMETERS: dict[str, Constraint] = {
    "mu": NumberOr(Number(low=0, high=1), "auto"),
    "alignment": Number(low=0),
    "ridge": Number(low=0, open_low=True),
    "smoothness": Number(low=0),
    "n_neighbors": Number(low=1, whole=True),
    "n_landmarks": NumberOr(Number(low=1, whole=True), "auto"),
}


class GraphRidge(KernelExpansion):
    """Structural risk minimisation of MEDA and ARTL: kernel ridge regression that also learns from unlabelled samples.

    Its scores F fit the labels of the labelled samples, change little along a graph of the most similar samples of
    both sets, and have the same means on both, overall and class by class:

    ``|Y - F|^2`` on the labelled samples ``+ ridge |f|^2 + alignment tr(F' M F) + smoothness tr(F' L F)``

    with ``M`` as in `BDA`, of Frobenius norm 1, and ``L`` the normalised Laplacian of the graph whose weights are
    cosines. Rows are scaled to unit length; the kernel is ``exp(cosine - 1)``. The classes of the unlabelled samples
    in ``M`` are guessed: as a method's `classifier` it is given the labels of the round before, and 1-nearest-neighbour
    guesses in the first. A method that would need one round only takes more with it, 10 unless it has a `max_iter`.

    Parameters
    ----------
    mu : float in [0, 1] or "auto", default 0.5
        0 aligns the two sets only, 1 their classes only. "auto" estimates it as `BDA` does, from A-distances.
    alignment : float, default 10.0
        Weight of the alignment of both sets (lambda).
    ridge : float, default 0.1
        Weight of the regulariser (eta).
    smoothness : float, default 1.0
        Weight of the graph (rho).
    n_neighbors : int, default 10
        Neighbours of a sample in the graph; as many as there are, if fewer.
    n_landmarks : int or "auto", default "auto"
        With fewer landmarks than samples, labelled and unlabelled, the kernel is approximated from as many of them,
        chosen at random (Nystroem's method), and memory grows with the number of samples; otherwise the solution is
        exact, with a kernel matrix of all pairs. "auto" is exact up to 5,000 samples, and takes 1,000 landmarks beyond.
    random_state : int, default 0
        Seed of the choice of landmarks.

    Attributes
    ----------
    mu_ : float
        The weight between both sets and their classes that was used, if there were unlabelled samples.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int

    References
    ----------
    M. Long, J. Wang, G. Ding, S. J. Pan, P. S. Yu: Adaptation regularization: a general framework for transfer
    learning. IEEE Transactions on Knowledge and Data Engineering 26(5), 2014.

    J. Wang, W. Feng, Y. Chen, H. Yu, M. Huang, P. S. Yu: Visual domain adaptation with manifold embedded distribution
    alignment. ACM Multimedia 2018.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import DICD, GraphRidge
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> model = DICD(n_components=4, classifier=GraphRidge()).fit(X[:60], y[:60], X[60:] + 1.0)
    >>> model.classifier_.mu_
    0.5
    """

    constraints: ClassVar = {**PARAMETERS, "random_state": Number(low=0, whole=True)}

    def __init__(
        self,
        *,
        mu: float | str = 0.5,
        alignment: float = 10.0,
        ridge: float = 0.1,
        smoothness: float = 1.0,
        n_neighbors: int = 10,
        n_landmarks: int | str = "auto",
        random_state: int = 0,
    ) -> None:
        self.mu = mu
        self.alignment = alignment
        self.ridge = ridge
        self.smoothness = smoothness
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        unlabelled: npt.ArrayLike | None = None,
        guess: npt.ArrayLike | None = None,
    ) -> GraphRidge:
        """Learn the weights of the samples, or of the landmarks.

        Parameters
        ----------
        X, y : arrays of shape (n, k) and (n,)
            Samples, and their labels.
        unlabelled : array of shape (q, k), optional
            Samples to label. Without any there is nothing to align.
        guess : array of shape (q,), optional
            Their present labels; None: those of the nearest labelled samples.

        Returns
        -------
        self
        """
        return self.begin(X, y, unlabelled)(guess)

    def begin(
        self, X: npt.ArrayLike, y: npt.ArrayLike, unlabelled: npt.ArrayLike | None = None
    ) -> Callable[[npt.ArrayLike | None], GraphRidge]:
        """What does not depend on the guess, as `fit` takes them; returns a function that takes it and does the rest.

        It can be called again with another guess, and costs little then: everything of cubic cost is done here.
        """
        check_parameters(self)
        samples, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self._gamma = GAMMA
        Us = unit_rows(samples)
        Ut = Us[:0] if unlabelled is None else unit_rows(self._further(unlabelled))
        with one_blas_thread():
            problem = self._problem(np.vstack([Us, Ut]), np.eye(len(self.classes_))[codes])

        def learn(guess: npt.ArrayLike | None) -> GraphRidge:
            with one_blas_thread():
                if len(Ut) == 0:
                    self._samples, self._weights = problem.solve(None)
                    return self
                guessed = codes[nearest(Us, Ut)] if guess is None else self._codes(guess, len(Ut))
                estimated = isinstance(self.mu, str)
                self.mu_ = class_share(Us, codes, Ut, guessed) if estimated else float(self.mu)
                self._samples, self._weights = problem.solve(self._aligned(codes, guessed))
            return self

        return learn

    def _further(self, samples: npt.ArrayLike) -> FloatArray:
        return validate_data(self, samples, reset=False, dtype=[np.float64, np.float32], ensure_min_samples=0)

    def _problem(self, units: FloatArray, Y: FloatArray) -> ExactProblem | LandmarkProblem:
        graph = cosine_graph(units, self.n_neighbors)
        few = n_landmarks(self.n_landmarks, len(units))
        rows = units.astype(np.float64, copy=False)
        weights = {"gamma": GAMMA, "ridge": self.ridge, "smoothness": self.smoothness}
        if few is None:
            return ExactProblem(rows, Y, graph, **weights)
        return LandmarkProblem(rows, Y, graph, **weights, n_landmarks=few, seed=self.random_state)

    def _aligned(self, ys: IntArray, yt: IntArray) -> FloatArray:
        """Q with ``alignment * M = Q Q'``."""
        n_classes = len(self.classes_)
        M = mmd(ys, yt, len(yt), n_classes, (1 - self.mu_) * n_classes, self.mu_).normalised() * self.alignment
        return M.columns.toarray() * np.sqrt(M.coefficients)

    def _codes(self, guess: npt.ArrayLike, n: int) -> IntArray:
        labels = np.asarray(guess)
        if labels.shape != (n,):
            raise InputError(f"guess must hold one label for each of the {n} unlabelled samples; it is {labels.shape}.")
        codes = np.minimum(np.searchsorted(self.classes_, labels), len(self.classes_) - 1)
        if not np.all(self.classes_[codes] == labels):
            raise InputError("guess holds a label that no labelled sample has; guess one of the classes of y.")
        return codes
