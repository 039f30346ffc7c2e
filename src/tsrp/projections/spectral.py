"""What JDA, BDA and DICD share: parameters, kernels, and a round as one small eigenproblem."""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from tsrp._types import FloatArray, IntArray
from tsrp.adaptation import Adapter
from tsrp.linalg.rows import unit_rows
from tsrp.linalg.spectral import Reduction, reduce_kernel, reduce_samples, smallest_eigenvectors
from tsrp.linalg.terms import Term
from tsrp.projections.contract import Mapping, Rounds
from tsrp.validation import check_choice, check_number

KERNELS = ("primal", "linear", "rbf")
# Rows of new samples whose kernel values are held at a time.
KERNEL_BLOCK = 1024


class SpectralMethod(Adapter, ABC):
    """A method whose projection minimises a `Term` of both domains; subclasses say which (`_theta`)."""

    uses_target_labels = True

    def __init__(
        self,
        n_components: int = 100,
        *,
        ridge: float = 1.0,
        kernel: str = "linear",
        gamma: float = 1.0,
        max_iter: int = 10,
        classifier: Any = None,
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.kernel = kernel
        self.gamma = gamma
        self.max_iter = max_iter
        self.classifier = classifier

    def prepare(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
        """Begin a fit (see `tsrp.projections.contract`)."""
        self._check_parameters()
        return _SpectralRounds(self, Xs, ys, Xt, n_classes)

    @abstractmethod
    def _theta(self, view: View) -> Term:
        """The term of a round."""

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("n_components", self.n_components, low=1, whole=True)
        check_number("ridge", self.ridge, low=0, open_low=True)
        check_choice("kernel", self.kernel, KERNELS)
        check_number("gamma", self.gamma, low=0, open_low=True)


class View:
    """What a method sees when it builds its term: all labels, and the projection of the round before."""

    def __init__(self, ys: IntArray, n_target: int, n_classes: int) -> None:
        self.ys = ys
        self.n_target = n_target
        self.n_classes = n_classes
        self.yt: IntArray | None = None
        self.projected: tuple[FloatArray, FloatArray] | None = None


class _SpectralRounds:
    """One reduction per fit, one small eigenproblem a round."""

    def __init__(self, method: SpectralMethod, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> None:
        self._method = method
        self._view = View(ys, len(Xt), n_classes)
        self._samples = unit_rows(np.vstack([Xs, Xt]))
        if method.kernel == "rbf":
            _check_memory(len(self._samples))
            kernel = rbf_kernel(self._samples.astype(np.float64, copy=False), gamma=method.gamma)
            self._reduction = reduce_kernel(kernel)
        else:
            self._reduction = reduce_samples(self._samples, power=1 if method.kernel == "primal" else 2)
            # Only the rbf kernel asks for the samples again.
            del self._samples
        self._n_components = _feasible(method, self._reduction, Xs.shape[1])

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        view = self._view
        view.yt = yt
        theta = self._method._theta(view)
        Y = smallest_eigenvectors(self._reduction, theta, self._method.ridge, self._n_components)
        weights = self._reduction.back @ Y
        flips = _flips(weights)
        self._weights = weights * flips
        Z = unit_rows(self._reduction.project(Y * flips))
        view.projected = Z[: len(view.ys)], Z[len(view.ys) :]
        return view.projected

    def mapping(self) -> Mapping:
        if self._method.kernel == "rbf":
            return _RbfProjection(self._samples, self._weights, self._method.gamma)
        return _LinearProjection(self._weights)


def _check_memory(n: int) -> None:
    """Refuse a kernel matrix that this machine cannot hold, rather than be stopped by it half-way."""
    # The matrix, its eigenvectors and LAPACK's workspace of the same size.
    needed = 4 * 8 * n**2
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if needed > there:
            raise ValueError(
                f'kernel="rbf" needs about {needed / 1e9:.0f} GB for {n} samples, and this machine has '
                f'{there / 1e9:.0f} GB; use kernel="linear" or fewer samples.'
            )


def _flips(weights: FloatArray) -> FloatArray:
    """Signs that make the largest weight of each component positive: an eigenvector has no sign of its own."""
    largest = np.take_along_axis(weights, np.abs(weights).argmax(axis=0)[None], axis=0)[0]
    return np.where(largest < 0, -1.0, 1.0)


def _feasible(method: SpectralMethod, reduction: Reduction, n_features: int) -> int:
    n_components = method.n_components
    if reduction.rank < 1:
        gamma = f", for gamma={method.gamma}" if method.kernel == "rbf" else ""
        raise ValueError(
            f"Xs and Xt do not vary (n_features={n_features}): scaled to unit length all rows are equal{gamma}, so "
            "there is nothing to project; use NN, or features that differ between samples."
        )
    if n_components > reduction.rank:
        warnings.warn(
            f"n_components={n_components} is more than the {reduction.rank} directions in which these samples vary; "
            f"{reduction.rank} are used.",
            UserWarning,
            stacklevel=2,
        )
    return min(n_components, reduction.rank)


class _LinearProjection:
    """Unit rows, a linear map, unit rows."""

    def __init__(self, weights: FloatArray) -> None:
        self.weights = weights

    def transform(self, X: FloatArray) -> FloatArray:
        return unit_rows(unit_rows(X) @ self.weights)


class _RbfProjection:
    """Unit rows, kernel values against the training samples, a linear map, unit rows."""

    def __init__(self, samples: FloatArray, weights: FloatArray, gamma: float) -> None:
        self.samples, self.weights, self.gamma = samples, weights, gamma

    def transform(self, X: FloatArray) -> FloatArray:
        units = unit_rows(X)
        parts = [
            rbf_kernel(units[start : start + KERNEL_BLOCK], self.samples, gamma=self.gamma) @ self.weights
            for start in range(0, len(units), KERNEL_BLOCK)
        ]
        return unit_rows(np.vstack(parts))
