"""Accuracies on the benchmark files."""

import numpy as np

from tsrp.datasets import DATASETS, load_task
from tsrp.experiments.runs import make_run


def accuracies(dataset, method, data_dir):
    """Accuracy in per cent, a row for each task and a column for each round, with the data set's preprocessing."""
    found = []
    for name in DATASETS[dataset].task_names:
        task = load_task(dataset, name, data_dir=data_dir)
        model = make_run(dataset, name, method).spec.build().fit(task.source.X, task.source.y, task.target.X)
        found.append([100 * np.mean(r.labels == task.target.y) for r in model.history_])
    return np.array(found)
