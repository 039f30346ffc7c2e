"""Worker processes of this machine, which end when their parent does."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import joblib

# Seconds between looks at whether the parent is still there.
WATCH = 1.0


def parallel(n_jobs: int, **options: Any) -> joblib.Parallel:
    """`joblib.Parallel` on processes that do not outlive this one."""
    with joblib.parallel_config("loky", initializer=end_with, initargs=(os.getpid(),)):
        return joblib.Parallel(n_jobs, **options)


def end_with(parent: int) -> None:
    """In a worker: do not wait for work when the parent has been killed.

    A thread looks, as Linux's PR_SET_PDEATHSIG would end workers with the thread that made them, which joblib shares
    with others. Windows tells nothing of a parent that is gone; workers there end when joblib's patience does.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH)
        os._exit(1)

    threading.Thread(target=watch, name="tsrp-parent", daemon=True).start()
