"""Do float32 samples get the labels that float64 samples get? On every task and method of the paper.

python benchmarks/precision.py
"""

from __future__ import annotations

import numpy as np
import paper

COLUMNS = ("NN", "NN+TSRP", "JDA", "JDA+TSRP", "DICD", "DICD+TSRP")


def main() -> None:
    equal = compared = 0
    for task in paper.tasks():
        for column in COLUMNS:
            double = paper.model(column, task.dataset).fit(task.Xs, task.ys, task.Xt).labels_
            single = paper.model(column, task.dataset)
            single.fit(task.Xs.astype(np.float32), task.ys, task.Xt.astype(np.float32))
            different = int(np.sum(double != single.labels_))
            compared += 1
            equal += different == 0
            if different:
                print(
                    f"{task.dataset:<22} {task.name:<15} {column:<10} {different:4d} of {len(double)} labels differ: "
                    f"{task.accuracy(double):.2f} in float64, {task.accuracy(single.labels_):.2f} in float32",
                    flush=True,
                )
    print(f"{equal} of {compared} fits give the same labels in float32 and float64")


if __name__ == "__main__":
    main()
