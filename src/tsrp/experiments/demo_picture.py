"""The demo in one picture: both kinds of digits, the plane before and after, accuracies, which labels to trust."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp.datasets.digits import DigitPair
from tsrp.exceptions import OutputError, UsageError
from tsrp.experiments.demo import WITH_TSRP, DemoRow
from tsrp.io.files import check_place, replacing
from tsrp.report.style import CLASS_COLOURS, FAINT, INK, RIGHT, WRONG, percent_axis, plain, plane

WIDTH, HEIGHT, DPI = 1600, 1100, 100
# Samples of each domain in the plane: all of them would hide each other.
IN_PLANE = 500
# Centres of a digit's two domains closer than this part of the plane's width share one number.
TOGETHER = 0.12
SAMPLE_ROWS = 4
GALLERY_COLUMNS = 6
# Where the panels begin, in pixels from the upper left corner: three columns, two rows.
LEFT, MIDDLE, RIGHTMOST, UPPER, LOWER = 50, 590, 1090, 165, 712


def draw_demo(
    pair: DigitPair, rows: Sequence[DemoRow], path: str | os.PathLike[str], *, method: str = "DICD+TSRP"
) -> None:
    """Draw the demo and write the picture; the file appears when it is complete, or not at all.

    Parameters
    ----------
    pair : DigitPair
        The domains.
    rows : sequence of DemoRow
        What `run_demo` returned, or some of it.
    path : path
        Where to; the suffix says the format.
    method : str, default "DICD+TSRP"
        The method with TSRP, one of the rows, whose plane and remedied labels are shown.
    """
    destination = Path(path)
    suffix = check_picture(destination)
    figure = Figure(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI, facecolor="white")
    FigureCanvasAgg(figure)
    with_tsrp = {row.method: row for row in rows if row.method.endswith(WITH_TSRP)}
    if method not in with_tsrp:
        raise UsageError(f"method must be one of the rows with TSRP ({', '.join(with_tsrp)}), but it is {method!r}.")
    shown = with_tsrp[method]

    _headline(figure, pair, shown)
    _samples(figure, pair)
    _planes(figure, pair, shown)
    _accuracies(figure, rows)
    _trusted(figure, pair, shown)
    _remedied(figure, pair, shown)

    with replacing(destination) as file:
        figure.savefig(file, format=suffix, dpi=DPI)


def check_picture(path: Path) -> str:
    """Refuse a picture that could not be written, before a long computation; its format, from the suffix."""
    formats = FigureCanvasAgg.get_supported_filetypes()
    suffix = path.suffix.removeprefix(".").lower()
    if suffix not in formats:
        raise OutputError(f"{path} does not end in a picture format: use .png, .svg or .pdf.")
    check_place(path, overwrite=True)
    return suffix


def _axes(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes without frame and ticks, in pixels from the picture's upper left corner."""
    axes = figure.add_axes((left / WIDTH, 1 - (top + height) / HEIGHT, width / WIDTH, height / HEIGHT))
    axes.set_axis_off()
    return axes


def _text(figure: Figure, left: float, baseline: float, words: str, size: float = 13) -> None:
    figure.text(left / WIDTH, 1 - baseline / HEIGHT, words, size=size, color=FAINT)


def _title(figure: Figure, left: float, baseline: float, words: str, size: float = 17) -> None:
    figure.text(left / WIDTH, 1 - baseline / HEIGHT, words, size=size, color=INK, weight="bold")


def _headline(figure: Figure, pair: DigitPair, shown: DemoRow) -> None:
    _title(figure, LEFT, 62, "Labels for handwritten digits, learnt from printed ones", 26)
    right, estimated, half = (100 * part for part in (shown.accuracy, shown.estimated_accuracy, shown.half_accuracy))
    summary = (
        f"{shown.method} labels {right:.1f} % of {len(pair.Xt):,} handwritten digits right, {estimated:.0f} % by its "
        f"own estimate; of the half that it trusts most, {half:.1f} %."
    )
    _text(figure, LEFT, 100, summary, 15)


