"""Which data sets and tasks the figures show: the paper's as far as they are on this disk, else the embedded digits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tsrp.datasets.catalogue import DATASETS, PAPER
from tsrp.datasets.loading import is_on_disk

FALLBACK = "digits"
EMBEDDED = (FALLBACK, DATASETS[FALLBACK].task_names[0])


def tasks_on_disk(dataset: str, data_dir: Path | None) -> list[str]:
    """The tasks of a data set that can be loaded."""
    return [task for task in DATASETS[dataset].task_names if is_on_disk(dataset, task, data_dir)]


def datasets_on_disk(data_dir: Path | None, wanted: Sequence[str] = PAPER) -> list[str]:
    """Those with a task on this disk; the embedded digits if there is none."""
    return [name for name in wanted if tasks_on_disk(name, data_dir)] or [FALLBACK]


def first_on_disk(tasks: Iterable[tuple[str, str]], data_dir: Path | None) -> tuple[str, str]:
    """The first of some tasks that can be loaded, else that of the embedded digits."""
    return next((task for task in tasks if is_on_disk(*task, data_dir)), EMBEDDED)
