"""The paper's tables in the terminal, in as many parts as its width asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tsrp.cli.console import out

if TYPE_CHECKING:
    from tsrp.experiments.paper_tables import PaperTable


def print_table(paper: PaperTable) -> None:
    """Print one table, its notes and errata."""
    from tsrp.experiments.table_formats import ERRATA, short_texts

    texts = [short_texts(row) for row in paper.rows]
    widths = [
        max(len(column), *(Text.from_markup(row[i]).cell_len for row in texts))
        for i, column in enumerate(paper.columns)
    ]
    room = out.width - max(len(row.label) for row in paper.rows) - 4
    beside = f", then = or ({paper.source}, difference)" if paper.is_published else ""
    out.print(f"[bold]{escape(paper.title)}[/]: measured{beside}", highlight=False)
    for part in _parts(widths, room):
        shown = Table()
        shown.add_column("task", no_wrap=True)
        for i in part:
            shown.add_column(paper.columns[i], justify="right", no_wrap=True)
        for row, cells in zip(paper.rows, texts, strict=True):
            shown.add_row(row.label, *(cells[i] for i in part), style="italic" if row.is_summary else "")
        out.print(shown)
    for sentence in paper.notes:
        out.print(f"Note: {escape(sentence)}", highlight=False)
    if paper.errata:
        out.print(f"† {ERRATA}", highlight=False)
    for sentence in paper.errata:
        out.print(f"- {escape(sentence)}", highlight=False)


def _parts(widths: Sequence[int], room: int) -> list[list[int]]:
    """Columns in groups that fit beside each other, one at least in each."""
    parts: list[list[int]] = []
    left = 0
    for i, width in enumerate(widths):
        # Two blanks and a line belong to each column.
        if not parts or width + 3 > left:
            parts.append([])
            left = room
        parts[-1].append(i)
        left -= width + 3
    return parts
