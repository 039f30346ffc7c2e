"""What the page of results says of the stronger methods: averages, what TSRP brings them, and their time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from tsrp.datasets.catalogue import DATASETS
from tsrp.experiments.averages import by_data_set, count_better, known, markdown, summary
from tsrp.experiments.paper_tables import Figure, PaperTable, by_column, ranked_row
from tsrp.experiments.runs import Run
from tsrp.experiments.scoring import Result
from tsrp.experiments.strong_tables import KIND, cpu_seconds
from tsrp.experiments.summaries import GAINS as GAIN_ROWS
from tsrp.experiments.summaries import WITH_TSRP, base_of
from tsrp.experiments.table_formats import MISSING, markdown_table

INTRODUCTION = (
    "Not the paper's, and each with the defaults of this package on all data sets, with the preprocessing of the data "
    "set unless a note says otherwise. KRR is kernel ridge regression on unit rows, without adaptation. DICD KRR and "
    "DICD GraphRidge are DICD with these classifiers instead of 1-nearest-neighbour; ARTL is GraphRidge on the samples "
    "as they are. Beside them stands DICD with the paper's settings for each data set. TSRP is that of the paper, with "
    "trust 0.9."
)
AVERAGES = (
    "Average accuracy in per cent: measured / reference (tasks on which both are equal to the hundredth). References "
    "are figures of plain prototypes, which follow the authors' programs, on the same files. That of DICD GraphRidge "
    "had 400 landmarks, where ours is exact."
)
GAINS = "What TSRP brings: the difference of the averages with and without it (tasks that it improves):"
BESIDE = "Measured / reference / difference:"
SECONDS = "Processor time of a fit in seconds, on all threads, the mean over the tasks:"


def strong_section(strong: Sequence[PaperTable], results: Mapping[Run, Result]) -> list[str]:
    """The section, as paragraphs and tables in Markdown."""
    return [
        "## Stronger methods",
        INTRODUCTION,
        AVERAGES,
        summary(strong, KIND),
        *(f"Note: {note}" for table in strong for note in table.notes),
        *_gains(by_data_set(strong, KIND)),
        *_times(strong, results),
        # Task by task where there is something to compare with.
        *(part for table in strong if table.is_published for part in (f"### {table.title}", BESIDE, _compared(table))),
    ]


def _gains(shown: Mapping[str, Mapping[str, Sequence[Figure]]]) -> list[str]:
    """What TSRP brings each method on each data set, and how often it brings anything."""
    bases = list(dict.fromkeys(base for entries in shown.values() for column in entries if (base := base_of(column))))
    if not bases:
        return []
    found = {base: [gain(entries, base) for entries in shown.values()] for base in bases}
    lines = {
        base: [
            MISSING if by is None else f"{by:+.2f} ({_improved(entries, base)})"
            for by, entries in zip(found[base], shown.values(), strict=True)
        ]
        for base in bases
    }
    by_method = [f"{base} on {_positive(values)}" for base, values in found.items() if known(values)]
    by_place = [
        f"of {_positive(values)} on {heading.partition(' (')[0]}"
        for heading, values in zip(shown, zip(*found.values(), strict=True), strict=True)
        if known(values)
    ]
    return [
        GAINS,
        markdown(shown, lines),
        f"TSRP raises the average of {', '.join(by_method)} data sets; of the methods that it was put around, that "
        f"{', '.join(by_place)}.",
    ]


def gain(entries: Mapping[str, Sequence[Figure]], base: str) -> float | None:
    """How many points TSRP adds to the average of a method; None if it was not run with and without it."""
    before, after = entries.get(base), entries.get(base + WITH_TSRP)
    if before is None or after is None:
        return None
    return fmean(known(entry.measured for entry in after)) - fmean(known(entry.measured for entry in before))


def _improved(entries: Mapping[str, Sequence[Figure]], base: str) -> str:
    pairs = zip(entries[base], entries[base + WITH_TSRP], strict=True)
    return count_better((before.measured, after.measured) for before, after in pairs)


def _positive(values: Sequence[float | None]) -> str:
    measured = known(values)
    return f"{sum(value > 0 for value in measured)} of {len(measured)}"


def _times(strong: Sequence[PaperTable], results: Mapping[Run, Result]) -> list[str]:
    times = cpu_seconds(by_column(results), results)
    datasets = list(dict.fromkeys(row.task[0] for table in strong for row in table.rows if row.task))
    columns = dict.fromkeys(column for table in strong for column in table.columns)
    lines = {
        column: [f"{times[place]:.1f}" if (place := (name, column)) in times else MISSING for name in datasets]
        for column in columns
    }
    measured = {column: cells for column, cells in lines.items() if set(cells) != {MISSING}}
    return [SECONDS, markdown([DATASETS[name].title for name in datasets], measured)] if measured else []


def _compared(table: PaperTable) -> str:
    """Tasks and average of the columns that there are references for."""
    kept = [i for i in range(len(table.columns)) if any(row.entries[i].published is not None for row in table.rows)]
    rows = [
        ranked_row(row.label, [row.entries[i] for i in kept], row.task)
        for row in table.rows
        if row.label not in GAIN_ROWS
    ]
    return markdown_table(replace(table, columns=tuple(table.columns[i] for i in kept), rows=tuple(rows)))
