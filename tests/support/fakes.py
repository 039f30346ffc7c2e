"""Results without fits, for tests of what is done with them. Importable by worker processes."""

import os
import signal
import time
import zlib
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection

from tsrp.experiments.runs import Run, make_run, paper_grid
from tsrp.experiments.scoring import Result, RoundScore
from tsrp.processes import end_with

VERSIONS = {"tsrp": "1", "python": "3"}


def fake(run: Run, accuracy: float | None = None, error: str | None = None) -> Result:
    """A result that depends on the run alone."""
    if error is not None:
        return Result(run, None, None, None, (), 0.1, error=error)
    if accuracy is None:
        accuracy = zlib.crc32(str((str(run), run.seed, run.spec.record)).encode()) % 10_000 / 10_000
    rounds = tuple(RoundScore(accuracy / 2, accuracy * (i + 1) / 10, 0.5, accuracy, 0.01) for i in range(10))
    return Result(run, accuracy, 0.5, accuracy, rounds, 0.1, None, ("a note",), VERSIONS, cpu_seconds=0.2)


def fake_or_die(run: Run, data_dir: object) -> Result:
    """DICD takes the whole process with it."""
    if run.spec.name == "dicd":
        os.kill(os.getpid(), signal.SIGKILL)
    return fake(run)


def fake_in_place(run: Run, data_dir: object) -> Result:
    """In the place of a fit by a worker."""
    return fake(run)


def occupy_child(connection: Connection) -> None:
    """A runner whose child has work for ten minutes; it tells the child's number."""
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=end_with, initargs=(os.getpid(),)) as pool:
        connection.send(pool.submit(os.getpid).result())
        pool.submit(time.sleep, 600).result()


def coil_results():
    """Made-up results of the paper's runs on COIL20, two of which stand out on the first task."""
    results = {run: fake(run) for run in paper_grid(["coil20"])}
    for method, accuracy in (("dicd+tsrp", 0.95694), ("jda", 1.0)):
        run = make_run("coil20", "COIL1 -> COIL2", method)
        results[run] = fake(run, accuracy)
    return results
