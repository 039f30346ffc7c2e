"""Samples as a person recognises them: a snippet of text, a small picture, or some of their features."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from sklearn.feature_selection import f_classif

from tsrp._types import FloatArray, IntArray
from tsrp.exceptions import UsageError
from tsrp.io.written import is_unknown
from tsrp.lookup import check_name
from tsrp.report.thumbnails import MOST_BYTES, Missing, Thumbnail, make_thumbnail

TEXT, IMAGE, FEATURES = "text", "image", "features"
SHOWN = (TEXT, IMAGE)
# Characters of a snippet.
SNIPPET = 400
# Features of a sample that are shown, the part of the source that lies in what is called its range, and the rows of the
# source that decide which features these are.
MOST_FEATURES, RANGE, ENOUGH_ROWS = 4, (5, 95), 5_000
NO_ROOM = Missing("no room left in the page")


@dataclass(frozen=True)
class FeatureValue:
    """A feature of a sample, and between what most of the source lies."""

    name: str
    value: float
    low: float
    high: float

    @property
    def outside(self) -> bool:
        """Whether the source seldom has such a value."""
        return not self.low <= self.value <= self.high


Sample: TypeAlias = str | Thumbnail | Missing | list[FeatureValue]


@dataclass(frozen=True, eq=False)
class Samples:
    """What some rows of the target look like.

    Attributes
    ----------
    kind : {"text", "image", "features"}
    of : mapping of int to str, Thumbnail, Missing or list of FeatureValue
        By row.
    """

    kind: str
    of: Mapping[int, Sample]

    @property
    def note(self) -> str:
        """How many pictures there are not, and why; empty if all are there."""
        reasons = Counter(sample.reason for sample in self.of.values() if isinstance(sample, Missing))
        if not reasons:
            return ""
        why = ", ".join(f"{reason} ({count:,})" for reason, count in reasons.most_common())
        return f"{reasons.total():,} of {len(self.of):,} images are not shown: {why}."


def check_show(show: tuple[str, Sequence[Any]] | None, n_target: int) -> None:
    """Refuse what says nothing about each row of the target."""
    if show is None:
        return
    kind, values = show
    check_name("way to show samples", kind, SHOWN)
    if len(values) != n_target:
        raise UsageError(f"`show` has {len(values)} values, but Xt has {n_target} rows: pass one for each row.")


def show_values(rows: Iterable[int], show: tuple[str, Sequence[Any]], folder: str | os.PathLike[str]) -> Samples:
    r"""Some rows by what the user has of them.

    Parameters
    ----------
    rows : iterable of int
        The more important first: pictures find room in this order.
    show : tuple of {"text", "image"} and a sequence of length n_target
        Texts, or paths of image files.
    folder : path
        Where image files are.

    Examples
    --------
    >>> show_values([1], ("text", ["good", "not  what\n I expected"]), ".").of
    {1: 'not what I expected'}
    """
    kind, values = show
    written = {row: "" if is_unknown(values[row]) else str(values[row]) for row in rows}
    if kind == TEXT:
        return Samples(kind, {row: _snippet(text) for row, text in written.items()})
    of: dict[int, Sample] = {}
    room = MOST_BYTES
    for row, name in written.items():
        found = make_thumbnail(name, Path(folder))
        if isinstance(found, Thumbnail):
            if len(found.content) > room:
                found = NO_ROOM
            else:
                room -= len(found.content)
        of[row] = found
    return Samples(kind, of)


def _snippet(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SNIPPET else f"{text[:SNIPPET].rstrip()}…"


def show_features(
    rows: Iterable[int], Xs: FloatArray, ys: IntArray, Xt: FloatArray, names: Sequence[str] | None
) -> Samples:
    """Some rows by the features that tell the source's classes apart best (analysis of variance), beside its range.

    Examples
    --------
    >>> import numpy as np
    >>> Xs = np.array([[0.0, 5.0], [0.2, 4.0], [1.0, 5.0], [1.2, 4.0]])
    >>> samples = show_features([0], Xs, np.array([0, 0, 1, 1]), np.array([[3.0, 4.5]]), ["width", "height"])
    >>> [(feature.name, feature.value, feature.outside) for feature in samples.of[0]]
    [('width', 3.0, True), ('height', 4.5, False)]
    """
    some = np.random.default_rng(0).permutation(len(Xs))[:ENOUGH_ROWS]
    chosen = np.argsort(-_telling(Xs[some], ys[some]), kind="stable")[:MOST_FEATURES]
    low, high = np.percentile(Xs[:, chosen], RANGE, axis=0)
    called = [str(k) if names is None else str(names[k]) for k in chosen]
    return Samples(
        FEATURES,
        {
            row: [
                FeatureValue(name, *map(float, numbers))
                for name, *numbers in zip(called, Xt[row, chosen], low, high, strict=True)
            ]
            for row in rows
        },
    )


def _telling(X: FloatArray, y: IntArray) -> FloatArray:
    """How well each feature by itself tells the classes apart."""
    largest = np.abs(X).max(axis=0)
    if len(np.unique(y)) < 2 or len(np.unique(y)) == len(y):
        return np.zeros(X.shape[1])
    # Features that do not vary, at all or within the classes.
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", UserWarning)
        ratio = f_classif(X / np.where(largest > 0, largest, 1.0), y)[0]
    return np.nan_to_num(ratio, nan=0.0, posinf=np.finfo(float).max)
