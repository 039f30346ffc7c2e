"""Scikit-learn's scalers and pipelines of them, fitted to samples in blocks: one pass for each.

What a scaler learns are a few statistics of each feature. So a few made-up samples that have the statistics of all are
found in a pass, and the scaler is fitted to these. A transformer of this package says itself how it is fitted, by a
method `fit_blocks`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

from tsrp._types import FloatArray
from tsrp.blocked.samples import BlockedSamples

# Samples, and what else `fit` is given.
StandIns: TypeAlias = tuple[FloatArray, dict[str, FloatArray]]


def fits_blocks(transformer: Any) -> bool:
    """Whether a transformer can be fitted to samples in blocks.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.pipeline import make_pipeline
    >>> fits_blocks(make_pipeline(Normalizer(), StandardScaler())), fits_blocks(PCA())
    (True, False)
    """
    if isinstance(transformer, Pipeline):
        return all(fits_blocks(step) for _, step in transformer.steps)
    return hasattr(transformer, "fit_blocks") or type(transformer) in STAND_INS


def fit_transform_blocks(transformer: Any, X: BlockedSamples) -> tuple[Any, BlockedSamples]:
    """A copy of a transformer, fitted to all samples, and the samples as it transforms them; these have no names.

    Examples
    --------
    >>> from tsrp.blocked.local import ArrayReader, LocalBlocks
    >>> X = LocalBlocks.of(ArrayReader(np.array([[1.0], [2.0], [6.0]]), rows=2))
    >>> fitted, scaled = fit_transform_blocks(StandardScaler(), X)
    >>> fitted.mean_, scaled.total(np.sum).round(12) + 0
    (array([3.]), np.float64(0.0))
    """
    fitted = clone(transformer)
    if isinstance(transformer, Pipeline):
        given = X
        for number, (name, step) in enumerate(transformer.steps):
            step, X = fit_transform_blocks(step, X)
            fitted.steps[number] = name, step
        return fitted, transformed_blocks(fitted, given)
    if hasattr(transformer, "fit_blocks"):
        fitted.fit_blocks(X)
    else:
        samples, options = STAND_INS[type(transformer)](X)
        fitted.fit(named(samples, X.names), **options)
        if hasattr(fitted, "n_samples_seen_"):
            fitted.n_samples_seen_ = len(X)
    return fitted, transformed_blocks(fitted, X)


def transformed_blocks(transformer: Any, X: BlockedSamples) -> BlockedSamples:
    """Samples as a fitted transformer transforms them; as arrays they have no names."""
    transformed = X.then(partial(_transform, transformer, X.names))
    transformed.names = None
    return transformed


def named(X: FloatArray, names: list[str] | None) -> FloatArray | pd.DataFrame:
    """Samples with the names of their features, if these have any."""
    return X if names is None else pd.DataFrame(X, columns=names, copy=False)


def _transform(transformer: Any, names: list[str] | None, X: FloatArray) -> FloatArray:
    # A copy for those that would transform in place: blocks may be kept for the next pass.
    return np.asarray(transformer.transform(named(X.copy(), names)), dtype=X.dtype)


def _any(X: BlockedSamples) -> StandIns:
    """For what learns nothing."""
    return np.ones((1, X.shape[1])), {}


def extremes_of(X: BlockedSamples) -> FloatArray:
    """Two samples: the smallest and the largest values."""
    lows, highs = zip(*X.map(_low_and_high), strict=True)
    return np.stack([np.min(lows, axis=0), np.max(highs, axis=0)])


def _low_and_high(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    return X.min(axis=0), X.max(axis=0)


def _two_extremes(X: BlockedSamples) -> StandIns:
    return extremes_of(X), {}


def _moments(X: BlockedSamples) -> StandIns:
    """Two samples for each block, as far from its mean as the samples are: means and variances are theirs."""
    pairs, counts = zip(*X.map(_around_the_mean), strict=True)
    return np.concatenate(pairs), {"sample_weight": np.repeat(counts, 2) / 2}


def _around_the_mean(X: FloatArray) -> tuple[FloatArray, int]:
    mean = X.mean(axis=0, dtype=np.float64)
    deviation = np.sqrt(np.mean((X - mean) ** 2, axis=0))
    return np.stack([mean - deviation, mean + deviation]), len(X)


STAND_INS: dict[type, Callable[[BlockedSamples], StandIns]] = {
    Normalizer: _any,
    StandardScaler: _moments,
    MinMaxScaler: _two_extremes,
    MaxAbsScaler: _two_extremes,
}
