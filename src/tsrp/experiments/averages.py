"""Averages of each column on each data set, and on how many tasks TSRP is better: tables of tables, in Markdown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean

from tsrp.datasets.catalogue import DATASETS
from tsrp.experiments.paper_tables import Figure, PaperTable, common_tasks
from tsrp.experiments.published import IMPROVEMENT
from tsrp.experiments.summaries import WITH_TSRP, base_of
from tsrp.experiments.table_formats import MISSING


def summary(made: Sequence[PaperTable], kind: str) -> str:
    """Averages of each column and data set: measured / published, on how many tasks both agree; "" if there is none."""
    shown = by_data_set(made, kind)
    columns = dict.fromkeys(column for entries in shown.values() for column in entries)
    return markdown(
        shown, {column: [_average(entries.get(column)) for entries in shown.values()] for column in columns}
    )


def improved(made: Sequence[PaperTable]) -> str:
    """On how many tasks of each data set TSRP improves each method: measured / published; "" if there is none."""
    shown = by_data_set(made, IMPROVEMENT)
    bases = dict.fromkeys(base for entries in shown.values() for column in entries if (base := base_of(column)))
    return markdown(shown, {base: [_improved_tasks(entries, base) for entries in shown.values()] for base in bases})


def by_data_set(made: Sequence[PaperTable], kind: str) -> dict[str, dict[str, list[Figure]]]:
    """For each data set, under a heading, the columns that were run and their entries on the tasks that all have."""
    shown = {}
    for table in made:
        for dataset in dict.fromkeys(row.task[0] for row in table.rows if row.task and table.kind == kind):
            rows = [row for row in table.rows if row.task and row.task[0] == dataset]
            present, tasks = common_tasks(rows)
            if tasks:
                other = ", other files" if dataset in table.other_files else ""
                heading = f"{DATASETS[dataset].title} ({len(tasks)} of {len(rows)} tasks{other})"
                shown[heading] = {table.columns[i]: [row.entries[i] for row in tasks] for i in present}
    return shown


def markdown(headings: Collection[str], lines: Mapping[str, Sequence[str]]) -> str:
    """A table with a column for each heading and labelled lines; "" without lines."""
    if not lines:
        return ""
    head = [f"| | {' | '.join(headings)} |", f"|---|{'---:|' * len(headings)}"]
    return "\n".join([*head, *(f"| {label} | {' | '.join(cells)} |" for label, cells in lines.items())])


def _average(entries: Sequence[Figure] | None) -> str:
    if entries is None:
        return MISSING
    average = f"{fmean(known(entry.measured for entry in entries)):.2f}"
    published = known(entry.published for entry in entries)
    if not published:
        return average
    equal = sum(entry.difference == 0 for entry in entries)
    # Without its misprints an average of the published figures would be one of other tasks.
    beside = f" / {fmean(published):.2f}" if len(published) == len(entries) else ""
    return f"{average}{beside} ({equal} equal)"


def _improved_tasks(entries: Mapping[str, Sequence[Figure]], base: str) -> str:
    before, after = entries.get(base), entries.get(base + WITH_TSRP)
    if before is None or after is None:
        return MISSING
    pairs = list(zip(before, after, strict=True))
    counts = (
        count_better((b.measured, a.measured) for b, a in pairs),
        count_better((b.published, a.published) for b, a in pairs),
    )
    return " / ".join(filter(None, counts))


def count_better(pairs: Iterable[tuple[float | None, float | None]]) -> str:
    """In how many of the pairs that are known the second figure is higher; "" if none is."""
    both = [(before, after) for before, after in pairs if before is not None and after is not None]
    return f"{sum(after > before for before, after in both)} of {len(both)}" if both else ""


def known(figures: Iterable[float | None]) -> list[float]:
    """The figures that are there."""
    return [figure for figure in figures if figure is not None]
