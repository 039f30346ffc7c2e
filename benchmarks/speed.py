"""How much faster than the dense textbook version: one run, printed as ratios.

The dense version is tests/textbook.py: n x n kernel matrices and `scipy.linalg.eigh` (or `eig`, as in the research
scripts) on all BLAS threads. Where one dense round takes too long to wait for all ten, one is timed and said so.

    python benchmarks/speed.py            # about five minutes
    python benchmarks/speed.py --quick    # without 8,000 samples and without eig
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import paper
from synthetic import make_domains

from tsrp import DICD, JDA, TSRP

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import textbook

ROUNDS = 10


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best(work: Callable[[], object], repeats: int = 3) -> float:
    return min(seconds(work) for _ in range(repeats))


def dense(task: tuple[np.ndarray, ...], term: Callable, rounds: int, solve: Callable = textbook.eigenvectors) -> float:
    Xs, ys, Xt = task
    return seconds(
        lambda: textbook.adapt(Xs, ys, Xt, term, k=100, ridge=1.0, kernel="linear", rounds=rounds, solve=solve)
    )


def line(what: str, fast: float, slow: float, note: str = "") -> None:
    print(f"{what:<44} {fast:8.2f} s {slow:10.1f} s {slow / fast:9.1f} x   {note}", flush=True)


def main() -> None:
    quick = "--quick" in sys.argv
    print(f"{'':<44} {'tsrp':>10} {'dense':>12} {'ratio':>11}")

    task = paper.load("office-caltech-surf", "C -> A")
    ys = np.unique(task.ys, return_inverse=True)[1]
    surf = task.Xs, ys, task.Xt
    jda_term = textbook.jda_term(len(task.Xt), 10)
    dicd_term = textbook.dicd_term(len(task.Xt), 10, 0.1)
    jda, dicd = best(lambda: JDA().fit(*surf)), best(lambda: DICD().fit(*surf))
    line("SURF C->A, JDA, ten rounds, eigh", jda, dense(surf, jda_term, ROUNDS))
    line("SURF C->A, DICD, ten rounds, eigh", dicd, dense(surf, dicd_term, ROUNDS))
    if not quick:
        for name, fast, term in (("JDA", jda, jda_term), ("DICD", dicd, dicd_term)):
            one = dense(surf, term, 1, textbook.eigenvectors_general)
            line(f"SURF C->A, {name}, ten rounds, eig", fast, ROUNDS * one, f"one dense round: {one:.1f} s, times ten")

    remedied = best(lambda: TSRP(JDA()).fit(*surf)), best(lambda: TSRP(DICD()).fit(*surf))
    large = make_domains(4000, 4000)[:3]
    at_8000 = best(lambda: JDA().fit(*large))
    if not quick:
        one = dense(large, textbook.jda_term(len(large[2]), 20), 1)
        line("8,000 x 256, JDA, ten rounds, eigh", at_8000, ROUNDS * one, f"one dense round: {one:.1f} s, times ten")

    print(f"\n{'':<44} {'base':>10} {'with TSRP':>12} {'TSRP adds':>11}")
    rows = {
        "SURF C->A, JDA": (jda, remedied[0]),
        "SURF C->A, DICD": (dicd, remedied[1]),
        "8,000 x 256, JDA": (at_8000, best(lambda: TSRP(JDA()).fit(*large))),
    }
    for what, (base, wrapped) in rows.items():
        print(f"{what:<44} {base:8.2f} s {wrapped:10.2f} s {100 * (wrapped / base - 1):9.0f} %")


if __name__ == "__main__":
    main()
