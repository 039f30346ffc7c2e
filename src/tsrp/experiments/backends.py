"""Who computes the runs: this process, several on this machine, or a Dask cluster. All give the same results."""

from __future__ import annotations

import logging
import multiprocessing
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits

from tsrp.blocked.cluster import check_address
from tsrp.exceptions import ResultsError, UsageError
from tsrp.experiments.runs import Run
from tsrp.experiments.scoring import Result, failure, score
from tsrp.processes import end_with, parallel

# Takes runs one by one, as they are needed, and gives their results in any order.
Backend = Callable[[Iterable[Run]], Generator[Result, None, None]]
# Seconds to wait for the answer of a scheduler.
PATIENCE = 10.0
DIED = "its process died, probably because memory ran out"


def serial(data_dir: Path | None) -> Backend:
    """One run after the other, in this process, with all its threads."""

    def compute(runs: Iterable[Run]) -> Generator[Result, None, None]:
        for run in runs:
            yield score(run, data_dir)

    return compute


def processes(jobs: int, data_dir: Path | None) -> Backend:
    """Several processes of this machine, each with one thread."""

    def compute(runs: Iterable[Run]) -> Generator[Result, None, None]:
        pending: dict[Run, None] = {}

        def calls() -> Iterator[Any]:
            for run in runs:
                pending[run] = None
                yield joblib.delayed(_score)(run, data_dir)

        workers = parallel(jobs, return_as="generator_unordered", pre_dispatch=jobs, batch_size=1)
        try:
            for result in workers(calls()):
                del pending[result.run]
                yield result
        except TerminatedWorkerError:
            # One of the pending runs took its process with it, and the others' too: each by itself will tell.
            for run in pending:
                yield _in_own_process(run, data_dir)

    return compute


def _in_own_process(run: Run, data_dir: Path | None) -> Result:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, initializer=end_with, initargs=(os.getpid(),)) as pool:
        try:
            return pool.submit(_score, run, data_dir).result()
        except BrokenProcessPool:
            return failure(run, DIED)


def cluster(address: str, data_dir: Path | None) -> Backend:
    """An existing Dask cluster; its workers need tsrp and the data, in the same folder or under their TSRP_DATA."""
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise UsageError('a Dask cluster needs the package distributed: run  pip install "tsrp[cluster]".') from error
    check_address(address)
    # Its own account of a cluster that is gone runs over many lines; ours is one.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    connect = partial(Client, address, timeout=PATIENCE, set_as_default=False)
    try:
        connect().close()
    except (OSError, ValueError) as error:
        raise UsageError(f"`address`: there is no Dask scheduler at {address} ({error}): check its address.") from error
    score_here = partial(_score, data_dir=data_dir)

    def compute(runs: Iterable[Run]) -> Generator[Result, None, None]:
        waiting = iter(runs)
        with connect() as client:
            # Enough that no worker waits for us, few enough that another runner finds runs too.
            ahead = 2 * max(sum(client.nthreads().values()), 1)
            pending = {client.submit(score_here, run, pure=False): run for run in islice(waiting, ahead)}
            finished = as_completed(pending, loop=client.loop)
            for future in finished:
                run = pending.pop(future)
                try:
                    result = future.result()
                except CancelledError as error:
                    raise ResultsError(f"the Dask scheduler at {address} is gone.") from error
                # A run that kills one worker after the other, for example.
                except Exception as error:
                    result = failure(run, f"{type(error).__name__}: {error}")
                yield result
                for run in islice(waiting, 1):
                    following = client.submit(score_here, run, pure=False)
                    pending[following] = run
                    finished.add(following)

    return compute


def _score(run: Run, data_dir: Path | None) -> Result:
    _limit_threads()
    return score(run, data_dir)


@cache
def _limit_threads() -> Any:
    """Once and for good in each worker process: as many processes as cores leave no room for threads."""
    return threadpool_limits(1)
