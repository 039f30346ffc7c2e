"""Fits and scores of `benchmarks/selection.py`, kept in build/selection: one file a candidate on a task."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.base import clone

from benchmarks import default_runs
from tsrp.datasets import DATASETS, load_task
from tsrp.datasets.record import ARROW, Task
from tsrp.selection import SCORES, Candidate, default_candidates

FOLDER = Path(__file__).parents[1] / "build" / "selection"
SINGLE = [name for name, score in SCORES.items() if not score.weights]


@lru_cache(maxsize=2)
def load(dataset: str, task: str) -> tuple[Task, list[Candidate]]:
    return load_task(dataset, task), default_candidates()


def n_candidates(dataset: str, task: str) -> int:
    return len(load(dataset, task)[1])


def place(dataset: str, task: str, number: int) -> Path:
    return FOLDER / dataset / task.replace(ARROW, "_") / f"{number:02}.json"


def record(dataset: str, task: str, number: int, candidate: Candidate) -> dict[str, Any]:
    """What is known of a candidate on a task; nothing if it was another candidate then."""
    path = place(dataset, task, number)
    known = json.loads(path.read_text()) if path.exists() else {}
    return known if known.get("candidate") == str(candidate) else {}


def keep(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content))
    part.replace(path)


def measure(dataset: str, task: str, number: int, names: Sequence[str] = SINGLE) -> None:
    """Fit a candidate if it was not, and compute the scores that are missing."""
    found, candidates = load(dataset, task)
    candidate = candidates[number]
    known = record(dataset, task, number, candidate)
    if known and all(name in known["scores"] for name in names):
        return
    path, domains = place(dataset, task, number), (found.source.X, found.source.y, found.target.X)
    stored = path.with_suffix(".joblib")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not (known and stored.exists()):
            began = time.perf_counter()
            model = clone(candidate.estimator).fit(*domains)
            known = {
                "candidate": str(candidate),
                "accuracy": float(np.mean(model.labels_ == found.target.y)),
                "labels": np.searchsorted(model.classes_, model.labels_).tolist(),
                "seconds": time.perf_counter() - began,
                "scores": {},
            }
            path.parent.mkdir(parents=True, exist_ok=True)
            joblib.dump(model, stored)
            keep(path, known)
        model = joblib.load(stored)
        for name in names:
            if name not in known["scores"]:
                known["scores"][name] = float(SCORES[name].function(model, *domains))
                keep(path, known)


def results(dataset: str, task: str) -> pd.DataFrame | None:
    """A row for each candidate: accuracy in per cent, scores and labels; None if some are missing."""
    _, candidates = load(dataset, task)
    records = [record(dataset, task, number, candidate) for number, candidate in enumerate(candidates)]
    if not all(known and all(name in known["scores"] for name in SINGLE) for known in records):
        return None
    table = pd.DataFrame([known["scores"] for known in records])
    panel = default_runs.known(dataset, task)
    return table.assign(
        kind=DATASETS[dataset].type,
        panel=np.nan if panel is None else 100 * panel["panel"],
        dataset=DATASETS[dataset].title,
        task=task,
        candidate=[known["candidate"] for known in records],
        accuracy=[100 * known["accuracy"] for known in records],
        labels=[known["labels"] for known in records],
    )
