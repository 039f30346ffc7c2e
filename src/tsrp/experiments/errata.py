"""What the paper prints and cannot have meant, found by recomputing it from its other figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from statistics import fmean
from typing import TypeAlias

from tsrp.datasets.catalogue import DATASETS
from tsrp.datasets.loading import find_task
from tsrp.experiments.published import (
    COMPARISON,
    COMPARISONS,
    IMPROVEMENT,
    INEXACT,
    Key,
    published_by_task,
    published_summaries,
)
from tsrp.experiments.summaries import AVERAGE, GAINS, base_of, summarise

OTHER = {IMPROVEMENT: COMPARISON, COMPARISON: IMPROVEMENT}
# How far a figure of two decimals is from what it stands for.
HALF = 0.005
# Wrong names, which no figure tells, by table and data set.
MISNAMED = {
    (COMPARISON, "cmu-pie"): "The last row is printed as C29 -> C29; it is C29 -> C27.",
    (COMPARISON, "coil20"): (
        "The columns PCA, TCA and TJM name the domains of COIL20 the other way round; their figures stand here beside "
        "the tasks that they are for."
    ),
}


@dataclass(frozen=True)
class Misprint:
    """A printed accuracy that cannot be one on that many samples, and what the other table has instead, if it does."""

    printed: float
    n_samples: int
    instead: float | None


@dataclass(frozen=True)
class SummaryErratum:
    """An average or improvement that does not follow from the printed tasks.

    `instead` is what does; None if one of the tasks is a misprint itself, and nothing tells what was meant.
    """

    printed: float
    instead: float | None
    is_rounding: bool


def is_accuracy(figure: float, n_samples: int) -> bool:
    """Whether some number of right labels gives this percentage, rounded or cut to the hundredth.

    Examples
    --------
    >>> is_accuracy(39.66, 295), is_accuracy(39.72, 295)
    (True, False)
    """
    hundredths = round(100 * figure)
    # The least number of right labels that may be rounded to the figure; cut, it must not reach the next one.
    n_right = -(-(2 * hundredths - 1) * n_samples // 20_000)
    return 10_000 * n_right < (hundredths + 1) * n_samples


@cache
def misprints(kind: str) -> dict[Key, Misprint]:
    """Of the tables of one kind: figures that are no accuracies on the samples of their task.

    `INEXACT` columns are left out: how their figures came about is not known, and many are averages of some kind.

    Examples
    --------
    >>> misprints("improvement")
    {('office-caltech-surf', 'A -> W', 'BDA+TSRP'): Misprint(printed=39.72, n_samples=295, instead=None)}
    """
    other = published_by_task(OTHER[kind])
    found = {}
    for key, figure in published_by_task(kind).items():
        dataset, task, column = key
        about = DATASETS[dataset]
        n_samples = about.domains[find_task(about, task)[1]].n_samples
        if column not in INEXACT and not is_accuracy(figure, n_samples):
            instead = other.get(key)
            is_known = instead is not None and is_accuracy(instead, n_samples)
            found[key] = Misprint(figure, n_samples, instead if is_known else None)
    return found


@cache
def comparable(kind: str) -> dict[Key, float]:
    """The published figures to compare with, under the tasks that they are for: misprints corrected, or left out."""
    figures = {**published_by_task(kind), **{key: wrong.instead for key, wrong in misprints(kind).items()}}
    return {key: figure for key, figure in figures.items() if figure is not None}


# By row and column.
SummaryErrata: TypeAlias = Mapping[tuple[str, str], SummaryErratum]


def summary_errata(name: str) -> SummaryErrata:
    """The printed averages and improvements of a table that differ from those of its tasks.

    Examples
    --------
    >>> wrong = summary_errata("cmu-pie")["Average accuracy", "NN"]
    >>> wrong.printed, round(wrong.instead, 2), wrong.is_rounding
    (35.46, 34.76, False)
    """
    printed = published_summaries(name)
    figures = comparable(COMPARISON if name in COMPARISONS else IMPROVEMENT)
    tasks = [(dataset, task) for dataset in COMPARISONS.get(name, (name,)) for task in DATASETS[dataset].task_names]
    columns = dict.fromkeys(column for _, column in printed)
    found = summarise({column: [figures.get((*task, column)) for task in tasks] for column in columns})
    errata = {
        place: SummaryErratum(figure, found.get(place), _is_rounding(figure, *place, found))
        for place, figure in printed.items()
        if place not in found or f"{found[place]:.2f}" != f"{figure:.2f}"
    }
    # Improvements are differences and quotients of rounded figures: that they are a little off is no news.
    return {place: erratum for place, erratum in errata.items() if place[0] == AVERAGE or not erratum.is_rounding}


def _is_rounding(printed: float, row: str, column: str, found: dict[tuple[str, str], float]) -> bool:
    """Whether the figures that it is computed from, each within its rounding, may give the printed one."""
    if (row, column) not in found:
        return False
    after = found[AVERAGE, column]
    if row == AVERAGE:
        reach = [after - HALF, after + HALF]
    else:
        # Tasks are rounded, and averages perhaps once more.
        before = found[AVERAGE, base_of(column) or ""]
        ends = (-2 * HALF, 2 * HALF)
        values = [GAINS[row](before + low, after + high) for low, high in product(ends, ends)]
        reach = [value for value in values if value is not None]
    # A billionth for the arithmetic.
    return min(reach) - HALF - 1e-9 <= printed <= max(reach) + HALF + 1e-9


def sentences(kind: str, name: str, places: Sequence[tuple[str, str, str]], summaries: SummaryErrata) -> Iterator[str]:
    """The errata of a table, for a list under it.

    Parameters
    ----------
    kind, name : str
        Of the table.
    places : sequence of (data set, task, label)
        Its rows, as far as they are tasks.
    summaries : mapping of row and column to SummaryErratum
        Those of its averages and improvements.
    """
    for dataset in dict.fromkeys(dataset for dataset, _, _ in places):
        if (kind, dataset) in MISNAMED:
            yield MISNAMED[kind, dataset]
    labels = {(dataset, task): label for dataset, task, label in places}
    for key, misprint in misprints(kind).items():
        if key[:2] in labels:
            yield _of_task(kind, name, key, labels[key[:2]], misprint)
    figures = comparable(kind)
    for (row, column), erratum in summaries.items():
        start = f"{row} of {column}: printed {erratum.printed:.2f}"
        if erratum.instead is not None and erratum.is_rounding:
            yield f"{start}; the mean of the printed tasks, which are rounded, is {erratum.instead:.3f}."
        elif erratum.instead is not None:
            yield f"{start}, but the printed tasks give {erratum.instead:.2f}."
        elif row == AVERAGE:
            others = [figures[dataset, task, column] for dataset, task in labels if (dataset, task, column) in figures]
            yield f"{start}, with the misprint; the other {len(others)} tasks give {fmean(others):.2f}."
        else:
            yield f"{start}, which follows from the misprint."


def _of_task(kind: str, name: str, key: Key, label: str, misprint: Misprint) -> str:
    dataset, _, column = key
    same = [
        f"for {task}"
        for (other, task, method), figure in published_by_task(kind).items()
        if (other, method) == (dataset, column) and figure == misprint.printed and task != key[1]
    ]
    if published_summaries(name).get((AVERAGE, column)) == misprint.printed:
        same.append("as the average")
    return "".join(
        [
            f"{column} on {label}: printed {misprint.printed:.2f}, ",
            f"which no number of right labels among {misprint.n_samples:,} gives",
            f"; it is also printed {' and '.join(same)}" if same else "",
            "" if misprint.instead is None else f"; another table of the paper has {misprint.instead:.2f}",
            ".",
        ]
    )
