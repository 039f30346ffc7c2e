"""Average accuracy of all methods, in ascending order, on each data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tsrp.datasets.catalogue import DATASETS
from tsrp.datasets.loading import is_on_disk
from tsrp.experiments.figures.choice import datasets_on_disk
from tsrp.experiments.paper_tables import WITH_TSRP, PaperTable, Row, common_tasks, tables
from tsrp.experiments.runs import Run, paper_grid
from tsrp.experiments.scoring import Result
from tsrp.report.style import FAINT, INK, RIGHT, WRONG, plain

PER_ROW = 3


def runs(data_dir: Path | None) -> list[Run]:
    """What `draw` needs."""
    every = paper_grid(datasets_on_disk(data_dir, tuple(DATASETS)))
    return [run for run in every if is_on_disk(run.dataset, run.task, data_dir)]


def draw(results: Mapping[Run, Result], data_dir: Path | None) -> Figure:
    """A panel a data set: ours as dots, filled with TSRP, the paper's averages as ticks above and below."""
    datasets = datasets_on_disk(data_dir, tuple(DATASETS))
    n_columns = min(PER_ROW, len(datasets))
    n_rows = -(-len(datasets) // n_columns)
    figure = Figure(figsize=(max(7.0, 3.5 * n_columns), 1.0 + 4.2 * n_rows), layout="constrained")
    panels = figure.subplots(n_rows, n_columns, squeeze=False).flat
    runs = paper_grid(datasets)
    for axes, dataset in zip(panels, datasets, strict=False):
        _panel(axes, tables([dataset], results, data_dir, runs))
    for axes in list(figure.axes)[len(datasets) :]:
        axes.remove()
    figure.suptitle("All methods in ascending order", fontsize=14, weight="bold", color=INK)
    note = (
        "BDA: at the best of ten mu on each task, chosen by accuracy, as in the paper; auto: mu found without labels\n"
        "NN unit: rows of unit length; CDML and RTML: reconstructions"
    )
    marks = [
        Line2D([], [], ls="", marker="o", ms=6.5, mfc="white", mec=RIGHT, mew=1.4, label="method alone"),
        Line2D([], [], ls="", marker="o", ms=6.5, mfc=RIGHT, mec=RIGHT, mew=1.4, label="with TSRP"),
        Line2D([], [], ls="", marker="|", ms=14, mec=WRONG, mew=1.6, label="published, same tasks"),
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=3, frameon=False, fontsize=9, title=note)
    figure.legends[0].get_title().set(fontsize=8, color=FAINT)
    return figure


def _panel(axes: Axes, made: Sequence[PaperTable]) -> None:
    columns, rows = _side_by_side(made)
    present, tasks = common_tasks(rows)
    shown = []
    for i in present:
        entries = [row.entries[i] for row in tasks]
        published = [entry.published for entry in entries if entry.published is not None]
        paper = np.mean(published) if len(published) == len(entries) else None
        shown.append((float(np.mean([entry.measured for entry in entries])), columns[i], paper))
    shown.sort(key=lambda item: item[0])
    low = min(min(measured, measured if paper is None else paper) for measured, _, paper in shown)
    high = max(max(measured, measured if paper is None else paper) for measured, _, paper in shown)
    for height, (measured, column, paper) in enumerate(shown):
        if paper is not None:
            axes.plot(paper, height, "|", ms=12, mec=WRONG, mew=1.6)
        fill = RIGHT if column.endswith(WITH_TSRP) else "white"
        axes.plot(measured, height, "o", ms=5.5, mfc=fill, mec=RIGHT, mew=1.4)
        # Beyond the published tick, where that would stand in the figure.
        beside = paper if paper is not None and 0 < paper - measured < 0.15 * (high - low) else measured
        text = axes.annotate(f"{measured:.1f}", (beside, height), (8, 0), textcoords="offset points", fontsize=7)
        text.set(va="center", color=INK)
    plain(axes)
    axes.set_yticks(range(len(shown)), [column for _, column, _ in shown], fontsize=7)
    axes.set_xlim(low - 0.1 * (high - low), high + 0.22 * (high - low))
    axes.set_title(f"{made[0].title}\n{len(tasks)} of {len(rows)} tasks", fontsize=10, weight="bold", color=INK)
    axes.set_xlabel("average accuracy, %", fontsize=8)


def _side_by_side(made: Sequence[PaperTable]) -> tuple[list[str], list[Row]]:
    """The columns of all tables of a data set, each once, and its tasks with the entries of all of them."""
    places = {column: (table, i) for table in reversed(made) for i, column in enumerate(table.columns)}
    tasks = [row for row in made[0].rows if not row.is_summary]
    rows = [
        Row(task.label, tuple(table.rows[number].entries[i] for table, i in places.values()), task.task)
        for number, task in enumerate(tasks)
    ]
    return list(places), rows
