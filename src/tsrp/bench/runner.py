"""The runner: computes the cells that are not in the results file, and keeps each as soon as it is there."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from contextlib import closing

from tsrp.bench.backends import Backend
from tsrp.bench.cells import Cell
from tsrp.bench.results import Results
from tsrp.bench.scoring import Result

# Seconds between looks at the file while other runners have all the cells that are left.
POLL = 0.5


def unfinished(cells: Iterable[Cell], results: Results) -> list[Cell]:
    """The cells that are not there, or failed when they were tried."""
    good = results.settled(failed_since=math.inf)
    return [cell for cell in cells if cell not in good]


def run(cells: Iterable[Cell], results: Results, backend: Backend, *, again: bool = False) -> Iterator[Result]:
    """Compute what is unfinished, together with other runners on the same file.

    Parameters
    ----------
    cells : iterable of Cell
        What should be there in the end. Cells that are there are left alone; those that failed earlier are tried
        once more.
    results : Results
        Where results are kept, one by one: stopped at any moment, the next run goes on from there.
    backend : callable
        Who computes: see `tsrp.bench.backends`.
    again : bool, default False
        Compute also what is there. The old result stands until the new one is there.

    Yields
    ------
    Result
        For each cell that was unfinished, when it is there, whichever runner computed it.
    """
    began = time.time()
    since = {"good_since": began if again else 0.0, "failed_since": began}
    waiting = dict.fromkeys(cells if again else unfinished(cells, results))
    with results.owner() as owner:
        while waiting:
            claimed = (cell for cell in list(waiting) if results.claim(cell, owner, **since))
            with closing(backend(claimed)) as computed:
                for result in computed:
                    results.save(result)
                    del waiting[result.cell]
                    yield result
            # What is left is, or was, in the hands of other runners; those that died let go in a while.
            theirs = results.settled(**since) if waiting else {}
            for cell in [cell for cell in waiting if cell in theirs]:
                del waiting[cell]
                yield theirs[cell]
            if waiting:
                time.sleep(POLL)
