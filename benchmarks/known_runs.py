"""Fits of `benchmarks/known.py`, kept in build/known: one file for a task, with a result for each choice of rows."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks.default_runs import load
from tsrp import Panel
from tsrp.datasets.record import ARROW
from tsrp.known import WEIGHT

FOLDER = Path(__file__).parents[1] / "build" / "known"
# A change of what is measured: older files are measured again.
VERSION = 1
NUMBERS = (10, 20, 50, 100)
# Of a small target at most this part is labelled, or there are no other rows to speak of.
LARGEST_SHARE = 0.5
SUGGEST, LOWEST, RANDOM, NOTHING = "suggest", "lowest", "random", "nothing"


@dataclass(frozen=True)
class Choice:
    """How many labels are known, and of which rows."""

    rule: str
    n: int = 0
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.rule} {self.n} {self.seed}"


def choices(n_target: int, numbers: tuple[int, ...] = NUMBERS, seeds: int = 5) -> Iterator[Choice]:
    """What is measured on a task, the cheapest questions first; only rows at random depend on a seed."""
    yield Choice(NOTHING)
    for seed in range(seeds):
        for n in numbers:
            if n <= LARGEST_SHARE * n_target:
                for rule in (SUGGEST, LOWEST, RANDOM) if seed == 0 else (RANDOM,):
                    yield Choice(rule, n, seed)


def place(budget: str, dataset: str, task: str) -> Path:
    return FOLDER / budget / f"{dataset}, {task.replace(ARROW, '_')}.json"


def done(budget: str, dataset: str, task: str) -> dict[str, dict[str, float]]:
    """What was measured on a task, by choice."""
    path = place(budget, dataset, task)
    found = json.loads(path.read_text()) if path.exists() else {}
    return found["results"] if found.get("version") == VERSION else {}


def measure(budget: str, dataset: str, task: str, numbers: tuple[int, ...], seeds: int) -> bool:
    """Measure what is missing on a task, each result kept at once; returns whether something was."""
    Xs, ys, Xt, yt = load(dataset, task)
    results = done(budget, dataset, task)
    missing = [choice for choice in choices(len(Xt), numbers, seeds) if str(choice) not in results]
    if not missing:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        blind = Panel(budget).fit(Xs, ys, Xt)
        for choice in missing:
            rows = rows_of(blind, choice)
            began = time.perf_counter()
            known = np.full(len(yt), None, dtype=object)
            known[rows] = yt[rows]
            model = Panel(budget).fit(Xs, ys, Xt, known) if len(rows) else blind
            seconds = time.perf_counter() - began
            others = ~model.known_
            accuracy = np.mean(model.labels_[others] == yt[others])
            estimate = model.probability_[others].mean()
            results[str(choice)] = {
                "accuracy": accuracy,
                "before": np.mean(blind.labels_[others] == yt[others]),
                "estimate": estimate,
                "error": abs(estimate - accuracy),
                "seconds": seconds,
                **logistic_regression(Xs, ys, Xt, yt, rows),
            }
            path = place(budget, dataset, task)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"version": VERSION, "results": results}, default=float))
    return True


def rows_of(blind: Panel, choice: Choice) -> Any:
    """The rows whose labels are known, as a user would find them who knows nothing yet."""
    if choice.rule == SUGGEST:
        return blind.suggest(choice.n).rows
    if choice.rule == LOWEST:
        return np.argsort(blind.probability_, kind="stable")[: choice.n]
    return blind.audit(choice.n, seed=choice.seed).rows if choice.rule == RANDOM else np.empty(0, dtype=int)


def logistic_regression(Xs: Any, ys: Any, Xt: Any, yt: Any, rows: Any) -> dict[str, float]:
    """What a user would do otherwise: learn from the source and the known rows, on two scalings with two weights."""
    others = np.ones(len(yt), dtype=bool)
    others[rows] = False
    target = yt.astype(ys.dtype)
    found = {}
    for scaling in ("LR", "LR-z"):
        own = StandardScaler().fit(Xs)
        S, T = own.transform(Xs), (own if scaling == "LR" else StandardScaler().fit(Xt)).transform(Xt)
        X, y = np.vstack([S, T[rows]]), np.concatenate([ys, target[rows]])
        for name, weight in (("", WEIGHT), (", balanced", len(ys) / max(1, len(rows)))):
            weights = np.concatenate([np.ones(len(ys)), np.full(len(rows), weight)])
            model = LogisticRegression(max_iter=200, tol=1e-3).fit(X, y, sample_weight=weights)
            found[scaling + name] = float(np.mean(model.predict(T[others]) == target[others]))
    return found
