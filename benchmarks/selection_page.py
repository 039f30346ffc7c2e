"""docs/SELECTION.md from the results of `benchmarks/selection.py`: every figure and every verdict is computed here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from tsrp.cli.choosing import ONE_METHOD
from tsrp.selection import DEFAULT_SCORE, SCORES
from tsrp.selection.search import NEARLY

NN = "nn"
SIZES, DRAWS = (3, 6, 12), 20
AT_RANDOM = "at random"


def score_together(table: pd.DataFrame) -> pd.DataFrame:
    """The candidates of one task with the scores that look at all of them, too."""
    labels = np.array(table["labels"].tolist())
    joint = {name: score for name, score in SCORES.items() if score.weights}
    return table.assign(
        **{name: score.function(labels, table[list(score.weights)].prod(axis=1)) for name, score in joint.items()}
    )


def choices(results: pd.DataFrame) -> pd.DataFrame:
    """A row for each task and score: what the score chooses, and how it compares."""
    rows = []
    for (dataset, task), given in results.groupby(["dataset", "task"], sort=False):
        table = score_together(given)
        accuracy = table.set_index("candidate")["accuracy"]
        known = {
            "dataset": dataset,
            "task": task,
            "best": accuracy.max(),
            "kind": given["kind"].iloc[0],
            "default": accuracy[ONE_METHOD],
            "nn": accuracy[NN],
            "panel": given["panel"].iloc[0],
        }
        for name in SCORES:
            # The first of equals, as `search` takes it.
            chosen = table.loc[table[name].idxmax()]
            # A score that is the same for all candidates ranks nothing.
            ranks = table[name].nunique() > 1 and table["accuracy"].nunique() > 1
            rho = table[name].corr(table["accuracy"], method="spearman") if ranks else 0.0
            found = {"score": name, "chosen": chosen["candidate"], "accuracy": chosen["accuracy"], "rho": rho}
            found["sure"] = not tied(table[name])
            rows.append({**known, **found})
    frame = pd.DataFrame(rows)
    return frame.assign(
        regret=frame["best"] - frame["accuracy"],
        over_default=frame["accuracy"] - frame["default"],
        over_nn=frame["accuracy"] - frame["nn"],
    )


def tied(scores: pd.Series) -> bool:
    """Whether another candidate has about the best score, so that `tsrp tune` prefers the panel."""
    ranked = scores.sort_values(ascending=False).to_numpy()
    return bool(ranked[1] >= ranked[0] - NEARLY * (ranked[0] - ranked[-1]))


def by_dataset(chosen: pd.DataFrame, value: str) -> pd.DataFrame:
    """Means over the tasks of each data set, a row for each score, and the mean over the data sets."""
    means = chosen.pivot_table(index="score", columns="dataset", values=value)
    means = means.reindex(index=chosen["score"].unique(), columns=chosen["dataset"].unique())
    return means.assign(mean=means.mean(axis=1))


def summary(chosen: pd.DataFrame) -> pd.DataFrame:
    """A row for each score, the smallest mean regret first."""
    by_score = chosen.groupby("score")
    table = pd.DataFrame(
        {
            "regret": by_dataset(chosen, "regret")["mean"],
            "worst regret": by_score["regret"].max(),
            "rank correlation": by_dataset(chosen, "rho")["mean"],
            "over the default": by_dataset(chosen, "over_default")["mean"],
            "worst, over the default": by_score["over_default"].min(),
            "over NN": by_dataset(chosen, "over_nn")["mean"],
            "worst, over NN": by_score["over_nn"].min(),
        }
    )
    return table.sort_values(["regret", "worst regret"])


def fixed(results: pd.DataFrame) -> pd.DataFrame:
    """Mean regret over the data sets, and the worst, of choices that look at no score."""
    accuracy = results.pivot_table(index=["dataset", "task"], columns="candidate", values="accuracy", sort=False)
    regret = -accuracy.sub(accuracy.max(axis=1), axis=0)
    best = regret.groupby("dataset").mean().mean().idxmin()
    regret["random"] = regret.mean(axis=1)
    rows = {
        f"always `{ONE_METHOD}`": ONE_METHOD,
        f"always the best on average, known afterwards (`{best}`)": best,
        "always `nn`": NN,
        "a random candidate, on average": "random",
    }
    means = regret.groupby("dataset").mean().mean()
    return pd.DataFrame(
        {
            "regret": [means[name] for name in rows.values()],
            "worst regret": [regret[name].max() for name in rows.values()],
        },
        index=list(rows),
    )


def left_out(chosen: pd.DataFrame) -> pd.DataFrame:
    """For each kind of data: the score that is best on all other kinds, and its regret on this one."""
    regret = by_dataset(chosen, "regret").drop(columns="mean")
    kinds = chosen.groupby("dataset", sort=False)["kind"].first()
    rows = {}
    for kind in kinds.unique():
        inside = list(kinds.index[kinds == kind])
        best = regret.drop(columns=inside).mean(axis=1).idxmin()
        rows[kind] = {"score": best, "regret": regret.loc[best, inside].mean()}
    return pd.DataFrame.from_dict(rows, orient="index")


def beside_the_panel(chosen: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracies over the data sets: the default score's choice, the panel, and the panel where it is not sure."""
    own = chosen[(chosen["score"] == DEFAULT_SCORE) & chosen["panel"].notna()]
    own = own.assign(either=own["accuracy"].where(own["sure"], own["panel"]))
    means = own.groupby("dataset")[["best", "accuracy", "panel", "either", "default"]].mean().mean()
    names = {
        "best": "the best candidate, known afterwards",
        "accuracy": f"the choice of `{DEFAULT_SCORE}`",
        "panel": "the panel",
        "either": "the choice where it is sure, else the panel: what `tsrp tune` says to run",
        "default": f"always `{ONE_METHOD}`",
    }
    worst = {name: (own[name] - own["panel"]).min() for name in names}
    return pd.DataFrame(
        {"accuracy": means.rename(names), "at worst, beside the panel": pd.Series(worst).rename(names)},
        index=list(names.values()),
    )


