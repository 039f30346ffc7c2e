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
# Points that *suggest* may be below *random* on a data set without a word.
TOLERANCE = 0.5
WORST = 6
Found = Sequence[tuple[str, int, str, Mapping[str, Mapping[str, float]]]]

INTRODUCTION = """# Known labels, measured

Written by `python -m benchmarks.known` from the data sets on one disk; no figure is typed in. The default,
`tsrp.Panel({budget})`, is told the true labels of some target rows. Files are taken as they are, as in
[the default, measured](DEFAULT.md), but not whole: a draw has at most {source} source and {target} target rows of a
task, and at most {part:.0%} of them, at random with a seed, and every class that is there. So accuracies are other ones
than on that page. The draws of a data set are of its tasks in turn: {draws}. Accuracies are in per cent and of the
*other* rows, whose label the panel is not told. Known labels are those of

- *suggest*: the first rows of `model.suggest`, all at once, by a model that knows no label;
- *random*: the rows of `model.audit`, with the draw's seed;
- *lowest*: the rows of the lowest `probability_`.

*LR* and *LR-z* are logistic regression on the source and the same suggested rows, scaled by the source's means and
deviations, or each domain by its own. A known row counts as {weight:.0f} of the source, as it does in the members of
the panel; *balanced*: all known rows together count as much as the source.

Rows of low probability, of which *suggest* has some and *lowest* only, are hard ones. Without them the other rows are
easier, which is a part of what these two seem to bring; the table of gains compares with the labels that the same rows
had before.
"""

CHOICES = """## What was chosen by looking at which data

What a known row counts for, and how much a member's right labels of known rows count in the vote, were chosen by
looking at one task of digits, three of SURF and four of the gas sensors; the rule of `suggest` by looking at digits,
the gas sensors' batches 3 and 4, SURF D -> W, COIL1 -> COIL2 and mushrooms tapering -> enlarging, with budget "quick",
20 labels and at most 300 rows of each domain, one draw each. Beside it stood rows that speak for near neighbours only,
each counting by its doubt, as before, or all alike; cosines with all rows alike; and the rows nearest to the centres of
k-means. How much an estimate counts beside known labels was chosen on the first draws, of this page, of the same five
data sets. The other data sets were not looked at.
"""
# The data sets of which something was looked at.
LOOKED_AT = ("digits", "gas-drift", "office-caltech-surf", "coil20", "mushrooms")


def page(found: Found, budget: str) -> str:
    """The page, from the results of draws: data set, number of the draw, task, and the results by choice."""
    from benchmarks.known_runs import LARGEST_PART, SOURCE_ROWS, TARGET_ROWS
    from tsrp.known import WEIGHT

    results = table(found)
    told = results[results["n"] > 0]
    counts = told.groupby("dataset")["draw"].nunique()
    fewest, most = int(counts.min()), int(counts.max())
    parts = [
        INTRODUCTION.format(
            budget="" if budget == "normal" else f'"{budget}"',
            source=SOURCE_ROWS,
            target=TARGET_ROWS,
            part=LARGEST_PART,
            draws=f"{most} of each data set" if fewest == most else f"{fewest} to {most} of each data set",
            weight=WEIGHT,
        ),
        summary(told),
        numbers(results),
        datasets(told),
        gains(told),
        estimates(results),
        ranges(results),
        worst(told),
        cost(results),
        CHOICES,
        every_task(told),
    ]
    return "\n".join(parts)


def table(found: Found) -> pd.DataFrame:
    """A row for each result, in per cent."""
    rows = []
    for dataset, draw, task, results in found:
        for choice, values in results.items():
            rule, n = choice.split()
            percent = {name: value if name == "seconds" else 100 * value for name, value in values.items()}
            rows.append({"dataset": dataset, "task": task, "draw": draw, "rule": rule, "n": int(n), **percent})
    results_ = pd.DataFrame(rows)
    results_["gain"] = results_["accuracy"] - results_["before"]
    return results_


def by_draw(told: pd.DataFrame, n: int, column: str) -> pd.DataFrame:
    """A row for each draw on which *suggest* and *random* were measured, a column for each rule."""
    own = told[told["n"] == n]
    if own.empty:
        levels = ["dataset", "task", "draw"]
        return pd.DataFrame(columns=[*RULES], index=pd.MultiIndex.from_arrays([[], [], []], names=levels), dtype=float)
    return (
        own.pivot_table(index=["dataset", "task", "draw"], columns="rule", values=column)
        .reindex(columns=RULES)
        .dropna(subset=["suggest", "random"])
    )


def by_dataset(draws: pd.DataFrame) -> pd.DataFrame:
    order = [name for name in DATASETS if name in draws.index.get_level_values("dataset")]
    return draws.groupby("dataset").agg(complete_mean).loc[order]


