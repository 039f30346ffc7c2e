"""docs/SELECTION.md from the results of `benchmarks/selection.py`: every figure and every verdict is computed here."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

import pandas as pd

from tsrp.cli.adapt import adapt
from tsrp.selection import DEFAULT_SCORE, SCORES

DEFAULT_METHOD = signature(adapt).parameters["method"].default
NN = "nn"


def choices(results: pd.DataFrame) -> pd.DataFrame:
    """A row for each task and score: what the score chooses, and how it compares."""
    rows = []
    for (dataset, task), table in results.groupby(["dataset", "task"], sort=False):
        accuracy = table.set_index("candidate")["accuracy"]
        for name in SCORES:
            # The first of equals, as `search` takes it.
            chosen = table.loc[table[name].idxmax()]
            rows.append(
                {
                    "dataset": dataset,
                    "task": task,
                    "score": name,
                    "chosen": chosen["candidate"],
                    "accuracy": chosen["accuracy"],
                    "best": accuracy.max(),
                    "mean": accuracy.mean(),
                    "default": accuracy[DEFAULT_METHOD],
                    "nn": accuracy[NN],
                    # A score that is the same for all candidates ranks nothing.
                    "rho": 0.0
                    if table[name].nunique() == 1
                    else table[name].corr(table["accuracy"], method="spearman"),
                }
            )
    frame = pd.DataFrame(rows)
    return frame.assign(regret=frame["best"] - frame["accuracy"])


def by_dataset(chosen: pd.DataFrame, value: str) -> pd.DataFrame:
    """Means over the tasks of each data set, a row for each score, and the mean over the data sets."""
    means = chosen.groupby(["score", "dataset"], sort=False)[value].mean().unstack(sort=False)
    return means.assign(mean=means.mean(axis=1))


def summary(chosen: pd.DataFrame) -> pd.DataFrame:
    """A row for each score, the smallest mean regret first."""
    regret = by_dataset(chosen, "regret")["mean"]
    gains = chosen.assign(
        over_default=chosen["accuracy"] - chosen["default"], over_nn=chosen["accuracy"] - chosen["nn"]
    )
    table = pd.DataFrame(
        {
            "regret": regret,
            "worst regret": chosen.groupby("score")["regret"].max(),
            "rank correlation": by_dataset(chosen, "rho")["mean"],
            "over the default": by_dataset(gains, "over_default")["mean"],
            "worst, over the default": gains.groupby("score")["over_default"].min(),
            "over NN": by_dataset(gains, "over_nn")["mean"],
            "worst, over NN": gains.groupby("score")["over_nn"].min(),
        }
    )
    return table.sort_values(["regret", "worst regret"])


def fixed(chosen: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Mean regret over the data sets, and the worst, of choices that look at no score."""
    tasks = chosen[chosen["score"] == next(iter(SCORES))]
    answer = {}
    for name, column in ((f"always {DEFAULT_METHOD}", "default"), ("always NN", "nn"), ("a random candidate", "mean")):
        regret = (tasks["best"] - tasks[column]).groupby(tasks["dataset"])
        answer[name] = (float(regret.mean().mean()), float(regret.max().max()))
    return answer


def left_out(chosen: pd.DataFrame) -> pd.DataFrame:
    """For each data set: the score that is best on the others, and its regret on this one."""
    regret = by_dataset(chosen, "regret").drop(columns="mean")
    rows = [
        (dataset, (best := regret.drop(columns=dataset).mean(axis=1).idxmin()), regret.loc[best, dataset])
        for dataset in regret
    ]
    return pd.DataFrame(rows, columns=["dataset", "score", "regret"])


def markdown(table: pd.DataFrame, heading: str, form: Callable[[float], str] = "{:.2f}".format) -> list[str]:
    lines = [f"| {heading} | {' | '.join(table)} |", "|---|" + "---:|" * table.shape[1]]
    for name, row in zip(table.index, table.to_numpy(), strict=True):
        lines.append(f"| {name} | {' | '.join(v if isinstance(v, str) else form(v) for v in row)} |")
    return [*lines, ""]


