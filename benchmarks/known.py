"""What known target labels bring: the default with 0 to 100 of them, chosen in three ways, on all tasks here.

python -m benchmarks.known [--datasets NAME ...] [--tasks N] [--seeds N] [--quick] [--page]

A run that was stopped goes on from there. At its end, or at once with --page, docs/KNOWN.md is written from what is
done. --quick measures a panel of budget "quick" with 20 labels, one seed and the first task of each data set, and
prints its page; --tasks measures the first tasks of each data set only.
"""

from __future__ import annotations

import argparse
import time
from itertools import groupby
from pathlib import Path

from benchmarks.default_runs import tasks
from benchmarks.known_page import page
from benchmarks.known_runs import NUMBERS, done, measure
from tsrp.datasets import DATASETS

PAGE = Path(__file__).parents[1] / "docs" / "KNOWN.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, default=list(DATASETS), help="only these, for now")
    parser.add_argument("--tasks", type=int, help="only so many of each data set, for now")
    parser.add_argument("--seeds", type=int, default=5, help="random choices of rows")
    parser.add_argument("--quick", action="store_true", help="a first look, which is printed")
    parser.add_argument("--page", action="store_true", help="only write the page")
    options = parser.parse_args()
    budget, numbers, seeds = ("quick", (20,), 1) if options.quick else ("normal", NUMBERS, options.seeds)
    most = 1 if options.quick and options.tasks is None else options.tasks
    for dataset, task in [] if options.page else first(most):
        if dataset in options.datasets and measure(budget, dataset, task, numbers, seeds):
            print(f"{time.strftime('%X')} {dataset}, {task}", flush=True)
    found = [(dataset, task, done(budget, dataset, task)) for dataset, task in tasks()]
    text = page([one for one in found if one[2]], budget)
    if options.quick:
        print(text)
    else:
        PAGE.write_text(text)


def first(most: int | None) -> list[tuple[str, str]]:
    """The first tasks of each data set, or all; of each data set the first one, then the second ones, and so on."""
    by_dataset = [list(own)[:most] for _, own in groupby(sorted(tasks(), key=lambda one: one[0]), lambda one: one[0])]
    wanted = {one for own in by_dataset for one in own}
    return [one for one in tasks() if one in wanted]


if __name__ == "__main__":
    main()
