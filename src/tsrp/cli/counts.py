"""How often each label was given, and how often with confidence."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rich.markup import escape
from rich.table import Table

# More classes than this would push the summary off the screen.
SHOWN = 20


class LabelCounts:
    """Labels and confident labels, counted over any number of blocks."""

    def __init__(self) -> None:
        self.labels: Counter[Any] = Counter()
        self.confident: Counter[Any] = Counter()

    def add(self, labels: Any, confident: Any) -> None:
        """Count an array of labels and its mask of confident ones."""
        self.labels.update(labels.tolist())
        self.confident.update(labels[confident].tolist())

    @property
    def rows(self) -> int:
        """How many labels were counted."""
        return self.labels.total()

    def summary(self, classes: Any) -> dict[str, dict[str, int]]:
        """Rows and confident rows of each class, for programs."""
        return {str(name): {"rows": self.labels[name], "confident": self.confident[name]} for name in classes.tolist()}

    def table(self, classes: Any) -> Table:
        """A row for each class, and one for all."""
        table = Table()
        table.add_column("label")
        table.add_column("rows", justify="right")
        table.add_column("confident", justify="right")
        for name in classes[:SHOWN].tolist():
            table.add_row(escape(str(name)), *_shares(self.labels[name], self.confident[name]))
        if len(classes) > SHOWN:
            table.add_row(f"... {len(classes) - SHOWN} more", "", "")
        table.add_section()
        table.add_row("all", *_shares(self.rows, self.confident.total()))
        return table


def _shares(rows: int, confident: int) -> tuple[str, str]:
    return f"{rows:,}", f"{confident / rows:.0%}" if rows else "-"