def _samples(figure: Figure, pair: DigitPair) -> None:
    _title(figure, LEFT, UPPER, "Two worlds, the same ten digits")
    for caption, top, X, y in (
        ("Printed: the source, with labels", UPPER + 27, pair.Xs, pair.ys),
        ("Handwritten: the target, without labels", UPPER + 267, pair.Xt, pair.yt),
    ):
        _text(figure, LEFT, top, caption)
        columns = [_spread(np.flatnonzero(y == digit), SAMPLE_ROWS) for digit in range(10)]
        tiles = [[np.pad(X[column[i]].reshape(8, 8), 1) for column in columns] for i in range(SAMPLE_ROWS)]
        _show(_axes(figure, LEFT - 5, top + 13, 500, 50 * SAMPLE_ROWS), np.block(tiles))


def _spread(candidates: IntArray, n: int) -> IntArray:
    """At most n of the candidates, at equal distances."""
    places = np.linspace(0, len(candidates) - 1, min(n, len(candidates)))
    return candidates[places.astype(int)]


def _show(axes: Axes, image: FloatArray) -> None:
    axes.imshow(image, cmap="gray_r", vmin=0, vmax=16, interpolation="nearest", aspect="auto")


def _planes(figure: Figure, pair: DigitPair, shown: DemoRow) -> None:
    rng = np.random.default_rng(0)
    source = rng.permutation(len(pair.Xs))[:IN_PLANE]
    target = rng.permutation(len(pair.Xt))[:IN_PLANE]
    X = np.vstack([pair.Xs[source], pair.Xt[target]])
    labels = np.concatenate([pair.ys[source], pair.yt[target]])
    is_source = np.arange(len(X)) < len(source)
    _text(figure, MIDDLE, UPPER + 27, "● printed    ○ handwritten    colour: the true digit")
    _text(figure, RIGHTMOST, UPPER + 27, "t-SNE; one number where both kinds lie together")
    for left, title, features in (
        (MIDDLE, "Before: the pixels", X),
        (RIGHTMOST, f"After: projected by {shown.method}", shown.model.transform(X)),
    ):
        _title(figure, left, UPPER, title)
        _plane(_axes(figure, left, UPPER + 40, 460, 455), plane(features), labels, is_source)


def _plane(axes: Axes, points: FloatArray, labels: IntArray, is_source: BoolArray) -> None:
    colours = np.array(CLASS_COLOURS)[labels]
    x, y = points.T
    axes.scatter(x[is_source], y[is_source], s=14, c=colours[is_source], linewidths=0)
    rings = list(colours[~is_source])
    axes.scatter(x[~is_source], y[~is_source], s=26, facecolors="none", edgecolors=rings, linewidths=0.9)
    axes.set_aspect("equal", adjustable="datalim")
    for digit, colour in enumerate(CLASS_COLOURS):
        centres = np.array([np.median(points[(labels == digit) & own], axis=0) for own in (is_source, ~is_source)])
        if np.linalg.norm(centres[0] - centres[1]) < TOGETHER * np.ptp(points[:, 0]):
            centres = centres.mean(axis=0, keepdims=True)
        for across, up in centres:
            number = axes.text(across, up, str(digit), size=18, weight="bold", color=colour, ha="center", va="center")
            number.set_path_effects([withStroke(linewidth=4, foreground="white")])


