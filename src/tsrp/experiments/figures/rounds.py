"""Accuracy round by round: what the trees bring, and what the strong classifier brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from tsrp._types import FloatArray
from tsrp.datasets.catalogue import DATASETS
from tsrp.experiments.figures.choice import datasets_on_disk, tasks_on_disk
from tsrp.experiments.runs import ORACLE, Run, make_run
from tsrp.experiments.scoring import Result
from tsrp.report.style import FAINT, INK, RIGHT, THIRD, WRONG, arrow, percent_axis, plain
from tsrp.spec import MethodSpec

BASES = ("jda", "bda", "dicd")
# The end of a method's name, the name in the legend, colour and marker.
Line = tuple[str, str, str, str]
TREES: tuple[Line, ...] = (
    ("", "the method alone", FAINT, "s"),
    ("+tsrp_n", "with TSRP_N: no trees", WRONG, "^"),
    ("+tsrp", "with TSRP", RIGHT, "o"),
)
STRONG: tuple[Line, ...] = (
    ("+tsrp_c", "with TSRP_C: strong classifier trained on the source only", THIRD, "s"),
    ("+tsrp", "with TSRP: trained on the source and the confident target samples", RIGHT, "o"),
)
BDA_NOTE = "BDA at the best of ten mu on each task, chosen by accuracy, as in the paper."
NN_NOTE = "With 1-nearest-neighbour TSRP_C changes no label: it is the method alone."


def tree_runs(data_dir: Path | None) -> list[Run]:
    """What `draw_trees` needs."""
    return _runs(TREES, data_dir)


def strong_runs(data_dir: Path | None) -> list[Run]:
    """What `draw_strong` needs."""
    return _runs(STRONG, data_dir)


def draw_trees(results: Mapping[Run, Result], data_dir: Path | None) -> Figure:
    """TSRP, TSRP_N and the method alone."""
    return _draw(TREES, results, data_dir, "What TSRP and its trees bring, round by round", BDA_NOTE)


def draw_strong(results: Mapping[Run, Result], data_dir: Path | None) -> Figure:
    """TSRP and TSRP_C."""
    title = "What the strong classifier learns from, round by round"
    return _draw(STRONG, results, data_dir, title, f"{BDA_NOTE} {NN_NOTE}")


def _runs(lines: Sequence[Line], data_dir: Path | None) -> list[Run]:
    return [
        run
        for dataset in datasets_on_disk(data_dir)
        for task in tasks_on_disk(dataset, data_dir)
        for base in BASES
        for end, *_ in lines
        for run in _choices(dataset, task, base + end)
    ]


def _choices(dataset: str, task: str, method: str) -> list[Run]:
    choices = ORACLE.get(MethodSpec(method).base, [{}])
    return [make_run(dataset, task, method, choice) for choice in choices]


def _draw(lines: Sequence[Line], results: Mapping[Run, Result], data_dir: Path | None, title: str, note: str) -> Figure:
    datasets = datasets_on_disk(data_dir)
    figure = Figure(figsize=(9.5, 1.3 + 2.3 * len(datasets)), layout="constrained")
    grid = figure.subplots(len(datasets), len(BASES), squeeze=False, sharex=True)
    for row, dataset in zip(grid, datasets, strict=True):
        tasks = tasks_on_disk(dataset, data_dir)
        for axes, base in zip(row, BASES, strict=True):
            plain(axes)
            for end, name, colour, marker in lines:
                accuracy = np.mean(
                    [_best_rounds(_choices(dataset, task, base + end), results) for task in tasks], axis=0
                )
                x = np.arange(1, len(accuracy) + 1)
                axes.plot(x, accuracy, color=colour, marker=marker, ms=4, lw=1.6, label=name)
            axes.set_xticks(x)
            percent_axis(axes)
        count = f"average of {len(tasks)} tasks" if len(tasks) > 1 else arrow(tasks[0])
        row[0].set_ylabel(f"{DATASETS[dataset].title}\n{count}\naccuracy, %", fontsize=9, color=INK)
    for axes, base in zip(grid[0], BASES, strict=True):
        axes.set_title(base.upper(), fontsize=12, weight="bold", color=INK)
    for axes in grid[-1]:
        axes.set_xlabel("round", fontsize=9, color=INK)
    figure.suptitle(title, fontsize=14, weight="bold", color=INK)
    handles, names = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False, fontsize=9, title=note)
    figure.legends[0].get_title().set(fontsize=8, color=FAINT)
    return figure


def _best_rounds(runs: Sequence[Run], results: Mapping[Run, Result]) -> FloatArray:
    """Accuracies in per cent of the choice that ends best; labels that have settled stay as they are."""
    best = max((results[run] for run in runs), key=lambda result: result.percent)
    limit = best.run.spec.settings["max_iter"]
    accuracy = [100 * r.accuracy for r in best.rounds]
    return np.array(accuracy + accuracy[-1:] * (limit - len(accuracy)))
