"""Computing runs from the command line: options that commands share, and something to look at meanwhile."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tsrp.cli.console import err, if_interrupted, note

if TYPE_CHECKING:
    from tsrp.experiments.backends import Backend
    from tsrp.experiments.runs import Run
    from tsrp.experiments.scoring import Result
    from tsrp.experiments.standing import Standing
    from tsrp.experiments.store import Results

KEPT = "what was computed is kept, and the same command goes on from there"
# Seconds between two lines where there is no terminal to draw on.
QUIET_PACE = 10.0
ResultsFile = Annotated[Path, typer.Option("--results", help="The results file: what is in it is not computed again.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Processes; as many as there are cores if not given.")
]
DaskAddress = Annotated[
    str | None, typer.Option("--dask", metavar="ADDRESS", help="Send the runs to the Dask scheduler at this address.")
]
DEFAULT_RESULTS = Path("tsrp-results.sqlite")


def compute(
    runs: Sequence[Run],
    store: Results,
    jobs: int | None,
    dask: str | None,
    data_dir: Path | None,
    quiet: bool,
    *,
    again: bool = False,
) -> None:
    """Compute what is missing, with something to look at meanwhile."""
    from tsrp.experiments.runner import compute_all
    from tsrp.experiments.scoring import versions
    from tsrp.experiments.standing import Standing

    known = {} if again else store.settled(failed_since=math.inf)
    old = {known[run].versions.get("tsrp", "?") for run in runs if run in known} - {versions()["tsrp"]}
    if old and not quiet:
        note(f"some results are of tsrp {', '.join(sorted(old))}; --again computes them anew.")
    todo = [run for run in runs if run not in known]
    if not todo:
        return
    standing = Standing(runs, known)
    backend = _backend(jobs, dask, data_dir, len(todo))
    kept = "what was computed has replaced the old, the rest is as it was" if again else KEPT
    with if_interrupted(kept), _watching(standing, quiet) as show:
        for result in compute_all(runs, store, backend, again=again):
            standing.add(result)
            show(result)


def _backend(jobs: int | None, dask: str | None, data_dir: Path | None, n_runs: int) -> Backend:
    import joblib

    from tsrp.exceptions import UsageError
    from tsrp.experiments.backends import cluster, processes, serial

    # A worker process may start in another folder.
    folder = None if data_dir is None else data_dir.resolve()
    if dask is not None:
        if jobs is not None:
            raise UsageError("--jobs and --dask exclude each other: the cluster's workers are its own affair.")
        return cluster(dask, folder)
    n_jobs = min(jobs or joblib.cpu_count(), n_runs)
    return serial(folder) if n_jobs == 1 else processes(n_jobs, folder)


class Pace:
    """Says when it is time for another line."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def is_due(self) -> bool:
        """Whether the last line is long enough ago; the next is then written now."""
        due = time.monotonic() - self._last > QUIET_PACE
        if due:
            self._last = time.monotonic()
        return due


@contextmanager
def _watching(standing: Standing, quiet: bool) -> Iterator[Any]:
    """A function to call with each result: a live table in a terminal, a line now and then elsewhere."""
    if quiet:
        yield lambda result: None
    elif err.is_terminal:
        # Drawn when it is looked at, and not for each of many results.
        with Live(get_renderable=lambda: _picture(standing), console=err, refresh_per_second=4, transient=True):
            yield lambda result: None
    else:
        pace = Pace()

        def show(result: Result) -> None:
            if pace.is_due():
                err.print(_line(standing), highlight=False, soft_wrap=True)

        yield show


def _picture(standing: Standing) -> Group:
    bar = ProgressBar(total=standing.n_runs, completed=standing.n_done, width=46)
    return Group(averages_table(standing), bar, Text(_line(standing)))


def _line(standing: Standing) -> str:
    left = standing.seconds_left
    eta = "" if left is None else f", about {left / 60:.0f} min left" if left > 90 else f", about {left:.0f} s left"
    failed = f", {standing.n_failed} failed" if standing.n_failed else ""
    return f"{standing.n_done:,} of {standing.n_runs:,} runs{failed}{eta}"


def averages_table(standing: Standing) -> Table:
    """Average accuracy of each method on each data set, as far as it is known."""
    datasets, rows = standing.averages()
    table = Table(title="Average accuracy in per cent")
    table.add_column("method", no_wrap=True)
    for dataset in datasets:
        table.add_column(dataset, justify="right", overflow="fold")
    for method, texts in rows:
        table.add_row(method, *texts)
    return table
