"""docs/DEFAULT.md from the results of `benchmarks/default.py`: every figure is computed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.default_budgets import budgets
from benchmarks.default_divided import divided
from benchmarks.default_large import large
from benchmarks.default_natural import natural
from benchmarks.default_series import series
from benchmarks.default_tables import tables
from benchmarks.default_votes import Ballots, Task, other_powers, without_each
from tsrp.datasets import DATASETS

PLAIN, SCALED, TREES = "logistic regression", "logistic regression, z-scores", "trees"
LOST, MUCH, LITTLE = 8.0, 3.0, 1.0
WORST = 8
COLUMNS = ("panel", "dicd+tsrp", "LR", "LR-z", "trees", "CORAL", "linear OT", "best member")

INTRODUCTION = """# The default, measured

Written by `python -m benchmarks.default` from the data sets on one disk; no figure is typed in. `tsrp.Panel()`, which
is what `tsrp adapt` runs by default, beside what a user would do otherwise. Files are taken as they are: no setting and
no preprocessing of any data set, and no target label anywhere but here. Accuracies in per cent.

- *dicd+tsrp*: the default before there was a panel.
- *LR*, *LR-z*: logistic regression on the source, scaled by the source's means and deviations, or each domain by its
  own.
- *trees*: extremely randomised trees on the source.
- *CORAL*, *linear OT*: skada's, with logistic regression; a dash where they fail, or where there are too many features
  to wait for them.
- *best member*: the member of the panel that turns out to be best, which nobody knows beforehand.
"""

CHOICES = """## What was chosen by looking at which data

Members and the powers of agreement and assortativity in the weights were chosen by looking at accuracies on a part of
these tasks: two of CMU-PIE, four each of SURF, MobileNetV2 and the reviews, and all of the other data sets. The figures
of these are therefore figures of data that were looked at; *other weights* above has what other choices come to, and
what each kind of data has if only the others choose. Assortativity took the place of mutual information by looking at
tasks whose targets lack classes: MobileNetV2 and SURF C -> W, COIL1 -> COIL2, MNIST -> USPS and gas batches 2 and 6,
none of which is among those made harder here. The correction for classes' shares was chosen by looking at 18 tasks of
ten data sets, and at the same six tasks and the digits with targets that lack classes or have rare ones: of the tasks
made harder here, only the digits. The student's weight was chosen by looking at these same tasks; that there is one,
by looking at all of them. That members divide their votes by probabilities, that evidence counts twice in trust, and
which parts the estimate is the median of: by looking at 54 tasks of all data sets, and at 35 cases of six of them.
Where adaptation is doubted, that trust looks less at evidence there, and that neighbours are looked for among z-scores
too: by looking at these, at the divided tables, and at the tables of KEEL, divided by other features and into other
halves than here. That the source's shares are a chance of neighbours to agree: by looking at tables of R packages. That
adaptation is doubted where classifiers are at home in the target, where scaling changes nothing, and where features
tell little about the classes: by looking at all of these, at tables of R packages with other labels and domains than
here, and, how many samples that needs, at parts of 14 of these tasks and of 74 tables that have few source rows. That
the estimate looks at the source's own labels there: at all of these, and at a quarter of the tables with domains of
their own. That logistic regression and trees then count by what they have wrong in the source: by looking at tables of
KEEL and of R packages, drawn otherwise than here, at the tasks that were made harder, and at 45 tasks of printed
letters and digits, of texts, and of the recordings of sensors here, with other features. That copies of a row are one
node of the graph which picks samples: at MobileNetV2 A -> W and the digits with rows repeated. That adaptation is also
doubted where classifiers agree on nearly all of the target, and methods that adapt hardly agree: at all of the tasks
and tables here, cases that were made harder among them, and at 73 tables of R packages and KEEL that were drawn
otherwise.
"""


def page(
    found: Sequence[Mapping[str, Any]],
    ballots: Mapping[Task, Ballots],
    many: Sequence[Mapping[str, Any]] = (),
    halves: Sequence[Mapping[str, Any]] = (),
    others: Sequence[Mapping[str, Any]] = (),
    by_themselves: Sequence[Mapping[str, Any]] = (),
    recordings: Sequence[Mapping[str, Any]] = (),
    other_budgets: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The page: tasks and cases, votes on tasks, many rows, three sorts of tables, recordings, other budgets."""
    plain = table([one for one in found if not one["case"]])
    harder = table([one for one in found if one["case"]])
    parts = [INTRODUCTION, datasets(plain), kinds(plain), harm(plain), trust(plain), members(plain)]
    if ballots:
        parts += [without_each(ballots), other_powers(ballots)]
    if section := budgets(other_budgets, plain):
        parts.append(section)
    if len(harder):
        parts.append(cases(harder, plain))
    if halves:
        parts.append(divided(halves))
    if others:
        parts.append(tables(others))
    if by_themselves:
        parts.append(natural(by_themselves))
    if recordings:
        parts.append(series(recordings))
    if many:
        parts.append(large(many))
    parts += [CHOICES, cost(plain), every_task(plain)]
    return "\n".join(parts)


