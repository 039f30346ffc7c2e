"""How pictures look: colours that the colour-blind can tell apart, and planes that are the same on every machine."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits

from tsrp._types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The standard deviation of a t-SNE's start, as in scikit-learn.
START = 1e-4
# Rows whose medians are the origin, at most.
IN_MEDIAN = 200
INK, FAINT = "#222222", "#7a7a7a"
RIGHT, WRONG, MIDDLE = "#0072b2", "#d55e00", "#808080"
# A third beside these two, from the same scheme of Okabe and Ito.
THIRD = "#009e73"
# Paul Tol's "muted" scheme, safe for the colour-blind, with a dark grey as the tenth.
CLASS_COLOURS = (
    *("#332288", "#88ccee", "#117733", "#999933", "#ddcc77"),
    *("#cc6677", "#882255", "#aa4499", "#44aa99", "#555555"),
)


def class_colours(n: int) -> list[str]:
    """A colour for each of n classes: the scheme above, then hues a golden angle apart in three lightnesses.

    More than ten cannot all be told apart by everybody; what uses them must offer another way to find a class.
    """
    more = (_oklch((0.48, 0.62, 0.74)[k % 3], 0.12, 137.508 * k) for k in range(max(0, n - len(CLASS_COLOURS))))
    return [*CLASS_COLOURS[:n], *more]


def probability_colours() -> list[str]:
    """Eleven colours for probabilities from 0 to 1: from that of what is wrong, by a grey, to that of what is right."""
    ends = [[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in (WRONG, MIDDLE, RIGHT)]
    mixed = [np.interp(np.linspace(0, 2, 11), (0, 1, 2), channel) for channel in zip(*ends, strict=True)]
    return ["#" + "".join(f"{round(value):02x}" for value in colour) for colour in zip(*mixed, strict=True)]


def _oklch(lightness: float, chroma: float, hue: float) -> str:
    """A colour of the space OKLCH, in which equal steps look equal, as #rrggbb."""
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    bright = (12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055 for v in (max(v, 0) for v in linear))
    return "#" + "".join(f"{round(255 * min(v, 1)):02x}" for v in bright)


def centred(X: FloatArray) -> FloatArray:
    """Samples around the origin, in a unit in which their squares stay in range.

    Columns that do not vary become zeros, however large they are: the median of equal numbers is exact. The unit is a
    power of two, which changes no digit.
    """
    X = X - np.median(X[:: -(-len(X) // IN_MEDIAN)], axis=0)
    return np.ldexp(X, -np.frexp(np.abs(X).max())[1])


def plane(features: FloatArray, steps: int = 600) -> FloatArray:
    """The t-SNE of some samples: points in the plane. Samples that do not vary all lie at the origin."""
    X = centred(features)
    points = principal_plane(X)
    with np.errstate(invalid="ignore", divide="ignore"):
        start = (START * points / points[:, 0].std()).astype(np.float32)
    # scikit-learn's compiled code does not check its start, and reads out of bounds if that is not finite.
    if not np.isfinite(start).all():
        return np.zeros_like(start)
    # About as many neighbours as count for a sample; few samples have fewer.
    perplexity = min(30.0, (len(X) - 1) / 3)
    # One thread: the same picture on any number of cores, and no waiting for each other on busy ones.
    with threadpool_limits(limits=1):
        return TSNE(init=start, perplexity=perplexity, max_iter=steps, random_state=0).fit_transform(X)


def principal_plane(X: FloatArray) -> FloatArray:
    """Samples by their first two principal components; zeros for components that they do not have."""
    n_components = min(2, *X.shape)
    # Samples that do not vary have no share of variance to divide by.
    with np.errstate(invalid="ignore", divide="ignore"):
        points = PCA(n_components, random_state=0).fit_transform(X)
    return np.pad(points, ((0, 0), (0, 2 - n_components)))


def plain(axes: Axes) -> None:
    """Axes with a light grid, without a box."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors=INK, labelsize=9)


def percent_axis(*panels: Axes) -> None:
    """One upright axis of per cents: nothing above 100, and a flat line stays in the middle of some room."""
    low = min(axes.dataLim.y0 for axes in panels)
    high = max(axes.dataLim.y1 for axes in panels)
    margin = max(0.08 * (high - low), 0.5 if high == low else 0.0)
    for axes in panels:
        axes.set_ylim(low - margin, min(high + margin, 100 + margin / 4))


def arrow(task: str) -> str:
    """A task's name as print has it."""
    return task.replace("->", "→")
