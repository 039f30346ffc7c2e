"""The stronger methods beside DICD: a table for each data set, from the results."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from statistics import fmean

from tsrp.datasets.catalogue import DATASETS
from tsrp.experiments.paper_tables import Grouped, PaperTable, by_column, summary_rows, task_rows
from tsrp.experiments.published import Key
from tsrp.experiments.runs import STRONG, STRONG_TASKS, TSRP_LEFT_OUT, Run, paper_grid, strong_grid
from tsrp.experiments.scoring import Result, other_files
from tsrp.experiments.summaries import base_of

KIND = "strong"
# What they are measured against: the best of the paper's methods.
RIVAL = "dicd"


@cache
def references() -> dict[Key, float]:
    """Accuracies in per cent by data set, task and column, of plain prototypes that follow the authors' programs.

    Examples
    --------
    >>> references()["office-caltech-surf", "C -> A", "AGE-CS"]
    60.54
    """
    text = files("tsrp.experiments").joinpath("strong_references.csv").read_text(encoding="utf-8")
    return {
        (row["dataset"], row["task"], row["column"]): float(row["accuracy"])
        for row in csv.DictReader(text.splitlines())
    }


def strong_tables(
    datasets: Iterable[str],
    results: Mapping[Run, Result],
    data_dir: Path | None = None,
    runs: Iterable[Run] | None = None,
) -> list[PaperTable]:
    """A table for each data set on which any of the stronger methods was run: DICD, then these, with and without TSRP.

    Parameters
    ----------
    datasets : iterable of str
    results : mapping of Run to Result
        What there is; nothing is computed here.
    data_dir : Path, optional
        Where the data sets are, to say of missing figures that their data are missing.
    runs : iterable of Run, optional
        Those of both groups on these data sets, if they are there already.

    Returns
    -------
    list of PaperTable
        The figures beside the measured ones are `references`.
    """
    chosen = list(datasets)
    every = list(runs) if runs is not None else [*paper_grid(chosen), *strong_grid(chosen)]
    grouped = {key: own for key, own in by_column(every).items() if own[0].spec.base == RIVAL or is_strong(key[2])}
    ran = {run.dataset for (_, _, column), own in grouped.items() if is_strong(column) for run in own if run in results}
    return [_table(name, grouped, results, data_dir) for name in DATASETS if name in chosen and name in ran]


def is_strong(column: str) -> bool:
    """Whether a column is that of a stronger method, with or without TSRP."""
    return (base_of(column) or column) in STRONG


def _table(dataset: str, grouped: Grouped, results: Mapping[Run, Result], data_dir: Path | None) -> PaperTable:
    about = DATASETS[dataset]
    columns = tuple(dict.fromkeys(column for name, _, column in grouped if name == dataset))
    places = [(dataset, task, task) for task in about.task_names]
    rows = task_rows(columns, places, grouped, results, data_dir, references())
    own = [run for (name, _, _), found in grouped.items() if name == dataset for run in found]
    others = other_files(results[run] for run in own if run in results)
    return PaperTable(
        KIND,
        f"strong-{dataset}",
        f"Stronger methods: {about.title}",
        columns,
        (*rows, *summary_rows(columns, rows, {})),
        source="reference",
        notes=(*others.values(), *_notes(dataset, grouped)),
        other_files=frozenset(others),
    )


def _notes(dataset: str, grouped: Grouped) -> Iterator[str]:
    """Where a method does not have the data set's own preprocessing, and where tasks or TSRP were left out."""
    about = DATASETS[dataset]
    prepared: dict[str, dict[str, None]] = {}
    for (name, _, column), own in grouped.items():
        preprocess = own[0].spec.preprocess
        if name == dataset and column in STRONG and preprocess != about.preprocess:
            prepared.setdefault(preprocess, {})[column] = None
    for preprocess, columns in prepared.items():
        yield f"{about.title}: {_listed(columns)} with preprocessing {preprocess}, the others with {about.preprocess}."
    if dataset in STRONG_TASKS:
        tasks = _listed(STRONG_TASKS[dataset])
        yield f"{about.title}: only on {tasks}, where each domain is source and target once; all would take long."
    if dataset in TSRP_LEFT_OUT:
        yield f"{about.title}: TSRP was not run around {_listed(TSRP_LEFT_OUT[dataset])}, which would take long."


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def cpu_seconds(grouped: Grouped, results: Mapping[Run, Result]) -> dict[tuple[str, str], float]:
    """The processor time of a fit, by data set and column: the mean over the tasks whose time was measured."""
    found: dict[tuple[str, str], list[float]] = {}
    for (dataset, _, column), runs in grouped.items():
        for run in runs:
            taken = results[run].cpu_seconds if run in results else None
            if taken is not None:
                found.setdefault((dataset, column), []).append(taken)
    return {place: fmean(times) for place, times in found.items()}
