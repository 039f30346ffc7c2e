"""The panel's other budgets on the tasks of `benchmarks/default.py`: how accurate and how costly they are."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.default_divided import MUCH
from benchmarks.default_runs import BEFORE, VERSION, load, place
from benchmarks.trust_runs import auroc, timed
from tsrp import Panel
from tsrp.datasets import DATASETS
from tsrp.selection.panel import BUDGETS
from tsrp.spec import MethodSpec

# Kept beside the tasks and cases of the default.
CASE = "other budgets"
NORMAL = "normal"
OTHERS = tuple(budget for budget in BUDGETS if budget != NORMAL)


def measure(dataset: str, task: str) -> dict[str, Any]:
    """The other budgets on a task, and what they take beside the default before there was a panel."""
    Xs, ys, Xt, yt = load(dataset, task)
    found: dict[str, Any] = {"version": VERSION, "dataset": dataset, "task": task}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, found["seconds before"] = timed(lambda: MethodSpec(BEFORE).build().fit(Xs, ys, Xt))
        for budget in OTHERS:
            panel, seconds = timed(lambda budget=budget: Panel(budget).fit(Xs, ys, Xt))
            right = panel.labels_ == yt
            found[budget] = {"panel": right.mean(), "auroc": auroc(right, panel.trust_), "seconds": seconds}
    path = place(dataset, task, CASE)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, default=float))
    return found


def budgets(found: Sequence[Mapping[str, Any]], plain: pd.DataFrame) -> str:
    """The section of the page, beside the rows of the default: tasks of which both are known, if there are any."""
    default = plain.set_index(["dataset", "task"])
    here = [one for one in found if (one["dataset"], one["task"]) in default.index]
    if not here:
        return ""
    order = [name for name in DATASETS if name in {one["dataset"] for one in here}]
    tables = {budget: _table(here, default, budget) for budget in BUDGETS}
    # Of a task that has an area by every budget: means of different tasks cannot be compared.
    comparable = np.all([own["auroc"].notna() for own in tables.values()], axis=0)
    lines = [
        "## Other budgets",
        "",
        f"The panel with each budget, on {len(here)} of these tasks; the means are over data sets. *Cost*: processor "
        f"time, as a multiple of {BEFORE}'s in the same run.",
        "",
        "| | " + " | ".join(tables) + " |",
        "|---|" + "---:|" * len(tables),
    ]
    for name in order:
        accuracy = [own.loc[own["dataset"] == name, "panel"].mean() for own in tables.values()]
        lines.append(f"| {DATASETS[name].title} | " + " | ".join(f"{value:.1f}" for value in accuracy) + " |")
    means = [own.groupby("dataset")["panel"].mean().mean() for own in tables.values()]
    areas = [own[comparable].groupby("dataset")["auroc"].mean().mean() for own in tables.values()]
    below = [int((own["panel"] < own["simple"] - MUCH).sum()) for own in tables.values()]
    costs = [own["seconds"].sum() / own["seconds before"].sum() for own in tables.values()]
    return "\n".join(
        [
            *lines,
            "| **mean** | " + " | ".join(f"**{value:.1f}**" for value in means) + " |",
            f"| tasks more than {MUCH:g} below LR or LR-z | " + " | ".join(map(str, below)) + " |",
            "| AUROC of trust | " + " | ".join(map(_area, areas)) + " |",
            "| cost | " + " | ".join(f"{value:.1f}" for value in costs) + " |",
            "",
        ]
    )


def _area(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3f}"


def _table(found: Sequence[Mapping[str, Any]], default: pd.DataFrame, budget: str) -> pd.DataFrame:
    """A row for each task, of one budget."""
    rows = []
    for one in found:
        usual = default.loc[(one["dataset"], one["task"])]
        if budget == NORMAL:
            own = {"panel": usual["panel"], "auroc": usual["auroc"], "seconds": usual["seconds panel"]}
            before = usual[f"seconds {BEFORE}"]
        else:
            own = {**one[budget], "panel": 100 * one[budget]["panel"]}
            before = one["seconds before"]
        rows.append({"dataset": one["dataset"], "simple": usual["simple"], "seconds before": before, **own})
    table = pd.DataFrame(rows)
    return table.assign(auroc=table["auroc"].astype(float))
