"""Fits of `benchmarks/default.py`, kept in build/default: one file for a task, or for a task that was made harder."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks.trust_runs import auroc, timed
from tsrp import Panel
from tsrp.datasets import DATASETS, load_task
from tsrp.datasets.loading import is_on_disk
from tsrp.datasets.record import ARROW
from tsrp.selection.answers import Answers
from tsrp.selection.doubt import support
from tsrp.selection.members import ballot, recipes
from tsrp.selection.movement import Movement
from tsrp.spec import MethodSpec

FOLDER = Path(__file__).parents[1] / "build" / "default"
# A change of what is measured: older files are measured again.
VERSION = 10
BEFORE = "dicd+tsrp"
AS_THEY_ARE = [recipe.name for recipe in recipes("quick", 1) if recipe.as_they_are]
# Beyond so many features the matrices of others are too large to wait for.
PATIENCE = 1500
Domains = tuple[Any, Any, Any, Any]


def tasks() -> list[tuple[str, str]]:
    """What is on this disk: of each data set the first task, then the second ones, and so on."""
    here = {
        name: [task for task in about.task_names if is_on_disk(name, task)]
        for name, about in sorted(DATASETS.items(), key=lambda item: len(item[1].tasks))
    }
    most = max(map(len, here.values()))
    return [(name, names[k]) for k in range(most) for name, names in here.items() if k < len(names)]


def load(dataset: str, task: str) -> Domains:
    """Source, its labels, target, the truth: as the files have them."""
    with warnings.catch_warnings():
        # Some files are near the published ones, but not equal.
        warnings.simplefilter("ignore")
        loaded = load_task(dataset, task)
    return loaded.source.X, loaded.source.y, loaded.target.X, loaded.target.y


def place(dataset: str, task: str, case: str = "") -> Path:
    return FOLDER / f"{dataset}, {task.replace(ARROW, '_')}{case and f', {case}'}.json"


def known(dataset: str, task: str, case: str = "") -> dict[str, Any] | None:
    """What was measured, if it was."""
    path = place(dataset, task, case)
    found = json.loads(path.read_text()) if path.exists() else {}
    return found if found.get("version") == VERSION else None


def measure(dataset: str, task: str, case: str = "") -> dict[str, Any]:
    """The panel, and what a user might do otherwise, on a task."""
    Xs, ys, Xt, yt = load(dataset, task)
    if case:
        Xs, ys, Xt, yt = CASES[case](Xs, ys, Xt, yt)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began = time.perf_counter()
        panel, cpu = timed(lambda: Panel().fit(Xs, ys, Xt))
        wall = time.perf_counter() - began
        before, cpu_before = timed(lambda: MethodSpec(BEFORE).build().fit(Xs, ys, Xt))
        right = panel.labels_ == yt
        estimated = panel.estimated_accuracy_
        found: dict[str, Any] = {
            "version": VERSION,
            "dataset": dataset,
            "task": task,
            "case": case,
            "panel": right.mean(),
            BEFORE: np.mean(before.labels_ == yt),
            "members": {v.name: np.mean(v.model.labels_ == yt) for v in panel.voters_ if not v.error},
            "weights": {v.name: v.weight for v in panel.voters_},
            "best member": max(panel.voters_, key=lambda voter: voter.weight).name,
            "estimate": estimated.value,
            "range": [estimated.low, estimated.high],
            "auroc": auroc(right, panel.trust_),
            "doubt": panel.doubt_,
            "seconds": {"panel": cpu, "panel, wall": wall, BEFORE: cpu_before},
            "others": {} if case else {name: score(fit, Xs, ys, Xt, yt) for name, fit in OTHERS.items()},
        }
    path = place(dataset, task, case)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path.with_suffix(".npz"), **ballots(panel, yt))
    path.write_text(json.dumps(found, default=float))
    return found


def ballots(panel: Panel, yt: Any) -> dict[str, Any]:
    """Who voted for what: enough to count the votes in another way."""
    voters = [voter for voter in panel.voters_ if not voter.error]
    given = panel.fit_record_.given
    cast = [ballot(voter.model, voter.model._project(given.Xt)) for voter in voters]
    return {
        "truth": np.searchsorted(panel.classes_, yt).astype(np.int16),
        "divided": np.array([own.ndim == 2 for own in cast]),
        "as_they_are": np.array([voter.name in AS_THEY_ARE for voter in voters]),
        "adapts": np.array([voter.adapts for voter in voters]),
        **{name: np.array(value) for name, value in signs(given.Xs, given.ys, given.Xt).items()},
        "probabilities": np.array([own for own in cast if own.ndim == 2], dtype=np.float32),
        "labels": np.array([np.searchsorted(panel.classes_, v.model.labels_) for v in voters], dtype=np.int16),
        "names": np.array([voter.name for voter in voters]),
        "families": np.array([voter.family for voter in voters]),
        "assortativity": np.array([voter.assortativity for voter in voters]),
        "student": (((1 + panel.student_weight_) * panel.votes_ - panel.member_votes_) / panel.student_weight_).astype(
            np.float32
        ),
        "shares": np.unique(given.ys, return_counts=True)[1] / len(given.ys),
    }


def signs(Xs: Any, ys: Any, Xt: Any) -> dict[str, Any]:
    """Whether adaptation helps, apart from what the members say."""
    found = asdict(Movement.of(Xs, ys, Xt)) | asdict(Answers.of(Xs, ys, Xt))
    return found | {"support": support(Xs, len(np.unique(ys)))}


def score(fit: Callable[..., Any], Xs: Any, ys: Any, Xt: Any, yt: Any) -> float | None:
    """The accuracy of another package's method; None if it fails, or is not waited for."""
    if Xs.shape[1] > PATIENCE:
        return None
    try:
        return float(np.mean(fit(Xs, ys, Xt) == yt))
    except Exception:
        return None


