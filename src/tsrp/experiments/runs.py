"""A run is one fit: data set, task, method with all its settings, seed. Presets make those of the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tsrp._utsp import DEFAULT_TRUST
from tsrp.datasets.catalogue import DATASETS, PAPER
from tsrp.datasets.loading import find_dataset, find_task
from tsrp.lookup import check_name, look_up
from tsrp.picking import INNER_ITERATIONS, TREES
from tsrp.remedy import TSRP
from tsrp.spec import PLUS, WRAPPERS, MethodSpec, defaults, plain

# What the paper puts TSRP around, and what it compares the result with.
IMPROVED = ("nn", "jda", "bda", "dicd")
COMPARED = ("pca", "gfk", "tca", "tsl", "tjm", "dtsl", "cdml", "rtml")
# What the paper chose by accuracy on the target, on its own data sets.
ORACLE: dict[str, list[dict[str, Any]]] = {"bda": [{"mu": round(0.1 * step, 1)} for step in range(10)]}
# What has a column of its own beside the method's on all data sets: the choice of a user, who has no labels there, and
# a baseline.
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {"bda": {"auto": {"mu": "auto"}}, "nn": {"unit": {"unit_rows": True}}}
# The stronger methods of later years by the names of their columns: a method, and what differs from its defaults, which
# are the same on all data sets, whatever the paper's settings are.
STRONG: dict[str, tuple[str, dict[str, Any]]] = {
    "KRR": ("nn", {"classifier": "kernel-ridge"}),
    "DICD KRR": ("dicd", {"classifier": "kernel-ridge"}),
    "DICD GraphRidge": ("dicd", {"classifier": "graph-ridge"}),
    "MEDA": ("meda", {}),
    "ARTL": ("artl", {}),
    "AGE-CS": ("agecs", {}),
    "SPL": ("spl", {}),
    "CMMS": ("cmms", {}),
}
# Where the stronger methods would take most of the time of all experiments: some tasks only, here each pose once as the
# source and once as the target, and no TSRP around the slowest. With it the two of `_SLOWEST` need 30 and 17 seconds of
# processor time on MNIST-USPS; without it the others need more than five on the smallest tasks of CMU-PIE.
STRONG_TASKS = {"cmu-pie": ("C05 -> C07", "C07 -> C09", "C09 -> C27", "C27 -> C29", "C29 -> C05")}
_SLOWEST = ("DICD KRR", "DICD GraphRidge")
TSRP_LEFT_OUT = {
    "cmu-pie": (*_SLOWEST, "ARTL", "AGE-CS", "CMMS"),
    **dict.fromkeys(("amazon-reviews", "mushrooms", "phishing"), _SLOWEST),
}
TSRP_CHOICES = {"both": ("", "+tsrp"), "with": ("+tsrp",), "without": ("",)}


@dataclass(frozen=True)
class Run:
    """One fit.

    Attributes
    ----------
    dataset, task : str
        For example ``"office-caltech-surf"``, ``"C -> A"``.
    spec : MethodSpec
        The method with all its parameters and the preprocessing.
    seed : int
        0 where nothing is random.
    """

    dataset: str
    task: str
    spec: MethodSpec
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.dataset}, {self.task}, {self.spec.name}"


def make_run(dataset: str, task: str, method: str, changes: Mapping[str, Any] | None = None, *, seed: int = 0) -> Run:
    """The run of a method on a task with the data set's settings, or with some of them changed.

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
    >>> make_run("coil20", "COIL1 -> COIL2", "pca").spec.record
    '{"n_components": 100, "preprocess": "unit"}'
    """
    about = find_dataset(dataset)
    find_task(about, task)
    named = MethodSpec(method)
    settings = defaults(named.info.kind)
    if named.is_wrapped:
        own, _ = WRAPPERS[named.wrapper]
        settings |= {key: value for key, value in defaults(TSRP).items() if value is not None}
        settings |= {**own, **({"trust": about.trust[named.base]} if named.base in about.trust else {})}
    settings |= {**about.settings_for(named.base, task), **(changes or {})}
    if named.is_wrapped:
        settings.setdefault("inner_iterations", INNER_ITERATIONS[settings["picker"]])
        if settings["picker"] in TREES:
            # It is of the signals.
            settings.pop("share")
    # Of a command line, "none" comes as None.
    preprocess = str(settings.pop("preprocess", about.preprocess))
    # A parameter that the method does not have, or a value that it does not take, is found now and not in an hour.
    spec = MethodSpec(named.name, {key: plain(value) for key, value in settings.items()}, preprocess)
    return Run(dataset, task, spec, seed if about.is_seeded else 0)


def grid(
    datasets: Iterable[str],
    methods: Iterable[str],
    tsrp: str = "both",
    *,
    changes: Mapping[str, Any] | None = None,
    seeds: Iterable[int] = (0,),
    tasks: Iterable[str] | None = None,
) -> list[Run]:
    """All runs of a benchmark, task by task, each once.

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
    ends = look_up("value of `tsrp`", tsrp, TSRP_CHOICES)
    names = [name + end for name in methods for end in ([""] if PLUS in name else ends)]
    return _every_task(
        datasets,
        lambda dataset: [(name, choice) for name in names for choice in choices(dataset, name, changes)],
        seeds,
        tasks,
    )