def complete_mean(values: pd.Series) -> float:
    """The mean, and no figure if one is missing: means of different draws do not compare."""
    return float(values.mean(skipna=False))


def linear(told: pd.DataFrame, n: int) -> pd.DataFrame:
    """Logistic regression with the suggested rows, by draw."""
    own = told[(told["n"] == n) & (told["rule"] == "suggest")]
    return own.set_index(["dataset", "task", "draw"])[list(LINEAR)]


def summary(told: pd.DataFrame) -> str:
    """The answers to what one wants to know first."""
    draws = by_draw(told, FEW, "accuracy")
    means = by_dataset(draws.join(linear(told, FEW)))
    mean = means.agg(complete_mean)
    best = max(LINEAR, key=lambda name: mean[name])
    behind = means.index[means["random"] - means["suggest"] > TOLERANCE]
    others = means.drop(index=[name for name in LOOKED_AT if name in means.index])
    lines = [
        f"With {FEW} labels, mean over the {len(means)} data sets: *suggest* {number(mean['suggest'])}, *random* "
        f"{number(mean['random'])}, {best} {number(mean[best])}, the best of its four ways. *Suggest* is more than "
        f"half a point below *random* on {', '.join(DATASETS[name].title for name in behind) or 'no data set'}."
    ]
    if len(others):
        own = others.agg(complete_mean)
        lines.append(
            f"On the {len(others)} data sets that no choice looked at: *suggest* {number(own['suggest'])}, *random* "
            f"{number(own['random'])}."
        )
    errors = by_dataset(by_draw(told, MORE, "error"))[["suggest", "random"]].mean()
    if not errors.isna().any():
        lines.append(
            f"With {MORE} labels the estimated accuracy is off by {number(errors['random'])} points on the mean if "
            f"they are drawn at random, by {number(errors['suggest'])} if they are suggested ones."
        )
    return "\n".join([*(f"- {line}" for line in lines), ""])


def numbers(results: pd.DataFrame) -> str:
    """Means over data sets, of the draws on which every number of labels was measured."""
    counts = sorted(results.loc[results["n"] > 0, "n"].unique().tolist())
    full = by_draw(results, counts[0], "accuracy").index
    for n in counts[1:]:
        full = full.intersection(by_draw(results, n, "accuracy").index)
    kept = results[results.set_index(["dataset", "task", "draw"]).index.isin(full)]
    blind = kept[kept["n"] == 0].set_index(["dataset", "task", "draw"])
    n_datasets = len(full.unique("dataset"))
    lines = [
        "## By number of labels",
        "",
        f"Means over the {n_datasets} data sets with draws ({len(full)}) on which all of these numbers were measured: "
        "half of a target at least stays unknown.",
        "",
        "| known labels | " + " | ".join((*RULES, *LINEAR)) + " |",
        "|---:|" + "---:|" * (len(RULES) + len(LINEAR)),
    ]
    if n_datasets == 0:
        return "\n".join([*lines, ""])
    nothing = by_dataset(blind[["accuracy", *LINEAR]]).mean()
    lines.append("| 0 | " + " | ".join([number(nothing["accuracy"])] * 3 + [number(nothing[k]) for k in LINEAR]) + " |")
    for n in counts:
        both = by_dataset(by_draw(kept, n, "accuracy").join(linear(kept, n))).agg(complete_mean)
        lines.append(f"| {n} | " + " | ".join(number(both[name]) for name in (*RULES, *LINEAR)) + " |")
    return "\n".join([*lines, ""])


def datasets(told: pd.DataFrame) -> str:
    both = by_dataset(by_draw(told, FEW, "accuracy").join(linear(told, FEW)))
    columns = (*RULES, *LINEAR)
    lines = [
        f"## By data set, with {FEW} labels",
        "",
        "| data set (draws) | " + " | ".join(columns) + " | suggest - random |",
        "|---|" + "---:|" * (len(columns) + 1),
    ]
    counts = by_draw(told, FEW, "accuracy").groupby("dataset").size()
    for name, row in both.iterrows():
        cells = [number(row[column]) for column in columns] + [signed(row["suggest"] - row["random"])]
        lines.append(f"| {DATASETS[str(name)].title} ({counts[name]}) | " + " | ".join(cells) + " |")
    mean = both.agg(complete_mean)
    cells = [number(mean[column]) for column in columns] + [signed(mean["suggest"] - mean["random"])]
    lines.append("| **mean** | " + " | ".join(f"**{cell}**" for cell in cells) + " |")
    return "\n".join([*lines, ""])


