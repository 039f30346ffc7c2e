"""How UTSP works, on one real pseudo class: all pairs, the similar ones, and the tree from the root."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import cosine_similarity

from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp._utsp import ClassPick, utsp
from tsrp.datasets.catalogue import DATASETS
from tsrp.datasets.loading import load_task
from tsrp.experiments.figures.choice import first_on_disk
from tsrp.experiments.figures.layout import PANEL, frame, headline, legend, sheet
from tsrp.experiments.figures.planes import projected
from tsrp.experiments.runs import Run, make_run
from tsrp.experiments.scoring import Result
from tsrp.report.style import FAINT, INK, RIGHT, WRONG, arrow

METHOD = "jda"
# Some 30 samples a class: few enough to see each of them.
TASKS = (("office-caltech-surf", "C -> W"), ("coil20", "COIL2 -> COIL1"))
TRUST = 0.9


def runs(data_dir: Path | None) -> list[Run]:
    """What `draw` needs."""
    return [_run(data_dir)]


def _run(data_dir: Path | None) -> Run:
    return make_run(*first_on_disk(TASKS, data_dir), METHOD)


def draw(results: Mapping[Run, Result], data_dir: Path | None) -> Figure:
    """Three steps on the pseudo class that UTSP sorts best: most wrong labels out, fewest right ones with them."""
    run = _run(data_dir)
    task = load_task(run.dataset, run.task, data_dir=data_dir)
    model = run.spec.build()
    _, Zt = projected(model, task)
    labels = model.labels_
    _, picks = utsp(Zt, labels, TRUST, return_details=True)
    right = labels == task.target.y
    pick = max(picks, key=lambda p: int((~right[p.samples[~p.confident]]).sum() - right[p.samples[~p.confident]].sum()))
    assert pick.threshold is not None
    Z, is_right = Zt[pick.samples], right[pick.samples]

    figure = sheet(4.3)
    left, middle, last = figure.subplots(1, 3)
    points = PCA(2).fit_transform(Z)
    i, j = np.triu_indices(len(Z), k=1)
    similar = cosine_similarity(Z)[i, j] >= pick.threshold
    _nodes(left, points, is_right, np.ones(len(Z), dtype=bool))
    _edges(left, points, i, j, colour="#cccccc", width=0.3)
    left.set_title(f"1. All {len(Z)} samples, {len(i):,} pairs\n{_share(is_right)}", fontsize=PANEL, color=INK)
    joined = np.isin(np.arange(len(Z)), np.concatenate([i[similar], j[similar]]))
    _nodes(middle, points, is_right, joined)
    _edges(middle, points, i[similar], j[similar], colour=FAINT, width=0.6)
    threshold = f"similarity of at least {pick.threshold:.3f}"
    middle.set_title(f"2. The {similar.sum():,} pairs with a\n{threshold}", fontsize=PANEL, color=INK)
    _tree(last, points, is_right, pick)
    last.set_title(f"3. The tree from the root\n{_share(is_right[pick.confident])}", fontsize=PANEL, color=INK)
    for axes in (left, middle, last):
        axes.margins(0.08)
        frame(axes)
    name = task.target.class_names[int(pick.label)]
    where = f"{DATASETS[run.dataset].title}, {arrow(run.task)}"
    headline(figure, f"UTSP on what {METHOD.upper()} labels “{name}” ({where})")
    _legend(figure)
    return figure


def caption(results: Mapping[Run, Result], data_dir: Path | None) -> str:
    """Which class is shown."""
    return (
        "The class that UTSP sorts best, in its first two principal components, hence not a typical one; triangles in "
        "the tree are UTSP's mistakes."
    )


def _share(is_right: BoolArray) -> str:
    return f"{is_right.sum()} of {len(is_right)} labels right"


def _nodes(axes: Axes, points: FloatArray, is_right: BoolArray, kept: BoolArray) -> None:
    for chosen, colour, marker in ((is_right, RIGHT, "o"), (~is_right, WRONG, "^")):
        for own, fill in ((chosen & kept, colour), (chosen & ~kept, "white")):
            x, y = points[own].T
            axes.scatter(x, y, s=42, facecolors=fill, edgecolors=colour, marker=marker, linewidths=1.1, zorder=3)


def _edges(axes: Axes, points: FloatArray, i: IntArray, j: IntArray, *, colour: str, width: float) -> None:
    axes.add_collection(LineCollection(list(np.stack([points[i], points[j]], axis=1)), colors=colour, lw=width))


def _tree(axes: Axes, points: FloatArray, is_right: BoolArray, pick: ClassPick) -> None:
    place = {int(sample): i for i, sample in enumerate(pick.samples)}
    reached = np.flatnonzero(pick.parent >= 0)
    above = np.array([place[int(parent)] for parent in pick.parent[reached]], dtype=int)
    _nodes(axes, points, is_right, pick.confident)
    _edges(axes, points, reached, above, colour=INK, width=1.1)
    assert pick.root is not None
    x, y = points[place[pick.root]]
    axes.scatter(x, y, s=190, marker="*", c="#f0e442", edgecolors=INK, linewidths=1, zorder=4)


def _legend(figure: Figure) -> None:
    marks = [
        Line2D([], [], ls="", marker="o", ms=7, color=RIGHT, label="label is right"),
        Line2D([], [], ls="", marker="^", ms=7, color=WRONG, label="label is wrong"),
        Line2D([], [], ls="", marker="o", ms=7, color=FAINT, mfc="white", label="hollow: joined to none, or uncertain"),
        Line2D([], [], ls="", marker="*", ms=13, color=INK, mfc="#f0e442", label="root: most neighbours"),
    ]
    legend(figure, marks, columns=2)
