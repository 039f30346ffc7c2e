"""The report's drawings as one Bokeh document; the page's own script drives them by their names.

Names from the data are drawn on canvas or shown by our script as text: Bokeh never gets to read them as HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.document import Document
from bokeh.models import (
    BooleanFilter,
    BoxZoomTool,
    CDSView,
    ColumnDataSource,
    FixedTicker,
    HoverTool,
    LinearColorMapper,
    PanTool,
    PlainText,
    Range1d,
    ResetTool,
    WheelZoomTool,
)
from bokeh.plotting import figure

from tsrp._types import FloatArray, IntArray
from tsrp.report.findings import Findings, Plane
from tsrp.report.style import INK, RIGHT, THIRD, WRONG, class_colours, probability_colours
from tsrp.report.truth import FEWEST_TRUE

FONT = "system-ui, sans-serif"
GRID, WHITE = "#e4e4e4", "#ffffff"
# White to blue, dark enough at its end for white figures.
SHADES = ("#e6eff6", "#d3e3f0", "#bcd6e9", "#97bfdc", "#6ca4cb", "#4189b8", "#1d6fa4", "#0a5688", "#083f66")
# From this shade on, figures in a cell are white.
DARK = 5
LONGEST_NAME = 18
# Half a plane is this part of the extent of its points; its longer side at most so many times the other.
MARGIN, FLATTEST = 0.53, 4
# Width of a matrix with its names, in pixels.
MATRIX = 500
# Points of the curve of accepted rows, at most.
IN_CURVE = 400
# Matrices of more classes than this have no figures in their cells.
FIGURES = 20


def draw(findings: Findings) -> Document:
    """All drawings of a report, each a root of one document with the name of its place in the page."""
    document = Document()
    for root in (_coverage(findings), *_planes(findings), *_rounds(findings), *_matrices(findings)):
        document.add_root(root)
    return document


def _coverage(findings: Findings) -> Any:
    """Expected accuracy against the share of rows that are accepted, and the true one where it is known."""
    rows = findings.by_probability
    n = len(rows)
    at = np.unique(np.linspace(1, n, min(n, IN_CURVE)).round().astype(int))
    counts = np.arange(1, n + 1)
    lines = [("expected", RIGHT, "solid", np.cumsum(findings.probability[rows]) / counts)]
    truth = findings.truth
    if truth is not None and truth.is_enough:
        known = np.cumsum(truth.codes[rows] >= 0)
        right = np.cumsum(truth.right[rows]) / np.maximum(known, 1)
        lines.append(("true", WRONG, "dashed", np.where(known >= FEWEST_TRUE, right, np.nan)))
    lowest = min(float(np.nanmin(values)) for *_, values in lines)
    plot = figure(
        name="coverage",
        x_range=Range1d(start=0, end=101),
        y_range=Range1d(start=max(0.0, 100 * lowest - 8), end=102),
        height=230,
        sizing_mode="stretch_width",
        tools="",
        toolbar_location=None,
    )
    for words, colour, dash, values in lines:
        named = {"legend_label": words} if len(lines) > 1 else {}
        plot.line(100 * at / n, 100 * values[at - 1], color=colour, line_width=2.5, line_dash=dash, **named)
    chosen = ColumnDataSource({"x": [], "y": []}, name="chosen")
    plot.vbar("x", top=102, bottom=0, width=0.4, source=chosen, color=INK, fill_alpha=0.5, line_color=None)
    plot.scatter("x", "y", source=chosen, size=12, color=RIGHT, line_color=WHITE, line_width=2)
    _plain(plot)
    if len(lines) > 1:
        plot.legend.update(location="bottom_left", border_line_color=None, background_fill_alpha=0.7)
        plot.legend.update(label_text_font=FONT, label_text_font_size="13px", label_text_color=INK)
    plot.outline_line_color = None
    plot.xaxis.axis_label = "share of the rows that are accepted, %"
    plot.yaxis.axis_label = "of these right, %" if len(lines) > 1 else "expected to be right, %"
    return plot


def _planes(findings: Findings) -> list[Any]:
    """Before and after: the same rows in both, so that a switch or a mark acts on both."""
    domains = {name: ColumnDataSource(_points(findings, name), name=f"points-{name}") for name in ("source", "target")}
    views = {
        name: CDSView(filter=BooleanFilter(booleans=None, name=f"shown-{name}"), name=f"view-{name}")
        for name in domains
    }
    colours = class_colours(len(findings.classes))
    by_class = LinearColorMapper(palette=colours, low=-0.5, high=len(colours) - 0.5, name="by-class")
    by_probability = LinearColorMapper(palette=probability_colours(), low=-0.05, high=1.05, name="by-probability")
    marked = ColumnDataSource({f"{side}_{axis}": [] for side in ("before", "after") for axis in "xy"}, name="marked")
    many = len(findings.principal.source) + len(findings.principal.target) > 4000
    plots = []
    for side in ("before", "after"):
        plot = _plane_figure(side, getattr(findings.principal, side))
        for name, source in domains.items():
            own: dict[str, Any] = {"size": 4 if many else 6, "line_color": None, "fill_alpha": 0.55}
            if name == "target":
                own = {"size": 5 if many else 7, "fill_color": None, "line_width": 1.1, "line_alpha": 0.75}
            drawn = plot.scatter(
                f"principal_{side}_x",
                f"principal_{side}_y",
                source=source,
                view=views[name],
                name=f"{side}-{name}",
                **own,
            )
            colour = "line_color" if name == "target" else "fill_color"
            drawn.glyph.update(**{colour: {"field": "label", "transform": by_class}})
            drawn.nonselection_glyph = drawn.selection_glyph = None
        plot.scatter(
            f"{side}_x",
            f"{side}_y",
            source=marked,
            size=18,
            fill_color=None,
            line_color=INK,
            line_width=2.5,
            name="mark",
            # Drawn by itself: thousands of points need not be drawn again when the pointer moves.
            level="overlay",
        )
        hover = HoverTool(tooltips=None, visible=False)
        hover.renderers = [plot.select_one({"name": f"{side}-{name}"}) for name in domains]
        plot.add_tools(hover)
        plots.append(plot)
    # Not drawn now, but there for the switches.
    plots[0].tags = [by_probability]
    return plots


def _points(findings: Findings, domain: str) -> dict[str, Any]:
    rows: IntArray = getattr(findings.principal, domain)
    columns: dict[str, Any] = {"row": rows.astype(np.uint32)}
    if domain == "source":
        columns["label"] = findings.source[rows].astype(np.uint16)
    else:
        columns["row"] = findings.numbers[rows].astype(np.uint32)
        columns["label"] = findings.labels[rows].astype(np.uint16)
        columns["crude"] = findings.crude[rows].astype(np.uint16)
        columns["probability"] = findings.probability[rows].astype(np.float32)
    for kind, plane in (("principal", findings.principal), ("tsne", findings.tsne)):
        if plane is not None:
            columns |= _coordinates(kind, plane, domain, rows)
    return columns


def _coordinates(kind: str, plane: Plane, domain: str, rows: IntArray) -> dict[str, FloatArray]:
    """The points of some rows; NaN, which is not drawn, for rows that the plane leaves out."""
    own: IntArray = getattr(plane, domain)
    start = len(plane.source) if domain == "target" else 0
    columns: dict[str, FloatArray] = {}
    for side, points in (("before", plane.before), ("after", plane.after)):
        spread = np.full((len(rows), 2), np.nan, dtype=np.float32)
        # Both samples are drawn alike, so that the smaller one is part of the larger.
        spread[np.searchsorted(rows, own)] = points[start : start + len(own)]
        columns |= {f"{kind}_{side}_x": spread[:, 0], f"{kind}_{side}_y": spread[:, 1]}
    return columns


def _plane_figure(side: str, points: FloatArray) -> Any:
    """An empty square that holds these points; the page's script does the same when it changes the view."""
    low, high = points.min(axis=0), points.max(axis=0)
    # One long direction must not flatten the other, nor may noise fill the plane.
    half = np.maximum(MARGIN * (high - low), MARGIN * max((high - low).max(), 1e-9) / FLATTEST)
    x_range, y_range = (
        Range1d(*ends) for ends in zip(*(((low + high) / 2 + sign * half).tolist() for sign in (-1, 1)), strict=True)
    )
    zoom = WheelZoomTool()
    box = BoxZoomTool()
    plot = figure(
        name=side,
        x_range=x_range,
        y_range=y_range,
        tools=[box, PanTool(), zoom, ResetTool()],
        active_scroll=zoom,
        active_drag=box,
        sizing_mode="stretch_width",
        aspect_ratio=1,
        # Of thousands of points all stay in sight while zooming.
        lod_threshold=None,
    )
    _plain(plot)
    for axis in plot.axis:
        axis.visible = False
    return plot