def gains(told: pd.DataFrame) -> str:
    means = by_dataset(by_draw(told, FEW, "gain"))
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
    lines.append(
        "| **mean** | " + " | ".join(f"**{signed(value)}**" for value in means.agg(complete_mean)[list(RULES)]) + " |"
    )
    return "\n".join([*lines, ""])


def estimates(results: pd.DataFrame) -> str:
    """How far the estimated accuracy of the other rows is off."""
    counts = sorted(results.loc[results["n"] > 0, "n"].unique().tolist())
    lines = [
        "## The estimated accuracy",
        "",
        "How far it is off, in points: the mean over data sets of its error on the other rows. Only rows at random are "
        "a fair sample. Suggested rows are unlike each other: a fit that knows one half of them, by which the other "
        "half is judged, knows less of it than the fit that knows all does of other rows.",
        "",
        "| known labels | " + " | ".join(RULES) + " |",
        "|---:|" + "---:|" * len(RULES),
    ]
    blind = by_dataset(results[results["n"] == 0].set_index(["dataset", "task", "draw"])[["error"]]).mean()["error"]
    lines.append("| 0 | " + " | ".join([number(blind)] * len(RULES)) + " |")
    for n in counts:
        means = by_dataset(by_draw(results, n, "error")).agg(complete_mean)
        lines.append(f"| {n} | " + " | ".join(number(means[rule]) for rule in RULES) + " |")
    if MORE in counts:
        lines += ["", f"With {MORE} labels, by data set:", "", "| data set | " + " | ".join(RULES) + " |"]
        lines.append("|---|" + "---:|" * len(RULES))
        for name, row in by_dataset(by_draw(results, MORE, "error")).iterrows():
            lines.append(f"| {DATASETS[str(name)].title} | " + " | ".join(number(row[rule]) for rule in RULES) + " |")
    return "\n".join([*lines, ""])


def ranges(results: pd.DataFrame) -> str:
    """How often the estimate's range holds the truth, and how wide it is."""
    counts = sorted(results.loc[results["n"] > 0, "n"].unique().tolist())
    lines = [
        "## Its range",
        "",
        "How often it holds the accuracy of all rows, in per cent of the draws, and how wide it is, in points.",
        "",
        "| known labels | " + " | ".join(RULES) + " | width: " + " | width: ".join(RULES) + " |",
        "|---:|" + "---:|" * 2 * len(RULES),
    ]
    nothing = results[results["n"] == 0].set_index(["dataset", "task", "draw"])[["held", "width"]].mean()
    lines.append("| 0 | " + " | ".join([number(nothing["held"])] * 3 + [number(nothing["width"])] * 3) + " |")
    for n in counts:
        held, width = (by_draw(results, n, column).agg(complete_mean) for column in ("held", "width"))
        cells = [number(held[rule]) for rule in RULES] + [number(width[rule]) for rule in RULES]
        lines.append(f"| {n} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def worst(told: pd.DataFrame) -> str:
    """Where suggestions do less than rows at random, and where known labels do harm."""
    tasks, gained = (by_draw(told, FEW, column).groupby(["dataset", "task"]).mean() for column in ("accuracy", "gain"))
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


def cost(results: pd.DataFrame) -> str:
    """What a fit that knows labels takes, beside one that knows none."""
    keys = ["dataset", "draw"]
    blind, told = (results[own].groupby(keys)["seconds"].mean() for own in (results["n"] == 0, results["n"] > 0))
    ratio = told / blind
    return "\n".join(
        [
            "## What it costs",
            "",
            f"A fit that knows labels takes {ratio.median():.1f} times the CPU time of one that knows none, by the "
            "median: every member is fitted to all known labels, and to each half of them, to be judged by the other.",
            "",
        ]
    )


def every_task(told: pd.DataFrame) -> str:
    draws = by_draw(told, FEW, "accuracy").join(linear(told, FEW)[["LR-z"]])
    draws["before"] = by_draw(told, FEW, "before")["random"]
    counts, tasks = (getattr(draws.groupby(["dataset", "task"]), how)() for how in ("size", "mean"))
    columns = ("before", *RULES, "LR-z")
    lines = [
        f"## Every task, with {FEW} labels",
        "",
        "*Before*: the accuracy without known labels, of the rows other than those at random.",
        "",
        "| task (draws) | " + " | ".join(columns) + " |",
        "|---|" + "---:|" * len(columns),
    ]
    for name in (name for name in DATASETS if name in tasks.index.get_level_values("dataset")):
        for task, row in tasks.loc[name].iterrows():
            cells = " | ".join(number(row[column]) for column in columns)
            lines.append(f"| {DATASETS[name].title}, {task} ({counts[name, task]}) | {cells} |")
    return "\n".join([*lines, ""])


def number(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.1f}"


def signed(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:+.1f}"
