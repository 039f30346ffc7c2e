"""TSRP's pickers beside each other: the paper's trees, and signals that a label is right.

Fits that are in build/results.sqlite are taken from there; the page is docs/PICKS.md.

    make picks                              # half an hour from empty, less after make results
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tsrp.datasets import DATASETS
from tsrp.datasets.loading import is_on_disk
from tsrp.experiments.backends import processes
from tsrp.experiments.runner import compute_all
from tsrp.experiments.runs import Run, make_run
from tsrp.experiments.store import Results
from tsrp.picking import DEFAULT_SHARE

HERE = Path(__file__).parents[1]
PAGE, STORE = HERE / "docs" / "PICKS.md", HERE / "build" / "results.sqlite"
JOBS = 2
BASES = ("dicd", "jda", "nn")
SHARES = (0.5, 0.6, DEFAULT_SHARE, 0.8)
# Of twenty tasks of faces, each of several seconds a fit, every fourth is enough to compare shares and bases.
STEP = {"cmu-pie": 4}
# A method, and what is changed in its settings.
Setting: TypeAlias = tuple[str, Mapping[str, Any]]
INTRODUCTION = f"""# TSRP's pickers beside each other

Written by `make picks`. Accuracy in per cent, the mean over the tasks of each data set on disk, with the settings of
the [tables](RESULTS.md). *Tree* is the paper's UTSP with three inner iterations, *propagation* and *trust* are the
signals of [TSRP](methods/tsrp.md#picking-by-signals) with one, and a share of {DEFAULT_SHARE:g} unless said otherwise.
"""
CHOICES = f"""## What was chosen by looking at which data

The rule (what both signals confirm, at least a share of each class, classes balanced by half) and the share of
{DEFAULT_SHARE:g} were found with DICD on digits, COIL20, MNIST-USPS, Office-Caltech SURF, seven batches of gas sensors,
five tasks of MobileNetV2, three of the reviews and four of CMU-PIE, with a look at their labels and some forty
variants. For these the figures are figures of data that were looked at. Mushrooms, phishing, the other tasks of
MobileNetV2, of the reviews and of CMU-PIE, and all fits around JDA and NN were not looked at. Single batches of gas
sensors have two outcomes, ten points or more apart, between which small changes decide.
"""


@dataclass(frozen=True)
class Place:
    """A data set with one of its settings."""

    title: str
    dataset: str
    changes: Mapping[str, Any] = field(default_factory=dict)

    def runs(self, method: str, changes: Mapping[str, Any], *, all_tasks: bool) -> list[Run]:
        """The runs of a method on its tasks."""
        here = [task for task in DATASETS[self.dataset].task_names if is_on_disk(self.dataset, task)]
        step = 1 if all_tasks else STEP.get(self.dataset, 1)
        return [make_run(self.dataset, task, method, {**self.changes, **changes}) for task in here[::step]]


def places(base: str) -> list[Place]:
    """The data sets on disk, those with several settings of a base more than once."""
    found = []
    for name, about in DATASETS.items():
        if any(is_on_disk(name, task) for task in about.task_names):
            found.append(Place(about.title, name))
            variants = about.variants.get(base, {})
            found += [Place(f"{about.title}, {variant}", name, settings) for variant, settings in variants.items()]
    return found


def columns(base: str) -> dict[str, Setting]:
    """What is measured around a base: a method, and what is changed."""
    wrapped = f"{base}+tsrp"
    return {"alone": (base, {}), "tree": (wrapped, {}), "trust": (wrapped, {"picker": "trust"})}


def settings() -> dict[str, Setting]:
    """The shares around DICD, and the other signal."""
    chosen: dict[str, Mapping[str, Any]] = {
        **{f"trust, {share:g}": {"picker": "trust", "share": share} for share in SHARES},
        f"propagation, {DEFAULT_SHARE:g}": {"picker": "propagation"},
    }
    return {name: ("dicd+tsrp", changes) for name, changes in chosen.items()}


def tables() -> list[tuple[str, str, dict[str, Setting], bool]]:
    """Title, base, columns, and whether all tasks are in it."""
    return [
        *((f"Around {base.upper()}", base, columns(base), base == "dicd") for base in BASES),
        ("The share, around DICD", "dicd", settings(), False),
    ]


def wanted() -> Iterator[Run]:
    """All runs of the page."""
    for _, base, chosen, all_tasks in tables():
        for place in places(base):
            for method, changes in chosen.values():
                yield from place.runs(method, changes, all_tasks=all_tasks)


def page(percent: Callable[[Run], float]) -> str:
    """The page, from the accuracy of each run."""
    parts = [INTRODUCTION]
    for title, base, chosen, all_tasks in tables():
        rows = {}
        for place in places(base):
            runs = [place.runs(method, changes, all_tasks=all_tasks) for method, changes in chosen.values()]
            accuracies = [float(np.mean([percent(run) for run in own])) for own in runs]
            rows[f"{place.title} ({len(runs[0])})"] = accuracies
        parts += [f"## {title}\n", _table(list(chosen), rows)]
    # The last table is that of the shares.
    datasets = [place.dataset for place in places("dicd")]
    return "\n".join([*parts, left_out(rows, datasets), CHOICES])


def left_out(rows: Mapping[str, list[float]], datasets: Sequence[str]) -> str:
    """The accuracy on each data set with the share that is best on the mean over the others."""
    table = np.array(list(rows.values()))[:, : len(SHARES)]
    lines = ["| data set | share chosen on the others | accuracy |", "|---|---:|---:|"]
    found = []
    for name, dataset, own in zip(rows, datasets, table, strict=True):
        others = table[[other != dataset for other in datasets]]
        best = int(others.mean(axis=0).argmax())
        found.append(own[best])
        lines.append(f"| {name} | {SHARES[best]:g} | {own[best]:.2f} |")
    lines.append(f"| *mean* | | {np.mean(found):.2f} |")
    return "Leaving one data set out:\n\n" + "\n".join(lines) + "\n"


def _table(names: list[str], rows: Mapping[str, list[float]]) -> str:
    lines = [f"| data set (tasks) | {' | '.join(names)} |", "|---|" + "---:|" * len(names)]
    lines += [f"| {title} | {' | '.join(f'{value:.2f}' for value in values)} |" for title, values in rows.items()]
    means = np.mean(list(rows.values()), axis=0)
    lines.append(f"| *mean* | {' | '.join(f'{value:.2f}' for value in means)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    STORE.parent.mkdir(exist_ok=True)
    with Results(STORE) as results:
        # Task by task: fits to the same samples share what they can.
        runs = sorted(dict.fromkeys(wanted()), key=lambda run: (list(DATASETS).index(run.dataset), run.task))
        for result in compute_all(runs, results, processes(JOBS, None)):
            print(result.run, "failed" if result.error else f"{result.percent:.2f}", flush=True)
        known = results.all()
    PAGE.write_text(page(lambda run: known[run].percent))
    print(PAGE)


if __name__ == "__main__":
    main()
