"""Processes that are forked while other threads ask fitted models."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
import warnings
from collections import Counter
from typing import Any

import numpy as np

from tsrp import BDA, JDA, NN, TSRP, Panel

# Seconds after which a child that has not answered counts as hung.
PATIENCE = 60.0
THREADS = 3


def ask_in_forks(n: int, seed: int = 0, panels: float = 0.1) -> Counter[str]:
    """Fork n times; how many children answer as they would without threads."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(120, 6)), np.arange(120) % 3
    X[:, :3] += 2 * np.eye(3)[y]
    Xs, ys, Xt = X[:60], y[:60], X[60:] + 1
    kinds = [NN(), TSRP(JDA(n_components=3)), BDA(n_components=3, mu="auto")]
    found: Counter[str] = Counter()
    for _ in range(n):
        kind = Panel("quick", n_jobs=1) if rng.random() < panels else kinds[int(rng.integers(len(kinds)))]
        own, *others = (kind.__class__(**kind.get_params(deep=False)).fit(Xs, ys, Xt) for _ in range(THREADS + 1))
        threads = [threading.Thread(target=_ask, args=(other,)) for other in others]
        for thread in threads:
            thread.start()
        time.sleep(rng.uniform(0, 0.1))
        with warnings.catch_warnings():
            # What Python says of all forks beside threads.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = multiprocessing.get_context("fork").Process(target=_answer, args=(own, Xs, ys, Xt))
            child.start()
        child.join(PATIENCE)
        hung = child.is_alive()
        if hung:
            child.kill()
        child.join()
        for thread in threads:
            thread.join()
        found["hung" if hung else "served" if child.exitcode == 0 else f"exit code {child.exitcode}"] += 1
    return found


def _ask(model: Any) -> Any:
    return model.probability_, model.compare()


def _answer(model: Any, Xs: Any, ys: Any, Xt: Any) -> None:
    """In the child: ask the model, and fit another one."""
    again = model.__class__(**model.get_params(deep=False)).fit(Xs, ys, Xt)
    same = (again.probability_ == model.probability_).all() and (again.labels_ == model.labels_).all()
    os._exit(0 if same else 1)
