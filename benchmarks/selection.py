"""How well do scores without target labels choose? On every task on this disk, with the default candidates.

python -m benchmarks.selection [--jobs 2] [--scores NAME ...] [--page]

A run that was stopped goes on from there, and a new score needs no new fits. At its end, or at once with --page,
docs/SELECTION.md is written from the tasks that are done.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed

from benchmarks.default_runs import tasks
from benchmarks.selection_page import page
from benchmarks.selection_runs import SINGLE, measure, n_candidates, results

PAGE = Path(__file__).parents[1] / "docs" / "SELECTION.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--page", action="store_true", help="only write the page")
    parser.add_argument("--scores", nargs="+", choices=SINGLE, default=SINGLE, help="only these, for now")
    options = parser.parse_args()
    here = tasks()
    # Of each data set the first task, then the second ones: a run that is stopped early has seen all data sets.
    for dataset, task in [] if options.page else here:
        numbers = range(n_candidates(dataset, task))
        Parallel(options.jobs, batch_size=1)(
            delayed(measure)(dataset, task, number, options.scores) for number in numbers
        )
        print(f"{time.strftime('%X')} {dataset}, {task}", flush=True)
    done = [table for dataset, task in here if (table := results(dataset, task)) is not None]
    # One data set says nothing about another.
    if len({table["dataset"].iloc[0] for table in done}) > 1:
        PAGE.write_text(page(pd.concat(done, ignore_index=True), n_tasks=len(here)))


if __name__ == "__main__":
    main()