def fewer(results: pd.DataFrame) -> pd.DataFrame:
    """Regret against the best of some candidates drawn at random: mean over draws, tasks and data sets."""
    rng = np.random.default_rng(0)
    rows = []
    for (dataset, _), given in results.groupby(["dataset", "task"], sort=False):
        for size in SIZES:
            for _ in range(DRAWS):
                # In their order, for the first of equals is taken.
                drawn = score_together(given.iloc[np.sort(rng.choice(len(given), size, replace=False))])
                best = drawn["accuracy"].max()
                regrets = {name: best - drawn.loc[drawn[name].idxmax(), "accuracy"] for name in SCORES}
                regrets[AT_RANDOM] = best - drawn["accuracy"].mean()
                rows += [(dataset, size, name, regret) for name, regret in regrets.items()]
    frame = pd.DataFrame(rows, columns=["dataset", "size", "score", "regret"])
    means = frame.groupby(["score", "size", "dataset"])["regret"].mean().groupby(["score", "size"]).mean().unstack()
    return means.rename(columns="of {}".format)


def markdown(table: pd.DataFrame, heading: str, form: Callable[[float], str] = "{:.2f}".format) -> list[str]:
    lines = [f"| {heading} | {' | '.join(table)} |", "|---|" + "---:|" * table.shape[1]]
    for name, row in zip(table.index, table.to_numpy(), strict=True):
        lines.append(f"| {name} | {' | '.join(v if isinstance(v, str) else form(v) for v in row)} |")
    return [*lines, ""]


def verdict(chosen: pd.DataFrame, alone: pd.DataFrame) -> list[str]:
    """What the tables mean, decided by their figures."""
    table = summary(chosen)
    first, second = table.index[:2]
    regret, worst = table["regret"], table["worst regret"]
    default, worst_default = alone.iloc[0]
    gain = chosen.loc[chosen["score"] == first, "over_default"]
    up, down = int((gain > 0).sum()), int((gain < 0).sum())
    expected = float(left_out(chosen)["regret"].mean())
    devised = ", ".join(f"`{name}`" for name, score in SCORES.items() if score.reference == "of this package")
    return [
        f"- By mean regret over the data sets `{first}` is the best score: {regret[first]:.2f} points below the best "
        f"candidate, {worst[first]:.1f} in the worst task. `{second}` is next, {regret[second] - regret[first]:.2f} "
        "points behind.",
        f"- Always taking `{ONE_METHOD}` has a regret of {default:.2f}, "
        f"{worst_default:.1f} in the worst task. {_better(table.index[regret < default], len(table))}",
        f"- Against that default, the choice of `{first}` is better on {up} tasks, worse on {down} and equal on "
        f"{len(gain) - up - down}; the largest loss here is {max(0.0, -gain.min()):.1f} points, the largest gain "
        f"{max(0.0, gain.max()):.1f}. On other data a loss may be larger.",
        _tied(table.index[1:][regret[1:] - regret[first] < 1]),
        "- The score was chosen on these very tasks. Chosen on all kinds of data but one, its mean regret on the kind "
        f"left out is {expected:.2f}: that is what to expect of this procedure on other data, and it is "
        f"{'below' if expected < default else 'no better than'} that of the default.",
        f"- Nor is that all: {devised} were devised here with a look at such results, and the weights of `consensus` "
        "are one choice of several that did about as well. The published scores were not fitted to these tasks, and "
        "were made for deep networks, where their order may be another.",
    ]


