"""How much faster than the dense textbook version: one run, printed as ratios.

The dense version is tests/support/textbook.py: n x n kernel matrices and `scipy.linalg.eigh` (or `eig`, as in the
research scripts) on all BLAS threads. Where a dense round takes too long to wait for all of them, one is timed and
said so.

    tsrp datasets fetch office-caltech-surf coil20
    python -m benchmarks.speed            # about ten minutes
    python -m benchmarks.speed --quick    # without 8,000 samples and without eig
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from benchmarks.synthetic import make_domains, ridge
from tests.support import textbook
from tsrp import DICD, JDA, NN, TSRP
from tsrp.datasets import load_task

Domains: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]
# A matrix of the textbook, or eigenvectors.
Dense: TypeAlias = Callable[..., np.ndarray]


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def fitted(model: Any, task: Domains, repeats: int = 5) -> tuple[float, int]:
    """The best time of a few fits, and the rounds that a fit takes."""
    return min(seconds(lambda: model.fit(*task)) for _ in range(repeats)), model.n_iter_


def dense(task: Domains, term: Dense, rounds: int, ridge: float = 1.0, solve: Dense = textbook.eigenvectors) -> float:
    settings = {"k": 100, "ridge": ridge, "kernel": "linear", "solve": solve}
    return seconds(lambda: textbook.adapt(*task, term, rounds=rounds, **settings))


def line(what: str, fast: float, slow: float, rounds: int, one: float | None = None) -> None:
    note = "" if one is None else f"   (one dense round took {one:.1f} s, times {rounds})"
    print(f"{f'{what}, {rounds} rounds':<40} {fast:8.2f} s {slow:9.1f} s {slow / fast:8.1f} x{note}", flush=True)


def main() -> None:
    quick = "--quick" in sys.argv
    print(f"{'':<40} {'tsrp':>10} {'dense':>11} {'ratio':>10}")

    task = load_task("office-caltech-surf", "C -> A")
    preprocess = make_pipeline(Normalizer("l1"), StandardScaler())
    Xs, Xt = (preprocess.fit_transform(domain.X) for domain in (task.source, task.target))
    surf = Xs, np.unique(task.source.y, return_inverse=True)[1], Xt
    terms = {"JDA": textbook.jda_term(len(Xt), 10), "DICD": textbook.dicd_term(len(Xt), 10, 0.1)}
    bases = {f"SURF C->A, {kind.__name__}": (kind(), surf, *fitted(kind(), surf)) for kind in (JDA, DICD)}
    for (what, (_, _, fast, rounds)), term in zip(bases.items(), terms.values(), strict=True):
        line(f"{what}, eigh", fast, dense(surf, term, rounds), rounds)
        if not quick:
            one = dense(surf, term, 1, solve=textbook.eigenvectors_general)
            line(f"{what}, eig", fast, rounds * one, rounds, one)

    large, weight = make_domains(4000, 4000)[:3], ridge(8000)
    what = "8,000 x 256, JDA"
    bases[what] = (JDA(ridge=weight), large, *fitted(JDA(ridge=weight), large))
    if not quick:
        one = dense(large, textbook.jda_term(len(large[2]), 20), 1, weight)
        line(f"{what}, eigh", bases[what][2], bases[what][3] * one, bases[what][3], one)

    coil = load_task("coil20", "COIL1 -> COIL2")
    objects = coil.source.X, np.unique(coil.source.y, return_inverse=True)[1], coil.target.X
    bases["COIL1->COIL2, NN: one search"] = (NN(), objects, *fitted(NN(), objects))

    print(f"\n{'seconds a round':<40} {'base':>10} {'with TSRP':>11} {'TSRP adds':>10}")
    for what, (base, domains, fast, rounds) in bases.items():
        wrapped, wrapped_rounds = fitted(TSRP(base), domains)
        before, after = fast / rounds, wrapped / wrapped_rounds
        print(f"{what:<40} {before:8.3f} s {after:9.3f} s {100 * (after / before - 1):8.0f} %")


if __name__ == "__main__":
    main()
