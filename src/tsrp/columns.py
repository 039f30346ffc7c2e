"""Columns of another kind than features: row numbers, constants, and scales that dwarf all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tsrp._types import BoolArray, FloatArray

# Fewer rows say nothing: a feature of a few whole numbers looks like a row number.
FEWEST_ROWS = 20
# Row numbers leave few gaps: so many times as many numbers as rows at most.
GAPS = 2
# A standard deviation so many times the median one dwarfs the others, if at most this share of the columns has one.
DWARFS, FEW = 100, 0.1


@dataclass(frozen=True)
class OddColumn:
    """A column that may not be a feature.

    Attributes
    ----------
    name : str
    kind : {"identifier", "constant", "scale"}
    """

    name: str
    kind: str

    def __str__(self) -> str:
        return f"column {self.name} {SENTENCES[self.kind]}"


SENTENCES = {
    "identifier": "looks like a row number, which says nothing about classes: leave it out.",
    "constant": "has the same value in all rows of both domains.",
    "scale": (
        "varies more than a hundred times as much as most others, and decides all distances: leave it out, or scale "
        "the columns (zscore)."
    ),
}


def odd_columns(Xs: npt.ArrayLike, Xt: npt.ArrayLike) -> list[OddColumn]:
    """Columns that may not be features, in their order.

    Parameters
    ----------
    Xs, Xt : arrays or data frames of shape (n_source, m) and (n_target, m)

    Returns
    -------
    list of OddColumn

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(size=(60, 3)), np.arange(60), np.ones(60)])
    >>> [str(column).split(",")[0] for column in odd_columns(X[:30], X[30:])]
    ['column 3 looks like a row number', 'column 4 has the same value in all rows of both domains.']
    """
    columns: Any = getattr(Xs, "columns", None)
    source, target = np.asarray(Xs), np.asarray(Xt)
    names = [repr(str(name)) for name in columns] if columns is not None else [str(k) for k in range(source.shape[1])]
    constant = (source == source[0]).all(axis=0) & (target == source[0]).all(axis=0)
    numbered = _numbered(source) & _numbered(target)
    deviation = np.maximum(source.std(axis=0), target.std(axis=0))
    varying = ~constant & ~numbered
    large = varying & (deviation > DWARFS * (np.median(deviation[varying]) if varying.any() else 0.0))
    if large.mean() > FEW:
        large[:] = False
    kinds = {"identifier": numbered & ~constant, "constant": constant, "scale": large}
    return [
        OddColumn(name, kind) for number, name in enumerate(names) for kind, found in kinds.items() if found[number]
    ]


def _numbered(X: FloatArray) -> BoolArray:
    """Which columns hold a different whole number in each row: without large gaps, or in order."""
    n = len(X)
    if n < FEWEST_ROWS:
        return np.zeros(X.shape[1], dtype=bool)
    whole = (np.floor(X) == X).all(axis=0)
    found = np.zeros(X.shape[1], dtype=bool)
    for column in np.flatnonzero(whole):
        steps = np.diff(X[:, column])
        in_order = bool((steps > 0).all() or (steps < 0).all())
        dense = np.ptp(X[:, column]) < GAPS * n and len(np.unique(X[:, column])) == n
        found[column] = in_order or dense
    return found
