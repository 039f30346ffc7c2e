"""docs/TRUST.md from the results of `benchmarks/trust.py`: every figure is computed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tsrp.datasets import DATASETS

# The data sets on which the recipe was found, and those that came later.
FIRST = (
    "office-caltech-surf",
    "office-caltech-decaf6",
    "mnist-usps",
    "coil20",
    "office-caltech-mobilenetv2",
    "gas-drift",
    "digits",
)
HARM = 0.01
# What `compare()` calls the alternatives whose accuracy was measured.
NAMED = {"logistic regression": "as given", "logistic regression on z-scores": "z-scores"}
WORST = 6

INTRODUCTION = """# Which labels to trust, measured

Written by `python -m benchmarks.trust` from the data sets on one disk; no figure is typed in. `trust_` ranks labels,
`probability_` says how probably each is right, `estimated_accuracy_` how many are, `compare()` whether adaptation
helps at all. None of them sees a true label; here they are compared with the truth. Means over data sets, each the
mean over its tasks; settings are those of the catalogue. *Before*: what UTSP picks at first sight (the mask), and the
cosine similarity to the picked samples of a label, which is what `confident_` and `predict_confidence` were once.

AUROC: the probability that a right label ranks above a wrong one (tasks with fewer than three wrong labels are left
out). Half and 80 %: the accuracy of so many most trusted labels. AURC: the area under the curve of risk against
coverage, in per cent; lower is better. Error: of the estimated accuracy, in points. ECE: the expected calibration
error of the probabilities, in tenths, in points.
"""

CHOICES = """## What was chosen by looking at which data

- Four of the five signals, their parameters, the mean of ranks, the slope of the calibration (1.5), the estimate as
  the lower one of two parts and the range come from a recipe that was found on the first seven data sets. For these
  seven the figures are therefore figures of data that were looked at. Amazon reviews, CMU-PIE, mushrooms and phishing
  were not looked at for it.
- The fifth signal, `surroundings`, was chosen among eight candidates by looking at the AUROC on all eleven data sets.
  The table above has both; in *leave one out* the choice between four and five signals is made for each data set on
  the ten others.
- The rule of `compare()` was chosen on these tasks with DICD+TSRP: more neighbour information by a tenth; or, where
  the estimate is below 0.75, labels that are more often those of similar source rows, by 0.03; or a part of the
  estimate below guessing. The first part is what finds the reviews, the second finds gas sensors only, and the third
  one task of the mushrooms: for these two read it as fitted. The fits of other methods were not looked at.
