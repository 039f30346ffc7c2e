"""Fits to samples in blocks: what they may be, and which methods take them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from tsrp._types import FloatArray, IntArray, LabelArray
from tsrp.base.contract import Mapping
from tsrp.blocked.local import TIMES_IN_MEMORY, ArrayReader, LocalBlocks, block_rows
from tsrp.blocked.samples import BlockedSamples, as_type
from tsrp.classifiers.training import predict_codes
from tsrp.exceptions import InputError, UsageError
from tsrp.memory import check_memory, memory_limit
from tsrp.numerics.passes import PROJECTED_COPIES
from tsrp.numerics.threads import one_blas_thread
from tsrp.validation import (
    Domains,
    check_domains,
    check_extent,
    check_features,
    check_finite,
    check_known,
    check_labels,
    check_largest,
    check_same_features,
    check_samples,
    fits_single,
)

TAKERS = "NN, PCA, TCA, JDA, BDA and DICD without an rbf kernel, alone, in TSRP, and behind a scaler in PerDomain"


@dataclass(frozen=True, eq=False)
class BlockedDomains(Domains):
    """Checked input whose samples are in blocks."""

    Xs: BlockedSamples  # type: ignore[assignment]
    Xt: BlockedSamples  # type: ignore[assignment]


def is_blocked(X: Any) -> bool:
    """Whether samples are in blocks: `BlockedSamples`, or an array or a data frame of Dask."""
    return isinstance(X, BlockedSamples) or hasattr(X, "__dask_graph__")


def are_large(*domains: Any) -> bool:
    """Whether one of these is mapped into memory from a file, and a fit to them in memory would take too much."""
    size = sum(getattr(X, "nbytes", 0) for X in domains)
    return any(isinstance(X, np.memmap) for X in domains) and TIMES_IN_MEMORY * size > memory_limit()


def refusal(method: str) -> UsageError:
    """The error of a method that cannot be fitted to samples in blocks."""
    return UsageError(f"{method} needs all samples in memory: those in blocks go to {TAKERS}.")


def as_blocks(X: Any, name: str) -> BlockedSamples:
    """What `fit` was given, as samples in blocks."""
    if isinstance(X, BlockedSamples):
        return X
    if hasattr(X, "__dask_graph__"):
        from tsrp.blocked.cluster import DaskBlocks

        return DaskBlocks.of(X, name)
    array = np.asanyarray(X)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise InputError(f"{name} must be an array of numbers with two dimensions, samples and features.")
    names = [str(column) for column in X.columns] if hasattr(X, "columns") else None
    return LocalBlocks.of(ArrayReader(array), names)


def _alike(Xs: Any, Xt: Any) -> tuple[BlockedSamples, BlockedSamples]:
    """Both domains in blocks of one kind: an array in memory beside samples of Dask becomes a Dask array."""
    with_dask = [hasattr(X, "__dask_graph__") for X in (Xs, Xt)]
    if any(with_dask) and not all(with_dask):
        if isinstance(Xs, BlockedSamples) or isinstance(Xt, BlockedSamples):
            raise UsageError("Xs and Xt must both be Dask's, or neither of them.")
        Xs, Xt = (Xs, _as_dask(Xt, "Xt")) if with_dask[0] else (_as_dask(Xs, "Xs"), Xt)
    return as_blocks(Xs, "Xs"), as_blocks(Xt, "Xt")


def _as_dask(X: Any, name: str) -> Any:
    """An array or a data frame in memory, as one of Dask."""
    array = check_samples(X, name)
    import dask.array

    rows = block_rows(array.shape[1])
    whole = dask.array.from_array(array, chunks=(rows, -1))
    if not hasattr(X, "columns"):
        return whole
    import dask.dataframe

    return dask.dataframe.from_dask_array(whole, columns=list(X.columns))


def check_any_domains(estimator: Any, Xs: Any, ys: Any, Xt: Any, yt: npt.ArrayLike | None = None) -> Domains:
    """As `check_domains`, for samples in memory or in blocks: a `BlockedDomains` if they are to stay there."""
    blocked = is_blocked(Xs) or is_blocked(Xt)
    if blocked and not estimator.takes_blocks:
        raise refusal(estimator.method_name)
    if blocked or (estimator.takes_blocks and are_large(Xs, Xt)):
        return check_blocked_domains(estimator, Xs, ys, Xt, yt)
    return check_domains(estimator, Xs, ys, Xt, yt)


def check_blocked_domains(estimator: Any, Xs: Any, ys: Any, Xt: Any, yt: npt.ArrayLike | None = None) -> BlockedDomains:
    """As `check_domains`, for samples in blocks: one pass over each domain."""
    if getattr(estimator, "_limit", None) is not None:
        raise UsageError("max_fit_rows draws rows from samples in memory: leave it out, or pass them as arrays.")
    source, target = _alike(Xs, Xt)
    check_same_features(source, target, source.names, target.names)
    note_features(estimator, source)
    source, target = check_blocks(source, "Xs"), check_blocks(target, "Xt")
    classes, codes = check_labels(ys, "ys", n_samples=len(source), of="Xs")
    known = check_known(yt, classes, len(target))
    dtype = np.result_type(source.dtype, target.dtype)
    source, target = (X if X.dtype == dtype else X.then(partial(as_type, dtype=dtype), dtype) for X in (source, target))
    return BlockedDomains(source, codes, target, classes, known)


def note_features(estimator: Any, X: BlockedSamples, *, reset: bool = True) -> None:
    """As `check_features`."""
    if X.names is None:
        check_features(estimator, X, reset=reset)  # type: ignore[arg-type]
        return
    import pandas as pd

    check_features(estimator, pd.DataFrame(columns=X.names), reset=reset)


def check_blocks(X: BlockedSamples, name: str) -> BlockedSamples:
    """Finite samples, in double precision where single would not do; at least one row and one column."""
    check_extent(X.shape, name)
    largest = max(X.map(partial(_largest, name=name, names=X.names), np.arange(len(X))))
    if X.dtype == np.float32 and not fits_single(largest):
        return X.then(partial(as_type, dtype=np.float64), np.float64)
    return X


def _largest(X: FloatArray, rows: IntArray, name: str, names: list[str] | None) -> float:
    """The largest size of a value in a block, which must be finite; `rows` are its rows in the whole."""
    check_finite(X, name, names, lambda row: f"row {rows[row]}")
    return _size(X)


def projected(X: BlockedSamples, mapping: Mapping) -> FloatArray:
    """Samples after a projection, in memory; refused with their size if they are too large for that."""
    columns = next(X.map(partial(_n_columns, mapping)))
    what = f"a projection of {len(X):,} samples to {columns:,} features"
    check_memory(what, PROJECTED_COPIES * 8 * len(X) * columns, "use fewer samples, or a method with `n_components`")
    return X.rows(mapping.transform)


def _n_columns(mapping: Mapping, X: FloatArray) -> int:
    return mapping.transform(X[:1]).shape[1]


def check_blocked_scale(X: BlockedSamples, name: str) -> None:
    """As `check_scale`: one pass."""
    check_largest(max(X.map(_size)), name)


def _size(X: FloatArray) -> float:
    return float(np.abs(X).max(initial=0.0))


def predict_blocks(model: Any, X: Any) -> LabelArray:
    """What a fitted method says of samples in blocks: the labels alone are in memory."""
    samples = check_new_blocks(model, X)
    label = partial(_labels, mapping=model.mapping_, classifier=model.classifier_, classes=model.classes_)
    return model.classes_[samples.rows(label)]


def check_new_blocks(model: Any, X: Any) -> BlockedSamples:
    """As `check_new`, for samples in blocks: one pass."""
    check_is_fitted(model)
    samples = as_blocks(X, "X")
    note_features(model, samples, reset=False)
    return check_blocks(samples, "X")


def _labels(X: FloatArray, mapping: Mapping, classifier: Any, classes: LabelArray) -> IntArray:
    with one_blas_thread():
        # As in memory: in double precision.
        return predict_codes(classifier, mapping.transform(X.astype(np.float64, copy=False)), classes)
