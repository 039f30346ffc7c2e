"""DICD with each classifier, MEDA and ARTL, alone and with TSRP: average accuracy and seconds a task.

tsrp datasets fetch office-caltech-surf mnist-usps coil20
python -m benchmarks.classifiers                          # all three data sets, half an hour
python -m benchmarks.classifiers office-caltech-surf
"""

from __future__ import annotations

import sys
import time

import numpy as np

from tsrp.datasets import DATASETS, load_task
from tsrp.experiments.runs import make_run

# MEDA and ARTL take digits with each image centred and scaled by itself.
PREPROCESS = {"mnist-usps": {"preprocess": "row-zscore"}}
METHODS = {
    **{f"dicd, {name}": ("dicd", {"classifier": name}) for name in ("1nn", "kernel-ridge", "graph-ridge")},
    "meda": ("meda", {}),
    "meda, mu=auto": ("meda", {"mu": "auto"}),
    "artl": ("artl", {}),
}


def main() -> None:
    datasets = sys.argv[1:] or ["office-caltech-surf", "mnist-usps", "coil20"]
    for dataset in datasets:
        print(f"\n{dataset:<28} {'alone':>8} {'seconds':>8} {'with TSRP':>10} {'seconds':>8}")
        for what, (method, settings) in METHODS.items():
            changes = settings | ({} if method == "dicd" else PREPROCESS.get(dataset, {}))
            columns = [average(dataset, name, changes) for name in (method, f"{method}+tsrp")]
            cells = " ".join(f"{accuracy:8.2f} {seconds:8.2f}" for accuracy, seconds in columns)
            print(f"{what:<28} {cells}", flush=True)


def average(dataset: str, method: str, changes: dict[str, str]) -> tuple[float, float]:
    """Accuracy in per cent and seconds of a fit, averaged over the tasks of a data set."""
    accuracies, times = [], []
    for name in DATASETS[dataset].task_names:
        task = load_task(dataset, name)
        model = make_run(dataset, name, method, changes).spec.build()
        start = time.perf_counter()
        model.fit(task.source.X, task.source.y, task.target.X)
        times.append(time.perf_counter() - start)
        accuracies.append(100 * np.mean(model.labels_ == task.target.y))
    return float(np.mean(accuracies)), float(np.mean(times))


if __name__ == "__main__":
    main()
