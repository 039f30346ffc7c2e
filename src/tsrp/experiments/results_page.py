"""The page of results: a summary, where TSRP helps, every table, what differs from the paper, what computed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean

from tsrp.datasets.catalogue import DATASETS
from tsrp.experiments.paper_tables import Figure, PaperTable, common_tasks
from tsrp.experiments.published import COMPARISON, IMPROVEMENT, INEXACT, Key
from tsrp.experiments.runs import Run
from tsrp.experiments.scoring import Result
from tsrp.experiments.summaries import WITH_TSRP, base_of
from tsrp.experiments.table_formats import ERRATA, MISSING, legend, markdown_table

IMPROVED_TASKS = (
    "On how many tasks each method is better with TSRP than without, measured / published; misprints are not counted:"
)


def to_markdown(made: Sequence[PaperTable], results: Mapping[Run, Result]) -> str:
    """The page in Markdown."""
    parts = [
        "# Results",
        "Recomputed with `tsrp bench --table`; this page is written by that command.",
        legend(is_compared=any(table.is_published for table in made)),
        "## Data sets",
        _data_sets(made),
        "## Summary",
        summary(made, IMPROVEMENT),
        *_under("What the paper compares with:", summary(made, COMPARISON)),
        *_differences(made),
        *_under(IMPROVED_TASKS, improved(made)),
    ]
    for table in made:
        parts += [f"## {table.title}", markdown_table(table), *(f"Note: {note}" for note in table.notes)]
        if table.errata:
            parts += [ERRATA, "\n".join(f"- {erratum}" for erratum in table.errata)]
    if results:
        parts += ["## How it was computed", _provenance(results)]
    return "\n\n".join(parts) + "\n"


def _data_sets(made: Sequence[PaperTable]) -> str:
    """The table of data sets, with the paper's columns."""
    lines = [
        "| data set | type | samples | features | classes | domains | tasks |",
        "|---|---|---:|---:|---:|---|---:|",
    ]
    for dataset in dict.fromkeys(row.task[0] for table in made for row in table.rows if row.task):
        about = DATASETS[dataset]
        cells = (
            about.title,
            about.type,
            f"{sum(domain.n_samples for domain in about.domains.values()):,}",
            f"{about.n_features:,}",
            len(about.class_names),
            ", ".join(about.domains),
            len(about.tasks),
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _under(heading: str, text: str) -> list[str]:
    return [heading, text] if text else []


def summary(made: Sequence[PaperTable], kind: str) -> str:
    """Averages of each column and data set: measured / published, on how many tasks both agree; "" if there is none."""
    shown = _by_data_set(made, kind)
    columns = dict.fromkeys(column for entries in shown.values() for column in entries)
    return _table(shown, {column: [_average(entries.get(column)) for entries in shown.values()] for column in columns})


def improved(made: Sequence[PaperTable]) -> str:
    """On how many tasks of each data set TSRP improves each method: measured / published; "" if there is none."""
    shown = _by_data_set(made, IMPROVEMENT)
    bases = dict.fromkeys(base for entries in shown.values() for column in entries if (base := base_of(column)))
    return _table(shown, {base: [_improved_tasks(entries, base) for entries in shown.values()] for base in bases})


def _by_data_set(made: Sequence[PaperTable], kind: str) -> dict[str, dict[str, list[Figure]]]:
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


def _table(headings: Collection[str], lines: Mapping[str, Sequence[str]]) -> str:
    if not lines:
        return ""
    head = [f"| | {' | '.join(headings)} |", f"|---|{'---:|' * len(headings)}"]
    return "\n".join([*head, *(f"| {label} | {' | '.join(cells)} |" for label, cells in lines.items())])


def _average(entries: Sequence[Figure] | None) -> str:
    if entries is None:
        return MISSING
    average = f"{fmean(_known(entry.measured for entry in entries)):.2f}"
    published = _known(entry.published for entry in entries)
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
    counts = (_count((b.measured, a.measured) for b, a in pairs), _count((b.published, a.published) for b, a in pairs))
    return " / ".join(filter(None, counts))


def _count(pairs: Iterable[tuple[float | None, float | None]]) -> str:
    """In how many of the pairs that are known the second figure is higher; "" if none is."""
    known = [(before, after) for before, after in pairs if before is not None and after is not None]
    return f"{sum(after > before for before, after in known)} of {len(known)}" if known else ""


def _known(figures: Iterable[float | None]) -> list[float]:
    return [figure for figure in figures if figure is not None]


def _differences(made: Sequence[PaperTable]) -> list[str]:
    # A figure that two tables show is counted once.
    compared = {
        (*row.task, column): entry
        for table in reversed(made)
        for row in table.rows
        for column, entry in zip(table.columns, row.entries, strict=True)
        if row.task is not None and entry.difference is not None and column not in INEXACT
    }
    others = {dataset for table in made for dataset in table.other_files}
    parts = _equal({key: entry for key, entry in compared.items() if key[0] not in others})
    for dataset in sorted(others):
        parts += _distance(dataset, {key: entry for key, entry in compared.items() if key[0] == dataset})
    return parts


def _equal(compared: Mapping[Key, Figure]) -> list[str]:
    """How many figures are the published ones, and which are not."""
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


def _distance(dataset: str, compared: Mapping[Key, Figure]) -> list[str]:
    """How far figures are from the published ones where the files are other ones, so that none need be equal."""
    distances = {key: abs(entry.difference) for key, entry in compared.items() if entry.difference is not None}
    if not distances:
        return []
    farthest = max(distances, key=lambda key: distances[key])
    return [
        f"{DATASETS[dataset].title} is counted apart, for its files are not the published ones: its {len(distances)} "
        f"figures of single tasks differ from the published ones by {fmean(distances.values()):.2f} on average, and by "
        f"{distances[farthest]:.2f} at most ({farthest[2]} on {farthest[1]})."
    ]


def _provenance(results: Mapping[Run, Result]) -> str:
    good = [result for result in results.values() if result.error is None]
    versions = Counter(", ".join(f"{name} {v}" for name, v in result.versions.items()) for result in good)
    seconds = sum(result.seconds for result in good)
    lines = [f"{len(good):,} fits; their times add up to {seconds / 60:.1f} minutes."]
    lines += [f"- {count} with {text}" for text, count in versions.most_common()]
    lines += [f"- failed: {run}: {result.error}" for run, result in results.items() if result.error is not None]
    return "\n".join([lines[0], "", *lines[1:]])
