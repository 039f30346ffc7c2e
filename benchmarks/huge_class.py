"""UTSP's picks in one huge pseudo class: time, processor time and memory beside the input, and their growth.

python -m benchmarks.huge_class                 # up to 24,000 samples, a minute
python -m benchmarks.huge_class 12000           # this size only
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

SIZES = (3_000, 6_000, 12_000, 24_000)
N_COMPONENTS = 100


def measure(n: int) -> None:
    """Pick once in this process and print what it took."""
    from tsrp import utsp

    rng = np.random.default_rng(0)
    Z = rng.normal(size=(n, N_COMPONENTS)) + 0.3 * rng.normal(size=N_COMPONENTS)
    labels = np.zeros(n, dtype=int)
    # What is imported when it is first used.
    utsp(Z[:100], labels[:100])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start, used = time.perf_counter(), time.process_time()
    confident = utsp(Z, labels)
    elapsed, cpu = time.perf_counter() - start, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(elapsed, cpu, peak, peak - before, confident.sum())


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    print(f"one pseudo class, {N_COMPONENTS} components; peak is of the whole process")
    print(f"{'samples':>8} {'picked':>8} {'seconds':>9} {'cpu s':>9} {'growth':>7} {'peak MB':>8} {'of picks':>8}")
    last = None
    for n in sizes:
        # A process of its own: peak memory cannot be reset.
        command = [sys.executable, "-m", "benchmarks.huge_class", "--one", str(n)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
        elapsed, cpu, peak, own, picked = map(float, answer.stdout.split())
        growth = "" if last is None else f"{cpu / last:.2f} x"
        print(f"{n:8,} {picked:8,.0f} {elapsed:9.2f} {cpu:9.2f} {growth:>7} {peak:8.0f} {own:8.0f}", flush=True)
        last = cpu


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        measure(int(sys.argv[2]))
    else:
        main()
