"""The package's default beside what a user would do otherwise: files as they are, no setting, no target label.

python -m benchmarks.default [--datasets NAME ...] [--cases] [--page]

A run that was stopped goes on from there. At its end, or at once with --page, docs/DEFAULT.md is written from what is
done. --cases measures tasks that were made harder: a serial number as a column, classes that are missing, and so on.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks import default_budgets, default_divided, default_large, default_natural, default_series, default_tables
from benchmarks.default_page import page
from benchmarks.default_runs import CASES, HARDER, known, measure, tasks
from benchmarks.default_votes import load
from tsrp.datasets import DATASETS

PAGE = Path(__file__).parents[1] / "docs" / "DEFAULT.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, default=list(DATASETS), help="only these, for now")
    parser.add_argument("--cases", action="store_true", help="only tasks that were made harder")
    parser.add_argument("--page", action="store_true", help="only write the page")
    options = parser.parse_args()
    plain = [(dataset, task, "") for dataset, task in tasks()]
    harder = [(dataset, task, case) for case in CASES for dataset, task in HARDER if (dataset, task, "") in plain]
    wanted = harder if options.cases else plain + harder
    for dataset, task, case in [] if options.page else wanted:
        if dataset in options.datasets and known(dataset, task, case) is None:
            accuracy = 100 * measure(dataset, task, case)["panel"]
            print(f"{time.strftime('%X')} {dataset}, {task} {case}: {accuracy:.1f}", flush=True)
    for dataset, task, _ in [] if options.page or options.cases else plain:
        if dataset in options.datasets and known(dataset, task, default_budgets.CASE) is None:
            default_budgets.measure(dataset, task)
            print(f"{time.strftime('%X')} {dataset}, {task}: other budgets", flush=True)
    for size in [] if options.page or options.cases else default_large.SIZES:
        if default_large.known(size) is None:
            print(f"{time.strftime('%X')} {size}: {default_large.measure(size)['seconds']:.1f} s", flush=True)
    for table, feature in [] if options.page or options.cases else default_divided.divisions():
        if default_divided.known(table, feature) is None:
            accuracy = 100 * default_divided.measure(table, feature)["panel"]
            print(f"{time.strftime('%X')} {table}, divided by feature {feature}: {accuracy:.1f}", flush=True)
    further = default_tables, default_natural, default_series
    for kept in [] if options.page or options.cases else further:
        for table, kind in kept.jobs():
            if default_divided.known(table, kind) is None:
                accuracy = 100 * kept.measure(table, kind)["panel"]
                print(f"{time.strftime('%X')} {table}, {kind}: {accuracy:.1f}", flush=True)
    results = [found for one in (*plain, *harder) if (found := known(*one)) is not None]
    ballots = {(one["dataset"], one["task"]): load(one["dataset"], one["task"]) for one in results if not one["case"]}
    large = [found for size in default_large.SIZES if (found := default_large.known(size)) is not None]
    divided = [found for one in default_divided.divisions() if (found := default_divided.known(*one)) is not None]
    other, natural, series = (
        [found for one in kept.jobs() if (found := default_divided.known(*one)) is not None] for kept in further
    )
    budgets = [found for dataset, task, _ in plain if (found := known(dataset, task, default_budgets.CASE)) is not None]
    PAGE.write_text(page(results, ballots, large, divided, other, natural, series, budgets))


if __name__ == "__main__":
    main()
