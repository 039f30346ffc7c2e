"""Tables as text: Markdown, CSV and LaTeX, and the short form for terminals."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from tsrp.experiments.paper_tables import Figure, PaperTable, Row

BESIDE = (
    "Accuracy in per cent: measured / {source} / difference; of a single figure there is no {source} one. "
    "† refers to the errata of the paper under the table; misprints take no part in differences and averages."
)
MEASURED_ALONE = "Measured accuracy in per cent; nothing was published for these tasks."
LEGEND = (
    "The best measured figure of a row is bold, the runner-up underlined. BDA is the best of mu in {0, 0.1, ..., 0.9} "
    "on each task, chosen by accuracy on the target, as in the paper; BDA auto finds mu without target labels. "
    "Relative improvement is the share of the error that TSRP removes. NN unit is 1-nearest-neighbour on rows of unit "
    "length, without adaptation. No data: the files are not on the disk where this was computed."
)
ERRATA = "Errata of the paper:"
MISSING = "-"


@dataclass(frozen=True)
class Marks:
    """How a format sets the best figure of a row, the runner-up, and the sign of an erratum."""

    best: str = "{}"
    second: str = "{}"
    erratum: str = "†"

    def form(self, row: Row, column: int) -> str:
        """The form of one figure of a row."""
        return self.best if column in row.best else self.second if column in row.second else "{}"


PLAIN = Marks()
MARKDOWN = Marks("**{}**", "<u>{}</u>")
LATEX = Marks("\\textbf{{{}}}", "\\underline{{{}}}", "$^\\dagger$")
TERMINAL = Marks("[bold]{}[/]", "[underline]{}[/]")


def legend(*, is_compared: bool, source: str = "published") -> str:
    """What the figures are and how they are marked."""
    return f"{BESIDE.format(source=source) if is_compared else MEASURED_ALONE} {LEGEND}"


def figures(entry: Figure, form: str = "{}", sign: str = PLAIN.erratum) -> str:
    """An entry as a table shows it, the measured figure set in a form such as ``"**{}**"``.

    Examples
    --------
    >>> figures(Figure(47.458, 47.12), "**{}**")
    '**47.46** / 47.12 / +0.34'
    >>> figures(Figure(47.458, printed=39.72))
    '47.46 / 39.72†'
    >>> figures(Figure(None, 92.38, "no data"))
    'no data / 92.38'
    """
    measured = (entry.why or MISSING) if entry.measured is None else form.format(f"{entry.measured:.2f}")
    difference = None if entry.difference is None else _signed(entry.difference)
    return " / ".join(text for text in (measured, _published(entry, sign), difference) if text is not None)


def _published(entry: Figure, sign: str) -> str | None:
    """What was published, or if nothing tells that, what is printed; errata have a sign."""
    figure = entry.printed if entry.published is None else entry.published
    return None if figure is None else f"{figure:.2f}{'' if entry.printed is None else sign}"


def _signed(difference: float) -> str:
    return "0.00" if difference == 0 else f"{difference:+.2f}"


def cell_texts(row: Row, marks: Marks) -> list[str]:
    """The entries of a row as text."""
    return [figures(entry, marks.form(row, i), marks.erratum) for i, entry in enumerate(row.entries)]


def short_texts(row: Row) -> list[str]:
    """The entries of a row where there is little room: ``46.45 =`` is the published figure too."""
    return [TERMINAL.form(row, i).format(_short(entry)) for i, entry in enumerate(row.entries)]


def _short(entry: Figure) -> str:
    published = _published(entry, TERMINAL.erratum)
    if entry.measured is None or published is None:
        return figures(entry)
    if entry.difference == 0:
        return f"{entry.measured:.2f} ={'' if entry.printed is None else TERMINAL.erratum}"
    difference = [] if entry.difference is None else [_signed(entry.difference)]
    return f"{entry.measured:.2f} ({', '.join([published, *difference])})"


def markdown_table(table: PaperTable) -> str:
    """A table in Markdown, without its title and notes."""
    lines = [f"| task | {' | '.join(table.columns)} |", f"|---|{'---:|' * len(table.columns)}"]
    for row in table.rows:
        label = f"*{row.label}*" if row.is_summary else row.label
        lines.append(f"| {label} | {' | '.join(cell_texts(row, MARKDOWN))} |")
    return "\n".join(lines)


def to_csv(made: Sequence[PaperTable]) -> str:
    """A line a figure."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["table", "row", "column", "measured", "published", "difference", "best", "why missing", "erratum"])
    for table in made:
        for row in table.rows:
            for i, (column, entry) in enumerate(zip(table.columns, row.entries, strict=True)):
                numbers = (entry.measured, entry.published, entry.difference, entry.printed)
                *shown, erratum = ("" if number is None else f"{number:.2f}" for number in numbers)
                best = "yes" if i in row.best else ""
                writer.writerow([table.name, row.label, column, *shown, best, entry.why, erratum])
    return text.getvalue()


def to_latex(made: Sequence[PaperTable]) -> str:
    """A floating table each; the document needs the packages booktabs and graphicx."""
    parts = ["% Needs \\usepackage{booktabs} and \\usepackage{graphicx}."]
    for table in made:
        errata = [ERRATA, *table.errata] if table.errata else []
        caption = " ".join(
            [f"{table.title}.", legend(is_compared=table.is_published, source=table.source), *table.notes, *errata]
        )
        lines = [
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{_tex(caption)}}}",
            f"\\label{{tab:{table.name}}}",
            "\\resizebox{\\linewidth}{!}{%",
            f"\\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
            "\\toprule",
            " & ".join(["task", *map(_tex, table.columns)]) + " \\\\",
            "\\midrule",
        ]
        for before, row in zip([None, *table.rows], table.rows, strict=False):
            if before is not None and row.is_summary and not before.is_summary:
                lines.append("\\midrule")
            lines.append(" & ".join([_tex(row.label), *cell_texts(row, LATEX)]) + " \\\\")
        lines += ["\\bottomrule", "\\end{tabular}}", "\\end{table}"]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _tex(text: str) -> str:
    for character in "&%$#_{}":
        text = text.replace(character, f"\\{character}")
    return text.replace("->", "$\\rightarrow$").replace(PLAIN.erratum, LATEX.erratum)
