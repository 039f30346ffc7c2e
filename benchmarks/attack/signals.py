"""SIGTERM to processes that write a file of labels."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from tsrp.cli.console import Exit, reporting_errors, terminate
from tsrp.io.writers import label_writer


def end_writers(folder: Path, n: int, seed: int = 0) -> Counter[str]:
    """End n writers at some moment of their writing; how many ended as they should, and what files were left."""
    rng = np.random.default_rng(seed)
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    found: Counter[str] = Counter()
    for i in range(n):
        path = folder / f"{i}.csv"
        writer = context.Process(target=_write, args=(path,))
        writer.start()
        while not any(folder.iterdir()) and writer.is_alive():
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.05))
        # A signal during a finaliser is lost, as Python ignores what that raises: whoever ends a process asks again.
        while writer.is_alive():
            os.kill(writer.pid or 0, signal.SIGTERM)
            writer.join(5)
        left = sorted(file.name for file in folder.iterdir())
        found["ended" if writer.exitcode == Exit.TERMINATED else f"exit code {writer.exitcode}"] += 1
        found["files left"] += len(left)
        for file in folder.iterdir():
            file.unlink()
    return found


def _write(path: Path) -> None:
    """As `tsrp predict` does, without end."""
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    signal.signal(signal.SIGTERM, terminate)

    @reporting_errors
    def write_on() -> None:
        with label_writer(path) as write:
            while True:
                write({"label": np.arange(1000)})

    write_on()
