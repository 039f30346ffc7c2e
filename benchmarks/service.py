"""`tsrp predict` on ever longer files: rows a second, and peak memory, which must not grow with the file.

python -m benchmarks.service                    # 100,000 and 400,000 rows of 64 features, a minute or two
python -m benchmarks.service 100000 1600000
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROWS = (100_000, 400_000)
FEATURES = 64


def prepare(folder: Path, rows: list[int]) -> None:
    """A model of 2,000 + 2,000 samples, and files of new ones."""
    from benchmarks.synthetic import make_domains, ridge
    from tsrp import JDA, TSRP

    Xs, ys, Xt, _ = make_domains(2_000, 2_000, FEATURES)
    TSRP(JDA(50, ridge=ridge(4_000))).fit(Xs, ys, Xt).save(folder / "model.tsrp")
    block = "\n".join(",".join(f"{value:.6f}" for value in row) for row in Xt) + "\n"
    for n in rows:
        with open(folder / f"{n}.csv", "w") as file:
            file.write(",".join(f"f{j}" for j in range(FEATURES)) + "\n")
            for _ in range(n // len(Xt)):
                file.write(block)


def measure(folder: Path, n: int) -> None:
    """Label one file in this process and print what it took."""
    from tsrp.cli import app

    began = time.perf_counter()
    app(
        ["predict", str(folder / "model.tsrp"), str(folder / f"{n}.csv"), "-o", str(folder / f"{n}-out.csv"), "-q"],
        standalone_mode=False,
    )
    print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    rows = [int(n) for n in sys.argv[1:]] or list(ROWS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, rows)
        print(
            f"tsrp predict, CSV, {FEATURES} features, JDA+TSRP of 2,000 + 2,000 samples; peak is of the whole process"
        )
        print(f"{'rows':>10} {'file MB':>8} {'seconds':>8} {'rows/s':>8} {'peak MB':>8}")
        for n in rows:
            # A process of its own: peak memory cannot be reset.
            command = [sys.executable, "-m", "benchmarks.service", "--one", name, str(n)]
            answer = subprocess.run(command, check=True, capture_output=True, text=True)
            seconds, peak = np.array(answer.stdout.split(), dtype=float)
            size = (folder / f"{n}.csv").stat().st_size / 1e6
            print(f"{n:10,} {size:8.0f} {seconds:8.1f} {n / seconds:8,.0f} {peak:8.0f}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        measure(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
