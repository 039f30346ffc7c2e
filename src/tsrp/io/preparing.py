"""Files as people have them: categories as zeros and ones, and values in the place of gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tsrp._types import BoolArray, FloatArray
from tsrp.exceptions import InputError
from tsrp.io.files import listed
from tsrp.io.readers import Table
from tsrp.io.written import is_unknown
from tsrp.lookup import check_name
from tsrp.memory import check_memory

IMPUTERS: dict[str, Callable[..., FloatArray]] = {"mean": np.nanmean, "median": np.nanmedian}
# What an empty cell of a category is called.
MISSING = "missing"
# Bytes of a zero or one: as it is compared, as a number, and among the other features.
PER_INDICATOR = 17


def one_hot(source: Table, target: Table, columns: list[str]) -> tuple[Table, Table]:
    """Source and target with a feature of zeros and ones for each value that a category has in either of them.

    Parameters
    ----------
    source, target : Table
        With the categories among the columns that were read beside the features.
    columns : list of str
        The categories.

    Returns
    -------
    source, target : Table
        With features such as ``"colour=red"`` behind the others; a note names the values that one domain lacks.
    """
    for name in columns:
        ours, theirs = (category(table.beside[name]) for table in (source, target))
        values = sorted({*ours, *theirs})
        _check_room(source, name, values, len(ours) + len(theirs))
        notes = []
        for where, other, lacking in (
            ("target", "source", sorted({*theirs} - {*ours})),
            ("source", "target", sorted({*ours} - {*theirs})),
        ):
            if lacking:
                notes.append(f"values of {name} in the {where} that the {other} does not have: {listed(lacking)}")
        source = _with_features(source, name, values, indicators(ours, values))
        target = _with_features(target, name, values, indicators(theirs, values))
        target = replace(target, notes=(*target.notes, *notes))
    return source, target


def _check_room(table: Table, column: str, values: list[str], n_rows: int) -> None:
    """Refuse a category whose features have no place in memory, or a name that another feature has."""
    check_memory(
        f"{table.path}: `categorical` {column} with its {len(values):,} values",
        n_rows * len(values) * PER_INDICATOR,
        "`drop` the column",
    )
    taken = {*(table.names or [])}.intersection(feature_name(column, value) for value in values)
    if taken:
        raise InputError(
            f"{table.path} has a column {min(taken)!r}, as the feature of a value of {column!r} would be called: "
            "rename or `drop` it."
        )


def category(cells: Any) -> list[str]:
    """Cells as the names of categories."""
    return [MISSING if is_unknown(cell) else str(cell).strip() for cell in cells]


def indicators(cells: list[str], values: list[str]) -> FloatArray:
    """A column of zeros and ones for each value; a cell with another value is a row of zeros."""
    return (np.array(cells, dtype=object)[:, None] == np.array(values, dtype=object)).astype(np.float64)


def feature_name(column: str, value: str) -> str:
    """What the feature of a category's value is called.

    Examples
    --------
    >>> feature_name("colour", "red")
    'colour=red'
    """
    return f"{column}={value}"


def impute(table: Table, strategy: str) -> Table:
    """A table whose gaps are filled with the mean or the median of their column, in this domain by itself.

    Parameters
    ----------
    table : Table
    strategy : {"mean", "median"}

    Returns
    -------
    table : Table
        With what fills gaps, and a note that says how many there were.
    """
    statistic = IMPUTERS[check_name("impute", strategy, IMPUTERS)]
    gaps = np.isnan(table.X)
    check_fillable(table, np.all(gaps, axis=0))
    fill = statistic(table.X, axis=0)
    if not gaps.any():
        return replace(table, fill=fill)
    notes = (*table.notes, *gap_notes(table, strategy, int(gaps.sum())))
    return replace(table, X=filled(table.X, fill), fill=fill, notes=notes)


def check_fillable(table: Table, empty: BoolArray) -> None:
    """Refuse columns that have nothing to fill their gaps with."""
    if empty.any():
        first = int(empty.argmax())
        column = first + 1 if table.names is None else repr(table.names[first])
        raise InputError(f"{table.path}: column {column} holds no number at all, so nothing can fill it; `drop` it.")


def gap_notes(table: Table, strategy: str, n_gaps: int) -> list[str]:
    """What the user should be told of gaps that were filled."""
    return [f"gaps of {table.path.name} filled with the {strategy} of their column: {n_gaps:,}"] if n_gaps else []


def filled(X: FloatArray, fill: FloatArray) -> FloatArray:
    """Samples with a value for each gap, by its feature.

    Examples
    --------
    >>> filled(np.array([[np.nan, 2.0]]), np.array([7.0, 8.0]))
    array([[7., 2.]])
    """
    return np.where(np.isnan(X), fill, X).astype(X.dtype)


def _with_features(table: Table, column: str, values: list[str], X: FloatArray) -> Table:
    names = [*(table.names or []), *(feature_name(column, value) for value in values)]
    return replace(table, X=np.hstack([table.X, X.astype(table.X.dtype)]), names=names)
