"""How pictures look: colours that the colour-blind can tell apart, and planes that are the same on every machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits

from tsrp._types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, FAINT = "#222222", "#7a7a7a"
RIGHT, WRONG = "#0072b2", "#d55e00"
# A third beside these two, from the same scheme of Okabe and Ito.
THIRD = "#009e73"
# Paul Tol's "muted" scheme, safe for the colour-blind, with a dark grey as the tenth.
CLASS_COLOURS = (
    *("#332288", "#88ccee", "#117733", "#999933", "#ddcc77"),
    *("#cc6677", "#882255", "#aa4499", "#44aa99", "#555555"),
)


def plane(features: FloatArray, steps: int = 600) -> FloatArray:
    """The t-SNE of some samples: points in the plane."""
    # About as many neighbours as count for a sample; few samples have fewer.
    perplexity = min(30.0, (len(features) - 1) / 3)
    # One thread: the same picture on any number of cores, and no waiting for each other on busy ones.
    with threadpool_limits(limits=1):
        return TSNE(init="pca", perplexity=perplexity, max_iter=steps, random_state=0).fit_transform(features)


def plain(axes: Axes) -> None:
    """Axes with a light grid, without a box."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors=INK, labelsize=9)


def percent_axis(axes: Axes) -> None:
    """An upright axis of per cents: nothing above 100, and a flat line stays in the middle of some room."""
    low, high = axes.dataLim.intervaly
    margin = max(0.08 * (high - low), 0.5 if high == low else 0.0)
    axes.set_ylim(low - margin, min(high + margin, 100 + margin / 4))


def arrow(task: str) -> str:
    """A task's name as print has it."""
    return task.replace("->", "→")
