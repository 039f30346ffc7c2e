"""Other ways to count the votes that `benchmarks/default.py` has kept: without a member, and with other powers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

from benchmarks.default_runs import place
from tsrp.datasets import DATASETS
from tsrp.selection.answers import Answers
from tsrp.selection.doubt import doubt_in_adaptation
from tsrp.selection.movement import Movement
from tsrp.selection.student import student_weight
from tsrp.selection.vote import AGREEMENT_POWER, ASSORTATIVITY_POWER, Weights, class_factors, vote

CHOSEN = AGREEMENT_POWER, ASSORTATIVITY_POWER
POWERS = [(agreement, assortativity) for agreement in (2, 4, 6, 8, 12) for assortativity in (0, 1, 2, 4, 8)]
Ballots = Mapping[str, Any]
Task = tuple[str, str]


def load(dataset: str, task: str) -> Ballots:
    """Who voted for what on a task."""
    with np.load(place(dataset, task).with_suffix(".npz")) as kept:
        return dict(kept)


def accuracy(
    ballots: Ballots,
    powers: tuple[float, float] = CHOSEN,
    without: str = "",
    *,
    corrected: bool = True,
    taught: bool = True,
    divided: bool = True,
    doubted: bool = True,
) -> float:
    """In per cent, of a vote with these powers, in which a member takes no part.

    It is corrected for the classes' shares, members divide their votes as they find classes probable, adaptation is
    doubted where it should be, and a student votes too: the one that all members taught.
    """
    part = ballots["names"] != without
    labels, families = list(ballots["labels"][part]), ballots["families"][part].tolist()
    undoubted = Weights.of(labels, families, ballots["assortativity"][part], powers=powers)
    share = doubt(ballots, part) if doubted else 0.0
    weighed, _ = undoubted.doubted(share, ballots["as_they_are"][part], ballots["merits"])
    weights = weighed.weight
    shares, n = ballots["shares"], len(ballots["truth"])
    plain = vote(labels, weights, n, np.ones(len(shares)))
    factors = class_factors(plain, shares) if corrected else np.ones(len(shares))
    votes = vote(cast(ballots, part) if divided else labels, weights, n, factors)
    if taught:
        votes = votes + student_weight(plain, shares) * ballots["student"]
    return 100 * float(np.mean(votes.argmax(axis=1) == ballots["truth"]))


def doubt(ballots: Ballots, part: Any) -> float:
    """How far adaptation is in doubt by those that take part."""
    labels, families = ballots["labels"][part], ballots["families"][part]
    as_they_are, adapts = ballots["as_they_are"][part], ballots["adapts"][part]
    adapted = list(zip(families[adapts].tolist(), labels[adapts], strict=True))
    rescaled = labels[~as_they_are & ~adapts]
    signs = Movement(**_fields(ballots, Movement)), Answers(**_fields(ballots, Answers))
    support = float(ballots["support"])
    return doubt_in_adaptation(list(labels[as_they_are]), list(rescaled), adapted, *signs, support).share


def _fields(ballots: Ballots, kind: Any) -> dict[str, Any]:
    return {own.name: ballots[own.name] for own in fields(kind)}


def cast(ballots: Ballots, part: Any) -> list[Any]:
    """The votes of those that take part: probabilities, or labels where there are none."""
    probabilities = iter(ballots["probabilities"])
    everyone = [
        next(probabilities) if divided else labels
        for divided, labels in zip(ballots["divided"], ballots["labels"], strict=True)
    ]
    return [own for own, takes_part in zip(everyone, part, strict=True) if takes_part]


def by_dataset(tasks: Mapping[Task, Ballots], count: Callable[[Ballots], float]) -> dict[str, float]:
    """The mean over the tasks of each data set."""
    found: dict[str, list[float]] = {}
    for (dataset, _), ballots in tasks.items():
        found.setdefault(dataset, []).append(count(ballots))
    return {dataset: float(np.mean(values)) for dataset, values in found.items()}


def mean(values: Mapping[str, float]) -> float:
    return float(np.mean(list(values.values())))


def without_each(tasks: Mapping[Task, Ballots]) -> str:
    """What the panel would have without a member."""
    everyone = mean(by_dataset(tasks, accuracy))
    lines = [
        "## Without a member",
        "",
        f"Mean accuracy over data sets of a vote in which one takes no part; with all of them {everyone:.2f}. The last "
        "lines are the vote of all, without the correction for the classes' shares in the target, without the student, "
        "without probabilities (each member votes for its label alone), and without doubt in adaptation.",
        "",
        "| without | accuracy | difference |",
        "|---|---:|---:|",
    ]
    for name in next(iter(tasks.values()))["names"]:
        left = mean(by_dataset(tasks, partial(accuracy, without=name)))
        lines.append(f"| {name} | {left:.2f} | {left - everyone:+.2f} |")
    for what, count in (
        ("the correction for the classes' shares", partial(accuracy, corrected=False)),
        ("the student", partial(accuracy, taught=False)),
        ("probabilities", partial(accuracy, divided=False)),
        ("doubt", partial(accuracy, doubted=False)),
    ):
        left = mean(by_dataset(tasks, count))
        lines.append(f"| {what} | {left:.2f} | {left - everyone:+.2f} |")
    return "\n".join([*lines, ""])


def other_powers(tasks: Mapping[Task, Ballots]) -> str:
    """Other powers in the weights, and those that all other kinds of data would have chosen."""
    found = {powers: by_dataset(tasks, partial(accuracy, powers=powers)) for powers in POWERS}
    lines = [
        "## Other weights",
        "",
        f"Mean accuracy over data sets, by the powers of agreement and assortativity; chosen: {CHOSEN[0]} and "
        f"{CHOSEN[1]}.",
        "",
        "| agreement | " + " | ".join(f"assortativity {power}" for power in sorted({p for _, p in POWERS})) + " |",
        "|---:|" + "---:|" * len({p for _, p in POWERS}),
    ]
    for agreement in sorted({power for power, _ in POWERS}):
        cells = [f"{mean(values):.2f}" for powers, values in found.items() if powers[0] == agreement]
        lines.append(f"| {agreement} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "Leaving a kind of data out: the powers that are best on all other kinds, and what they have on this one.",
        "",
        "| kind left out | agreement | assortativity | accuracy there | with the chosen powers |",
        "|---|---:|---:|---:|---:|",
    ]
    for kind in sorted({DATASETS[dataset].type for dataset, _ in tasks}):
        best = max(POWERS, key=lambda powers: mean(_of(found[powers], kind, inside=False)))
        there, chosen = (mean(_of(found[powers], kind, inside=True)) for powers in (best, CHOSEN))
        lines.append(f"| {kind} | {best[0]} | {best[1]} | {there:.2f} | {chosen:.2f} |")
    return "\n".join([*lines, ""])


def _of(values: Mapping[str, float], kind: str, *, inside: bool) -> dict[str, float]:
    """The data sets of a kind, or all others."""
    return {dataset: value for dataset, value in values.items() if (DATASETS[dataset].type == kind) == inside}
