"""What the steps of a fit cost on a Dask cluster of two worker processes, beside the formulas of docs/scaling.md.

    python -m benchmarks.cluster              # 10,000 + 10,000 and 20,000 + 20,000 samples of 256 features
    python -m benchmarks.cluster 2000 4000    # these samples of each domain

Samples are float32 in Parquet files of 2,500 rows, which the workers read again for each step. `read` is what the
workers asked their file system for, `client sends` and `workers send` what each of them wrote to connections; the
scheduler, a process of its own, hands on what the client sends. Behind each figure is that of the formula. `cpu s` is
processor time of the workers, and `growth` how it grew from the first size, beside the growth of the operations.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.synthetic import make_domains
from tsrp import utsp
from tsrp.base.blocked import check_blocks
from tsrp.blocked.cluster import DaskBlocks, connected
from tsrp.io.dasked import addresses
from tsrp.numerics.neighbours import nearest
from tsrp.numerics.passes import BlockedForms, gram_and_sum, group_sums, times
from tsrp.numerics.rows import unit_rows
from tsrp.numerics.terms import scatter

SIZES = (10_000, 20_000)
N_FEATURES, N_CLASSES, N_COMPONENTS = 256, 20, 100
# Rows of a file, which is a block, and bytes of a number in it.
ROWS, BYTES = 2_500, 4
WORKERS = 2
MEGABYTE = 1e6


class Step(NamedTuple):
    """A step of a fit, and what it costs by the formulas."""

    name: str
    work: Callable[[], object]
    read: float
    client_sends: float
    workers_send: float
    operations: float


def steps(n: int, folder: Path) -> list[Step]:
    """The steps for n + n samples, which are written into a folder."""
    Xs, ys, Xt, yt = make_domains(n, n, N_FEATURES, N_CLASSES)
    samples = read(write(folder / "source", Xs)).followed_by(read(write(folder / "target", Xt)))
    m, k, C, rows = N_FEATURES, N_COMPONENTS, N_CLASSES, 2 * n
    W = np.random.default_rng(0).normal(size=(m, k))
    Zs, Zt = (unit_rows(X @ W) for X in (Xs, Xt))
    groups, theta = np.concatenate([ys, C + yt]), scatter(ys, yt, n, C, 0.1)
    stored = BYTES * rows * m
    # Sums of blocks are added up by one worker, to which those of the others are sent, and then sent to the client.
    sums = rows / ROWS * (WORKERS - 1) / WORKERS + 1

    def search() -> None:
        with samples.elsewhere():
            nearest(Zs, Zt)

    def pick() -> None:
        with samples.elsewhere():
            utsp(Zt, yt)

    return [
        Step("check", lambda: check_blocks(samples, "X"), stored, 8 * rows, 0, rows * m),
        Step("Gram matrix and sum", lambda: gram_and_sum(samples), stored, 0, 8 * m**2 * sums, rows * m**2),
        Step(
            *("class sums", lambda: group_sums(samples, groups, 2 * C)),
            *(stored, 8 * rows, 8 * 2 * C * m * sums, rows * m),
        ),
        Step(
            *("weighted Gram matrix", lambda: BlockedForms(samples)(theta)),
            *(stored, 16 * rows, 8 * m**2 * sums, rows * m**2),
        ),
        Step("projection", lambda: times(samples, W), stored, 8 * m * k, 8 * m * k + 8 * rows * k, 2 * rows * m * k),
        Step("nearest neighbours", search, 0, 8 * k * rows, 8 * k * rows * (WORKERS - 1), 2 * n * n * k),
        Step("picks", pick, 0, 8 * n * k, 24 * n, k * n**2 / C),
    ]


def write(folder: Path, X: np.ndarray) -> Path:
    """Samples in Parquet files of some rows each."""
    folder.mkdir(parents=True)
    for number, start in enumerate(range(0, len(X), ROWS)):
        table = pd.DataFrame(X[start : start + ROWS].astype(np.float32)).add_prefix("f")
        table.to_parquet(folder / f"part.{number}.parquet", compression=None, use_dictionary=False)
    return folder


def read(folder: Path) -> DaskBlocks:
    """The samples of these files, which are not kept."""
    import dask.dataframe

    return DaskBlocks.of(dask.dataframe.read_parquet(addresses(folder), index=False), "X")


@contextmanager
def cluster() -> Iterator[Any]:
    """The client of a cluster of other processes."""
    from distributed import default_client

    command = [sys.executable, "-m", "benchmarks.cluster", "--serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        with connected(server.stdout.readline().strip()):
            yield default_client()
        server.stdin.close()


def serve() -> None:
    """A cluster that lives until the standard input ends."""
    from distributed import LocalCluster

    # A worker that takes long to end is no news here.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


def count_writes() -> None:
    """From now on, count the bytes that this process writes to connections."""
    from distributed.comm import tcp

    TCP: Any = tcp.TCP
    write = TCP.write

    async def counted(comm: Any, *arguments: Any, **options: Any) -> int:
        n_bytes: int = await write(comm, *arguments, **options)
        TCP.n_written += n_bytes
        return n_bytes

    TCP.n_written, TCP.write = 0, counted


def n_written() -> float:
    """The bytes that this process has written to connections since it counts."""
    from distributed.comm import tcp

    TCP: Any = tcp.TCP
    return float(TCP.n_written)


def of_worker() -> tuple[float, float, float]:
    """Bytes that this process has read from files and written to connections, and seconds that it has computed."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return float(fields["rchar"]), n_written(), time.process_time()


def measure(client: Any, step: Step) -> np.ndarray:
    """Bytes read, sent by the client and sent by the workers, and seconds of the workers."""
    step.work()
    before, sent = np.array(list(client.run(of_worker).values())).sum(axis=0), n_written()
    step.work()
    sent = n_written() - sent
    read, written, seconds = np.array(list(client.run(of_worker).values())).sum(axis=0) - before
    return np.array([read, sent, written, seconds])


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    count_writes()
    print(f"{N_FEATURES} features, {N_CLASSES} classes, {N_COMPONENTS} components, {WORKERS} workers; sizes in MB")
    print(f"{'samples':>16} {'step':<20} {'read':>13} {'client sends':>13} {'workers send':>13} {'cpu s':>6}  growth")
    first: dict[str, tuple[float, float]] = {}
    with cluster() as client, tempfile.TemporaryDirectory() as folder:
        client.run(count_writes)
        for n in sizes:
            for step in steps(n, Path(folder, str(n))):
                *sizes_of, seconds = measure(client, step)
                known = (step.read, step.client_sends, step.workers_send)
                pairs = [f"{a / MEGABYTE:.1f} ({b / MEGABYTE:.1f})" for a, b in zip(sizes_of, known, strict=True)]
                growth = ""
                if step.name in first:
                    before, operations = first[step.name]
                    growth = f"{seconds / before:.1f} ({step.operations / operations:.1f})"
                first.setdefault(step.name, (seconds, step.operations))
                row = f"{f'{n:,} + {n:,}':>16} {step.name:<20} {pairs[0]:>13} {pairs[1]:>13} {pairs[2]:>13}"
                print(f"{row} {seconds:6.2f}  {growth}".rstrip(), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve()
    else:
        main()
