"""Average accuracy of all methods, in ascending order, on each data set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tsrp.bench.cells import Cell, grid, is_on_disk
from tsrp.bench.published import IMPROVEMENT, published
from tsrp.bench.scoring import Result
from tsrp.bench.tables import PLUS, best_of, column_label
from tsrp.datasets.catalogue import DATASETS
from tsrp.methods import METHODS
from tsrp.report.figures.choice import datasets_on_disk, tasks_on_disk
from tsrp.report.style import FAINT, INK, RIGHT, WRONG, plain

PER_ROW = 3


def cells(data_dir: Path | None) -> list[Cell]:
    """What `draw` needs."""
    every = grid(datasets_on_disk(data_dir, tuple(DATASETS)), METHODS)
    return [cell for cell in every if is_on_disk(cell.dataset, cell.task, data_dir)]


def draw(results: Mapping[Cell, Result], data_dir: Path | None) -> Figure:
    """A panel a data set: ours as dots, filled with TSRP, the paper's averages as ticks above and below."""
    by_column: dict[tuple[str, str], dict[str, list[Cell]]] = {}
    for cell in cells(data_dir):
        by_column.setdefault((cell.dataset, column_label(cell)), {}).setdefault(cell.task, []).append(cell)
    datasets = list(dict.fromkeys(dataset for dataset, _ in by_column))
    n_columns = min(PER_ROW, len(datasets))
    n_rows = -(-len(datasets) // n_columns)
    figure = Figure(figsize=(max(7.0, 3.5 * n_columns), 1.0 + 3.1 * n_rows), layout="constrained")
    panels = figure.subplots(n_rows, n_columns, squeeze=False).flat
    figures = published(IMPROVEMENT)
    for axes, dataset in zip(panels, datasets, strict=False):
        averages = {}
        for (name, column), tasks in by_column.items():
            entries = [best_of(choices, results).measured for choices in tasks.values()]
            if name == dataset and None not in entries:
                averages[column] = float(np.mean([entry for entry in entries if entry is not None]))
        ascending = sorted(averages, key=lambda column: averages[column])
        for height, column in enumerate(ascending):
            paper = [figures.get((dataset, task, column)) for task in by_column[dataset, column]]
            known = [figure for figure in paper if figure is not None]
            if known and len(known) == len(paper):
                axes.plot(np.mean(known), height, "|", ms=14, mec=WRONG, mew=1.6)
            fill = RIGHT if column.endswith(PLUS) else "white"
            axes.plot(averages[column], height, "o", ms=6.5, mfc=fill, mec=RIGHT, mew=1.4)
            place = averages[column], height
            text = axes.annotate(f"{averages[column]:.1f}", place, (8, 0), textcoords="offset points", fontsize=8)
            text.set(va="center", color=INK)
        plain(axes)
        axes.set_yticks(range(len(ascending)), ascending, fontsize=8)
        low, high = min(averages.values()), max(averages.values())
        axes.set_xlim(low - 0.1 * (high - low), high + 0.22 * (high - low))
        tasks_here = len(tasks_on_disk(dataset, data_dir))
        count = f"{tasks_here} of {len(DATASETS[dataset].tasks)} tasks"
        axes.set_title(f"{DATASETS[dataset].title}\n{count}", fontsize=10, weight="bold", color=INK)
        axes.set_xlabel("average accuracy, %", fontsize=8)
    for axes in list(figure.axes)[len(datasets) :]:
        axes.remove()
    figure.suptitle("All methods in ascending order", fontsize=14, weight="bold", color=INK)
    note = "BDA: at the best of ten mu on each task, chosen by accuracy, as in the paper; auto: mu found without labels"
    marks = [
        Line2D([], [], ls="", marker="o", ms=6.5, mfc="white", mec=RIGHT, mew=1.4, label="method alone"),
        Line2D([], [], ls="", marker="o", ms=6.5, mfc=RIGHT, mec=RIGHT, mew=1.4, label="with TSRP"),
        Line2D([], [], ls="", marker="|", ms=14, mec=WRONG, mew=1.6, label="published, same tasks"),
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=3, frameon=False, fontsize=9, title=note)
    figure.legends[0].get_title().set(fontsize=8, color=FAINT)
    return figure