def _plain(plot: Any) -> None:
    plot.toolbar.logo = None
    plot.outline_line_color = "#cccccc"
    plot.grid.grid_line_color = GRID
    for axis in plot.axis:
        axis.axis_line_color = axis.major_tick_line_color = "#999999"
        axis.minor_tick_line_color = None
        axis.major_label_text_font = axis.axis_label_text_font = FONT
        axis.major_label_text_color = axis.axis_label_text_color = INK
        axis.axis_label_text_font_style = "normal"
        axis.major_label_text_font_size = axis.axis_label_text_font_size = "13px"


def _rounds(findings: Findings) -> list[Any]:
    """Lines over the rounds, if there are several."""
    rounds = findings.rounds
    if len(rounds) < 2:
        return []
    n = len(findings.labels)
    lines = [("labels changed since the round before", WRONG, "circle", [None, *(r.n_moved / n for r in rounds[1:])])]
    if findings.remedied:
        lines += [
            ("picked at first sight", RIGHT, "square", [r.n_confident / n for r in rounds]),
            ("relabelled by the remedy", THIRD, "triangle", [r.n_remedied / n for r in rounds]),
        ]
    plots = [_lines("rounds", "share of the target rows", rounds, lines)]
    if findings.truth is not None:
        lines = [("labels", RIGHT, "square", list(findings.truth.by_round))]
        if findings.remedied:
            lines.append(("crude labels, before the remedy", WRONG, "circle", list(findings.truth.crude_by_round)))
        plots.append(_lines("rounds-accuracy", "accuracy", rounds, lines))
    return plots


