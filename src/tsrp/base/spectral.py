"""What TCA, JDA, BDA, DICD and TJM share: parameters, kernels, and a round as one small eigenproblem."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.base.adapter import Method
from tsrp.base.blocked import check_blocked_scale
from tsrp.base.contract import Mapping, Rounds
from tsrp.base.maps import LinearMap, RbfMap
from tsrp.blocked.samples import BlockedSamples
from tsrp.memory import check_memory
from tsrp.numerics.eigenproblem import Reduction, reduce_kernel
from tsrp.numerics.independent import IndependentFeatures
from tsrp.numerics.kernels import squared_distances
from tsrp.numerics.passes import reduce_blocks
from tsrp.numerics.principal import signs
from tsrp.numerics.rows import stacked_unit_rows, unit_rows
from tsrp.numerics.sharing import reduce_once, reduce_once_for_any_term
from tsrp.numerics.terms import Term
from tsrp.parameters import Number, NumberOr, OneOf
from tsrp.validation import check_components, check_scale, nothing_to_project


@dataclass(frozen=True)
class Kernel:
    """How samples are compared, and whether rows are scaled to unit length before the projection and after it."""

    name: str
    gamma: float | str
    unit_before: bool = True
    unit_after: bool = True


class SpectralMethod(Method):
    """A method whose projection minimises a `Term` of both domains; subclasses say which (`_theta`)."""

    uses_target_labels = True
    # Whether rows are scaled to unit length before the projection and after it.
    _unit_before = True
    _unit_after = True
    # Whether its terms are of low rank.
    _low_rank = True
    # Models that were saved before there was a choice have no attribute of this name.
    ridge_scale: str = "absolute"
    constraints: ClassVar = {
        "n_components": Number(low=1, whole=True),
        "ridge": Number(low=0, open_low=True),
        "ridge_scale": OneOf(("absolute", "relative")),
        "kernel": OneOf(("primal", "linear", "rbf")),
        "gamma": NumberOr(Number(low=0, open_low=True), "median"),
    }

    def __init__(
        self,
        n_components: int = 100,
        *,
        ridge: float = 1.0,
        ridge_scale: str = "absolute",
        kernel: str = "linear",
        gamma: float | str = 1.0,
        max_iter: int = 10,
        classifier: Any = None,
        max_fit_rows: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.ridge_scale = ridge_scale
        self.kernel = kernel
        self.gamma = gamma
        self.max_iter = max_iter
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    def prepare(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
        """Begin a fit (see `tsrp.base.contract`)."""
        return self._rounds(KernelSpace(self._kernel(), Xs, Xt), View(ys, len(Xt), n_classes))

    @property
    def takes_blocks(self) -> bool:
        """Whether `fit` takes samples in blocks: not with the rbf kernel, which compares all pairs."""
        return self.kernel != "rbf"

    def prepare_blocks(self, Xs: BlockedSamples, ys: IntArray, Xt: BlockedSamples, n_classes: int) -> Rounds:
        """Begin a fit to samples in blocks (see `tsrp.base.contract`)."""
        return self._rounds(BlockedSpace(self._kernel(), Xs, Xt), View(ys, len(Xt), n_classes))

    def _rounds(self, space: KernelSpace, view: View) -> SpectralRounds:
        is_relative = self.ridge_scale == "relative"
        return SpectralRounds(
            self._theta,
            view,
            space,
            ridge=self.ridge,
            relative=is_relative,
            n_components=self.n_components,
            low_rank=self._low_rank,
        )

    def _kernel(self) -> Kernel:
        return Kernel(self.kernel, self.gamma, self._unit_before, self._unit_after)

    @abstractmethod
    def _theta(self, view: View) -> Term:
        """The term of a round."""


class View:
    """What a method sees when it builds its term: all labels, and the projection of the round before."""

    def __init__(self, ys: IntArray, n_target: int, n_classes: int) -> None:
        self.ys = ys
        self.n_target = n_target
        self.n_classes = n_classes
        self.yt: IntArray | None = None
        self.projected: tuple[FloatArray, FloatArray] | None = None


class KernelSpace:
    """The samples of both domains as a kernel sees them."""

    def __init__(self, kernel: Kernel, Xs: FloatArray, Xt: FloatArray) -> None:
        self.kernel = kernel
        self.n_features = Xs.shape[1]
        if kernel.unit_before:
            self.samples = stacked_unit_rows(Xs, Xt)
        else:
            # Their fourth powers need the range of float64.
            self.samples = np.vstack([Xs, Xt], dtype=np.float64)
            check_scale(self.samples, "Xs and Xt")

    def reduce(self, power: int) -> Reduction:
        """The coordinates of the samples (power 1) or of their kernel matrix (power 2); they are not kept."""
        if self.kernel.name != "rbf":
            return reduce_once(self.samples, power)
        n = len(self.samples)
        # The matrix, its eigenvectors and LAPACK's workspace of the same size.
        check_memory(f'kernel="rbf" for {n} samples', 4 * 8 * n**2, 'use kernel="linear" or fewer samples')
        rows = self.samples.astype(np.float64, copy=False)
        distances = squared_distances(rows, rows)
        if isinstance(self.kernel.gamma, str):
            median = float(np.median(distances[~np.eye(n, dtype=bool)]))
            self._gamma = 1 / median if median > 0 else 1.0
        else:
            self._gamma = float(self.kernel.gamma)
        distances *= -self._gamma
        return reduce_kernel(np.exp(distances, out=distances), power)

    def reduce_for_any_term(self, power: int) -> Reduction | IndependentFeatures:
        """As `reduce`, for terms that are not of low rank."""
        return self.reduce(power) if self.kernel.name == "rbf" else reduce_once_for_any_term(self.samples, power)

    def forget_samples(self) -> None:
        """Free the memory, unless new samples are to be compared with these."""
        if self.kernel.name != "rbf":
            del self.samples

    def mapping(self, weights: FloatArray) -> Mapping:
        """The projection by these weights: of the features, or of the kernel's values."""
        before, after = self.kernel.unit_before, self.kernel.unit_after
        if self.kernel.name == "rbf":
            return RbfMap(self.samples, weights, self._gamma, unit_before=before, unit_after=after)
        return LinearMap(weights, unit_before=before, unit_after=after)


