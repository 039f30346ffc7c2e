"""docs/KNOWN.md from the results of `benchmarks/known.py`: every figure is computed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from tsrp.datasets import DATASETS

RULES = ("suggest", "random", "lowest")
LINEAR = ("LR", "LR-z", "LR, balanced", "LR-z, balanced")
# The numbers of labels that the tables by data set are about.
FEW, MORE = 20, 50
WORST = 6

INTRODUCTION = """# Known labels, measured

Written by `python -m benchmarks.known` from the data sets on one disk; no figure is typed in. The default,
`tsrp.Panel({budget})`, is told the true labels of some target rows. Files are taken as they are, as in
[the default, measured](DEFAULT.md). Accuracies are in per cent and of the *other* rows, whose label it is not told.

- *suggest*: the rows of `model.suggest(n)`, all n of them at once, by a model that knows no label.
- *random*: the rows of `model.audit(n)`, the mean over {seeds}.
- *lowest*: the rows of the lowest `probability_`.
- *LR*, *LR-z*: logistic regression on the source and the same suggested rows, scaled by the source's means and
  deviations, or each domain by its own. A known row counts as {weight:.0f} of the source, as it does in the members of
  the panel; *balanced*: all known rows together count as much as the source.

Suggested rows are doubtful ones. Without them the other rows are easier, which is a part of what *suggest* and *lowest*
seem to bring; the tables of gains compare with the labels that the same rows had before.
"""

CHOICES = """## What was chosen by looking at which data

