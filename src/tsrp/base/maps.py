"""Learned projections as they are kept: what `transform` does to new samples."""

from __future__ import annotations

from collections.abc import Sequence

from tsrp._types import FloatArray
from tsrp.base.contract import Mapping
from tsrp.numerics.kernels import expansion
from tsrp.numerics.rows import unit_rows


class LinearMap:
    """``X @ weights``, or ``(X - mean) @ weights``; rows scaled to unit length before it, after it, or not at all."""

    def __init__(
        self,
        weights: FloatArray,
        *,
        mean: FloatArray | None = None,
        unit_before: bool = False,
        unit_after: bool = False,
    ) -> None:
        self.weights, self.mean = weights, mean
        self.unit_before, self.unit_after = unit_before, unit_after

    def transform(self, X: FloatArray) -> FloatArray:
        samples = unit_rows(X) if self.unit_before else X
        Z = (samples if self.mean is None else samples - self.mean) @ self.weights
        return unit_rows(Z) if self.unit_after else Z


class Chain:
    """One map after the other."""

    def __init__(self, maps: Sequence[Mapping]) -> None:
        self.maps = list(maps)

    def transform(self, X: FloatArray) -> FloatArray:
        for step in self.maps:
            X = step.transform(X)
        return X


class RbfMap:
    """Kernel values against the training samples, then a linear map; rows scaled as in `LinearMap`."""

    def __init__(
        self,
        samples: FloatArray,
        weights: FloatArray,
        gamma: float,
        *,
        unit_before: bool = False,
        unit_after: bool = False,
    ) -> None:
        self.samples, self.weights, self.gamma = samples, weights, gamma
        self.unit_before, self.unit_after = unit_before, unit_after

    def transform(self, X: FloatArray) -> FloatArray:
        Z = expansion(unit_rows(X) if self.unit_before else X, self.samples, self.weights, self.gamma)
        return unit_rows(Z) if self.unit_after else Z