def _accuracies(figure: Figure, rows: Sequence[DemoRow]) -> None:
    _title(figure, LEFT, LOWER, "Each method, alone and with TSRP")
    _text(figure, LEFT, LOWER + 27, "% of labels right     ○ alone     ● with TSRP")
    axes = _axes(figure, LEFT, LOWER + 50, 470, 300)
    names = axes.get_yaxis_transform()
    for height, base in enumerate(dict.fromkeys(row.base for row in rows)):
        axes.text(0, height, base, transform=names, size=15, weight="bold", color=INK, va="center")
        ends = sorted((row for row in rows if row.base == base), key=lambda row: row.accuracy)
        axes.plot([end.accuracy for end in ends], [height] * len(ends), color=RIGHT, alpha=0.2, lw=5, zorder=1)
        for end, side, offset in zip(ends, ("right", "left"), (-14, 14), strict=False):
            fill = "white" if end.method == base else RIGHT
            axes.plot(end.accuracy, height, "o", ms=12, mec=RIGHT, mfc=fill, mew=2)
            place = end.accuracy, height
            value = axes.annotate(f"{100 * end.accuracy:.1f}", place, (offset, 0), textcoords="offset points", size=14)
            value.set(color=INK, ha=side, va="center")
    axes.invert_yaxis()
    axes.margins(x=0.2, y=0.15)
    low, high = axes.get_xlim()
    # Room for the names on the left.
    axes.set_xlim(low - 0.25 * (high - low), high)


def _trusted(figure: Figure, pair: DigitPair, shown: DemoRow) -> None:
    """Expected and true accuracy against the share of labels that are taken."""
    _title(figure, MIDDLE, LOWER, "Which labels to trust")
    _text(figure, MIDDLE, LOWER + 27, "% right of the labels taken, the most probable first")
    axes = _axes(figure, MIDDLE + 42, LOWER + 50, 415, 245)
    axes.set_axis_on()
    plain(axes)
    probability = shown.model.probability_
    order = np.argsort(-probability, kind="stable")
    counts = np.arange(1, len(order) + 1)
    for words, style, colour, values in (
        ("as expected", "-", RIGHT, probability),
        ("in truth", "--", WRONG, shown.model.labels_ == pair.yt),
    ):
        axes.plot(100 * counts / len(counts), 100 * np.cumsum(values[order]) / counts, style, color=colour, label=words)
    axes.set_xlim(0, 100)
    percent_axis(axes)
    axes.set_xlabel("% of the labels that are taken", size=12, color=INK)
    axes.legend(frameon=False, loc="lower left", fontsize=12)


def _remedied(figure: Figure, pair: DigitPair, shown: DemoRow) -> None:
    last = shown.model.history_[-1]
    was_right, is_right = last.crude == pair.yt, last.labels == pair.yt
    mended, spoilt = ~was_right & is_right, was_right & ~is_right
    _title(figure, RIGHTMOST, LOWER, f"{last.n_remedied} labels the remedy changed")
    n_others = last.n_remedied - mended.sum() - spoilt.sum()
    others = f"; {n_others} wrong before and after" if n_others else ""
    for caption, top, n_rows, changed in (
        (f"{mended.sum()} mended: wrong (orange), then right (blue)", LOWER + 27, 2, mended),
        (f"{spoilt.sum()} spoilt{others}", LOWER + 251, 1, spoilt),
    ):
        _text(figure, RIGHTMOST, top, caption)
        candidates = np.flatnonzero(changed)
        candidates = candidates[np.argsort(pair.yt[candidates], kind="stable")]
        for place, sample in enumerate(_spread(candidates, n_rows * GALLERY_COLUMNS)):
            row, column = divmod(place, GALLERY_COLUMNS)
            axes = _axes(figure, RIGHTMOST + 80 * column, top + 12 + 96 * row, 64, 64)
            _show(axes, pair.Xt[sample].reshape(8, 8))
            for x, mark, colour in (
                (0.2, last.crude[sample], RIGHT if was_right[sample] else WRONG),
                (0.5, "→", FAINT),
                (0.8, last.labels[sample], RIGHT if is_right[sample] else WRONG),
            ):
                below = axes.text(x, -0.08, str(mark), transform=axes.transAxes, size=13, weight="bold", color=colour)
                below.set(ha="center", va="top")
