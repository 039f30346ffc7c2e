"""The page of results: a summary, where TSRP helps, every table, what differs from the paper, what computed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from tsrp.datasets.catalogue import DATASETS
from tsrp.experiments.averages import improved, summary
from tsrp.experiments.paper_tables import Figure, PaperTable
from tsrp.experiments.published import COMPARISON, IMPROVEMENT, INEXACT, Key
from tsrp.experiments.runs import Run
from tsrp.experiments.scoring import Result
from tsrp.experiments.strong_page import strong_section
from tsrp.experiments.table_formats import ERRATA, legend, markdown_table

IMPROVED_TASKS = (
    "On how many tasks each method is better with TSRP than without, measured / published; misprints are not counted:"
)


def to_markdown(made: Sequence[PaperTable], results: Mapping[Run, Result], strong: Sequence[PaperTable] = ()) -> str:
    """The page in Markdown: the paper's tables, and those of the stronger methods if there are any."""
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
    if strong:
        parts += strong_section(strong, results)
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
