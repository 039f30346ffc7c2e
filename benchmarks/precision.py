"""Do float32 samples get the labels that float64 samples get? On every task of the paper that is on this disk.

python -m benchmarks.precision
"""

from __future__ import annotations

import numpy as np

from tsrp.datasets import load_task
from tsrp.datasets.catalogue import PAPER
from tsrp.datasets.loading import is_on_disk
from tsrp.experiments.runs import grid


def main() -> None:
    equal = compared = 0
    for run in grid(PAPER, ("nn", "jda", "dicd")):
        if not is_on_disk(run.dataset, run.task):
            continue
        task = load_task(run.dataset, run.task)
        Xs, ys, Xt = task.source.X, task.source.y, task.target.X
        double = run.spec.build().fit(Xs, ys, Xt).labels_
        single = run.spec.build().fit(Xs.astype(np.float32), ys, Xt.astype(np.float32)).labels_
        different = int(np.sum(double != single))
        compared += 1
        equal += different == 0
        if different:
            print(f"{run}: {different} of {len(double)} labels differ", flush=True)
    print(f"{equal} of {compared} fits give the same labels in float32 and float64")


if __name__ == "__main__":
    main()
