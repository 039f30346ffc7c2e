"""The paper's figures, drawn from the results file; a new one is a new module and a line in `FIGURES`."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from tsrp.datasets.catalogue import PAPER
from tsrp.experiments.figures import averages, planes, rounds, rounds_by_task, sweeps, utsp_steps
from tsrp.experiments.figures.averages import OTHERS
from tsrp.experiments.figures.rounds import STRONG, TREES
from tsrp.experiments.runs import Run
from tsrp.experiments.scoring import Result
from tsrp.io.files import replacing

FORMATS = ("svg", "png")
DPI = 150


@dataclass(frozen=True)
class Drawing:
    """A figure: what it shows, the runs that it needs, how it is drawn from their results, and what they say."""

    summary: str
    runs: Callable[[Path | None], list[Run]]
    draw: Callable[[Mapping[Run, Result], Path | None], Figure]
    caption: Callable[[Mapping[Run, Result], Path | None], str]


def _drawing(summary: str, module: Any, *choice: object) -> Drawing:
    """What a module draws, of what it is to show."""
    return Drawing(summary, *(partial(getattr(module, name), *choice) for name in ("runs", "draw", "caption")))


FIGURES = {
    "rounds": _drawing("TSRP, TSRP without trees (TSRP_N) and the method alone, round by round", rounds, TREES),
    "rounds-tasks": _drawing(
        "TSRP, TSRP_N and the method alone on each task of Office-Caltech, round by round", rounds_by_task, TREES
    ),
    "strong-classifier": _drawing(
        "TSRP, and TSRP with a strong classifier trained on the source only (TSRP_C), round by round",
        rounds,
        STRONG,
    ),
    "strong-classifier-tasks": _drawing(
        "TSRP and TSRP_C on each task of Office-Caltech, round by round", rounds_by_task, STRONG
    ),
    "sweeps": _drawing("accuracy against TSRP's inner iterations and trust", sweeps),
    "planes": _drawing("both domains in the plane (t-SNE) with JDA and DICD, without and with TSRP", planes),
    "averages": _drawing("average accuracy of all methods in ascending order", averages, PAPER),
    "averages-others": _drawing("average accuracy on data sets that are not the paper's", averages, OTHERS),
    "utsp": _drawing("how UTSP picks the confident samples of one pseudo class", utsp_steps),
}


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as SVG and PNG, each complete or not at all; the same figure gives the same bytes."""
    # Laid out once: each time anew, places would differ by a rounding.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    paths = []
    for kind in FORMATS:
        text = io.BytesIO()
        # Without these an SVG file would hold the date, and ids that differ each time.
        with matplotlib.rc_context({"svg.hashsalt": "tsrp", "svg.fonttype": "none"}):
            figure.savefig(text, format=kind, dpi=DPI, metadata={"Date": None} if kind == "svg" else None)
        paths.append(folder / f"{name}.{kind}")
        with replacing(paths[-1]) as file:
            file.write(text.getvalue())
    return paths
