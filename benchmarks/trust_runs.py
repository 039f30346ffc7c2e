"""Fits of `benchmarks/trust.py`, kept in build/trust: one file for a method on a task."""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from tsrp import utsp
from tsrp.datasets import DATASETS, load_task
from tsrp.datasets.loading import is_on_disk
from tsrp.datasets.record import ARROW
from tsrp.experiments.runs import make_run
from tsrp.numerics.rows import unit_rows

FOLDER = Path(__file__).parents[1] / "build" / "trust"
# A change of what is measured: older files are measured again.
VERSION = 3
# Fewer wrong (or right) labels say nothing about a ranking.
FEWEST = 3
SIGNALS = ("logistic", "propagation", "means", "linear", "surroundings")


def tasks() -> list[tuple[str, str]]:
    """What is on this disk, the small ones first."""
    here = [(name, task) for name, about in DATASETS.items() for task in about.task_names if is_on_disk(name, task)]
    return sorted(here, key=lambda place: sum(DATASETS[place[0]].domains[d].n_samples for d in place[1].split(ARROW)))


def place(dataset: str, task: str, method: str) -> Path:
    return FOLDER / method / f"{dataset}, {task.replace(ARROW, '_')}.json"


def known(dataset: str, task: str, method: str) -> dict[str, Any] | None:
    """What was measured, if it was."""
    path = place(dataset, task, method)
    found = json.loads(path.read_text()) if path.exists() else {}
    return found if found.get("version") == VERSION else None


def measure(dataset: str, task: str, method: str) -> dict[str, Any]:
    """Fit a method, ask it how far to trust its labels, and compare with the truth."""
    with warnings.catch_warnings():
        # Some files are near the published ones, but not equal.
        warnings.simplefilter("ignore")
        loaded = load_task(dataset, task)
    domains, truth = (loaded.source.X, loaded.source.y, loaded.target.X), loaded.target.y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, fitting = timed(lambda: make_run(dataset, task, method).spec.build().fit(*domains))
        _, signals = timed(lambda: model.evidence_)
        estimated, reverse = timed(lambda: model.estimated_accuracy_)
        comparison, comparing = timed(model.compare)
    right = model.labels_ == truth
    linear = [float(np.mean(way.labels == truth)) for way in comparison.alternatives]
    record, codes = model.fit_record_, np.searchsorted(model.classes_, model.labels_)
    ranks = dict(zip(SIGNALS, model.evidence_.ranks_of(record.given.Xt, record.Zt, codes), strict=True))
    picked, similar = before(model)
    four = np.mean([ranks[name] for name in SIGNALS[:-1]], axis=0)
    found: dict[str, Any] = {
        "version": VERSION,
        "dataset": dataset,
        "task": task,
        "method": method,
        "accuracy": right.mean(),
        "auroc": {
            "trust": auroc(right, model.trust_),
            "four signals": auroc(right, four),
            "picked": auroc(right, picked),
            "similarity": auroc(right, similar),
            **{name: auroc(right, rank) for name, rank in ranks.items()},
        },
        "now": of_ranking(right, model.trust_),
        "before": {**of_ranking(right, similar), "share": picked.mean(), "right": mean(right[picked])},
        "estimate": {key: getattr(estimated, key) for key in ("value", "low", "high", "reverse", "atc")},
        "ece": calibration_error(right, model.probability_),
        "share": model.confident_.mean(),
        "right": mean(right[model.confident_]),
        "reliability": reliability(right, model.probability_),
        "coverage": [mean(right[np.argsort(-model.trust_, kind="stable")][: round(s * len(right))]) for s in SHARES],
        "linear": {"as given": linear[0], "z-scores": linear[1]},
        "alarm": None if comparison.better is None else comparison.better.name,
        "seconds": {"fit": fitting, "signals": signals, "reverse": reverse, "compare": comparing},
    }
    path = place(dataset, task, method)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, default=float))
    return found


SHARES = [round(0.05 * k, 2) for k in range(1, 21)]


def timed(work: Any) -> tuple[Any, float]:
    """What a piece of work gives, and the CPU time that it takes: others may share the machine."""
    began = time.process_time()
    return work(), time.process_time() - began


def before(model: Any) -> tuple[Any, Any]:
    """What was to be trusted before there were probabilities: UTSP's picks, and the similarity to them."""
    Z = unit_rows(model.fit_record_.Zt.astype(np.float64))
    picked = model.picked_ == 1 if hasattr(model, "picked_") else utsp(Z, model.labels_)
    similar = np.zeros(len(Z))
    for label in np.unique(model.labels_):
        own = model.labels_ == label
        if (own & picked).any():
            # A row that was picked is compared with itself, as it was.
            similar[own] = (Z[own] @ Z[own & picked].T).max(axis=1)
    return picked, similar


def auroc(right: Any, value: Any) -> float | None:
    """How well a value ranks right above wrong labels; None if there are hardly any of one kind."""
    return None if min(right.sum(), (~right).sum()) < FEWEST else float(roc_auc_score(right, value))


def of_ranking(right: Any, value: Any) -> dict[str, float]:
    """Accuracies of the most trusted half and 80 %, and the area under the risk-coverage curve."""
    ranked = right[np.argsort(-value, kind="stable")]
    n = len(ranked)
    risk = np.cumsum(~ranked) / np.arange(1, n + 1)
    return {
        "half": ranked[: max(1, round(0.5 * n))].mean(),
        "most": ranked[: max(1, round(0.8 * n))].mean(),
        "aurc": risk.mean(),
    }


def mean(values: Any) -> float | None:
    return float(values.mean()) if len(values) else None


def reliability(right: Any, p: Any) -> list[tuple[int, float, float]]:
    """Of each tenth of probabilities that occurs: how many, their mean, and how many were right."""
    tenth = np.minimum((10 * p).astype(int), 9)
    return [(int((tenth == k).sum()), p[tenth == k].mean(), right[tenth == k].mean()) for k in np.unique(tenth)]


def calibration_error(right: Any, p: Any) -> float:
    """The expected calibration error, in tenths."""
    return float(sum(n * abs(mean_p - share) for n, mean_p, share in reliability(right, p)) / len(p))
