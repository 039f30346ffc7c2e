"""Fits of `benchmarks/known.py`, kept in build/known: one file for a draw, with a result for each choice."""

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

from benchmarks.default_runs import load, tasks
from tsrp import Panel
from tsrp.known import WEIGHT

FOLDER = Path(__file__).parents[1] / "build" / "known"
# A change of what is measured: older files are measured again.
VERSION = 4
# Of a task so many rows of each domain, and no more than this part of them: draws of a small task differ, too.
SOURCE_ROWS, TARGET_ROWS, LARGEST_PART = 250, 300, 0.8
# The numbers of labels that most is asked about come first.
NUMBERS = (20, 50, 10, 100)
# Of a small target at most this part is labelled, or there are no other rows to speak of.
LARGEST_SHARE = 0.5
SUGGEST, LOWEST, RANDOM, NOTHING = "suggest", "lowest", "random", "nothing"
RULES = (SUGGEST, RANDOM, LOWEST)


@dataclass(frozen=True)
class Draw:
    """Some rows of a task. Draw number k of a data set is of its k-th task, or of its tasks in turn."""

    dataset: str
    number: int

    @property
    def task(self) -> str:
        names = [task for dataset, task in tasks() if dataset == self.dataset]
        return names[self.number % len(names)]

    def load(self) -> tuple[Any, Any, Any, Any]:
        """Source, its labels, target, the truth."""
        Xs, ys, Xt, yt = load(self.dataset, self.task)
        rng = np.random.default_rng(self.number)
        source, target = some_rows(ys, SOURCE_ROWS, rng), some_rows(yt, TARGET_ROWS, rng)
        return Xs[source], ys[source], Xt[target], yt[target]

    def place(self, budget: str) -> Path:
        return FOLDER / budget / f"{self.dataset}, {self.number}.json"

    def done(self, budget: str) -> dict[str, Any]:
        """What was measured: the task, the rows by rule, and the results by choice; empty if nothing was."""
        path = self.place(budget)
        found = json.loads(path.read_text()) if path.exists() else {}
        return found if found.get("version") == VERSION else {}


def some_rows(y: Any, most: int, rng: np.random.Generator) -> Any:
    """Rows at random, one of each class among them."""
    n = min(most, int(LARGEST_PART * len(y)))
    order = rng.permutation(len(y))
    _, first = np.unique(y[order], return_index=True)
    return np.sort(np.concatenate([order[first], np.delete(order, first)])[:n])


@dataclass(frozen=True)
class Choice:
    """How many labels are known, and of which rows."""

    rule: str
    n: int = 0

    def __str__(self) -> str:
        return f"{self.rule} {self.n}"


def choices(n_target: int, numbers: tuple[int, ...] = NUMBERS) -> Iterator[Choice]:
    """What is measured on a draw whose target has so many rows."""
    yield Choice(NOTHING)
    for n in numbers:
        if n <= LARGEST_SHARE * n_target:
            for rule in RULES:
                yield Choice(rule, n)


def measure(budget: str, draw: Draw, numbers: tuple[int, ...]) -> bool:
    """Measure what is missing of a draw, each result kept at once; returns whether something was."""
    Xs, ys, Xt, yt = draw.load()
    found = draw.done(budget)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not found:
            found = begin(budget, draw, Xs, ys, Xt, yt)
            keep(budget, draw, found)
        missing = [choice for choice in choices(len(Xt), numbers) if str(choice) not in found["results"]]
        for choice in missing:
            rows = found["rows"][choice.rule][: choice.n]
            known = np.full(len(yt), None, dtype=object)
            known[rows] = yt[rows]
            began = time.process_time()
            model = Panel(budget, n_jobs=1).fit(Xs, ys, Xt, known)
            seconds = time.process_time() - began
            before = np.array(found["right before"])[~model.known_]
            found["results"][str(choice)] = {
                **assessed(model, yt),
                "before": before.mean(),
                "seconds": seconds,
                **logistic_regression(Xs, ys, Xt, yt, rows),
            }
            keep(budget, draw, found)
    return bool(missing)


def begin(budget: str, draw: Draw, Xs: Any, ys: Any, Xt: Any, yt: Any) -> dict[str, Any]:
    """The model that knows nothing, and the rows that a user would label who has it."""
    began = time.process_time()
    blind = Panel(budget, n_jobs=1).fit(Xs, ys, Xt)
    seconds = time.process_time() - began
    # Of each order the first k are the rows for k labels.
    most = max(choice.n for choice in choices(len(Xt)))
    rows = {
        SUGGEST: blind.suggest(most).rows.tolist(),
        RANDOM: blind.audit(most, seed=draw.number).rows.tolist(),
        LOWEST: np.argsort(blind.probability_, kind="stable")[:most].tolist(),
    }
    right = blind.labels_ == yt
    nothing = {
        **assessed(blind, yt),
        "before": right.mean(),
        "seconds": seconds,
        **logistic_regression(Xs, ys, Xt, yt, []),
    }
    return {
        "version": VERSION,
        "task": draw.task,
        "rows": rows,
        "right before": right.tolist(),
        "results": {str(Choice(NOTHING)): nothing},
    }


def keep(budget: str, draw: Draw, found: dict[str, Any]) -> None:
    path = draw.place(budget)
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_suffix(".part")
    written.write_text(json.dumps(found, default=float))
    written.replace(path)


def assessed(model: Panel, yt: Any) -> dict[str, float]:
    """How right the labels of other than known rows are, and how far the estimate of that is off."""
    others = ~model.known_
    right, estimated = model.labels_ == yt, model.estimated_accuracy_
    accuracy, estimate = right[others].mean(), model.probability_[others].mean()
    return {
        "accuracy": accuracy,
        "estimate": estimate,
        "error": abs(estimate - accuracy),
        # Of all rows, as the estimate is.
        "held": estimated.low <= right.mean() <= estimated.high,
        "width": estimated.high - estimated.low,
    }


def logistic_regression(Xs: Any, ys: Any, Xt: Any, yt: Any, rows: Any) -> dict[str, float]:
    """What a user would do otherwise: learn from the source and the known rows, on two scalings with two weights."""
    rows = np.asarray(rows, dtype=int)
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
