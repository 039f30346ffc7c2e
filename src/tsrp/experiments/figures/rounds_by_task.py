"""Accuracy round by round on every task of Office-Caltech, as the paper shows it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure

from tsrp.experiments.figures.choice import datasets_on_disk, tasks_on_disk
from tsrp.experiments.figures.layout import name_axes, sheet
from tsrp.experiments.figures.rounds import BASES, Ablation, comparison, draw_row, finish, runs_on
from tsrp.experiments.runs import Run
from tsrp.experiments.scoring import Result
from tsrp.report.style import arrow

# The features in few letters, which all panels have room for.
SHORT = {"office-caltech-surf": "SURF", "office-caltech-decaf6": "DeCAF6"}


def runs(ablation: Ablation, data_dir: Path | None) -> list[Run]:
    """What `draw` needs."""
    return runs_on(ablation, _datasets(data_dir), data_dir)


def draw(ablation: Ablation, results: Mapping[Run, Result], data_dir: Path | None) -> Figure:
    """A row a task, a column a method, in two halves side by side.

    The lines of all tasks in one panel would hide each other: most are within ten points, and two near 90.
    """
    places = _places(data_dir)
    n_rows = -(-len(places) // 2)
    halves = [half for half in (places[:n_rows], places[n_rows:]) if half]
    figure = sheet(1.5 + 0.95 * n_rows)
    grids = []
    for part, half in zip(figure.subfigures(1, len(halves), squeeze=False)[0], halves, strict=True):
        grid = part.subplots(n_rows, len(BASES), squeeze=False, sharex=True, sharey="row")
        for axes in grid[len(half) :].flat:
            axes.remove()
        for row, (dataset, task) in zip(grid, half, strict=False):
            draw_row(ablation, row, dataset, [task], results)
            name_axes(row[0], y="\n".join(filter(None, (SHORT.get(dataset), arrow(task)))))
        for axes in grid[len(half) - 1]:
            axes.tick_params(labelbottom=True)
        part.align_ylabels()
        grids.append(grid[: len(half)])
    finish(ablation, figure, f"{ablation.title}, task by task", *grids)
    return figure


def caption(ablation: Ablation, results: Mapping[Run, Result], data_dir: Path | None) -> str:
    """On how many tasks TSRP ends above the other lines, and on how many below."""
    places = [(dataset, [task]) for dataset, task in _places(data_dir)]
    return f"Accuracy in per cent, each task with a scale of its own. {comparison(ablation, places, results, 'tasks')}"


def _datasets(data_dir: Path | None) -> list[str]:
    return datasets_on_disk(data_dir, tuple(SHORT))


def _places(data_dir: Path | None) -> list[tuple[str, str]]:
    return [(dataset, task) for dataset in _datasets(data_dir) for task in tasks_on_disk(dataset, data_dir)]