def with_skada(name: str) -> Callable[..., Any]:
    """A method of skada, with logistic regression on the source's z-scores."""

    def fit(Xs: Any, ys: Any, Xt: Any) -> Any:
        import skada

        scale = StandardScaler().fit(Xs)
        classes, codes = np.unique(ys, return_inverse=True)
        X = np.vstack([scale.transform(Xs), scale.transform(Xt)]).astype(float)
        domain = np.repeat([1, -2], [len(Xs), len(Xt)])
        y = np.concatenate([codes, np.full(len(Xt), -1)])
        model = getattr(skada, name)(LogisticRegression(max_iter=200)).fit(X, y, sample_domain=domain)
        return classes[model.predict(X[len(Xs) :], sample_domain=domain[len(Xs) :])]

    return fit


OTHERS = {"CORAL": with_skada("CORAL"), "linear OT": with_skada("LinearOTMapping")}


def serial_number(Xs: Any, ys: Any, Xt: Any, yt: Any) -> Domains:
    numbers = np.arange(len(Xs) + len(Xt), dtype=float)
    return np.column_stack([Xs, numbers[: len(Xs)]]), ys, np.column_stack([Xt, numbers[len(Xs) :]]), yt


def columns_times(Xs: Any, ys: Any, Xt: Any, yt: Any) -> Domains:
    factor = np.ones(Xs.shape[1])
    factor[np.linspace(0, Xs.shape[1] - 1, 3).astype(int)] = 1000
    return Xs * factor, ys, Xt * factor, yt


def all_times(Xs: Any, ys: Any, Xt: Any, yt: Any) -> Domains:
    return Xs * 1000, ys, Xt * 1000, yt


def repeated(Xs: Any, ys: Any, Xt: Any, yt: Any) -> Domains:
    return np.tile(Xs, (8, 1)), np.tile(ys, 8), np.tile(Xt, (8, 1)), np.tile(yt, 8)


def of_classes(share: float) -> Callable[..., Domains]:
    def thin(Xs: Any, ys: Any, Xt: Any, yt: Any) -> Domains:
        classes = np.unique(ys)
        kept = np.isin(yt, classes[: max(2, round(share * len(classes)))])
        return Xs, ys, Xt[kept], yt[kept]

    return thin


def skewed(Xs: Any, ys: Any, Xt: Any, yt: Any) -> Domains:
    """Of every second class one row in five."""
    rare = np.isin(yt, np.unique(ys)[::2])
    kept = ~rare | (np.cumsum(rare) % 5 == 0)
    return Xs, ys, Xt[kept], yt[kept]


def few_source_rows(Xs: Any, ys: Any, Xt: Any, yt: Any) -> Domains:
    """50 of them, each class in turn."""
    place_in_class = np.zeros(len(ys), dtype=int)
    for own in np.unique(ys):
        place_in_class[ys == own] = np.arange((ys == own).sum())
    kept = np.sort(np.argsort(place_in_class, kind="stable")[:50])
    return Xs[kept], ys[kept], Xt, yt


CASES: dict[str, Callable[..., Domains]] = {
    "a serial number as a column": serial_number,
    "three columns times 1,000": columns_times,
    "all columns times 1,000": all_times,
    "rows repeated 8 times": repeated,
    "half of the classes in the target": of_classes(0.5),
    "a fifth of the classes in the target, but two": of_classes(0.2),
    "every second class rare in the target": skewed,
    "50 source rows": few_source_rows,
}
# Small tasks of images, text and sensors; those of two classes have no half of them.
HARDER = (
    ("office-caltech-mobilenetv2", "A -> W"),
    ("digits", "printed -> handwritten"),
    ("gas-drift", "batch1 -> batch3"),
)
