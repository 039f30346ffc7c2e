"""Checks of what the user passes: one sentence that names the argument, what is wrong and what to do."""

from __future__ import annotations

import math
import numbers
import re
import sys
import warnings
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tsrp._types import FloatArray, IntArray, LabelArray
from tsrp.blocked.samples import BlockedSamples
from tsrp.exceptions import InputError, TsrpError, WrongTypeError
from tsrp.known import NOTHING, Known
from tsrp.memory import show_size

# Squares of larger values, and sums of them, may leave the range of numbers: here, or in scikit-learn.
LARGEST_SAMPLE = 1e100
# Fourth powers of values between these stay within the range of numbers.
SMALLEST_VALUE, LARGEST_VALUE = 1e-60, 1e60
SMALLEST_SINGLE, LARGEST_SINGLE = 1e-9, 1e9
# Numbers with fractions that are no more than this, such as 0.5 and 1.5, may be names of classes.
MOST_FRACTIONS = 20
# Warnings are for whoever called these.
OURS = ("tsrp", "sklearn", "joblib")


@dataclass(frozen=True, eq=False)
class Domains:
    """Checked input: samples of both domains, the source's class codes 0..C-1, the classes, known target rows."""

    Xs: FloatArray
    ys: IntArray
    Xt: FloatArray
    classes: LabelArray
    known: Known = NOTHING

    @property
    def labels(self) -> tuple[LabelArray, LabelArray | None]:
        """What `fit` takes as `ys` and `yt`."""
        known = self.known.labels(self.classes, len(self.Xt)) if len(self.known) else None
        return self.classes[self.ys], known


def check_domains(
    estimator: Any, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike, yt: npt.ArrayLike | None = None
) -> Domains:
    """Check what a fit was given, and note the number and the names of the features in the estimator."""
    source = check_samples(Xs, "Xs")
    target = check_samples(Xt, "Xt")
    check_same_features(source, target, *(list(X.columns) if hasattr(X, "columns") else None for X in (Xs, Xt)))
    check_features(estimator, Xs)
    classes, codes = check_labels(ys, "ys", n_samples=len(source), of="Xs")
    known = check_known(yt, classes, len(target))
    dtype = np.result_type(source, target)
    return Domains(source.astype(dtype, copy=False), codes, target.astype(dtype, copy=False), classes, known)


def check_same_features(source: Any, target: Any, ours: list[Any] | None, theirs: list[Any] | None) -> None:
    """Refuse domains whose features differ in number or, where both have names, in these."""
    if source.shape[1] != target.shape[1]:
        raise InputError(
            f"Xt has {target.shape[1]} features, but Xs has {source.shape[1]}: both domains must be described by "
            "the same features, in the same order."
        )
    # Names as well as numbers: a target whose columns are in another order would be adapted to nonsense.
    if ours is not None and theirs is not None and ours != theirs:
        raise InputError(
            "Xt: its columns are not those of Xs, or in another order; reorder them, for example Xt[Xs.columns]."
        )


def check_features(estimator: Any, X: npt.ArrayLike, *, reset: bool = True) -> None:
    """Note the number and the names of the features in the estimator, or (`reset` false) compare with what it noted."""
    try:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from None


def check_new(estimator: Any, X: npt.ArrayLike) -> FloatArray:
    """Samples for a fitted estimator: checked, with the features of its fit."""
    check_is_fitted(estimator)
    samples = check_samples(X, "X")
    check_features(estimator, X, reset=False)
    return samples


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of something at the line of the user's code from which this package was called."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in OURS:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def asking(estimator: Any) -> Iterator[None]:
    """What an estimator of another package refuses is a mistake that the user can mend, and names it."""
    try:
        yield
    except TsrpError:
        raise
    except ValueError as error:
        raise InputError(f"{' '.join(repr(estimator).split())} refuses these samples: {error}") from error


class ComponentsWarning(UserWarning):
    """Fewer components than asked for."""


def check_components(n_components: int, there: int, what: str = "directions in which these samples vary") -> int:
    """As many components as wanted, or as there are, with a warning."""
    if n_components > there:
        sentence = f"n_components={n_components} is more than the {there} {what}; {there} are used."
        warn(sentence, ComponentsWarning)
    return min(n_components, there)


def check_scale(X: FloatArray, name: str) -> None:
    """Refuse samples whose products leave the range of numbers, for methods that take rows as they come."""
    check_largest(_largest_size(X), name)


def check_largest(largest: float, name: str) -> None:
    """Refuse samples whose largest value, in size, makes their products leave the range of numbers."""
    if not (largest == 0 or SMALLEST_VALUE <= largest <= LARGEST_VALUE):
        raise InputError(
            f"{name}: the largest value is {largest:.1e}, too far from 1 to compute with; rescale the features, for "
            "example with `sklearn.preprocessing.StandardScaler`."
        )