def table(found: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """A row for each task, in per cent."""
    rows = []
    for one in found:
        own = one["members"]
        rows.append(
            {
                "dataset": one["dataset"],
                "task": one["task"],
                "case": one["case"],
                "panel": one["panel"],
                "dicd+tsrp": one["dicd+tsrp"],
                "LR": own.get(PLAIN),
                "LR-z": own.get(SCALED),
                "trees": own.get(TREES),
                **{name: one["others"].get(name) for name in ("CORAL", "linear OT")},
                "best member": max(own.values()),
                "estimate": one["estimate"],
                "error": abs(one["estimate"] - one["panel"]),
                "held": float(one["range"][0] <= one["panel"] <= one["range"][1]),
                "auroc": one["auroc"],
                **{f"seconds {name}": value for name, value in one["seconds"].items()},
                **{f"member {name}": value for name, value in own.items()},
            }
        )
    found_ = pd.DataFrame(rows)
    shares = [n for n in found_ if n in (*COLUMNS, "estimate", "error", "held") or n.startswith("member ")]
    found_[shares] = 100 * found_[shares].astype(float)
    if len(found_):
        found_["auroc"] = found_["auroc"].astype(float)
        found_["simple"] = found_[["LR", "LR-z"]].max(axis=1)
        found_["gain"] = found_["panel"] - found_["simple"]
    return found_


def by_dataset(plain: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    order = [name for name in DATASETS if name in set(plain["dataset"])]
    return plain.groupby("dataset")[list(columns)].mean().loc[order]


def datasets(plain: pd.DataFrame) -> str:
    means, counts = by_dataset(plain, COLUMNS), plain["dataset"].value_counts()
    lines = [
        "## By data set",
        "",
        "| data set (tasks) | " + " | ".join(COLUMNS) + " |",
        "|---|" + "---:|" * len(COLUMNS),
    ]
    for name, row in means.iterrows():
        of = len(DATASETS[str(name)].tasks)
        tasks = f"{counts[name]} of {of}" if counts[name] < of else f"{of}"
        lines.append(f"| {DATASETS[str(name)].title} ({tasks}) | " + " | ".join(map(number, row)) + " |")
    lines.append("| **mean** | " + " | ".join(f"**{number(value)}**" for value in means.mean()) + " |")
    return "\n".join(
        [*lines, "", "The mean is over data sets; of CORAL and linear OT over those that they have figures for.", ""]
    )


def kinds(plain: pd.DataFrame) -> str:
    means = by_dataset(plain, ("panel", "dicd+tsrp", "LR", "LR-z"))
    means["kind"] = [DATASETS[str(name)].type for name in means.index]
    lines = ["## By kind of data", "", "| kind | panel | dicd+tsrp | LR | LR-z |", "|---|---:|---:|---:|---:|"]
    for kind, row in means.groupby("kind").mean().iterrows():
        lines.append(f"| {kind} | " + " | ".join(map(number, row)) + " |")
    return "\n".join([*lines, ""])


def harm(plain: pd.DataFrame) -> str:
    """How often a user would have been better off without."""
    lines = [
        "## Harm",
        "",
        f"Against the better of LR and LR-z, known afterwards, on {len(plain)} tasks:",
        "",
        "| | panel | dicd+tsrp |",
        "|---|---:|---:|",
    ]
    gains = plain["gain"], plain["dicd+tsrp"] - plain["simple"]
    counts = {f"more than {limit:g} below": [f"{(g < -limit).sum()}" for g in gains] for limit in (LITTLE, MUCH, LOST)}
    counts["more than 1 above"] = [f"{(g > LITTLE).sum()}" for g in gains]
    counts["mean difference"] = [f"{g.mean():+.1f}" for g in gains]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in counts.items()]
    below = plain[plain["gain"] < -LITTLE].nsmallest(WORST, "gain")
    if len(below):
        worst = "; ".join(f"{DATASETS[row.dataset].title}, {row.task} ({row.gain:+.1f})" for row in below.itertuples())
        lines += ["", f"Where the panel is furthest below: {worst}."]
    return "\n".join([*lines, ""])


def trust(plain: pd.DataFrame) -> str:
    means = by_dataset(plain, ("panel", "estimate", "error", "held", "auroc"))
    lines = [
        "## Trust",
        "",
        "How well `trust_` ranks right labels above wrong ones (tasks with fewer than three wrong labels left out), "
        "and how far the estimated accuracy is off, in points; *held*: the range held the truth, in per cent of tasks.",
        "",
        "| data set | accuracy | estimate | error | held | AUROC |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, row in means.iterrows():
        lines.append(_trust_row(DATASETS[str(name)].title, row))
    lines.append(_trust_row("**mean**", means.mean()))
    return "\n".join([*lines, ""])


def _trust_row(name: str, row: Any) -> str:
    cells = [number(row["panel"]), number(row["estimate"]), number(row["error"]), f"{row['held']:.0f}"]
    return f"| {name} | " + " | ".join([*cells, "–" if np.isnan(row["auroc"]) else f"{row['auroc']:.3f}"]) + " |"


def members(plain: pd.DataFrame) -> str:
    names = [name for name in plain if name.startswith("member ")]
    means = by_dataset(plain, names)
    lines = ["## Members", "", "Mean accuracy over data sets, by itself:", "", "| member | accuracy |", "|---|---:|"]
    for name, value in means.mean().items():
        lines.append(f"| {str(name).removeprefix('member ')} | {number(value)} |")
    return "\n".join([*lines, ""])


def cases(harder: pd.DataFrame, plain: pd.DataFrame) -> str:
    """Tasks that were made harder, beside the tasks as they are."""
    lines = [
        "## Made harder",
        "",
        "Tasks with what happens to people. *As it is*: the panel on the task itself. *Best other*: the best of LR, "
        "LR-z and dicd+tsrp on that case, known afterwards.",
        "",
        "| case | task | as it is | panel | dicd+tsrp | LR | LR-z | against the best other |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    usual = plain.set_index(["dataset", "task"])["panel"]
    for row in harder.to_dict("records"):
        before = usual.get((row["dataset"], row["task"]), np.nan)
        others = max(row["dicd+tsrp"], row["LR"], row["LR-z"])
        cells = [number(value) for value in (before, row["panel"], row["dicd+tsrp"], row["LR"], row["LR-z"])]
        name = f"{DATASETS[row['dataset']].title}, {row['task']}"
        lines.append(f"| {row['case']} | {name} | " + " | ".join(cells) + f" | {row['panel'] - others:+.1f} |")
    return "\n".join([*lines, ""])


def cost(plain: pd.DataFrame) -> str:
    ratio = plain["seconds panel"].sum() / plain["seconds dicd+tsrp"].sum()
    return f"## Cost\n\nOver these tasks the panel took {ratio:.1f} times the processor time of dicd+tsrp.\n"


def every_task(plain: pd.DataFrame) -> str:
    lines = [
        "## Every task",
        "",
        "| task | panel | dicd+tsrp | LR | LR-z | best member |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    order = {name: place for place, name in enumerate(DATASETS)}
    for row in plain.sort_values("dataset", key=lambda names: names.map(order), kind="stable").to_dict("records"):
        cells = [number(row[name]) for name in ("panel", "dicd+tsrp", "LR", "LR-z", "best member")]
        lines.append(f"| {DATASETS[row['dataset']].title}, {row['task']} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def number(value: float) -> str:
    return "–" if value is None or np.isnan(value) else f"{value:.1f}"
