"""Accuracy against TSRP's two parameters, one task of each data set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure

from tsrp.datasets.catalogue import DATASETS
from tsrp.experiments.figures.choice import datasets_on_disk, first_on_disk
from tsrp.experiments.runs import Run, make_run
from tsrp.experiments.scoring import Result
from tsrp.report.style import FAINT, INK, RIGHT, arrow, plain

METHOD = "dicd"
TRUSTS = [round(0.1 * step, 1) for step in range(11)]
# As in the paper, which swept the trust at other inner iterations than its tables have.
TRUST, INNER_AT_TRUSTS = 0.9, 4
INNER = list(range(1, 11))
# In DeCAF6, D -> W stands in for the first task, which the disk may not have; W -> D is always right.
PREFERRED = {"office-caltech-decaf6": ("C -> A", "D -> W")}


def _tasks(data_dir: Path | None) -> list[tuple[str, str]]:
    return [
        first_on_disk(
            [(name, task) for task in (*PREFERRED.get(name, ()), *DATASETS[name].task_names)],
            data_dir,
        )
        for name in datasets_on_disk(data_dir)
    ]


def _trust_runs(dataset: str, task: str) -> list[Run]:
    return [
        make_run(dataset, task, f"{METHOD}+tsrp", {"trust": trust, "inner_iterations": INNER_AT_TRUSTS})
        for trust in TRUSTS
    ]


def _inner_runs(dataset: str, task: str) -> list[Run]:
    return [make_run(dataset, task, f"{METHOD}+tsrp", {"trust": TRUST, "inner_iterations": inner}) for inner in INNER]


def runs(data_dir: Path | None) -> list[Run]:
    """What `draw` needs."""
    return [
        run for task in _tasks(data_dir) for run in (make_run(*task, METHOD), *_trust_runs(*task), *_inner_runs(*task))
    ]


def draw(results: Mapping[Run, Result], data_dir: Path | None) -> Figure:
    """A row a task: accuracy against trust, and against inner iterations."""
    tasks = _tasks(data_dir)
    figure = Figure(figsize=(9.5, 1.4 + 2.1 * len(tasks)), layout="constrained")
    grid = figure.subplots(len(tasks), 2, squeeze=False, sharey="row", sharex="col")
    for row, (dataset, task) in zip(grid, tasks, strict=True):
        alone = results[make_run(dataset, task, METHOD)].percent
        for axes, x, swept in (
            (row[0], TRUSTS, _trust_runs(dataset, task)),
            (row[1], INNER, _inner_runs(dataset, task)),
        ):
            plain(axes)
            axes.axhline(alone, color=FAINT, lw=1.2, ls="--", label=f"{METHOD.upper()} alone")
            accuracy = [results[run].percent for run in swept]
            axes.plot(x, accuracy, color=RIGHT, marker="o", ms=4, lw=1.6, label=f"{METHOD.upper()}+TSRP")
            axes.set_xticks(x)
        row[0].set_ylabel(f"{DATASETS[dataset].title}\n{arrow(task)}\naccuracy, %", fontsize=9, color=INK)
    grid[0][0].set_title(f"trust, with {INNER_AT_TRUSTS} inner iterations", fontsize=11, weight="bold", color=INK)
    grid[0][1].set_title(f"inner iterations, with trust {TRUST}", fontsize=11, weight="bold", color=INK)
    grid[-1][0].set_xlabel("trust (rho): 0 trusts every sample, 1 the most similar pair of a class", fontsize=9)
    grid[-1][1].set_xlabel("inner iterations (IT)", fontsize=9)
    figure.suptitle("How much TSRP's parameters matter", fontsize=14, weight="bold", color=INK)
    handles, names = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return figure
