"""The paper's figures, drawn from the results file; a new one is a new module and a line in `FIGURES`."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from tsrp.experiments.figures import averages, planes, rounds, sweeps, utsp_steps
from tsrp.experiments.runs import Run
from tsrp.experiments.scoring import Result
from tsrp.io.files import replacing

FORMATS = ("svg", "png")
DPI = 150


@dataclass(frozen=True)
class Drawing:
    """A figure: what it shows, the runs that it needs, and how it is drawn from their results."""

    summary: str
    runs: Callable[[Path | None], list[Run]]
    draw: Callable[[Mapping[Run, Result], Path | None], Figure]


FIGURES = {
    "rounds": Drawing(
        "TSRP, TSRP without trees (TSRP_N) and the method alone, round by round", rounds.tree_runs, rounds.draw_trees
    ),
    "strong-classifier": Drawing(
        "TSRP with a strong classifier, and with one trained on the source only (TSRP_C), round by round",
        rounds.strong_runs,
        rounds.draw_strong,
    ),
    "sweeps": Drawing("accuracy against TSRP's trust and inner iterations", sweeps.runs, sweeps.draw),
    "planes": Drawing("t-SNE of both domains with JDA and DICD, without and with TSRP", planes.runs, planes.draw),
    "averages": Drawing("average accuracy of all methods in ascending order", averages.runs, averages.draw),
    "utsp": Drawing("how UTSP picks the confident samples of one pseudo class", utsp_steps.runs, utsp_steps.draw),
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
