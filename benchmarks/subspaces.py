"""TSL beside the projections that it starts from: accuracy and divergence of the densities, before and after.

Each objective is shown alone (alignment 0) and with the default alignment, on the tasks of Office-Caltech SURF,
MNIST-USPS and COIL20; written as Markdown to docs/SUBSPACES.md.

    tsrp datasets fetch office-caltech-surf mnist-usps coil20
    python -m benchmarks.subspaces            # a few minutes
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from tsrp.datasets import DATASETS, load_task
from tsrp.experiments.runs import make_run
from tsrp.methods.tsl import OBJECTIVES

PAGE = Path(__file__).parents[1] / "docs" / "SUBSPACES.md"
NAMES = ("office-caltech-surf", "mnist-usps", "coil20")
INTRODUCTION = """# TSL beside the projections that it starts from

Written by `python -m benchmarks.subspaces`. Accuracy in per cent of 1-nearest-neighbour: PCA, FLDA and LPP alone
(`TSL(alignment=0)`), then with the densities of both domains held alike (`TSL()`), and these densities' divergence
before and after; 0 is equal. FLDA has one dimension less than there are classes, the others have half as many as the
principal components that they start from: 100, or fewer. No figure was published on these data.
"""


def measure(dataset: str, name: str, objective: str) -> list[str]:
    """Accuracy alone, accuracy with alignment, divergence before and after."""
    task = load_task(dataset, name)
    accuracies = []
    for alignment in (0.0, 100.0):
        run = make_run(dataset, name, "tsl", {"objective": objective, "alignment": alignment})
        model = run.spec.build().fit(task.source.X, task.source.y, task.target.X)
        accuracies.append(100 * np.mean(model.labels_ == task.target.y))
    before, after = getattr(model, "method_", model).divergence_
    return [*(f"{accuracy:.2f}" for accuracy in accuracies), f"{before:.4f} to {after:.4f}"]


def main() -> None:
    tasks = [(dataset, name) for dataset in NAMES for name in DATASETS[dataset].task_names]
    jobs = [(*task, objective) for task in tasks for objective in OBJECTIVES]
    found = dict(zip(jobs, Parallel(n_jobs=2)(delayed(measure)(*job) for job in jobs), strict=True))
    heads = [head for name in OBJECTIVES for head in (name.upper(), f"TSL, {name.upper()}", "divergence")]
    lines = [f"| task | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for dataset, name in tasks:
        runs = [text for objective in OBJECTIVES for text in found[dataset, name, objective]]
        lines.append(f"| {DATASETS[dataset].title}, {name} | {' | '.join(runs)} |")
    for dataset in NAMES:
        names = DATASETS[dataset].task_names
        runs = []
        for objective in OBJECTIVES:
            alone, aligned = ([float(found[dataset, name, objective][i]) for name in names] for i in (0, 1))
            runs += [f"{np.mean(alone):.2f}", f"{np.mean(aligned):.2f}", ""]
        lines.append(f"| *{DATASETS[dataset].title}, average* | {' | '.join(runs)} |")
    PAGE.write_text(INTRODUCTION + "\n" + "\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
