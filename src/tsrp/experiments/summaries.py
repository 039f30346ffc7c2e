"""The last rows of a table: averages over its tasks, and what TSRP gains on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

WITH_TSRP = "+TSRP"
AVERAGE = "Average accuracy"


def gain(before: float, after: float) -> float:
    """How many points TSRP brings."""
    return after - before


def relative_gain(before: float, after: float) -> float | None:
    """How much of the error is gone, in per cent; None if there was no error."""
    return None if before == 100 else 100 * (after - before) / (100 - before)


GAINS = {"Average improvement": gain, "Relative improvement": relative_gain}


def base_of(column: str) -> str | None:
    """The column without TSRP beside which one with TSRP stands.

    Examples
    --------
    >>> base_of("BDA auto+TSRP")
    'BDA auto'
    """
    return column.removesuffix(WITH_TSRP) if column.endswith(WITH_TSRP) else None


def summarise(figures: Mapping[str, Sequence[float | None]]) -> dict[tuple[str, str], float]:
    """Averages and gains by row and column; a column that lacks a figure has none.

    Parameters
    ----------
    figures : mapping of column to its accuracies in per cent, task by task

    Examples
    --------
    >>> summarise({"NN": [40, 60], "NN+TSRP": [45, 65]})["Relative improvement", "NN+TSRP"]
    10.0
    """
    found = {
        (AVERAGE, column): fmean(known)
        for column, every in figures.items()
        if (known := [figure for figure in every if figure is not None]) and len(known) == len(every)
    }
    for column in figures:
        before, after = found.get((AVERAGE, base_of(column) or "")), found.get((AVERAGE, column))
        if before is None or after is None:
            continue
        for row, measure in GAINS.items():
            if (value := measure(before, after)) is not None:
                found[row, column] = value
    return found
