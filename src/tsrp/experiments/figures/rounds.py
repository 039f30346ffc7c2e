"""Accuracy round by round, averaged over tasks: what the trees bring, and what the strong classifier learns from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tsrp._types import FloatArray
from tsrp.datasets.catalogue import DATASETS, PAPER
from tsrp.experiments.figures.choice import datasets_on_disk, tasks_on_disk
from tsrp.experiments.figures.layout import headline, legend, name_axes, name_panel, sheet
from tsrp.experiments.runs import ORACLE, Run, make_run
from tsrp.experiments.scoring import Result
from tsrp.report.style import FAINT, RIGHT, THIRD, WRONG, arrow, percent_axis, plain
from tsrp.spec import MethodSpec

BASES = ("jda", "bda", "dicd")
# The ablations on the 20 tasks of CMU-PIE would be 480 fits more; the paper shows these figures on Office-Caltech.
SHOWN = tuple(name for name in PAPER if name != "cmu-pie")
BDA_NOTE = "BDA at the best of ten mu on each task, chosen by accuracy, as in the paper."


@dataclass(frozen=True)
class Line:
    """The end of a method's name, the name in the legend, and the looks."""

    end: str
    name: str
    colour: str
    marker: str

    @property
    def short(self) -> str:
        """The name in a sentence."""
        return self.name.removeprefix("with ").partition(":")[0]


@dataclass(frozen=True)
class Ablation:
    """TSRP, the last line, beside what it is without one of its parts."""

    title: str
    lines: tuple[Line, ...]
    note: str = BDA_NOTE


TREES = Ablation(
    "What TSRP and its trees bring",
    (
        Line("", "the method alone", FAINT, "s"),
        Line("+tsrp_n", "with TSRP_N: no trees", WRONG, "^"),
        Line("+tsrp", "with TSRP", RIGHT, "o"),
    ),
)
STRONG = Ablation(
    "What the strong classifier learns from",
    (
        Line("+tsrp_c", "with TSRP_C: it learns from the source only", THIRD, "s"),
        Line("+tsrp", "with TSRP: also from the confident target samples", RIGHT, "o"),
    ),
    f"{BDA_NOTE}\nWith 1-nearest-neighbour TSRP_C changes no label: it is the method alone.",
)


def runs(ablation: Ablation, data_dir: Path | None) -> list[Run]:
    """What `draw` needs."""
    return runs_on(ablation, datasets_on_disk(data_dir, SHOWN), data_dir)


def draw(ablation: Ablation, results: Mapping[Run, Result], data_dir: Path | None) -> Figure:
    """A row a data set, a column a method."""
    datasets = datasets_on_disk(data_dir, SHOWN)
    figure = sheet(1.5 + 1.65 * len(datasets))
    grid = figure.subplots(len(datasets), len(BASES), squeeze=False, sharex=True, sharey="row")
    for row, dataset in zip(grid, datasets, strict=True):
        tasks = tasks_on_disk(dataset, data_dir)
        draw_row(ablation, row, dataset, tasks, results)
        every = len(DATASETS[dataset].task_names)
        count = arrow(tasks[0]) if every == 1 else f"average of {len(tasks)} of {every} tasks"
        name_axes(row[0], y=f"{DATASETS[dataset].title}\n{count}\naccuracy, %".replace("Office-Caltech, ", ""))
    finish(ablation, figure, f"{ablation.title}, round by round", grid)
    return figure


def caption(ablation: Ablation, results: Mapping[Run, Result], data_dir: Path | None) -> str:
    """In how many averages TSRP ends above the other lines, and in how many below."""
    places = [(dataset, tasks_on_disk(dataset, data_dir)) for dataset in datasets_on_disk(data_dir, SHOWN)]
    return f"Averages of the tasks on this disk. {comparison(ablation, places, results, 'averages')}"


def runs_on(ablation: Ablation, datasets: Iterable[str], data_dir: Path | None) -> list[Run]:
    """The runs of all lines on every task that is on this disk."""
    return [
        run
        for dataset in datasets
        for task in tasks_on_disk(dataset, data_dir)
        for base in BASES
        for line in ablation.lines
        for run in _choices(dataset, task, base + line.end)
    ]


def draw_row(
    ablation: Ablation, row: Sequence[Axes], dataset: str, tasks: Sequence[str], results: Mapping[Run, Result]
) -> None:
    """A panel a method, with the accuracies of each line averaged over some tasks."""
    for axes, base in zip(row, BASES, strict=True):
        plain(axes)
        for line in ablation.lines:
            accuracy = average(dataset, tasks, base + line.end, results)
            x = np.arange(1, len(accuracy) + 1)
            axes.plot(x, accuracy, color=line.colour, marker=line.marker, ms=3.5, lw=1.5, label=line.name)
        axes.set_xticks(x[::3])
    percent_axis(*row)


def finish(ablation: Ablation, figure: Figure, title: str, *grids: Any) -> None:
    """Names of columns, headline and legend for one or more arrays of panels."""
    for grid in grids:
        for axes, base in zip(grid[0], BASES, strict=True):
            name_panel(axes, base.upper())
        for axes in grid[-1]:
            name_axes(axes, x="round")
    headline(figure, title)
    handles, _ = grids[0][0][0].get_legend_handles_labels()
    legend(figure, handles, ablation.note)


def comparison(
    ablation: Ablation, places: Sequence[tuple[str, Sequence[str]]], results: Mapping[Run, Result], what: str
) -> str:
    """In how many places, each some tasks of a data set, TSRP ends above the other lines, and in how many below."""
    *others, last = ablation.lines
    against = []
    for line in others:
        counts = []
        for base in BASES:
            gains = [
                average(*place, base + last.end, results)[-1] - average(*place, base + line.end, results)[-1]
                for place in places
            ]
            counts.append(f"{sum(g > 0 for g in gains)} and {sum(g < 0 for g in gains)} with {base.upper()}")
        against.append(f"against {line.short} {', '.join(counts)}")
    return f"Wins and losses of TSRP after the last round, of {len(places)} {what}: {'; '.join(against)}."


def average(dataset: str, tasks: Sequence[str], method: str, results: Mapping[Run, Result]) -> FloatArray:
    """Accuracies in per cent after each round, averaged over some tasks."""
    return np.mean([_best_rounds(_choices(dataset, task, method), results) for task in tasks], axis=0)


def _choices(dataset: str, task: str, method: str) -> list[Run]:
    choices = ORACLE.get(MethodSpec(method).base, [{}])
    return [make_run(dataset, task, method, choice) for choice in choices]


def _best_rounds(runs: Sequence[Run], results: Mapping[Run, Result]) -> FloatArray:
    """Accuracies in per cent of the choice that ends best; labels that have settled stay as they are."""
    best = max((results[run] for run in runs), key=lambda result: result.percent)
    limit = best.run.spec.settings["max_iter"]
    accuracy = [100 * r.accuracy for r in best.rounds]
    return np.array(accuracy + accuracy[-1:] * (limit - len(accuracy)))