def nothing_to_project(n_features: int, *, unit: bool, detail: str = "") -> InputError:
    """The error for samples that do not vary."""
    how = "scaled to unit length" if unit else "beside their size"
    return InputError(
        f"Xs and Xt do not vary (n_features={n_features}): {how} all rows are equal{detail}, so there is nothing to "
        "project; use `NN`, or features that differ between samples, centred if they are far from 0."
    )


def check_samples(X: npt.ArrayLike, name: str) -> FloatArray:
    """A finite two-dimensional array of float64, or of float32 if it was; at least one row and one column."""
    if sparse.issparse(X):
        size = show_size(math.prod(np.shape(X)) * 8)
        raise WrongTypeError(
            f"{name} is a sparse matrix, but only dense arrays work here: pass {name}.toarray(), which takes {size}."
        )
    if isinstance(X, BlockedSamples) or hasattr(X, "__dask_graph__"):
        raise WrongTypeError(f"{name} is in blocks, which are not taken here: pass samples in memory.")
    try:
        array = check_array(
            X,
            dtype=[np.float64, np.float32],
            # A product may round differently for each layout: the same samples, the same labels.
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=0,
            ensure_min_features=0,
            input_name=name,
        )
    except (TypeError, ValueError) as error:
        kind = WrongTypeError if isinstance(error, TypeError) else InputError
        raise kind(f"{name}: {' '.join(str(error).split())}") from None
    check_extent(array.shape, name)
    check_finite(array, name, [str(column) for column in X.columns] if hasattr(X, "columns") else None)
    if array.dtype == np.float32 and not fits_single(_largest_size(array)):
        return array.astype(np.float64)
    return array


def check_extent(shape: tuple[int, ...], name: str) -> None:
    """Refuse samples without rows or without columns."""
    if shape[0] == 0:
        raise InputError(f"{name} is empty: it has 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
    if shape[1] == 0:
        raise InputError(f"{name} is empty: 0 feature(s) (shape={shape}) while a minimum of 1 is required.")


def fits_single(largest: float) -> bool:
    """Whether fourth powers of values up to this size stay in the range of float32."""
    return largest == 0 or SMALLEST_SINGLE <= largest <= LARGEST_SINGLE


def check_finite(
    array: FloatArray,
    name: str,
    columns: Sequence[str] | None = None,
    place: Callable[[int], str] = "row {}".format,
    advice: str = "drop those rows or fill the gaps first (for example with sklearn.impute.SimpleImputer)",
    first_column: int = 0,
) -> None:
    """Refuse NaN, infinity and what cannot be computed with, and say how many there are, and where they start.

    `columns` are the names of the columns, which are counted from `first_column` on if they have none; `place` says
    where a row stands in its file; `advice` is for gaps.
    """
    # Two passes without a mask of the array's size: NaN is the largest and the smallest of all numbers.
    with np.errstate(invalid="ignore"):
        if array.size == 0 or _largest_size(array) <= LARGEST_SAMPLE:
            return
    bad = ~np.isfinite(array)
    what = "NaN or infinity (inf)"
    if not bad.any():
        bad = np.abs(array) > LARGEST_SAMPLE
        what = f"beyond {LARGEST_SAMPLE:.0e} and too large to compute with"
        advice = "rescale the features, or fill the gaps if such numbers stand for missing values"
    count = int(bad.sum())
    row, column = (int(position[0]) for position in np.nonzero(bad))
    values = "1 value is" if count == 1 else f"{count} values are"
    where = first_column + column if columns is None else repr(columns[column])
    raise InputError(f"{name}: {values} {what}, the first in {place(row)}, column {where}; {advice}.")


def _largest_size(X: FloatArray) -> float:
    """The largest absolute value, without a second array of this size."""
    return max(abs(float(X.max())), abs(float(X.min())))


def check_labels(
    y: npt.ArrayLike, name: str, *, n_samples: int, of: str, min_classes: int = 2
) -> tuple[LabelArray, IntArray]:
    """The classes, sorted, and the code 0..C-1 of each sample's class."""
    if y is None:
        raise InputError(
            f"{name} is None: this method requires y to be passed, but the target y is None; pass one label for each "
            f"row of {of}."
        )
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        # Beginning as scikit-learn's own sentence does, which its checks look for.
        sentence = f"A column-vector y was passed when a 1d array was expected: the only column of {name} is taken."
        warn(sentence, DataConversionWarning)
        labels = labels.ravel()
    if labels.ndim != 1:
        raise InputError(
            f"{name} must hold one label for each row of {of}, but its shape is {labels.shape} (bad input shape): "
            "pass a one-dimensional array."
        )
    if len(labels) != n_samples:
        raise InputError(
            f"{name} has {len(labels)} labels, but {of} has {n_samples} rows: inconsistent numbers of samples, "
            "pass one label for each row."
        )
    wrong = no_text(labels)
    if wrong is not None:
        raise InputError(f"{name}: the label in row {wrong} {NO_TEXT}.")
    missing = np.flatnonzero([is_missing(value) for value in labels.tolist()])
    if len(missing):
        count = "1 label is" if len(missing) == 1 else f"{len(missing)} labels are"
        raise InputError(
            f"{name}: {count} missing (y contains NaN, infinity or None), the first in row "
            f"{missing[0]}; drop those rows or label them."
        )
    if labels.dtype == object and all(isinstance(value, numbers.Integral) for value in labels):
        labels = np.array(labels.tolist())
    try:
        check_classification_targets(labels)
        classes, codes = np.unique(labels, return_inverse=True)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{name} cannot be read as classes ({str(error).splitlines()[0]}); pass strings, integers or booleans."
        ) from None
    if len(classes) > MOST_FRACTIONS and classes.dtype.kind in "US" and _are_fractions(classes.tolist()):
        raise InputError(
            f"{name} holds {len(classes)} different numbers with fractions, such as {classes.tolist()[0]}: these are "
            "measurements, not classes; pass classes, for example ranges of these numbers."
        )
    if len(classes) < min_classes:
        raise InputError(
            f"{name} holds one class only ({_shown(classes[0])}): adaptation needs labels of at least two classes."
        )
    return classes, codes


