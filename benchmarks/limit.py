"""How far a fit is from the matrix products that nobody can avoid: both in one run, and their ratio.

The products are the Gram matrix of all samples, once, and for every round the projection of all samples and the
distances of one search for the nearest neighbours: in the types in which a fit computes them, on all cores.

    python -m benchmarks.limit                              # JDA+TSRP and DICD+TSRP, the sizes of docs/performance.md
    python -m benchmarks.limit jda+tsrp 2000x256 4000x256   # this method and these samples of each domain x features
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.scale import method
from benchmarks.synthetic import make_domains, make_features

METHODS = ("jda+tsrp", "dicd+tsrp")
SIZES = ("20000x2048", "50000x256")
GROWTH = ("5000x256", "10000x256", "20000x256", "50000x256", "100000x256")
# As many features as this are those of a network, in float32 and with many classes.
WIDE = 1024
N_COMPONENTS = 100
ROWS, QUERIES = 2048, 512


def clock(work: Callable[[], object]) -> np.ndarray:
    """Seconds, and seconds of processor time on all threads."""
    start, used = time.perf_counter(), time.process_time()
    work()
    return np.array([time.perf_counter() - start, time.process_time() - used])


def each_block(work: Callable[[slice], object], n: int, rows: int = ROWS) -> list[object]:
    """Blocks of rows on all cores, one BLAS thread each: BLAS's own threads wait for each other on a busy machine."""
    parts = [slice(start, start + rows) for start in range(0, n, rows)]
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, parts))


def gram(X: np.ndarray) -> None:
    cores = os.cpu_count() or 1

    def add(part: slice) -> None:
        total = np.zeros((X.shape[1], X.shape[1]))
        for start in range(part.start * ROWS, len(X), cores * ROWS):
            block = X[start : start + ROWS].astype(np.float64, copy=False)
            total += block.T @ block

    each_block(add, cores, 1)


def project(X: np.ndarray, W: np.ndarray) -> None:
    each_block(lambda part: X[part].astype(np.float64, copy=False) @ W, len(X))


def search(references: np.ndarray, queries: np.ndarray) -> None:
    """The largest product with any reference: the nearest, of rows of unit length."""

    def best(part: slice) -> None:
        for start in range(0, len(references), ROWS):
            (queries[part] @ references[start : start + ROWS].T).max(axis=1)

    each_block(best, len(queries), QUERIES)


def measure(name: str, size: str) -> None:
    """The products and one fit in this process; prints what they took."""
    n, m = map(int, size.split("x"))
    Xs, ys, Xt, _ = make_features(n, n, m) if m >= WIDE else make_domains(n, n, m)
    products = np.array(time_products(np.vstack([Xs, Xt]), n))
    model = method(name, n)
    taken = clock(lambda: model.fit(Xs, ys, Xt))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(model.n_iter_, *(products[0] + model.n_iter_ * products[1]), *taken, peak)


def time_products(X: np.ndarray, n_source: int) -> tuple[np.ndarray, np.ndarray]:
    """Those of a fit, and those of a round."""
    W = np.random.default_rng(0).normal(size=(X.shape[1], min(N_COMPONENTS, X.shape[1])))
    Z = (X @ W.astype(X.dtype)).astype(np.float32)
    each_round = clock(lambda: project(X, W)) + clock(lambda: search(Z[:n_source], Z[n_source:]))
    return clock(lambda: gram(X)), each_round


def main() -> None:
    sizes = [argument for argument in sys.argv[1:] if argument[0].isdigit()]
    methods = [argument for argument in sys.argv[1:] if not argument[0].isdigit()] or METHODS
    runs = [(name, size) for size in sizes or SIZES for name in methods]
    if not sys.argv[1:]:
        runs += [(METHODS[0], size) for size in GROWTH]
    print(
        f"{'':<10} {'samples x features':>18} {'rounds':>6} {'products':>10} {'fit':>10} {'ratio':>6} {'of cpu s':>8} "
        f"{'peak MB':>8}"
    )
    for name, size in runs:
        # A process of its own: peak memory cannot be reset.
        command = [sys.executable, "-m", "benchmarks.limit", "--one", name, size]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
        rounds, products, products_cpu, fit, fit_cpu, peak = map(float, answer.stdout.split())
        print(
            f"{name:<10} {'2 x ' + size:>18} {rounds:6.0f} {products:8.1f} s {fit:8.1f} s {fit / products:6.2f} "
            f"{fit_cpu / products_cpu:8.2f} {peak:8.0f}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        measure(sys.argv[2], sys.argv[3])
    else:
        main()