def verdict(chosen: pd.DataFrame) -> list[str]:
    """What the tables mean, decided by their figures."""
    table, others = summary(chosen), fixed(chosen)
    first, second = table.index[:2]
    own = chosen[chosen["score"] == first]
    gain = own["accuracy"] - own["default"]
    up, down = int((gain > 0).sum()), int((gain < 0).sum())
    default, worst_default = others[f"always {DEFAULT_METHOD}"]
    lead = table.loc[second, "regret"] - table.loc[first, "regret"]
    beats = [name for name in table.index if table.loc[name, "regret"] < default]
    near = [name for name in table.index[1:] if table.loc[name, "regret"] - table.loc[first, "regret"] < 1]
    out = left_out(chosen)
    lines = [
        f"- By mean regret over the data sets `{first}` is the best score: {table.loc[first, 'regret']:.2f} points below "
        f"the best candidate, {table.loc[first, 'worst regret']:.1f} in the worst task. `{second}` is next, "
        f"{lead:.2f} points behind.",
        f"- Always taking `{DEFAULT_METHOD}`, as `tsrp adapt` does, has a regret of {default:.2f}, {worst_default:.1f} in "
        f"the worst task. "
        + (
            f"{len(beats)} of {len(table)} scores do better: {', '.join(f'`{n}`' for n in beats)}."
            if beats
            else "No score does better: keep the defaults."
        ),
        f"- Against that default, the choice of `{first}` is better on {up} tasks, worse on {down} and equal on "
        f"{len(own) - up - down}; at worst it loses {max(0.0, -gain.min()):.1f} points, at best it gains "
        f"{max(0.0, gain.max()):.1f}.",
    ]
    lines.append(
        f"- Within one point of the best score: {', '.join(f'`{n}`' for n in near)}. Such differences are too small, on "
        "so few data sets, to tell these scores apart."
        if near
        else "- No other score comes within one point of the best."
    )
    lines.append(
        "- The score was chosen on these very tasks. Chosen on all data sets but one, its mean regret on the one left out "
        f"is {out['regret'].mean():.2f}: that is what to expect of this procedure on data like these, and "
        + (
            "it is still below that of the default."
            if out["regret"].mean() < default
            else "it is no better than the default."
        )
    )
    return lines


def page(results: pd.DataFrame, n_tasks: int) -> str:
    """The page."""
    chosen = choices(results)
    table = summary(chosen)
    done = chosen[["dataset", "task"]].drop_duplicates()
    own = chosen[chosen["score"] == table.index[0]]
    candidates = list(dict.fromkeys(results["candidate"]))
    missing = (
        ""
        if len(done) == n_tasks
        else f" **{n_tasks - len(done)} more tasks are on the disk but not in these tables.**"
    )
    lines = [
        "# How well do scores without target labels choose?",
        "",
        "<!-- Written by benchmarks/selection.py; do not edit. -->",
        "",
        f"`tsrp tune` ranks methods and settings without target labels. Here the labels are known: on {len(done)} tasks of "
        f"{done['dataset'].nunique()} data sets each of the {len(candidates)} default candidates was fitted, and every "
        f"score chose one of them.{missing} Regret is the accuracy of the best candidate minus that of the chosen one, in "
        "points. Means are over the data sets, each being the mean over its tasks, so that a data set of twelve tasks "
        "counts as much as one of two.",
        "",
        "## Summary",
        "",
        *markdown(table.rename(index=lambda name: f"`{name}`"), "score"),
        *markdown(pd.DataFrame(fixed(chosen), index=["regret", "worst regret"]).T, "without a score"),
        *verdict(chosen),
        "",
        f"The default of `tsrp tune` is `{DEFAULT_SCORE}`.",
        "",
        "## Regret by data set",
        "",
        *markdown(by_dataset(chosen, "regret").loc[table.index].rename(index=lambda name: f"`{name}`"), "score"),
        "## Rank correlation (Spearman) with accuracy by data set",
        "",
        *markdown(by_dataset(chosen, "rho").loc[table.index].rename(index=lambda name: f"`{name}`"), "score"),
        "## Chosen on the other data sets",
        "",
        "For each data set: the score with the smallest mean regret on the others, and its regret here.",
        "",
        *markdown(left_out(chosen).set_index("dataset"), "data set"),
        f"## The choices of `{table.index[0]}`",
        "",
        *markdown(
            own.assign(index=own["dataset"] + ", " + own["task"])
            .set_index("index")[["chosen", "accuracy", "best", "default", "nn"]]
            .rename(columns={"default": DEFAULT_METHOD, "nn": "NN"}),
            "task",
        ),
        "## The scores",
        "",
        *(f"- `{name}`: {score.summary} ({score.reference}). Cost: {score.cost}." for name, score in SCORES.items()),
        "",
        "## The candidates",
        "",
        *(f"- {name}" for name in candidates),
        "",
    ]
    return "\n".join(lines)
