"""What all figures share: their width, their sizes of type, headline and legend."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tsrp.report.style import FAINT, INK

# Inches. The documentation shows a figure 736 pixels wide, where 9 points are then 11.5 pixels.
WIDTH = 8.0
# Points.
HEADLINE, PANEL, TEXT = 13.0, 10.5, 9.0
# Letters that fit into a line of the headline, and of a note.
HEADLINE_LETTERS, NOTE_LETTERS = 68, 105


def sheet(height: float) -> Figure:
    """An empty figure, some inches high."""
    return Figure(figsize=(WIDTH, height), layout="constrained")


def headline(figure: Figure, text: str) -> None:
    """What the figure is about, above all panels."""
    figure.suptitle(fill(text, HEADLINE_LETTERS), fontsize=HEADLINE, weight="bold", color=INK)


def name_panel(axes: Axes, text: str) -> None:
    """What a panel, or a column of panels, is about."""
    axes.set_title(text, fontsize=PANEL, weight="bold", color=INK)


def name_axes(axes: Axes, x: str = "", y: str = "") -> None:
    """What is counted along the axes."""
    if x:
        axes.set_xlabel(x, fontsize=TEXT, color=INK)
    if y:
        axes.set_ylabel(y, fontsize=TEXT, color=INK)


def frame(axes: Axes) -> None:
    """A light frame for points whose coordinates mean nothing."""
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_color("#cccccc")


def legend(figure: Figure, handles: Sequence[Artist], note: str = "", columns: int | None = None) -> None:
    """Marks and their names below all panels, under a note."""
    made = figure.legend(
        handles=list(handles),
        loc="outside lower center",
        ncols=columns or len(handles),
        frameon=False,
        fontsize=TEXT,
        title="\n".join(fill(line, NOTE_LETTERS) for line in note.splitlines()),
    )
    made.get_title().set(fontsize=TEXT, color=FAINT, ha="center")
