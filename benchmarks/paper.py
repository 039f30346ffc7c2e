"""The paper's tasks, settings and published figures, as far as their data can be had.

The data are looked for in the folder named by TSRP_DATA, or in ../shared/data beside the project; the published
figures in ../published beside the data.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from tsrp import BDA, DICD, JDA, NN, TSRP

SURF_FILES = {"C": "Caltech10", "A": "amazon", "W": "webcam", "D": "dslr"}
DECAF_FILES = {"W": "webcam", "D": "dslr"}
# The paper's arrow and the file it belongs to.
PAIR_FILES = {
    "mnist-usps": {"USPS -> MNIST": "USPS_vs_MNIST", "MNIST -> USPS": "MNIST_vs_USPS"},
    "coil20": {"COIL1 -> COIL2": "COIL_2", "COIL2 -> COIL1": "COIL_1"},
}
DATASETS = ("office-caltech-surf", "mnist-usps", "coil20", "office-caltech-decaf6")
TASKS = [
    *[("office-caltech-surf", f"{s} -> {t}") for s in "CAWD" for t in "CAWD" if s != t],
    *[(dataset, name) for dataset, names in PAIR_FILES.items() for name in names],
    *[("office-caltech-decaf6", name) for name in ("W -> D", "D -> W")],
]
METHODS = ("NN", "JDA", "BDA", "DICD")
BDA_GRID = tuple(round(0.1 * step, 1) for step in range(10))

_LINEAR: dict[str, Any] = {"kernel": "linear", "ridge": 1.0}
_JDA = {
    "office-caltech-surf": _LINEAR,
    "mnist-usps": {"kernel": "primal", "ridge": 0.1},
    "coil20": _LINEAR,
    "office-caltech-decaf6": _LINEAR,
}
SETTINGS: dict[str, dict[str, dict[str, Any]]] = {
    "NN": {dataset: {} for dataset in DATASETS},
    "JDA": _JDA,
    "BDA": _JDA,
    "DICD": {
        "office-caltech-surf": _LINEAR,
        "mnist-usps": _LINEAR,
        "coil20": {"kernel": "linear", "ridge": 0.1},
        "office-caltech-decaf6": _LINEAR,
    },
}
TRUST = {
    "NN": dict(zip(DATASETS, (0.9, 0.9, 0.9, 0.85), strict=True)),
    "JDA": dict(zip(DATASETS, (0.85, 0.85, 0.9, 0.85), strict=True)),
    "BDA": dict(zip(DATASETS, (0.85, 0.85, 0.9, 0.85), strict=True)),
    "DICD": dict(zip(DATASETS, (0.9, 0.85, 0.9, 0.85), strict=True)),
}


@dataclass(frozen=True)
class Task:
    """One source and one target; `yt` is for scoring only."""

    dataset: str
    name: str
    Xs: np.ndarray
    ys: np.ndarray
    Xt: np.ndarray
    yt: np.ndarray

    def accuracy(self, labels: np.ndarray) -> float:
        """Per cent, to the hundredth, as the paper prints it."""
        return round(100 * float(np.mean(labels == self.yt)), 2)


def data_folder() -> Path | None:
    """Where the data are, if they are anywhere."""
    named = os.environ.get("TSRP_DATA")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "data"
    return folder if folder.is_dir() else None


@cache
def load(dataset: str, name: str) -> Task:
    """One task, preprocessed as the paper has it."""
    folder = data_folder()
    if folder is None:
        raise FileNotFoundError("no data: set TSRP_DATA to the folder that holds office-caltech-surf, coil20, ...")
    if dataset in PAIR_FILES:
        mat = loadmat(folder / dataset / f"{PAIR_FILES[dataset][name]}.mat")
        sides = (mat["X_src"].T.copy(), mat["Y_src"].ravel(), mat["X_tar"].T.copy(), mat["Y_tar"].ravel())
        return Task(dataset, name, *sides)
    source, target = name.split(" -> ")
    return Task(dataset, name, *_domain(folder, dataset, source), *_domain(folder, dataset, target))


def _domain(folder: Path, dataset: str, letter: str) -> tuple[np.ndarray, np.ndarray]:
    if dataset == "office-caltech-surf":
        mat = loadmat(folder / dataset / f"{SURF_FILES[letter]}_SURF_L10.mat")
        preprocess = make_pipeline(Normalizer("l1"), StandardScaler())
        return preprocess.fit_transform(mat["fts"].astype(float)), mat["labels"].ravel()
    mat = loadmat(folder / dataset / f"{DECAF_FILES[letter]}_decaf.mat")
    return mat["feas"], mat["labels"].ravel()


def tasks() -> Iterator[Task]:
    """All tasks, in the paper's order."""
    for dataset, name in TASKS:
        yield load(dataset, name)


def model(column: str, dataset: str, **changes: Any) -> Any:
    """The estimator of a column of the paper's tables, such as "DICD+TSRP", with the settings for a data set."""
    method, *wrapped = column.split("+")
    kind = {"NN": NN, "JDA": JDA, "BDA": BDA, "DICD": DICD}[method]
    base = kind(**{**SETTINGS[method][dataset], **changes})
    return TSRP(base, trust=TRUST[method][dataset]) if wrapped else base


@cache
def published() -> dict[tuple[str, str, str], float]:
    """The paper's figures by data set, task and column."""
    folder = data_folder()
    assert folder is not None
    figures = {}
    for dataset in DATASETS:
        with open(folder.parent / "published" / f"{dataset}.csv", newline="") as file:
            for row in csv.DictReader(file):
                for column, figure in row.items():
                    if column != "task" and figure:
                        figures[dataset, row["task"], column] = float(figure)
    return figures
