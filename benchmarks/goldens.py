"""Labels, picks and probabilities of many small fits, to compare two versions of the code or two processors.

python -m benchmarks.goldens FILE      writes them
python -m benchmarks.goldens ONE TWO   lists what differs between two files, and fails if anything does
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from tests.support.domains import make_domains
from tests.support.every_method import METHODS
from tsrp import DICD, TSRP, Panel
from tsrp.datasets import load_digit_pair, load_task
from tsrp.datasets.loading import is_on_disk

# What probabilities of one fit may differ by on two processors.
ROUNDING = 1e-6
MADE: list[dict[str, Any]] = [
    {},
    {"seed": 1, "n_source": 200, "n_target": 150},
    {"seed": 2, "n_source": 90, "n_target": 300, "n_classes": 2},
    {"seed": 3, "m": 40, "n_classes": 8, "n_source": 160, "n_target": 160},
]
SURF, GAS, REVIEWS = "office-caltech-surf", "gas-drift", "amazon-reviews"
BENCHMARK_PANELS = [
    (SURF, "C -> A", "normal"),
    (SURF, "A -> C", "normal"),
    (GAS, "batch1 -> batch8", "quick"),
    (REVIEWS, "books -> kitchen", "quick"),
]


def fits() -> Iterator[tuple[str, Any, tuple[Any, Any, Any]]]:
    """A name, a model that is not fitted yet, and the source, its labels and the target."""
    for number, settings in enumerate(MADE):
        Xs, ys, Xt, _ = make_domains(**settings)
        for name, method in METHODS.items():
            yield f"{name}, made {number}", clone(method), (Xs, ys, Xt)
        for budget in ("quick", "normal", "thorough"):
            yield f"panel {budget}, made {number}", Panel(budget), (Xs, ys, Xt)
    pair = load_digit_pair()
    yield "panel normal, digits", Panel(), (pair.Xs, pair.ys, pair.Xt)
    on_disk = [case for case in BENCHMARK_PANELS if is_on_disk(*case[:2])]
    for dataset, task, budget in on_disk:
        domains = load_task(dataset, task)
        Xs, ys, Xt = domains.source.X, domains.source.y, domains.target.X
        yield f"panel {budget}, {dataset} {task}", Panel(budget), (Xs, ys, Xt)
        # Of the panel's members the one whose rounds amplify rounding most.
        picky = TSRP(DICD(kernel="linear", ridge=1e-5, ridge_scale="relative"), picker="trust")
        yield f"picks by trust, {dataset} {task}", picky, (Xs, ys, Xt)


def compute() -> dict[str, np.ndarray[Any, Any]]:
    """What each fit gives, by its name."""
    found = {}
    for name, model, domains in fits():
        model.fit(*domains)
        found[f"{name}: labels"] = model.labels_
        found[f"{name}: rounds"] = np.array([last.labels for last in model.history_])
        found[f"{name}: probability"] = model.probability_
        found[f"{name}: suggested"] = model.suggest(10).rows
        if not isinstance(model, Panel):
            confident = [last.confident for last in model.history_ if last.confident is not None]
            found[f"{name}: picks"] = np.concatenate(confident) if confident else np.empty(0)
    return found


def differences(one: Path, two: Path) -> list[str]:
    """What two files do not have in common."""
    with np.load(one) as first, np.load(two) as second:
        names = sorted({*first.files, *second.files})
        return [name for name in names if not (name in first and name in second and same(first[name], second[name]))]


def same(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> bool:
    """Whether labels and rows are equal, and probabilities but for rounding."""
    if first.shape != second.shape or first.dtype.kind != "f":
        return np.array_equal(first, second)
    return np.allclose(first, second, rtol=0, atol=ROUNDING)


def main(*paths: str) -> None:
    if len(paths) == 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.savez(paths[0], allow_pickle=False, **compute())
        return
    found = differences(*map(Path, paths))
    print(f"{len(found)} differences", *found, sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(*sys.argv[1:])