def _lines(name: str, title: str, rounds: Sequence[Any], lines: Sequence[tuple[str, str, str, list[Any]]]) -> Any:
    numbers = [r.number for r in rounds]
    plot = figure(
        name=name,
        x_range=Range1d(start=0.7, end=numbers[-1] + 0.3),
        y_range=Range1d(start=0, end=103),
        height=260,
        sizing_mode="stretch_width",
        tools="",
        toolbar_location=None,
    )
    for words, colour, marker, values in lines:
        source = ColumnDataSource({"round": numbers, "share": [np.nan if v is None else 100 * v for v in values]})
        plot.line("round", "share", source=source, color=colour, line_width=2, legend_label=words)
        points = plot.scatter("round", "share", source=source, color=colour, size=8, marker=marker, legend_label=words)
        plot.add_tools(HoverTool(renderers=[points], tooltips=[("round", "@round"), (words, "@share{0.0} %")]))
    legend = plot.legend[0]
    legend.update(location="top_left", border_line_color=None, padding=0, spacing=0)
    legend.update(label_text_font=FONT, label_text_font_size="13px", label_text_color=INK)
    plot.add_layout(legend, "above")
    _plain(plot)
    plot.xgrid.grid_line_color = None
    plot.outline_line_color = None
    plot.xaxis.ticker = FixedTicker(ticks=numbers)
    plot.xaxis.axis_label = "round"
    plot.yaxis.axis_label = f"{title}, %"
    return plot


