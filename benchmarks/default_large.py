"""The default on many rows: made-up samples, each size in a process of its own, whose peak of memory is that of a fit.

python -m benchmarks.default_large 20000x256      # prints what one size takes, as JSON
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.default_runs import BEFORE, FOLDER
from benchmarks.synthetic import make_domains
from tsrp import Panel
from tsrp.spec import MethodSpec

# Samples of each domain x features.
SIZES = ("2000x800", "20000x256")


def known(size: str) -> dict[str, Any] | None:
    """What was measured, if it was."""
    path = FOLDER / f"made up, {size}.json"
    return json.loads(path.read_text()) if path.exists() else None


def measure(size: str) -> dict[str, Any]:
    """One size in a process of its own: peak memory cannot be reset."""
    command = [sys.executable, "-m", "benchmarks.default_large", size]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"made up, {size}.json").write_text(answer)
    return json.loads(answer)


def fit(size: str) -> dict[str, Any]:
    """The panel, and what a user might do otherwise, on made-up samples."""
    n, m = map(int, size.split("x"))
    Xs, ys, Xt, yt = make_domains(n, n, m)
    warnings.simplefilter("ignore")
    began, used = time.perf_counter(), time.process_time()
    panel = Panel().fit(Xs, ys, Xt)
    seconds, cpu = time.perf_counter() - began, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    before = MethodSpec(BEFORE).build().fit(Xs, ys, Xt)
    own = {voter.name: float(np.mean(voter.model.labels_ == yt)) for voter in panel.voters_ if not voter.error}
    return {
        "size": size,
        "panel": float(np.mean(panel.labels_ == yt)),
        BEFORE: float(np.mean(before.labels_ == yt)),
        "members": own,
        "failed": [voter.name for voter in panel.voters_ if voter.error],
        "seconds": seconds,
        "cpu": cpu,
        "peak": peak,
    }


def large(found: Sequence[Mapping[str, Any]]) -> str:
    """The section of the page."""
    lines = [
        "## Many rows",
        "",
        "Made-up samples of 20 classes (`benchmarks/synthetic.py`); seconds of one fit of the panel on two cores, and "
        "the peak of memory of the whole process, its input included.",
        "",
        "| rows x features | panel | dicd+tsrp | LR | LR-z | seconds | processor s | peak MB |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for one in found:
        n, m = map(int, one["size"].split("x"))
        own = one["members"]
        shares = one["panel"], one[BEFORE], own["logistic regression"], own["logistic regression, z-scores"]
        cells = [f"{100 * share:.1f}" for share in shares]
        cells += [f"{one['seconds']:.1f}", f"{one['cpu']:.1f}", f"{one['peak']:,.0f}"]
        lines.append(f"| {n:,} + {n:,} x {m} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    print(json.dumps(fit(sys.argv[1])))
