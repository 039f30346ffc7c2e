"""The figures that the paper prints, beside which ours stand."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TypeAlias

from tsrp.datasets.record import ARROW

# Data set, task, column.
Key: TypeAlias = tuple[str, str, str]
# Tables that show each method with and without TSRP, and those that compare DICD+TSRP with eight others.
IMPROVEMENT, COMPARISON = "improvement", "comparison"
# The paper's comparisons, each of one or more data sets; its other tables are named like their data set.
COMPARISONS = {
    "comparison-surf-digits-coil": ("office-caltech-surf", "mnist-usps", "coil20"),
    "comparison-decaf6": ("office-caltech-decaf6",),
    "comparison-pie": ("cmu-pie",),
}
# Columns that no known setting reproduces: DTSL's was chosen for each task, of the others there is no program.
INEXACT = ("DTSL", "CDML", "RTML")
# Columns whose COIL1 is COIL2 here, and the reverse.
EXCHANGED = {("coil20", column) for column in ("PCA", "TCA", "TJM")}
# What the paper's text says of the trust of TSRP.
TRUST_IN_TEXT = {
    "office-caltech-surf": 0.9,
    "office-caltech-decaf6": 0.85,
    "cmu-pie": 0.9,
    "mnist-usps": 0.85,
    "coil20": 0.85,
}


@cache
def published(table: str) -> dict[Key, float]:
    """Accuracies in per cent by data set, task and column, as they are printed.

    Parameters
    ----------
    table : {"improvement", "comparison"}

    Examples
    --------
    >>> published("improvement")["office-caltech-surf", "C -> A", "DICD+TSRP"]
    47.81
    """
    return {
        (row["dataset"], row["task"], row["column"]): float(row["accuracy"])
        for row in _read("published.csv")
        if row["table"] == table
    }


@cache
def published_by_task(table: str) -> dict[Key, float]:
    """The same figures under the tasks that they are for, where the paper has other names for them."""
    figures = {}
    for (dataset, task, column), figure in published(table).items():
        if (dataset, column) in EXCHANGED:
            task = ARROW.join(reversed(task.split(ARROW)))
        figures[dataset, task, column] = figure
    return figures


@cache
def published_summaries(name: str) -> dict[tuple[str, str], float]:
    """The averages and improvements that a table prints, by row and column; none for tables that are not the paper's.

    Examples
    --------
    >>> published_summaries("coil20")["Average improvement", "DICD+TSRP"]
    2.85
    """
    return {
        (row["row"], row["column"]): float(row["figure"])
        for row in _read("published_summaries.csv")
        if row["table"] == name
    }


def _read(name: str) -> Iterator[dict[str, str]]:
    text = files("tsrp.experiments").joinpath(name).read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines())
