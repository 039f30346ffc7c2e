"""Which labels to trust: trust, probabilities, the estimate and the comparison against the truth, on all tasks here.

python -m benchmarks.trust [--methods NAME ...] [--page] [--scale ROWS]

A run that was stopped goes on from there. At its end, or at once with --page, docs/TRUST.md is written from what is
done. --scale measures time and memory of the signals on so many made rows of each domain instead, for the page.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path

from benchmarks.synthetic import make_domains, ridge
from benchmarks.trust_page import page
from benchmarks.trust_runs import FOLDER, known, measure, tasks, timed
from tsrp import JDA
from tsrp.datasets import DATASETS

PAGE = Path(__file__).parents[1] / "docs" / "TRUST.md"
SCALE = FOLDER / "scale.json"
# The first is what the page is about, the others are for comparison.
METHODS = ("dicd+tsrp", "jda+tsrp", "nn+tsrp", "dicd", "jda", "nn", "tca")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--methods", nargs="+", default=METHODS, help="only these, for now")
    parser.add_argument("--datasets", nargs="+", choices=DATASETS, default=list(DATASETS), help="only these, for now")
    parser.add_argument("--page", action="store_true", help="only write the page")
    parser.add_argument("--scale", type=int, help="rows of each domain")
    options = parser.parse_args()
    if options.scale:
        scale(options.scale)
        return
    for method in [] if options.page else options.methods:
        for dataset, task in tasks():
            if dataset in options.datasets and known(dataset, task, method) is None:
                found = measure(dataset, task, method)
                print(f"{time.strftime('%X')} {method}: {dataset}, {task}: {found['auroc']['trust']}", flush=True)
    done = [[known(dataset, task, method) for dataset, task in tasks()] for method in METHODS]
    scaled = json.loads(SCALE.read_text()) if SCALE.exists() else None
    PAGE.write_text(page({m: [f for f in found if f] for m, found in zip(METHODS, done, strict=True)}, scaled))


def scale(n: int) -> None:
    """Time and memory of the signals on n + n rows of 256 features, beside those of a fit."""
    Xs, ys, Xt, _ = make_domains(n, n)
    model, fitting = timed(lambda: JDA(ridge=ridge(2 * n)).fit(Xs, ys, Xt))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    _, signals = timed(lambda: model.evidence_)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = {"rows": n, "fit": fitting, "fit MB": before, "signals": signals, "signals MB": after}
    FOLDER.mkdir(parents=True, exist_ok=True)
    SCALE.write_text(json.dumps(found))
    print(found)


if __name__ == "__main__":
    main()
