"""One run, from its files to its score; what fails becomes a result too."""

from __future__ import annotations

import platform
import time
import traceback
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from tsrp._types import BoolArray
from tsrp._utsp import utsp
from tsrp.datasets.catalogue import DATASETS
from tsrp.datasets.loading import load_task
from tsrp.datasets.record import Task
from tsrp.experiments.runs import Run
from tsrp.numerics.sharing import SharedReductions

PACKAGES = ("tsrp", "numpy", "scipy", "scikit-learn")
# Of the runs of one process: BDA alone is fitted to the same samples with eleven weights.
_reductions = SharedReductions()
# Notes of a result that begin so are about its files.
DATA_NOTE = "data: "


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
    """What a run gave.

    Attributes
    ----------
    run : Run
    accuracy : float or None
        Share of right target labels after the last round, from 0 to 1; None if the run failed.
    confident_share, confident_accuracy : float or None
        How many labels UTSP picks at first sight, and how many of these are right (None if it picks none).
    rounds : tuple of RoundScore
        Fewer than asked for, if the labels settled earlier.
    seconds : float
        Of the fit, preprocessing included, files not. What several runs of a task share counts for the first.
    error : str or None
        What went wrong, if something did.
    notes : tuple of str
        Warnings of the fit.
    versions : mapping of str to str
        Of Python and the packages that computed it.
    traceback : str
        Where it went wrong, for whoever mends it.
    cpu_seconds : float or None
        What the fit took of the processors, on all threads; None if it was not measured.
    """

    run: Run
    accuracy: float | None
    confident_share: float | None
    confident_accuracy: float | None
    rounds: tuple[RoundScore, ...]
    seconds: float
    error: str | None = None
    notes: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    traceback: str = ""
    cpu_seconds: float | None = None

    @property
    def percent(self) -> float:
        """Accuracy in per cent, to the hundredth, as the paper prints it."""
        assert self.accuracy is not None
        return round(100 * self.accuracy, 2)


def failure(run: Run, error: str, seconds: float = 0.0, trace: str = "") -> Result:
    """The result of a run that failed, with the reason on one line."""
    reason = " ".join(error.split())
    return Result(run, None, None, None, (), seconds, error=reason, versions=versions(), traceback=trace)


def score(run: Run, data_dir: Path | None = None) -> Result:
    """Load, fit and judge; an error is part of the result and not raised.

    Examples
    --------
    >>> from tsrp.experiments.runs import make_run
    >>> score(make_run("digits", "printed -> handwritten", "nn")).percent
    62.83
    """
    began = time.perf_counter()
    try:
        with warnings.catch_warnings():
            # What differs from the published files is a note of the result.
            warnings.simplefilter("ignore")
            task = _task(run.dataset, run.task, data_dir, run.seed)
        began, used = time.perf_counter(), time.process_time()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with _reductions.shared():
                model = run.spec.build().fit(task.source.X, task.source.y, task.target.X)
        taken = time.perf_counter() - began, time.process_time() - used
        return _judge(run, model, task, *taken, caught)
    # Whatever a method raises belongs into the results: the other runs go on.
    except Exception as error:
        trace = "".join(traceback.format_exception(error))
        return failure(run, f"{type(error).__name__}: {error}", time.perf_counter() - began, trace)


# Runs come task by task and seed by seed, so that two are enough; each worker process has its own.
@lru_cache(maxsize=2)
def _task(dataset: str, task: str, data_dir: Path | None, seed: int) -> Task:
    return load_task(dataset, task, data_dir=data_dir, seed=seed)


def _judge(
    run: Run, model: Any, task: Task, seconds: float, cpu_seconds: float, caught: list[warnings.WarningMessage]
) -> Result:
    truth = task.target.y
    share, accuracy = _confidence(_picked(model), model.labels_ == truth)
    rounds = []
    for r in model.history_:
        right = r.labels == truth
        trusted, trusted_right = (None, None) if r.confident is None else _confidence(r.confident, right)
        crude = float(np.mean(r.crude == truth))
        rounds.append(RoundScore(crude, float(right.mean()), trusted, trusted_right, r.seconds))
    return Result(
        run,
        accuracy=float(np.mean(model.labels_ == truth)),
        confident_share=share,
        confident_accuracy=accuracy,
        rounds=tuple(rounds),
        seconds=seconds,
        notes=(*data_notes(task), *dict.fromkeys(str(warning.message) for warning in caught)),
        versions=versions(),
        cpu_seconds=cpu_seconds,
    )


def _picked(model: Any) -> BoolArray:
    """What UTSP picked at first sight, as in the paper; of a method that picks nothing, what it would pick."""
    return model.picked_ == 1 if hasattr(model, "picked_") else utsp(model.fit_record_.Zt, model.labels_)


def data_notes(task: Task) -> tuple[str, ...]:
    """What differs from the published files of a task."""
    return tuple(dict.fromkeys(f"{DATA_NOTE}{domain.note}" for domain in (task.source, task.target) if domain.note))


def other_files(results: Iterable[Result]) -> dict[str, str]:
    """The data sets that were measured on other files than the published ones, each with a sentence that says so."""
    found = {}
    for result in results:
        for note in result.notes:
            if note.startswith(DATA_NOTE):
                name = result.run.dataset
                found[name] = f"{DATASETS[name].title}: the files are {note.removeprefix(DATA_NOTE)}."
    return found


def _confidence(confident: BoolArray, right: BoolArray) -> tuple[float, float | None]:
    return float(confident.mean()), float(right[confident].mean()) if confident.any() else None


@cache
def versions() -> dict[str, str]:
    """Of Python and the packages that figures depend on."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