def _better(names: pd.Index, of: int) -> str:
    if len(names) == 0:
        return "No score does better: keep the defaults."
    return f"{len(names)} of {of} scores do better: {', '.join(f'`{name}`' for name in names)}."


def _tied(names: pd.Index) -> str:
    if len(names) == 0:
        return "- No other score comes within one point of the best."
    listed = ", ".join(f"`{name}`" for name in names)
    return f"- Within one point of the best: {listed}. On so few data sets this does not tell the scores apart."


def page(results: pd.DataFrame, n_tasks: int) -> str:
    """The page."""
    chosen = choices(results)
    table = summary(chosen)
    done = chosen[["dataset", "task"]].drop_duplicates()
    own = chosen[chosen["score"] == table.index[0]]
    candidates = list(dict.fromkeys(results["candidate"]))
    left = n_tasks - len(done)
    alone, few = fixed(results), fewer(results)
    sure = int(chosen.loc[chosen["score"] == DEFAULT_SCORE, "sure"].sum())
    return "\n".join(
        [
            "# How well do scores without target labels choose?",
            "",
            "<!-- Written by benchmarks/selection.py; do not edit. -->",
            "",
            "`tsrp tune` ranks methods and settings without target labels. Here the labels are known: on "
            f"{len(done)} tasks of {done['dataset'].nunique()} data sets each of the {len(candidates)} default "
            "candidates was fitted, and every score chose one of them. Regret is the accuracy of the best candidate "
            "minus that of the chosen one, in points. Means are over the data sets, each being the mean over its "
            "tasks, so that a data set of twelve tasks counts as much as one of two.",
            *([f"\n**{left} more tasks are on the disk but not in these tables.**"] if left else []),
            "",
            "## Summary",
            "",
            *markdown(_quoted(table), "score"),
            *markdown(alone, "without a score"),
            *verdict(chosen, alone),
            "",
            f"`tsrp tune` uses `{DEFAULT_SCORE}` unless told otherwise.",
            "",
            "## Regret by data set",
            "",
            *markdown(_quoted(by_dataset(chosen, "regret").loc[table.index]), "score"),
            "## Rank correlation (Spearman) with accuracy, by data set",
            "",
            *markdown(_quoted(by_dataset(chosen, "rho").loc[table.index]), "score"),
            "## Chosen on other kinds of data",
            "",
            "For each kind: the score with the smallest mean regret on the data sets of all other kinds, and its "
            "regret here.",
            "",
            *markdown(left_out(chosen), "kind"),
            "## Beside the panel",
            "",
            "Mean accuracies over the data sets, and the worst difference on a task to [the panel](DEFAULT.md), which "
            f"is what `tsrp adapt` runs by default. `{DEFAULT_SCORE}` is sure on {sure} of {len(done)} tasks: no "
            "other candidate is within a twentieth of the scores' range.",
            "",
            *markdown(beside_the_panel(chosen), "what is run"),
            "## From fewer candidates",
            "",
            f"What `consensus` says depends on who is asked. Regret against the best of {', '.join(map(str, SIZES))} "
            f"candidates, the mean of {DRAWS} random draws on each task:",
            "",
            *markdown(_quoted(few.loc[[*table.index, AT_RANDOM]]), "score"),
            f"The best here: {', '.join(f'`{name}` {size}' for size, name in few.idxmin().items())}.",
            "",
            f"## The choices of `{table.index[0]}`",
            "",
            *markdown(
                own.set_index(own["dataset"] + ", " + own["task"])[
                    ["chosen", "accuracy", "best", "default", "nn"]
                ].rename(columns={"default": ONE_METHOD, "nn": "NN"}),
                "task",
            ),
            "## The scores",
            "",
            *(
                f"- `{name}`: {score.summary} ({score.reference}). Cost: {score.cost}."
                for name, score in SCORES.items()
            ),
            "",
            "## The candidates",
            "",
            *(f"- {name}" for name in candidates),
            "",
        ]
    )


def _quoted(table: pd.DataFrame) -> pd.DataFrame:
    return table.rename(index=lambda name: f"`{name}`" if name in SCORES else name)
