"""The exact search for nearest neighbours beside approximate indexes of FAISS, in one run.

    pip install ".[bench]"                     # or faiss-cpu alone
    python -m benchmarks.approximate           # 100,000 queries in 100,000 references of 100 components
    python -m benchmarks.approximate 20000     # so many of each

References and queries are the two domains of `benchmarks.synthetic`, projected by TCA and scaled to unit length, as a
round of a fit has them; the nearest is that of the largest cosine. `cpu s` is processor time on all threads, of making
the index and of the search. `found` is the share of queries whose nearest reference is that of the exact search,
`labels` the share that gets the label which the exact search gives, and `accuracy` the share whose label is right.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.synthetic import make_domains
from tsrp import TCA
from tsrp.numerics.neighbours import nearest
from tsrp.numerics.rows import unit_rows
from tsrp.numerics.threads import one_blas_thread

N, N_COMPONENTS = 100_000, 100
# What FAISS calls an index, and how many cells or candidates a search looks at: its own measure of effort.
INDEXES: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("Flat", "", (0,)),
    ("IVF1024,Flat", "nprobe", (1, 8, 64)),
    ("HNSW32,Flat", "efSearch", (16, 64, 256)),
)


def project(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Zs, ys, Zt, yt of n + n samples."""
    Xs, ys, Xt, yt = make_domains(n, n)
    # The projection does not depend on how many samples it is learned from, nearly.
    some = slice(None, 5_000)
    model = TCA(N_COMPONENTS).fit(Xs[some], ys[some], Xt[some])
    Zs, Zt = (unit_rows(model.transform(X)) for X in (Xs, Xt))
    return Zs, ys, Zt, yt


def clock(work: Callable[[], Any]) -> tuple[Any, float]:
    """What it returns, and the processor time of all threads."""
    used = time.process_time()
    result = work()
    return result, time.process_time() - used


def exact(Zs: np.ndarray, Zt: np.ndarray) -> tuple[np.ndarray, float]:
    """The nearest reference of each query, and the seconds that tsrp takes."""
    with one_blas_thread():
        return clock(partial(nearest, Zs, Zt))


def make(index: Any, references: np.ndarray) -> None:
    """An index of these references."""
    index.train(references)
    index.add(references)


def main() -> None:
    import faiss

    n = int(sys.argv[1]) if len(sys.argv) > 1 else N
    Zs, ys, Zt, yt = project(n)
    print(f"{n:,} queries in {n:,} references of {N_COMPONENTS} components; faiss {faiss.__version__}")
    print(f"{'':<14} {'':<14} {'index cpu s':>11} {'search cpu s':>12} {'found':>8} {'labels':>8} {'accuracy':>9}")
    truth, seconds = exact(Zs, Zt)
    print_row("tsrp", "exact", 0.0, seconds, truth, truth, ys, yt)
    references, queries = Zs.astype(np.float32), Zt.astype(np.float32)
    for name, effort, values in INDEXES:
        index = faiss.index_factory(N_COMPONENTS, name, faiss.METRIC_INNER_PRODUCT)
        _, made = clock(partial(make, index, references))
        for value in values:
            if effort:
                faiss.ParameterSpace().set_index_parameter(index, effort, value)
            (_, found), seconds = clock(partial(index.search, queries, 1))
            print_row(name, f"{effort} {value}" if effort else "exact", made, seconds, found[:, 0], truth, ys, yt)


def print_row(
    name: str,
    effort: str,
    made: float,
    seconds: float,
    found: np.ndarray,
    truth: np.ndarray,
    ys: np.ndarray,
    yt: np.ndarray,
) -> None:
    same, labels, right = (100 * np.mean(part) for part in (found == truth, ys[found] == ys[truth], ys[found] == yt))
    row = f"{name:<14} {effort:<14} {made:11.1f} {seconds:12.1f} {same:7.2f}% {labels:7.2f}% {right:8.2f}%"
    print(row, flush=True)


if __name__ == "__main__":
    main()