def check_known(yt: npt.ArrayLike | None, classes: LabelArray, n_target: int) -> Known:
    """The target rows whose label is known, and their class codes; labels are compared as Python compares values."""
    if yt is None:
        return NOTHING
    labels = np.asarray(yt, dtype=object)
    if labels.shape != (n_target,):
        raise InputError(
            f"`yt` must hold one entry for each of the {n_target} rows of Xt, None where its label is not known; its "
            f"shape is {labels.shape}."
        )
    cells = labels.tolist()
    rows = np.flatnonzero([not is_missing(cell) for cell in cells])
    code_of = {label: code for code, label in enumerate(classes.tolist())}
    for row in rows.tolist():
        if not isinstance(cells[row], Hashable) or cells[row] not in code_of:
            raise InputError(
                f"`yt` says {_shown(cells[row])} in row {row}, a class that the source does not have (it has "
                f"{_some(classes.tolist())}): only classes of the source can be learnt; leave such rows out of Xt, or "
                "their labels unknown."
            )
    return Known(rows, np.array([code_of[cells[row]] for row in rows.tolist()], dtype=np.intp))


def _shown(label: Any) -> str:
    """A label as Python writes it, also where an array of objects holds NumPy's own kinds of text and numbers."""
    return repr(label.item() if isinstance(label, np.generic) else label)


def _some(labels: list[Any], most: int = 10) -> str:
    shown = ", ".join(_shown(label) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown} and {len(labels) - most} more"


def _are_fractions(words: list[str]) -> bool:
    """Whether texts are numbers, not all of them whole."""
    try:
        return not all(float(word).is_integer() for word in words)
    except (ValueError, OverflowError):
        return False


# What can be in an array of texts, but is no character: neither files nor terminals take it.
SURROGATES, LAST_CHARACTER = (0xD800, 0xDFFF), 0x10FFFF
SURROGATE = re.compile("[\ud800-\udfff]")
NO_TEXT = "holds what is no character of Unicode (a surrogate, or a code beyond U+10FFFF); correct it"


def no_text(values: npt.NDArray[Any]) -> int | None:
    r"""The first of these that is text with what is no character of Unicode; None if there is none.

    Examples
    --------
    >>> no_text(np.array(["a", "b\ud800"])), no_text(np.array([1, "ü"], dtype=object))
    (1, None)
    """
    if values.dtype.kind == "U" and values.size and values.dtype.itemsize:
        codes = np.ascontiguousarray(values).view(np.dtype(np.uint32).newbyteorder(values.dtype.byteorder))
        bad = (codes > LAST_CHARACTER) | ((codes >= SURROGATES[0]) & (codes <= SURROGATES[1]))
        rows = bad.reshape(len(values), -1).any(axis=1)
    elif values.dtype == object:
        rows = np.array([isinstance(value, str) and SURROGATE.search(value) is not None for value in values])
    else:
        return None
    return int(rows.argmax()) if rows.any() else None


def is_missing(value: Any) -> bool:
    """Whether a label is None, NaN, infinite or one of pandas' missing values."""
    if isinstance(value, float):
        return not np.isfinite(value)
    # pandas has missing values of its own, which compare with nothing.
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def forget(estimator: Any) -> None:
    """Drop what an earlier fit found: a fit that fails must not leave parts of another."""
    for name in [name for name in vars(estimator) if name.endswith("_") and not name.startswith("_")]:
        delattr(estimator, name)
