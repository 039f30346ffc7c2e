"""Tables as text: Markdown, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from tsrp.datasets.catalogue import DATASETS
from tsrp.experiments.paper_tables import INEXACT, Figure, PaperTable, Row, common_tasks
from tsrp.experiments.published import COMPARISON, IMPROVEMENT
from tsrp.experiments.runs import Run
from tsrp.experiments.scoring import Result

LEGEND = (
    "Accuracy in per cent: measured / published / difference; a single figure was not published. The best measured "
    "figure of a row is bold. BDA is the best of mu in {0, 0.1, ..., 0.9} on each task, chosen by accuracy on the "
    "target, as in the paper; BDA auto finds mu without target labels. Relative improvement is the share of the error "
    "that TSRP removes. NN unit is 1-nearest-neighbour on rows of unit length, without adaptation. No data: the files "
    "are not on the disk where this was computed."
)
MISSING = "-"


def figures(entry: Figure, strong: str = "{}") -> str:
    """An entry as a table shows it, the measured figure set in a form such as ``"**{}**"``.

    Examples
    --------
    >>> figures(Figure(47.458, 39.72), "**{}**")
    '**47.46** / 39.72 / +7.74'
    >>> figures(Figure(None, 92.38, "no data"))
    'no data / 92.38'
    """
    if entry.measured is None:
        why = entry.why or MISSING
        return why if entry.published is None else f"{why} / {entry.published:.2f}"
    text = strong.format(f"{entry.measured:.2f}")
    if entry.published is None or entry.difference is None:
        return text
    difference = "0.00" if entry.difference == 0 else f"{entry.difference:+.2f}"
    return f"{text} / {entry.published:.2f} / {difference}"


def cell_texts(row: Row, strong: str) -> list[str]:
    """The entries of a row as text, the best ones strong."""
    return [figures(entry, strong if i in row.best else "{}") for i, entry in enumerate(row.entries)]


def short_texts(row: Row) -> list[str]:
    """The entries of a row where there is little room: ``46.45 =`` is the published figure too."""
    texts = []
    for i, entry in enumerate(row.entries):
        if entry.measured is None or entry.difference is None:
            texts.append(figures(entry))
        elif entry.difference == 0:
            texts.append(f"{entry.measured:.2f} =")
        else:
            texts.append(f"{entry.measured:.2f} ({entry.published:.2f}, {entry.difference:+.2f})")
        if i in row.best:
            texts[-1] = f"[bold]{texts[-1]}[/]"
    return texts


def to_markdown(made: Sequence[PaperTable], results: Mapping[Run, Result]) -> str:
    """A page with a summary, every table, what differs from the paper, and what computed it."""
    parts = [
        "# Results",
        "Recomputed with `tsrp bench --table`; this page is written by that command.",
        LEGEND,
        "## Summary",
        summary(made, IMPROVEMENT),
        *_compared(made),
        *_differences(made),
    ]
    for table in made:
        parts += [f"## {table.title}", _markdown_table(table), *(f"Note: {note}" for note in table.notes)]
    if results:
        parts += ["## How it was computed", _provenance(results)]
    return "\n\n".join(parts) + "\n"


def _compared(made: Sequence[PaperTable]) -> list[str]:
    text = summary(made, COMPARISON)
    return ["What the paper compares with:", text] if text else []


def _markdown_table(table: PaperTable) -> str:
    lines = [f"| task | {' | '.join(table.columns)} |", f"|---|{'---:|' * len(table.columns)}"]
    for row in table.rows:
        label = f"*{row.label}*" if row.is_summary else row.label
        lines.append(f"| {label} | {' | '.join(cell_texts(row, '**{}**'))} |")
    return "\n".join(lines)


def summary(made: Sequence[PaperTable], kind: str) -> str:
    """Averages of each column and data set: measured / published, on how many tasks both agree; "" if there is none."""
    shown = []
    for table in made:
        for dataset in dict.fromkeys(row.task[0] for row in table.rows if row.task and table.kind == kind):
            rows = [row for row in table.rows if row.task and row.task[0] == dataset]
            present, tasks = common_tasks(rows)
            if tasks:
                title = f"{DATASETS[dataset].title} ({len(tasks)} of {len(rows)} tasks)"
                shown.append((title, [table.columns[i] for i in present], table.columns, tasks))
    if not shown:
        return ""
    columns = dict.fromkeys(column for _, present, _, _ in shown for column in present)
    lines = [f"| | {' | '.join(title for title, *_ in shown)} |", f"|---|{'---:|' * len(shown)}"]
    for column in columns:
        runs = [
            _summary_cell([row.entries[every.index(column)] for row in tasks]) if column in present else MISSING
            for _, present, every, tasks in shown
        ]
        lines.append(f"| {column} | {' | '.join(runs)} |")
    return "\n".join(lines)


def _summary_cell(entries: Sequence[Figure]) -> str:
    average = f"{np.mean([entry.measured for entry in entries]):.2f}"
    if any(entry.published is None for entry in entries):
        return average
    equal = sum(entry.difference == 0 for entry in entries)
    return f"{average} / {np.mean([entry.published for entry in entries]):.2f} ({equal} equal)"


def _differences(made: Sequence[PaperTable]) -> list[str]:
    # A figure that two tables show is counted once.
    compared = {
        (*row.task, column): entry
        for table in reversed(made)
        for row in table.rows
        for column, entry in zip(table.columns, row.entries, strict=True)
        if row.task is not None and entry.difference is not None and column not in INEXACT
    }
    if not compared:
        return []
    unequal = [
        f"- {DATASETS[name].title}, {task}, {column}: measured {entry.measured:.2f}, published {entry.published:.2f}."
        for (name, task, column), entry in sorted(compared.items(), key=lambda item: item[0])
        if entry.difference
    ]
    equal = len(compared) - len(unequal)
    parts = [
        f"{equal} of {len(compared)} figures of single tasks are the published ones to the hundredth, "
        f"{', '.join(INEXACT[:-1])} and {INEXACT[-1]} not counted."
    ]
    return [*parts, "Not equal:\n\n" + "\n".join(unequal)] if unequal else parts


def _provenance(results: Mapping[Run, Result]) -> str:
    good = [result for result in results.values() if result.error is None]
    versions = Counter(", ".join(f"{name} {v}" for name, v in result.versions.items()) for result in good)
    seconds = sum(result.seconds for result in good)
    lines = [f"{len(good):,} fits; their times add up to {seconds / 60:.1f} minutes."]
    lines += [f"- {count} with {text}" for text, count in versions.most_common()]
    lines += [f"- failed: {run}: {result.error}" for run, result in results.items() if result.error is not None]
    return "\n".join([lines[0], "", *lines[1:]])


def to_csv(made: Sequence[PaperTable]) -> str:
    """A line a figure."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["table", "row", "column", "measured", "published", "difference", "best", "why missing"])
    for table in made:
        for row in table.rows:
            for i, (column, entry) in enumerate(zip(table.columns, row.entries, strict=True)):
                numbers = (entry.measured, entry.published, entry.difference)
                shown = ["" if number is None else f"{number:.2f}" for number in numbers]
                writer.writerow([table.name, row.label, column, *shown, "yes" if i in row.best else "", entry.why])
    return text.getvalue()


def to_latex(made: Sequence[PaperTable]) -> str:
    """A floating table each; the document needs the packages booktabs and graphicx."""
    parts = ["% Needs \\usepackage{booktabs} and \\usepackage{graphicx}."]
    for table in made:
        lines = [
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{_tex(' '.join([f'{table.title}.', LEGEND, *table.notes]))}}}",
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
            lines.append(" & ".join([_tex(row.label), *cell_texts(row, "\\textbf{{{}}}")]) + " \\\\")
        lines += ["\\bottomrule", "\\end{tabular}}", "\\end{table}"]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _tex(text: str) -> str:
    for character in "&%$#_{}":
        text = text.replace(character, f"\\{character}")
    return text.replace("->", "$\\rightarrow$")
