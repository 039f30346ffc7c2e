"""Columns of another kind than features: row numbers, constants, and scales that dwarf all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tsrp._types import BoolArray, FloatArray
from tsrp.io.files import listed

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


IDENTIFIER, CONSTANT, SCALE = "identifier", "constant", "scale"
# What is said of one column of a kind, and of several.
SENTENCES = {
    IDENTIFIER: (
        "column {} looks like a row number; if it is one, leave it out.",
        "{n:,} columns look like row numbers ({}); if they are, leave them out.",
    ),
    CONSTANT: (
        "column {} has the same value in all rows of both domains.",
        "{n:,} columns have the same value in all rows of both domains: {}.",
    ),
    SCALE: (
        "column {} varies more than a hundred times as much as most others and decides all distances; scale the "
        "features (zscore).",
        "{n:,} columns vary more than a hundred times as much as most others and decide all distances ({}); scale the "
        "features (zscore).",
    ),
}


def sentences(columns: Sequence[OddColumn]) -> dict[str, str]:
    """One sentence for the columns of each kind, by the kind.

    Examples
    --------
    >>> sentences([OddColumn("7", "constant"), OddColumn("9", "constant")])
    {'constant': '2 columns have the same value in all rows of both domains: 7, 9.'}
    """
    named = {kind: [column.name for column in columns if column.kind == kind] for kind in SENTENCES}
    return {
        kind: SENTENCES[kind][len(names) > 1].format(listed(names), n=len(names))
        for kind, names in named.items()
        if names
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
    >>> odd_columns(X[:30], X[30:])
    [OddColumn(name='3', kind='identifier'), OddColumn(name='4', kind='constant')]
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
    kinds = {IDENTIFIER: numbered & ~constant, CONSTANT: constant, SCALE: large}
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
