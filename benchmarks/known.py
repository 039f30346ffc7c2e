"""What known target labels bring: the default with 0 to 100 of them, chosen in three ways, on all data sets here.

python -m benchmarks.known [--datasets NAME ...] [--draws N] [--quick] [--page]

A run that was stopped goes on from there. At its end, or at once with --page, docs/KNOWN.md is written from what is
done. --quick measures a panel of budget "quick" with 20 labels on one draw of each data set, and prints its page.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks.default_runs import tasks
from benchmarks.known_page import page
from benchmarks.known_runs import NUMBERS, Draw, measure
from tsrp.datasets import DATASETS

PAGE = Path(__file__).parents[1] / "docs" / "KNOWN.md"
DRAWS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, default=list(DATASETS), help="only these, for now")
    parser.add_argument("--draws", type=int, default=DRAWS, help="of rows of each data set, for now")
    parser.add_argument("--quick", action="store_true", help="a first look, which is printed")
    parser.add_argument("--page", action="store_true", help="only write the page")
    options = parser.parse_args()
    budget, numbers, draws = ("quick", NUMBERS[:1], 1) if options.quick else ("normal", NUMBERS, options.draws)
    here = list(dict.fromkeys(dataset for dataset, _ in tasks()))
    for number in range(0 if options.page else draws):
        # All data sets with the first numbers of labels, before the others: a run that is stopped says something.
        for k in range(1, len(numbers) + 1):
            for dataset in here:
                draw = Draw(dataset, number)
                if dataset in options.datasets and measure(budget, draw, numbers[:k]):
                    print(f"{time.strftime('%X')} {dataset}, {draw.task}, up to {numbers[k - 1]} labels", flush=True)
    found = [(draw, draw.done(budget)) for dataset in here for draw in (Draw(dataset, k) for k in range(DRAWS))]
    text = page([(draw.dataset, draw.number, own["task"], own["results"]) for draw, own in found if own], budget)
    if options.quick:
        print(text)
    else:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
