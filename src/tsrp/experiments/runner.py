"""The runner: computes the runs that are not in the results file, and keeps each as soon as it is there."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import closing

from tsrp.experiments.backends import Backend
from tsrp.experiments.runs import Run
from tsrp.experiments.scoring import Result
from tsrp.experiments.store import Results

# Seconds between looks at the file while other runners have all the runs that are left.
POLL = 0.5


def unfinished(runs: Iterable[Run], results: Results) -> list[Run]:
    """The runs that are not there, or failed when they were tried."""
    good = results.settled(failed_since=math.inf)
    return [run for run in runs if run not in good]


def compute_all(runs: Iterable[Run], results: Results, backend: Backend, *, again: bool = False) -> Iterator[Result]:
    """Compute what is unfinished, together with other runners on the same file.

    Parameters
    ----------
    runs : iterable of Run
        What should be there in the end. Runs that are there are left alone; those that failed earlier are tried
        once more.
    results : Results
        Where results are kept, one by one: stopped at any moment, the next run goes on from there.
    backend : callable
        Who computes: see `tsrp.experiments.backends`.
    again : bool, default False
        Compute also what is there. The old result stands until the new one is there.

    Yields
    ------
    Result
        For each run that was unfinished, when it is there, whichever runner computed it.
    """
    began = time.time()
    since = {"good_since": began if again else 0.0, "failed_since": began}
    waiting = dict.fromkeys(runs if again else unfinished(runs, results))
    with results.owner() as owner:
        while waiting:
            claimed = (run for run in list(waiting) if results.claim(run, owner, **since))
            with closing(backend(claimed)) as computed:
                for result in computed:
                    results.save(result)
                    del waiting[result.run]
                    yield result
            # What is left is, or was, in the hands of other runners; those that died let go in a while.
            theirs = results.settled(**since) if waiting else {}
            for run in [run for run in waiting if run in theirs]:
                del waiting[run]
                yield theirs[run]
            if waiting:
                time.sleep(POLL)