def _every_task(
    datasets: Iterable[str],
    tried: Callable[[str], Sequence[tuple[str, Mapping[str, Any]]]],
    seeds: Iterable[int],
    tasks: Iterable[str] | None,
) -> list[Run]:
    """The runs of methods and changes, which depend on the data set, on all of its tasks or on some."""
    seed_list = list(seeds)
    places = [(dataset, task) for dataset in datasets for task in find_dataset(dataset).task_names]
    every = dict.fromkeys(task for _, task in places)
    chosen = None if tasks is None else {check_name("task", task, every) for task in tasks}
    return list(
        dict.fromkeys(
            make_run(dataset, task, name, choice, seed=seed)
            for dataset, task in places
            if chosen is None or task in chosen
            for seed in seed_list
            for name, choice in tried(dataset)
        )
    )


def paper_grid(
    datasets: Iterable[str],
    tsrp: str = "both",
    *,
    changes: Mapping[str, Any] | None = None,
    seeds: Iterable[int] = (0,),
    tasks: Iterable[str] | None = None,
) -> list[Run]:
    """The runs of the paper's tables: its four methods as `tsrp` says, and on its data sets what it compares with."""
    chosen, every = list(datasets), list(seeds)
    improved = grid(chosen, IMPROVED, tsrp, changes=changes, seeds=every, tasks=tasks)
    compared = [name for name in chosen if name in PAPER] if tsrp != "with" else []
    if not compared:
        return improved
    only = None if tasks is None else [task for task in tasks if any(task in DATASETS[d].task_names for d in compared)]
    return improved + grid(compared, COMPARED, "without", changes=changes, seeds=every, tasks=only)


def strong_grid(
    datasets: Iterable[str],
    tsrp: str = "both",
    *,
    changes: Mapping[str, Any] | None = None,
    seeds: Iterable[int] = (0,),
    tasks: Iterable[str] | None = None,
) -> list[Run]:
    """The runs of the stronger methods: the same settings everywhere, with the preprocessing of each data set.

    Without `tasks` they are all, or those of `STRONG_TASKS`.

    Examples
    --------
    >>> [run.spec.name for run in strong_grid(["digits"], "without")]
    ['nn', 'dicd', 'dicd', 'meda', 'artl', 'agecs', 'spl', 'cmms']
    """
    ends = look_up("value of `tsrp`", tsrp, TSRP_CHOICES)
    runs = _every_task(
        datasets,
        lambda dataset: [
            (base + end, {**_strong_settings(dataset, base, end), **settings, **(changes or {})})
            for label, (base, settings) in STRONG.items()
            for end in ends
            if not end or label not in TSRP_LEFT_OUT.get(dataset, ())
        ],
        seeds,
        tasks,
    )
    return [run for run in runs if tasks is not None or run.task in STRONG_TASKS.get(run.dataset, (run.task,))]


def _strong_settings(dataset: str, base: str, end: str) -> dict[str, Any]:
    """The defaults, whatever the paper has for a method on a data set, with the preprocessing that they need there."""
    others = find_dataset(dataset).variants.get(base, {}).values()
    prepared = [{"preprocess": other["preprocess"]} for other in others if "preprocess" in other]
    trust = {"trust": DEFAULT_TRUST} if end else {}
    return {**defaults(MethodSpec(base).info.kind), **trust, **(prepared[0] if prepared else {})}


# The experiments that have a name, and make their own choice of methods.
GROUPS = {"paper": paper_grid, "strong": strong_grid}


def variants(dataset: str, base: str) -> dict[str, Mapping[str, Any]]:
    """What has columns of its own beside a method's on a data set: the name and the settings of each.

    Examples
    --------
    >>> variants("coil20", "bda")
    {'auto': {'mu': 'auto'}}
    """
    return {**VARIANTS.get(base, {}), **find_dataset(dataset).variants.get(base, {})}


def choices(dataset: str, method: str, changes: Mapping[str, Any] | None = None) -> list[Mapping[str, Any]]:
    """The settings that a method is tried with on every task: the paper's, then those of its variants, all changed.

    Where the paper has no figure that the best of many settings could be compared with, nobody chooses by labels: there
    are the variants alone. A variant that the changes make another one is left out.
    """
    base, given = MethodSpec(method).base, changes or {}
    oracle = ORACLE.get(base, [{}]) if dataset in PAPER or base not in ORACLE else []
    others = [own for own in variants(dataset, base).values() if {**own, **given} == {**given, **own}]
    return [{**choice, **given} for choice in [*oracle, *others] or [{}]]
