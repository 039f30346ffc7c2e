"""One cell, from its files to its score; what fails becomes a result too."""

from __future__ import annotations

import platform
import time
import warnings
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from tsrp._types import BoolArray, LabelArray
from tsrp.bench.cells import Cell, estimator
from tsrp.datasets.loading import load_task
from tsrp.datasets.record import Task

PACKAGES = ("tsrp", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class RoundScore:
    """Shares, from 0 to 1, in one round: right labels before and after the remedy, confident ones, right among them."""

    crude: float
    accuracy: float
    confident: float | None
    confident_accuracy: float | None
    seconds: float


@dataclass(frozen=True)
class Result:
    """What a cell gave.

    Attributes
    ----------
    cell : Cell
    accuracy : float or None
        Share of right target labels after the last round, from 0 to 1; None if the cell failed.
    confident_share, confident_accuracy : float or None
        How many labels the method trusts, and how many of these are right (None if none is trusted).
    rounds : tuple of RoundScore
        Fewer than asked for, if the labels settled earlier.
    seconds : float
        Of the fit, preprocessing included, files not.
    error : str or None
        What went wrong, if something did.
    notes : tuple of str
        Warnings of the fit.
    versions : mapping of str to str
        Of Python and the packages that computed it.
    """

    cell: Cell
    accuracy: float | None
    confident_share: float | None
    confident_accuracy: float | None
    rounds: tuple[RoundScore, ...]
    seconds: float
    error: str | None = None
    notes: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def percent(self) -> float:
        """Accuracy in per cent, to the hundredth, as the paper prints it."""
        assert self.accuracy is not None
        return round(100 * self.accuracy, 2)


def failure(cell: Cell, error: str, seconds: float = 0.0) -> Result:
    """The result of a cell that failed, with the reason on one line."""
    return Result(cell, None, None, None, (), seconds, error=" ".join(error.split()), versions=versions())


def score(cell: Cell, data_dir: Path | None = None) -> Result:
    """Load, fit and judge; an error is part of the result and not raised.

    Examples
    --------
    >>> from tsrp.bench.cells import make_cell
    >>> score(make_cell("digits", "printed -> handwritten", "nn")).percent
    62.83
    """
    began = time.perf_counter()
    try:
        task = _task(cell.dataset, cell.task, data_dir, cell.seed)
        began = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = estimator(cell).fit(task.source.X, task.source.y, task.target.X)
        return _judge(cell, model, task.target.y, time.perf_counter() - began, caught)
    # Whatever a method raises belongs into the results: the other cells go on.
    except Exception as error:
        return failure(cell, f"{type(error).__name__}: {error}", time.perf_counter() - began)


# Cells come task by task and seed by seed, so that two are enough; each worker process has its own.
@lru_cache(maxsize=2)
def _task(dataset: str, task: str, data_dir: Path | None, seed: int) -> Task:
    return load_task(dataset, task, data_dir=data_dir, seed=seed)


def _judge(cell: Cell, model: Any, truth: LabelArray, seconds: float, caught: list[warnings.WarningMessage]) -> Result:
    share, accuracy = _confidence(model.confident_, model.labels_ == truth)
    rounds = []
    for r in model.history_:
        right = r.labels == truth
        trusted, trusted_right = (None, None) if r.confident is None else _confidence(r.confident, right)
        crude = float(np.mean(r.crude == truth))
        rounds.append(RoundScore(crude, float(right.mean()), trusted, trusted_right, r.seconds))
    return Result(
        cell,
        accuracy=float(np.mean(model.labels_ == truth)),
        confident_share=share,
        confident_accuracy=accuracy,
        rounds=tuple(rounds),
        seconds=seconds,
        notes=tuple(dict.fromkeys(str(warning.message) for warning in caught)),
        versions=versions(),
    )


def _confidence(confident: BoolArray, right: BoolArray) -> tuple[float, float | None]:
    return float(confident.mean()), float(right[confident].mean()) if confident.any() else None


@cache
def versions() -> dict[str, str]:
    """Of Python and the packages that figures depend on."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
