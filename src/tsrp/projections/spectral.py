"""What TCA, JDA, BDA, DICD and TJM share: parameters, kernels, and a round as one small eigenproblem."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from tsrp._types import FloatArray, IntArray
from tsrp.adaptation import Adapter
from tsrp.linalg.memory import check_memory
from tsrp.linalg.principal import signs
from tsrp.linalg.rows import unit_rows
from tsrp.linalg.spectral import Reduction, reduce_kernel, reduce_samples, smallest_eigenvectors
from tsrp.linalg.terms import Term
from tsrp.projections.contract import Mapping, Rounds
from tsrp.projections.maps import LinearMap, RbfMap
from tsrp.validation import check_choice, check_components, check_number, check_scale, nothing_to_project


class SpectralMethod(Adapter, ABC):
    """A method whose projection minimises a `Term` of both domains; subclasses say which (`_theta`)."""

    uses_target_labels = True
    # Whether rows are scaled to unit length before the projection and after it, and which kernels there are.
    _unit_before = True
    _unit_after = True
    _kernels: tuple[str, ...] = ("primal", "linear", "rbf")

    def __init__(
        self,
        n_components: int = 100,
        *,
        ridge: float = 1.0,
        kernel: str = "linear",
        gamma: float | str = 1.0,
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
        check_choice("kernel", self.kernel, self._kernels)
        if isinstance(self.gamma, str):
            check_choice("gamma", self.gamma, ["median"])
        else:
            check_number("gamma", self.gamma, low=0, open_low=True)


class View:
    """What a method sees when it builds its term: all labels, and the projection of the round before."""

    def __init__(self, ys: IntArray, n_target: int, n_classes: int) -> None:
        self.ys = ys
        self.n_target = n_target
        self.n_classes = n_classes
        self.yt: IntArray | None = None
        self.projected: tuple[FloatArray, FloatArray] | None = None


class KernelSpace:
    """The samples of both domains as a method's kernel sees them."""

    def __init__(self, method: SpectralMethod, Xs: FloatArray, Xt: FloatArray) -> None:
        self._method = method
        self.samples = np.vstack([Xs, Xt])
        if method._unit_before:
            self.samples = unit_rows(self.samples)
        else:
            check_scale(self.samples, "Xs and Xt")
            # Their fourth powers need the range of float64.
            self.samples = self.samples.astype(np.float64, copy=False)

    def reduce(self, power: int) -> Reduction:
        """The coordinates of the samples (power 1) or of their kernel matrix (power 2); they are not kept."""
        if self._method.kernel != "rbf":
            return reduce_samples(self.samples, power)
        n = len(self.samples)
        # The matrix, its eigenvectors and LAPACK's workspace of the same size.
        check_memory(f'kernel="rbf" for {n} samples', 4 * 8 * n**2, 'use kernel="linear" or fewer samples')
        distances = euclidean_distances(self.samples.astype(np.float64, copy=False), squared=True)
        if isinstance(self._method.gamma, str):
            median = float(np.median(distances[~np.eye(n, dtype=bool)]))
            self._gamma = 1 / median if median > 0 else 1.0
        else:
            self._gamma = float(self._method.gamma)
        distances *= -self._gamma
        return reduce_kernel(np.exp(distances, out=distances), power)

    def forget_samples(self) -> None:
        """Free the memory, unless new samples are to be compared with these."""
        if self._method.kernel != "rbf":
            del self.samples

    def mapping(self, weights: FloatArray) -> Mapping:
        """The projection by these weights: of the features, or of the kernel's values."""
        before, after = self._method._unit_before, self._method._unit_after
        if self._method.kernel == "rbf":
            return RbfMap(self.samples, weights, self._gamma, unit_before=before, unit_after=after)
        return LinearMap(weights, unit_before=before, unit_after=after)


class _SpectralRounds:
    """One reduction per fit, one small eigenproblem a round."""

    def __init__(self, method: SpectralMethod, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> None:
        self._method = method
        self._view = View(ys, len(Xt), n_classes)
        self._space = KernelSpace(method, Xs, Xt)
        self._reduction = self._space.reduce(power=1 if method.kernel == "primal" else 2)
        self._space.forget_samples()
        self._n_components = feasible(method, self._reduction, Xs.shape[1])

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        view = self._view
        view.yt = yt
        theta = self._method._theta(view)
        Y = smallest_eigenvectors(self._reduction, theta, self._method.ridge, self._n_components)
        weights = self._reduction.back @ Y
        flips = signs(weights)
        self._weights = weights * flips
        Z = self._reduction.project(Y * flips)
        if self._method._unit_after:
            Z = unit_rows(Z)
        view.projected = Z[: len(view.ys)], Z[len(view.ys) :]
        return view.projected

    def mapping(self) -> Mapping:
        return self._space.mapping(self._weights)


def feasible(method: SpectralMethod, reduction: Reduction, n_features: int) -> int:
    """How many components there can be, at most as many as the method asks for."""
    if reduction.rank < 1:
        gamma = f", for gamma={method.gamma}" if method.kernel == "rbf" else ""
        raise nothing_to_project(n_features, unit=method._unit_before, detail=gamma)
    return check_components(method.n_components, reduction.rank)