def _matrices(findings: Findings) -> list[Any]:
    plots = []
    names = findings.classes
    # What a panel's best member said is no crude label that a remedy changed.
    if findings.remedied and findings.flows.any():
        plots.append(_matrix("flows", findings.flows, names, names, "crude label", "label after the remedy"))
    if findings.truth is not None:
        # A row for each class of the source, and for what only the truth has.
        for side, counts in (("before", findings.truth.before), ("after", findings.truth.after)):
            plots.append(_matrix(f"confusion-{side}", counts, findings.truth.names, names, "true class", "label"))
    return plots


def _matrix(name: str, counts: IntArray, rows: list[str], columns: list[str], row_title: str, column_title: str) -> Any:
    """Counts as shades, the first row on top; empty cells stay white."""
    most = max(counts.shape)
    # Two of them fit beside each other; with many classes each scrolls by itself.
    cell = int(np.clip((MATRIX - 7 * max(len(shorten(row)) for row in rows)) // most, 11, 64))
    i, j = np.nonzero(counts)
    share = counts[i, j] / counts[i].sum(axis=1)
    # Flows are compared with each other, confusions with the size of their class; the root shows what is rare, too.
    strength = np.sqrt(share if name != "flows" else counts[i, j] / max(1, counts.max()))
    shade = np.minimum((strength * len(SHADES)).astype(int), len(SHADES) - 1)
    source = ColumnDataSource(
        {
            "i": i.astype(np.uint16),
            "j": j.astype(np.uint16),
            "count": counts[i, j].astype(np.uint32),
            "share": share.astype(np.float32),
            "shade": shade.astype(np.uint8),
            "ink": [WHITE if value >= DARK else INK for value in shade],
            "figure": [f"{value:,}" for value in counts[i, j]],
        },
        name=f"cells-{name}",
    )
    plot = figure(
        name=name,
        x_range=Range1d(start=-0.5, end=counts.shape[1] - 0.5),
        y_range=Range1d(start=counts.shape[0] - 0.5, end=-0.5),
        frame_width=cell * counts.shape[1],
        frame_height=cell * counts.shape[0],
        x_axis_location="above",
        tools="",
        toolbar_location=None,
    )
    mapper = LinearColorMapper(palette=list(SHADES), low=-0.5, high=len(SHADES) - 0.5)
    cells = plot.rect(
        "j", "i", width=1, height=1, source=source, line_color=WHITE, fill_color={"field": "shade", "transform": mapper}
    )
    if most <= FIGURES:
        size = "14px" if cell >= 40 else "11px"
        plot.text(
            "j",
            "i",
            text="figure",
            source=source,
            text_align="center",
            text_baseline="middle",
            text_color="ink",
            text_font=FONT,
            text_font_size=size,
        )
    plot.add_tools(HoverTool(renderers=[cells], tooltips=None))
    _plain(plot)
    plot.grid.grid_line_color = None
    for axis, labels, title in ((plot.xaxis, columns, column_title), (plot.yaxis, rows, row_title)):
        axis.ticker = FixedTicker(ticks=list(range(len(labels))))
        # Plain text: names such as $$x$$ are not formulas.
        axis.major_label_overrides = {k: PlainText(text=shorten(label)) for k, label in enumerate(labels)}
        axis.major_label_text_font_size = "13px" if cell >= 20 else "10px"
        axis.axis_label = title
    # Upright names need less room than they have.
    if max(map(len, map(shorten, columns))) * 8 > cell:
        plot.xaxis.major_label_orientation = "vertical"
    return plot


def shorten(name: str) -> str:
    """A name that fits beside an axis."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
