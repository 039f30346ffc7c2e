"""Recompute the paper's figures and write the table of README.md from them.

    python benchmarks/table.py            # prints it
    python benchmarks/table.py --write    # and puts it into README.md, between the markers

All fits of NN, JDA, BDA (ten values of mu) and DICD, with and without TSRP, on every task whose data can be had:
about ten minutes on two cores.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import paper
from joblib import Parallel, delayed

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- figures: python benchmarks/table.py --write -->\n", "<!-- end of figures -->"
TITLES = dict(
    zip(paper.DATASETS, ("SURF, 12 tasks", "MNIST-USPS, 2", "COIL20, 2", "DeCAF6, W↔D"), strict=True),
)


def measure(dataset: str, name: str, column: str) -> float:
    """Accuracy of a column on a task; for BDA the best over the paper's grid, as the paper has it."""
    task = paper.load(dataset, name)
    grid = [{"mu": mu} for mu in paper.BDA_GRID] if column.startswith("BDA") else [{}]
    fits = (paper.model(column, dataset, **changes).fit(task.Xs, task.ys, task.Xt) for changes in grid)
    return max(task.accuracy(fit.labels_) for fit in fits)


def main() -> None:
    columns = [method + wrapper for method in paper.METHODS for wrapper in ("", "+TSRP")]
    cells = [(dataset, name, column) for dataset, name in paper.TASKS for column in columns]
    measured = dict(zip(cells, Parallel(n_jobs=2)(delayed(measure)(*cell) for cell in cells), strict=True))
    published = paper.published()

    lines = [
        f"| | {' | '.join(TITLES.values())} |",
        f"|---|{'---:|' * len(TITLES)}",
    ]
    for column in columns:
        row = []
        for dataset in paper.DATASETS:
            keys = [(dataset, name, column) for known, name in paper.TASKS if known == dataset]
            exact = sum(measured[key] == published[key] for key in keys)
            average, paper_average = (np.mean([figures[key] for key in keys]) for figures in (measured, published))
            row.append(f"{average:.2f} / {paper_average:.2f} ({exact} of {len(keys)})")
        lines.append(f"| {column} | {' | '.join(row)} |")
    different = [key for key in cells if measured[key] != published[key]]
    lines += ["", "Not equal:" if different else "All are equal.", ""]
    lines += [
        f"- {dataset}, {name}, {column}: measured {measured[dataset, name, column]:.2f}, "
        f"published {published[dataset, name, column]:.2f}."
        for dataset, name, column in different
    ]
    table = "\n".join(lines) + "\n"
    print(table)
    if "--write" in sys.argv:
        text = README.read_text()
        before, rest = text.split(BEGIN)
        README.write_text(before + BEGIN + table + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
