"""What a running benchmark has reached: averages so far, and how much is left."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from tsrp.datasets.catalogue import DATASETS
from tsrp.datasets.loading import find_task
from tsrp.experiments.paper_tables import FAILED, best_of, column_label
from tsrp.experiments.runs import Run
from tsrp.experiments.scoring import Result


class Standing:
    """The state of a run; one thread may look at it while another adds results.

    Parameters
    ----------
    runs : sequence of Run
        All that should be there in the end.
    done : mapping of Run to Result
        What is there and will not be computed; of a finished run, all results.
    """

    def __init__(self, runs: Sequence[Run], done: Mapping[Run, Result]) -> None:
        self.results = {run: done[run] for run in runs if run in done}
        self.n_runs = len(runs)
        self._left = {run: _work(run) for run in runs if run not in self.results}
        self._all = sum(self._left.values())
        self._began = time.monotonic()
        self._groups: dict[tuple[str, str], dict[tuple[str, int], list[Run]]] = {}
        for run in runs:
            group = self._groups.setdefault((run.dataset, column_label(run)), {})
            group.setdefault((run.task, run.seed), []).append(run)

    def add(self, result: Result) -> None:
        """Take in the result of a run."""
        self.results[result.run] = result
        self._left.pop(result.run, None)

    @property
    def n_done(self) -> int:
        return len(self.results)

    @property
    def n_failed(self) -> int:
        return sum(result.error is not None for result in list(self.results.values()))

    @property
    def seconds_left(self) -> float | None:
        """What is left to do at the pace so far; None at the beginning."""
        left = sum(list(self._left.values()))
        if left == self._all:
            return None
        return (time.monotonic() - self._began) * left / (self._all - left)

    def averages(self) -> tuple[list[str], list[tuple[str, list[str]]]]:
        """Titles of the data sets, and for each method its averages on them, with how many tasks they are over."""
        datasets = list(dict.fromkeys(dataset for dataset, _ in self._groups))
        methods = dict.fromkeys(method for _, method in self._groups)
        return [DATASETS[dataset].title for dataset in datasets], [
            (method, [self._average(self._groups.get((dataset, method), {}).values()) for dataset in datasets])
            for method in methods
        ]

    def _average(self, tasks: Iterable[Sequence[Run]]) -> str:
        entries = [best_of(runs, self.results) for runs in tasks]
        known = [entry.measured for entry in entries if entry.measured is not None]
        failed = sum(entry.why == FAILED for entry in entries)
        text = f"{fmean(known):.2f}" if known else "-"
        if failed:
            return f"{text} ({failed} failed)"
        return text if len(known) == len(entries) else f"{text} ({len(known)} of {len(entries)})"


def _work(run: Run) -> float:
    """A guess at the work in a run, to weigh it by: samples times rounds."""
    about = DATASETS[run.dataset]
    samples = sum(about.domains[domain].n_samples for domain in find_task(about, run.task))
    settings = run.spec.settings
    return float(samples * settings.get("max_iter", settings.get("max_steps", 1)))
