"""A method on ever more samples: time, processor time, peak memory, and their growth.

python -m benchmarks.scale                              # JDA+TSRP, linear kernel, up to 50,000 + 50,000, a few minutes
python -m benchmarks.scale meda 5000 50000 float64      # MEDA, with landmarks, these sizes and this type only
python -m benchmarks.scale --domainnet                  # 100,000 + 100,000 x 2,048: JDA+TSRP and DICD+TSRP, ten rounds
python -m benchmarks.scale --domainnet 5000             # the same of 5,000 + 5,000
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np

SIZES = (5_000, 10_000, 20_000, 50_000)
TYPES = ("float64", "float32")
# The size of DomainNet's features of a network, made up.
DOMAINNET, DOMAINNET_METHODS = 100_000, ("jda+tsrp", "dicd+tsrp")


def method(name: str, n: int) -> Any:
    """The method of a name for n samples of each domain."""
    from benchmarks.synthetic import ridge
    from tsrp.spec import make_method

    return make_method(name, {"ridge": ridge(2 * n)} if name.startswith("jda") else {})


def measure(name: str, n: int, dtype: str) -> None:
    """Fit once in this process and print what it took."""
    from benchmarks.synthetic import make_domains, make_features

    if dtype == "domainnet":
        Xs, ys, Xt, yt = make_features(n, n)
    else:
        Xs, ys, Xt, yt = make_domains(n, n)
        Xs, Xt = Xs.astype(dtype), Xt.astype(dtype)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start, used = time.perf_counter(), time.process_time()
    model = method(name, n).fit(Xs, ys, Xt)
    elapsed, cpu = time.perf_counter() - start, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(elapsed, cpu, peak, before, model.n_iter_, np.mean(model.labels_ == yt))


def measured(name: str, n: int, dtype: str) -> list[float]:
    """What `measure` prints, from a process of its own: peak memory cannot be reset."""
    command = [sys.executable, "-m", "benchmarks.scale", "--one", name, str(n), dtype]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(number) for number in answer.stdout.split()]


def domainnet(n: int) -> None:
    print(
        f"{n:,} + {n:,} samples of 2,048 features in float32, 345 classes; peak is of the whole process, input included"
    )
    print(
        f"{'':<10} {'rounds':>6} {'seconds':>9} {'ratio':>6} {'cpu s':>9} {'ratio':>6} {'peak MB':>8} {'accuracy':>9}"
    )
    first = None
    for name in DOMAINNET_METHODS:
        elapsed, cpu, peak, _, rounds, accuracy = measured(name, n, "domainnet")
        first = first or (elapsed, cpu)
        print(
            f"{name:<10} {rounds:6.0f} {elapsed:9.1f} {elapsed / first[0]:6.2f} {cpu:9.1f} {cpu / first[1]:6.2f} "
            f"{peak:8.0f} {100 * accuracy:8.2f}%",
            flush=True,
        )


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:] if size.isdigit()] or SIZES
    types = [dtype for dtype in sys.argv[1:] if dtype in TYPES] or TYPES
    name = next((name for name in sys.argv[1:] if not (name.isdigit() or name in TYPES)), "jda+tsrp")
    print(f"{name}, 256 features, 20 classes; peak is of the whole process, input included")
    print(
        f"{'samples':>16} {'type':>8} {'rounds':>6} {'seconds':>9} {'cpu s':>9} {'growth':>7} {'peak MB':>8} "
        f"{'growth':>7} {'accuracy':>9}"
    )
    for dtype in types:
        last = None
        for n in sizes:
            elapsed, cpu, peak, _, rounds, accuracy = measured(name, n, dtype)
            growth = ("", "") if last is None else (f"{cpu / last[0]:.2f} x", f"{peak / last[1]:.2f} x")
            print(
                f"{f'{n:,} + {n:,}':>16} {dtype:>8} {rounds:6.0f} {elapsed:9.1f} {cpu:9.1f} {growth[0]:>7} {peak:8.0f} "
                f"{growth[1]:>7} {100 * accuracy:8.2f}%",
                flush=True,
            )
            last = cpu, peak


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        measure(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    elif sys.argv[1:2] == ["--domainnet"]:
        domainnet(int(sys.argv[2]) if len(sys.argv) > 2 else DOMAINNET)
    else:
        main()