class BlockedSpace(KernelSpace):
    """The samples of both domains in blocks, as the linear kernel sees them."""

    def __init__(self, kernel: Kernel, Xs: BlockedSamples, Xt: BlockedSamples) -> None:
        self.kernel = kernel
        self.n_features = Xs.shape[1]
        both = Xs.followed_by(Xt)
        if not kernel.unit_before:
            check_blocked_scale(both, "Xs and Xt")
        self._blocked = both.then(unit_rows) if kernel.unit_before else both

    def reduce(self, power: int) -> Reduction:
        """As `KernelSpace.reduce`, by a pass."""
        return reduce_blocks(self._blocked, power)

    def reduce_for_any_term(self, power: int) -> Reduction | IndependentFeatures:
        """As `reduce`."""
        return self.reduce(power)

    def forget_samples(self) -> None:
        """They were never kept."""


class SpectralRounds:
    """One reduction per fit, one small eigenproblem a round."""

    def __init__(
        self,
        theta: Callable[[View], Term],
        view: View,
        space: KernelSpace,
        *,
        ridge: float,
        n_components: int,
        relative: bool = False,
        low_rank: bool = True,
    ) -> None:
        self._theta, self._view, self._space = theta, view, space
        reduce = space.reduce if low_rank else space.reduce_for_any_term
        self._reduction = reduce(power=1 if space.kernel.name == "primal" else 2)
        space.forget_samples()
        n_components = feasible(n_components, self._reduction, space)
        self._solver = self._reduction.solver(ridge * self._reduction.variance if relative else ridge, n_components)

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        view = self._view
        view.yt = yt
        Y = self._solver.smallest_eigenvectors(self._theta(view))
        Z, weights = self._reduction.project(Y)
        flips = signs(weights)
        self._weights = weights * flips
        Z *= flips
        if self._space.kernel.unit_after:
            Z = unit_rows(Z)
        view.projected = Z[: len(view.ys)], Z[len(view.ys) :]
        return view.projected

    def mapping(self) -> Mapping:
        return self._space.mapping(self._weights)


def feasible(n_components: int, reduction: Reduction | IndependentFeatures, space: KernelSpace) -> int:
    """How many components there can be, at most as many as are asked for."""
    if reduction.rank < 1:
        kernel = space.kernel
        gamma = f", for gamma={kernel.gamma}" if kernel.name == "rbf" else ""
        raise nothing_to_project(space.n_features, unit=kernel.unit_before, detail=gamma)
    return check_components(n_components, reduction.rank)
