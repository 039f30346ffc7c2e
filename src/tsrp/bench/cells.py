"""A cell is one fit of the benchmark: data set, task, method, settings, seed. The presets make the paper's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tsrp.datasets.catalogue import DATASETS, PAPER
from tsrp.datasets.loading import find_dataset, find_task
from tsrp.methods import COMPARED, IMPROVED, METHODS, PREPROCESSING, WRAPPERS, defaults, make_method
from tsrp.naming import known
from tsrp.preprocessing import PerDomain
from tsrp.remedy import TSRP

# What the paper chose by accuracy on the target.
ORACLE: dict[str, list[dict[str, Any]]] = {"bda": [{"mu": round(0.1 * step, 1)} for step in range(10)]}
# What has a column of its own beside the method's: the choice of a user, who has no labels there, and a baseline.
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {"bda": {"auto": {"mu": "auto"}}, "nn": {"unit": {"unit_rows": True}}}
TSRP_CHOICES = {"both": ("", "+tsrp"), "with": ("+tsrp",), "without": ("",)}


@dataclass(frozen=True, order=True)
class Cell:
    """One fit.

    Attributes
    ----------
    dataset, task, method : str
        For example ``"office-caltech-surf"``, ``"C -> A"``, ``"dicd+tsrp"``.
    settings : str
        All parameters of the method and the preprocessing, as JSON in one spelling: equal settings, equal text.
    seed : int
        0 where nothing is random.
    """

    dataset: str
    task: str
    method: str
    settings: str
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.dataset}, {self.task}, {self.method}"


def make_cell(dataset: str, task: str, method: str, changes: Mapping[str, Any] | None = None, *, seed: int = 0) -> Cell:
    """The cell of a method on a task with the data set's settings, or with some of them changed.

    Parameters
    ----------
    dataset, task, method : str
        Their names.
    changes : mapping, optional
        Parameters of the method or its wrapper, or ``preprocess``, that differ from the preset.
    seed : int, default 0
        Ignored where nothing is random.

    Examples
    --------
    >>> make_cell("coil20", "COIL1 -> COIL2", "pca").settings
    '{"n_components": 100, "preprocess": "unit"}'
    """
    about = find_dataset(dataset)
    find_task(about, task)
    base, plus, wrapper = method.partition("+")
    entry = METHODS[known("method", base, METHODS)]
    settings = {**defaults(entry.kind)}
    if plus:
        own, _ = WRAPPERS[known("wrapper", wrapper, WRAPPERS)]
        settings |= {key: value for key, value in defaults(TSRP).items() if value is not None}
        settings |= {**own, **({"trust": about.trust[base]} if base in about.trust else {})}
    settings |= {**about.settings_for(base, task), **(changes or {})}
    # Of a command line, "none" comes as None.
    preprocess = known("preprocessing", str(settings.pop("preprocess", about.preprocess)).lower(), PREPROCESSING)
    # A parameter that the method does not have, or a value that it does not take, is found now and not in an hour.
    settings = {key: _plain(value) for key, value in settings.items()}
    make_method(method, settings)
    said = {key: value for key, value in settings.items() if value is not None}
    text = json.dumps({**said, "preprocess": preprocess}, sort_keys=True)
    return Cell(dataset, task, method, text, seed if about.is_seeded else 0)


def _plain(value: Any) -> Any:
    """One spelling for equal numbers: 1, not 1.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def estimator(cell: Cell) -> Any:
    """The unfitted method of a cell, with its preprocessing."""
    settings = json.loads(cell.settings)
    transformer = PREPROCESSING[settings.pop("preprocess")]()
    method = make_method(cell.method, settings)
    return method if transformer is None else PerDomain(transformer, method)


def grid(
    datasets: Iterable[str],
    methods: Iterable[str],
    tsrp: str = "both",
    *,
    changes: Mapping[str, Any] | None = None,
    seeds: Iterable[int] = (0,),
    tasks: Iterable[str] | None = None,
) -> list[Cell]:
    """All cells of a benchmark, task by task, each once.

    Parameters
    ----------
    datasets, methods : iterables of str
        A method may bring its own wrapper, such as ``"jda+tsrp_n"``; `tsrp` is for those that do not.
    tsrp : {"both", "with", "without"}, default "both"
    changes : mapping, optional
        Parameters that differ from the presets; a method that lacks one of them is an error.
    seeds : iterable of int
    tasks : iterable of str, optional
        Only these, in the data sets that have them.

    Examples
    --------
    >>> len(grid(["coil20"], ["nn", "bda"]))
    52
    """
    wrappers = TSRP_CHOICES[known("choice of --tsrp", tsrp, TSRP_CHOICES)]
    names = [name + end for name in methods for end in ([""] if "+" in name else wrappers)]
    seed_list = list(seeds)
    places = [(dataset, task) for dataset in datasets for task in find_dataset(dataset).task_names]
    chosen = None if tasks is None else {known("task", task, dict.fromkeys(t for _, t in places)) for task in tasks}
    return list(
        dict.fromkeys(
            make_cell(dataset, task, name, {**choice, **(changes or {})}, seed=seed)
            for dataset, task in places
            if chosen is None or task in chosen
            for seed in seed_list
            for name in names
            for choice in choices(name)
        )
    )


def paper_grid(
    datasets: Iterable[str],
    tsrp: str = "both",
    *,
    changes: Mapping[str, Any] | None = None,
    seeds: Iterable[int] = (0,),
    tasks: Iterable[str] | None = None,
) -> list[Cell]:
    """The cells of the paper's tables: its four methods as `tsrp` says, and on its data sets what it compares with."""
    chosen, every = list(datasets), list(seeds)
    improved = grid(chosen, IMPROVED, tsrp, changes=changes, seeds=every, tasks=tasks)
    compared = [name for name in chosen if name in PAPER] if tsrp != "with" else []
    if not compared:
        return improved
    only = None if tasks is None else [task for task in tasks if any(task in DATASETS[d].task_names for d in compared)]
    return improved + grid(compared, COMPARED, "without", changes=changes, seeds=every, tasks=only)


def choices(method: str) -> list[dict[str, Any]]:
    """The settings that a method is tried with on every task: the paper's, then those of its variants."""
    base = method.partition("+")[0]
    return [*ORACLE.get(base, [{}]), *VARIANTS.get(base, {}).values()]