The rule of `suggest`, what a known row counts for, and how much a member's right labels of known rows count in the vote
were chosen by looking at one task of digits, three of SURF and four of the gas sensors, with budget "quick". The other
data sets were not looked at.
"""


def page(found: Sequence[tuple[str, str, Mapping[str, Mapping[str, float]]]], budget: str) -> str:
    """The page, from the results of tasks: data set, task, and the results by choice."""
    from tsrp.known import WEIGHT

    results = table(found)
    told = results[results["n"] > 0]
    most = int(told["seed"].max()) + 1
    seeds = "one choice of rows" if most == 1 else f"{most} choices of rows"
    parts = [
        INTRODUCTION.format(budget="" if budget == "normal" else f'"{budget}"', seeds=seeds, weight=WEIGHT),
        numbers(results),
        datasets(told),
        gains(told),
        estimates(results),
        worst(told),
        CHOICES,
        every_task(told),
    ]
    return "\n".join(parts)


def table(found: Sequence[tuple[str, str, Mapping[str, Mapping[str, float]]]]) -> pd.DataFrame:
    """A row for each result, in per cent."""
    rows = []
    for dataset, task, results in found:
        for choice, values in results.items():
            rule, n, seed = choice.split()
            percent = {name: value if name == "seconds" else 100 * value for name, value in values.items()}
            rows.append({"dataset": dataset, "task": task, "rule": rule, "n": int(n), "seed": int(seed), **percent})
    results_ = pd.DataFrame(rows)
    results_["gain"] = results_["accuracy"] - results_["before"]
    return results_


def by_task(told: pd.DataFrame, n: int, column: str) -> pd.DataFrame:
    """A row for each task, a column for each rule: the mean over seeds."""
    own = told[told["n"] == n]
    if own.empty:
        return pd.DataFrame(columns=[*RULES], index=pd.MultiIndex.from_arrays([[], []], names=["dataset", "task"]))
    return own.pivot_table(index=["dataset", "task"], columns="rule", values=column)[list(RULES)]


def by_dataset(tasks: pd.DataFrame) -> pd.DataFrame:
    order = [name for name in DATASETS if name in tasks.index.get_level_values("dataset")]
    return tasks.groupby("dataset").mean().loc[order]


def linear(told: pd.DataFrame, n: int) -> pd.DataFrame:
    """Logistic regression with the suggested rows, by task."""
    own = told[(told["n"] == n) & (told["rule"] == "suggest")]
    return own.groupby(["dataset", "task"])[list(LINEAR)].mean()


def numbers(results: pd.DataFrame) -> str:
    """Means over data sets, of the tasks on which every number of labels was measured."""
    counts = sorted(results.loc[results["n"] > 0, "n"].unique().tolist())
    measured = results[results["rule"] == "suggest"].groupby(["dataset", "task"])["n"].nunique()
    full = measured.index[measured == len(counts)]
    kept = results[results.set_index(["dataset", "task"]).index.isin(full)]
    blind = kept[kept["n"] == 0].set_index(["dataset", "task"])
    lines = [
        "## By number of labels",
        "",
        f"Means over data sets, of the {len(full)} tasks whose target is large enough for all of these numbers.",
        "",
        "| known labels | " + " | ".join((*RULES, *LINEAR)) + " |",
        "|---:|" + "---:|" * (len(RULES) + len(LINEAR)),
    ]
    nothing = by_dataset(blind[["accuracy", *LINEAR]]).mean()
    lines.append("| 0 | " + " | ".join([number(nothing["accuracy"])] * 3 + [number(nothing[k]) for k in LINEAR]) + " |")
    for n in counts:
        both = by_dataset(by_task(kept, n, "accuracy").join(linear(kept, n))).mean()
        lines.append(f"| {n} | " + " | ".join(number(both[name]) for name in (*RULES, *LINEAR)) + " |")
    return "\n".join([*lines, ""])


def datasets(told: pd.DataFrame) -> str:
    both = by_dataset(by_task(told, FEW, "accuracy").join(linear(told, FEW)))
    columns = (*RULES, *LINEAR)
    lines = [
        f"## By data set, with {FEW} labels",
        "",
        "| data set (tasks) | " + " | ".join(columns) + " | suggest - random |",
        "|---|" + "---:|" * (len(columns) + 1),
    ]
    counts = by_task(told, FEW, "accuracy").groupby("dataset").size()
    for name, row in both.iterrows():
        cells = [number(row[column]) for column in columns] + [signed(row["suggest"] - row["random"])]
        lines.append(f"| {DATASETS[str(name)].title} ({counts[name]}) | " + " | ".join(cells) + " |")
    mean = both.mean()
    cells = [number(mean[column]) for column in columns] + [signed(mean["suggest"] - mean["random"])]
    lines.append("| **mean** | " + " | ".join(f"**{cell}**" for cell in cells) + " |")
    return "\n".join([*lines, ""])


def gains(told: pd.DataFrame) -> str:
    means = by_dataset(by_task(told, FEW, "gain"))
    lines = [
        f"## Gains on the same rows, with {FEW} labels",
        "",
        "Points above the labels that the other rows had before any was known.",
        "",
        "| data set | " + " | ".join(RULES) + " |",
        "|---|" + "---:|" * len(RULES),
    ]
    for name, row in means.iterrows():
        lines.append(f"| {DATASETS[str(name)].title} | " + " | ".join(signed(row[rule]) for rule in RULES) + " |")
    lines.append("| **mean** | " + " | ".join(f"**{signed(value)}**" for value in means.mean()[list(RULES)]) + " |")
    return "\n".join([*lines, ""])


def estimates(results: pd.DataFrame) -> str:
    """How far the estimated accuracy of the other rows is off."""
    counts = sorted(results.loc[results["n"] > 0, "n"].unique().tolist())
    lines = [
        "## The estimated accuracy",
        "",
        "How far it is off, in points: the mean over data sets of its error on the other rows. Only rows at random are "
        "a fair sample; the correction compares known labels with their probabilities, so that others do little harm.",
        "",
        "| known labels | " + " | ".join(RULES) + " |",
        "|---:|" + "---:|" * len(RULES),
    ]
    blind = by_dataset(results[results["n"] == 0].set_index(["dataset", "task"])[["error"]]).mean()["error"]
    lines.append("| 0 | " + " | ".join([number(blind)] * len(RULES)) + " |")
    for n in counts:
        means = by_dataset(by_task(results, n, "error")).mean()
        lines.append(f"| {n} | " + " | ".join(number(means[rule]) for rule in RULES) + " |")
    if MORE in counts:
        lines += ["", f"With {MORE} labels, by data set:", "", "| data set | " + " | ".join(RULES) + " |"]
        lines.append("|---|" + "---:|" * len(RULES))
        for name, row in by_dataset(by_task(results, MORE, "error")).iterrows():
            lines.append(f"| {DATASETS[str(name)].title} | " + " | ".join(number(row[rule]) for rule in RULES) + " |")
    return "\n".join([*lines, ""])


def worst(told: pd.DataFrame) -> str:
    """Where suggestions do less than rows at random, and where known labels do harm."""
    tasks, gained = by_task(told, FEW, "accuracy"), by_task(told, FEW, "gain")
    behind = (tasks["suggest"] - tasks["random"]).nsmallest(WORST)
    harmed = gained["suggest"].nsmallest(WORST)
    return "\n".join(
        [
            "## The worst",
            "",
            f"With {FEW} labels, *suggest* is furthest below *random* on: {_listed(behind[behind < 0])}.",
            "",
            f"Gains of *suggest* below 0: {_listed(harmed[harmed < 0])}.",
            "",
        ]
    )


def _listed(values: pd.Series) -> str:
    named = [f"{DATASETS[dataset].title}, {task} ({signed(value)})" for (dataset, task), value in values.items()]
    return "; ".join(named) or "no task"


def every_task(told: pd.DataFrame) -> str:
    tasks = by_task(told, FEW, "accuracy").join(linear(told, FEW)[["LR-z"]])
    tasks["before"] = by_task(told, FEW, "before")["random"]
    columns = ("before", *RULES, "LR-z")
    lines = [
        f"## Every task, with {FEW} labels",
        "",
        "*Before*: the accuracy without known labels, of the rows other than those at random.",
        "",
        "| task | " + " | ".join(columns) + " |",
        "|---|" + "---:|" * len(columns),
    ]
    for name in (name for name in DATASETS if name in tasks.index.get_level_values("dataset")):
        for task, row in tasks.loc[name].iterrows():
            cells = " | ".join(number(row[column]) for column in columns)
            lines.append(f"| {DATASETS[name].title}, {task} | {cells} |")
    return "\n".join([*lines, ""])


def number(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.1f}"


def signed(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:+.1f}"