"""


def page(found: Mapping[str, Sequence[Mapping[str, Any]]], scaled: Mapping[str, float] | None = None) -> str:
    """The page, from the results of each method on each task, and what many rows cost."""
    tables = {method: flat(results) for method, results in found.items() if results}
    main = next(iter(tables))
    table = tables[main]
    parts = [
        INTRODUCTION,
        summary(table),
        datasets(table, main),
        signals(table),
        worst(table),
        calibration(found[main]),
        methods(tables),
        harm(tables),
        CHOICES,
        cost(table, main, scaled),
    ]
    return "\n".join(parts)


def flat(results: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """A row for each task, in per cent."""
    rows = []
    for r in results:
        e, linear = r["estimate"], r["linear"]
        rows.append(
            {
                "dataset": r["dataset"],
                "task": r["task"],
                "accuracy": 100 * r["accuracy"],
                **{f"auroc {name}": value for name, value in r["auroc"].items()},
                **{
                    f"{key} {when}": 100 * r[when][key]
                    for when in ("now", "before")
                    for key in ("half", "most", "aurc")
                },
                "estimate": 100 * e["value"],
                "error": 100 * abs(e["value"] - r["accuracy"]),
                "held": e["low"] <= r["accuracy"] <= e["high"],
                "ece": 100 * r["ece"],
                "share": 100 * r["share"],
                "right": np.nan if r["right"] is None else 100 * r["right"],
                "mask share": 100 * r["before"]["share"],
                "mask right": np.nan if r["before"]["right"] is None else 100 * r["before"]["right"],
                "harm": linear["as given"] > r["accuracy"] + HARM,
                "any harm": max(linear.values()) > r["accuracy"] + HARM,
                "alarm": r["alarm"] is not None,
                "named rightly": r["alarm"] in NAMED and linear[NAMED[r["alarm"]]] > r["accuracy"] + HARM,
                **{f"seconds {name}": value for name, value in r["seconds"].items()},
            }
        )
    # What is not known of a task, such as an AUROC without wrong labels, is left out of means.
    table = pd.DataFrame(rows)
    return table.astype({name: float for name in table if name.startswith(("auroc", "seconds"))})


def means(table: pd.DataFrame) -> pd.DataFrame:
    """The mean of each data set, in the order of the catalogue."""
    order = [name for name in DATASETS if name in set(table["dataset"])]
    return table.drop(columns="task").groupby("dataset").mean().loc[order]


def summary(table: pd.DataFrame) -> str:
    each = means(table)
    old, new = each[each.index.isin(FIRST)].mean(), each[~each.index.isin(FIRST)].mean()
    lines = [
        "## In short",
        "",
        "| | before | now, first seven data sets | now, the other four |",
        "|---|---:|---:|---:|",
    ]

    def row(name: str, before: str, value: Any) -> None:
        lines.append(f"| {name} | {before} | {value(old)} | {value(new)} |")

    row(
        "AUROC",
        f"{old['auroc picked']:.3f} mask, {old['auroc similarity']:.3f} similarity",
        lambda m: f"{m['auroc trust']:.3f}",
    )
    row(
        "most trusted half / 80 % right",
        f"{old['half before']:.1f} / {old['most before']:.1f}",
        lambda m: f"{m['half now']:.1f} / {m['most now']:.1f}",
    )
    row("AURC", f"{old['aurc before']:.1f}", lambda m: f"{m['aurc now']:.1f}")
    row("error of the estimated accuracy", "-", lambda m: f"{m['error']:.1f}")
    row("ECE of the probabilities", "-", lambda m: f"{m['ece']:.1f}")
    row(
        "p >= 0.9: share / right",
        f"mask {old['mask share']:.0f} / {old['mask right']:.0f}",
        lambda m: f"{m['share']:.0f} / {m['right']:.1f}",
    )
    row("the range holds the truth", "-", lambda m: f"{100 * m['held']:.0f} % of tasks")
    return "\n".join([*lines, ""])


def datasets(table: pd.DataFrame, method: str) -> str:
    each = means(table)
    counts = table.groupby("dataset").size()
    lines = [
        f"## By data set, {method}",
        "",
        "| data set (tasks) | accuracy | AUROC mask | similarity | now | half / 80 % before | now | AURC before | now "
        "| estimate | error | ECE | mask: share / right | p >= 0.9: share / right |",
        "|---|" + "---:|" * 13,
    ]
    for name, m in each.iterrows():
        lines.append(
            f"| {DATASETS[str(name)].title} ({counts[name]}) | {m['accuracy']:.1f} | {m['auroc picked']:.3f} | "
            f"{m['auroc similarity']:.3f} | **{m['auroc trust']:.3f}** | {m['half before']:.1f} / "
            f"{m['most before']:.1f} | {m['half now']:.1f} / {m['most now']:.1f} | {m['aurc before']:.1f} | "
            f"{m['aurc now']:.1f} | {m['estimate']:.1f} | {m['error']:.1f} | {m['ece']:.1f} | {m['mask share']:.0f} / "
            f"{m['mask right']:.1f} | {m['share']:.0f} / {m['right']:.1f} |"
        )
    return "\n".join([*lines, ""])


def signals(table: pd.DataFrame) -> str:
    each = means(table)
    names = ("logistic", "propagation", "means", "linear", "surroundings")
    kinds = ["four signals", "trust"]
    lines = [
        "## AUROC of each signal",
        "",
        "| data set | " + " | ".join(names) + " | the first four | all five | leave one out |",
        "|---|" + "---:|" * 8,
    ]
    left_out = []
    for name, m in each.iterrows():
        others = each.drop(index=name)
        chosen = max(kinds, key=lambda kind: others[f"auroc {kind}"].mean())
        left_out.append(m[f"auroc {chosen}"])
        values = [*(m[f"auroc {s}"] for s in names), *(m[f"auroc {kind}"] for kind in kinds), left_out[-1]]
        lines.append(f"| {DATASETS[str(name)].title} | " + " | ".join(f"{value:.3f}" for value in values) + " |")
    mean = [*(each[f"auroc {s}"].mean() for s in (*names, *kinds)), np.mean(left_out)]
    lines.append("| **mean** | " + " | ".join(f"{value:.3f}" for value in mean) + " |")
    return "\n".join([*lines, ""])


def worst(table: pd.DataFrame) -> str:
    def listed(part: pd.DataFrame) -> list[str]:
        return [
            f"| {DATASETS[r['dataset']].title}, {r['task']} | {r['accuracy']:.1f} | {r['auroc trust']:.3f} | "
            f"{r['estimate']:.1f} | {r['share']:.0f} / {r['right']:.1f} |"
            for _, r in part.iterrows()
        ]

    head = ["| task | accuracy | AUROC | estimate | p >= 0.9: share / right |", "|---|---:|---:|---:|---:|"]
    return "\n".join(
        [
            "## The worst tasks",
            "",
            "By AUROC:",
            "",
            *head,
            *listed(table.nsmallest(WORST, "auroc trust")),
            "",
            "By the error of the estimate:",
            "",
            *head,
            *listed(table.nlargest(WORST, "error")),
            "",
        ]
    )


def calibration(results: Sequence[Mapping[str, Any]]) -> str:
    """Probabilities and shares that were right, every data set counting the same."""
    sums: dict[int, list[float]] = {}
    sizes = pd.Series([r["dataset"] for r in results]).value_counts()
    for r in results:
        n = sum(count for count, _, _ in r["reliability"])
        for count, p, right in r["reliability"]:
            weight = count / n / sizes[r["dataset"]]
            total = sums.setdefault(min(int(10 * p), 9), [0.0, 0.0, 0.0])
            for k, value in enumerate((weight, weight * p, weight * right)):
                total[k] += value
    lines = ["## Reliability", "", "| probability | share of rows | mean | right |", "|---|---:|---:|---:|"]
    for tenth, (weight, p, right) in sorted(sums.items()):
        lines.append(
            f"| {tenth / 10:.1f} to {tenth / 10 + 0.1:.1f} | {100 * weight / len(sizes):.1f} % | "
            f"{100 * p / weight:.1f} % | {100 * right / weight:.1f} % |"
        )
    return "\n".join([*lines, ""])


def methods(tables: Mapping[str, pd.DataFrame]) -> str:
    lines = [
        "## Other methods",
        "",
        "Means over the data sets that the last column counts, as far as they are done; same signals and parameters.",
        "",
        "| method | accuracy | AUROC mask | now | half / 80 % right | error | ECE | p >= 0.9: share / right "
        "| data sets |",
        "|---|" + "---:|" * 8,
    ]
    for name, table in tables.items():
        m, n = means(table).mean(), table["dataset"].nunique()
        lines.append(
            f"| {name} | {m['accuracy']:.1f} | {m['auroc picked']:.3f} | {m['auroc trust']:.3f} | "
            f"{m['half now']:.1f} / {m['most now']:.1f} | {m['error']:.1f} | {m['ece']:.1f} | "
            f"{m['share']:.0f} / {m['right']:.1f} | {n} ({len(table)} tasks) |"
        )
    return "\n".join([*lines, ""])


def harm(tables: Mapping[str, pd.DataFrame]) -> str:
    lines = [
        "## Does adaptation help? The verdict of `compare()`",
        "",
        "Harm: logistic regression that knows the source alone is right more often, by more than a point; on the",
        "features as given, and on these or on z-scores of each domain, whichever is better. Named: harmful tasks on",
        "which `compare()` calls an alternative better. False alarms: other tasks on which it does. Named rightly: the",
        "alternative that it names is indeed better, by more than a point.",
        "",
        "| method | harm, as given: named | false alarms | harm, either: named | false alarms | named rightly |",
        "|---|" + "---:|" * 5,
    ]
    for name, table in tables.items():
        cells = []
        for kind in ("harm", "any harm"):
            for among in (table[table[kind]], table[~table[kind]]):
                share = f" ({100 * among['alarm'].mean():.0f} %)" if len(among) else ""
                cells.append(f"{int(among['alarm'].sum())} of {len(among)}{share}")
        cells.append(f"{int(table['named rightly'].sum())} of {int(table['alarm'].sum())}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    table = next(iter(tables.values()))
    for what, rows in (
        ("Not named", table[table["any harm"] & ~table["alarm"]]),
        ("False alarms (neither is better)", table[~table["any harm"] & table["alarm"]]),
    ):
        tasks = "; ".join(f"{DATASETS[r['dataset']].title} {r['task']}" for _, r in rows.iterrows()) or "none"
        lines += ["", f"{what}, {next(iter(tables))}: {tasks}."]
    return "\n".join([*lines, ""])


def cost(table: pd.DataFrame, method: str, scaled: Mapping[str, float] | None) -> str:
    total = table[[f"seconds {name}" for name in ("fit", "signals", "reverse", "compare")]].sum()
    fit, n = total["seconds fit"], table["seconds fit"].count()
    shares = {name: 100 * total[f"seconds {name}"] / fit for name in ("signals", "reverse", "compare")}
    return "\n".join(
        [
            "## What it costs",
            "",
            f"{n} fits of {method} took {fit:.0f} s of CPU time. Signals and ATC (`trust_`) took "
            f"{shares['signals']:.0f} % of that, the fit backwards (`estimated_accuracy_`, `probability_`) "
            f"{shares['reverse']:.0f} %, `compare()` {shares['compare']:.0f} %. A fit that nobody asks pays nothing.",
            *([""] if scaled is None else ["", many_rows(scaled), ""]),
        ]
    )


def many_rows(scaled: Mapping[str, float]) -> str:
    return (
        f"On {scaled['rows']:,.0f} + {scaled['rows']:,.0f} made rows of 256 features JDA took {scaled['fit']:.0f} s "
        f"and {scaled['fit MB']:.0f} MB at most, input included; the signals took {scaled['signals']:.0f} s more, and "
        f"{scaled['signals MB']:.0f} MB (`python -m benchmarks.trust --scale {scaled['rows']:.0f}`). Neighbours are "
        "searched in blocks of bounded memory."
    )
