"""Both domains in the plane, projected by JDA and DICD without and with TSRP."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tsrp._types import FloatArray
from tsrp.datasets.catalogue import DATASETS
from tsrp.datasets.loading import load_task
from tsrp.datasets.record import Domain, Task
from tsrp.experiments.figures.choice import first_on_disk
from tsrp.experiments.figures.layout import PANEL, frame, headline, legend, sheet
from tsrp.experiments.runs import Run, make_run
from tsrp.experiments.scoring import Result
from tsrp.report.style import CLASS_COLOURS, FAINT, INK, arrow, plane

METHODS = ("jda", "jda+tsrp", "dicd", "dicd+tsrp")
# The paper's task, then its photographs in other features, the most similar ones first.
TASKS = tuple((f"office-caltech-{features}", "A -> D") for features in ("decaf6", "mobilenetv2", "surf"))
# Samples of each domain: all of them would hide each other.
IN_PLANE = 500


def runs(data_dir: Path | None) -> list[Run]:
    """What `draw` needs."""
    return [make_run(*first_on_disk(TASKS, data_dir), method) for method in METHODS]


def draw(results: Mapping[Run, Result], data_dir: Path | None) -> Figure:
    """Four planes, coloured by class; the source as dots, the target as rings."""
    wanted = runs(data_dir)
    task = load_task(wanted[0].dataset, wanted[0].task, data_dir=data_dir)
    rng = np.random.default_rng(0)
    source, target = (rng.permutation(len(side.X))[:IN_PLANE] for side in (task.source, task.target))
    figure = sheet(9.4)
    for axes, run in zip(figure.subplots(2, 2).flat, wanted, strict=True):
        Zs, Zt = projected(run.spec.build(), task)
        points = plane(np.vstack([Zs[source], Zt[target]]))
        _scatter(axes, points[: len(source)], task.source, source, is_source=True)
        _scatter(axes, points[len(source) :], task.target, target, is_source=False)
        axes.set_title(f"{run.spec.name.upper()}: {results[run].percent:.2f} % right", fontsize=PANEL, color=INK)
        frame(axes)
    headline(figure, f"{_name(wanted[0])}, as each method projects it")
    _legend(figure, task, _reason(wanted[0]))
    return figure


def caption(results: Mapping[Run, Result], data_dir: Path | None) -> str:
    """What is shown, and why, if it is not what the paper shows."""
    run = runs(data_dir)[0]
    what = f"t-SNE of {_name(run)}, of at most {IN_PLANE} samples of each domain."
    return " ".join(filter(None, (what, _reason(run))))


def _reason(run: Run) -> str:
    """Why this task and not the paper's; nothing if it is the paper's."""
    shown, paper = (run.dataset, run.task), make_run(*TASKS[0], METHODS[0])
    if shown == TASKS[0]:
        return ""
    nearest = "these are the same photographs in other features" if shown in TASKS else "these are the embedded digits"
    return f"The paper shows {_name(paper)}, which is not on this disk: {nearest}."


def _name(run: Run) -> str:
    return f"{DATASETS[run.dataset].title}, {arrow(run.task)}"


def projected(method: Any, task: Task) -> tuple[FloatArray, FloatArray]:
    """Source and target as a method projects them, once it is fitted to them."""
    model = method.fit(task.source.X, task.source.y, task.target.X)
    return model.project_source(task.source.X), model.transform(task.target.X)


def _colours(domain: Domain) -> Mapping[int, str]:
    return {label: CLASS_COLOURS[i % len(CLASS_COLOURS)] for i, label in enumerate(domain.class_names)}


def _scatter(axes: Axes, points: FloatArray, domain: Domain, chosen: Any, *, is_source: bool) -> None:
    colours = [_colours(domain)[label] for label in domain.y[chosen]]
    if is_source:
        axes.scatter(points[:, 0], points[:, 1], s=12, c=colours, linewidths=0)
    else:
        axes.scatter(points[:, 0], points[:, 1], s=26, facecolors="none", edgecolors=colours, linewidths=0.9)


def _legend(figure: Figure, task: Task, note: str) -> None:
    def mark(colour: str, fill: str, name: str) -> Line2D:
        return Line2D([], [], ls="", marker="o", ms=6, color=colour, markerfacecolor=fill, label=name)

    marks = [
        mark(FAINT, FAINT, f"source: {task.source.name}"),
        mark(FAINT, "none", f"target: {task.target.name}"),
        *(mark(colour, colour, task.source.class_names[label]) for label, colour in _colours(task.source).items()),
    ]
    legend(figure, marks, note, columns=6)
