"""The paper's tables, from the results: measured, published, difference; averages and improvements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tsrp.datasets.catalogue import DATASETS
from tsrp.datasets.loading import is_on_disk
from tsrp.experiments.errata import SummaryErrata, comparable, misprints, sentences, summary_errata
from tsrp.experiments.published import COMPARISON, COMPARISONS, IMPROVEMENT, TRUST_IN_TEXT, Key
from tsrp.experiments.runs import IMPROVED, STRONG, Run, paper_grid, variants
from tsrp.experiments.scoring import Result, other_files
from tsrp.experiments.summaries import AVERAGE, GAINS, base_of, summarise
from tsrp.experiments.summaries import WITH_TSRP as WITH_TSRP
from tsrp.spec import PLUS

# Why there is no figure.
NO_DATA, NOT_RUN, FAILED = "no data", "not run", "failed"
COMPARED_COLUMNS = ("NN unit", "PCA", "GFK", "TCA", "TSL", "TJM", "DTSL", "CDML", "RTML", "DICD", "DICD+TSRP")
COMPARISON_NOTES = (
    "CDML and RTML are reconstructions: no program of their authors is public, and most of their published figures are "
    "no accuracies on these numbers of samples, but averages of some kind.",
    "TSL minimises what principal components lose; which objective the published figures are for is not known.",
)
# Where the tasks of several data sets stand in one table, some have the same names.
SHORT = {"office-caltech-surf": " (SURF)"}


@dataclass(frozen=True)
class Figure:
    """A figure in per cent, the published one beside it, and why either is missing.

    `measured` is unrounded in averages; what a table shows is rounded to the hundredth. `printed` is what the paper
    prints where that is an erratum: `published` is then what was meant, or None if nothing tells.
    """

    measured: float | None
    published: float | None = None
    why: str = ""
    printed: float | None = None

    @property
    def difference(self) -> float | None:
        """Measured less published, as they are shown."""
        if self.measured is None or self.published is None:
            return None
        return round(round(self.measured, 2) - round(self.published, 2), 2)


@dataclass(frozen=True)
class Row:
    """A task (its data set and name), or a summary of all tasks (None).

    `best` are the columns with the highest measured figure, `second` those with the next one.
    """

    label: str
    entries: tuple[Figure, ...]
    task: tuple[str, str] | None = None
    best: frozenset[int] = frozenset()
    second: frozenset[int] = frozenset()

    @property
    def is_summary(self) -> bool:
        return self.task is None


@dataclass(frozen=True)
class PaperTable:
    """One table: one row per task, then the averages and improvements.

    `kind` is that of the published figures, `other_files` are data sets that were measured on other files than these,
    and `source` is what the figures beside the measured ones are called.
    """

    kind: str
    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()
    other_files: frozenset[str] = frozenset()
    source: str = "published"

    @property
    def is_published(self) -> bool:
        """Whether there is any published figure to compare with."""
        return any(entry.published is not None for row in self.rows for entry in row.entries)


def column_label(run: Run) -> str:
    """The column that a run belongs to: ``"BDA+TSRP"``, ``"BDA auto+TSRP"`` for a variant, or a name of `STRONG`.

    Examples
    --------
    >>> from tsrp.experiments.runs import make_run
    >>> column_label(make_run("coil20", "COIL1 -> COIL2", "bda+tsrp", {"mu": "auto"}))
    'BDA auto+TSRP'
    """
    spec = run.spec
    settings = {**spec.settings, "preprocess": spec.preprocess}
    end = PLUS + spec.wrapper.upper() if spec.is_wrapped else ""
    for label, (base, choice) in STRONG.items():
        if base == spec.base and choice.items() <= settings.items():
            return label + end
    chosen = variants(run.dataset, spec.base).items()
    own = [f" {variant}" for variant, choice in chosen if choice.items() <= settings.items()]
    return "".join([spec.base.upper(), *own, end])


def best_of(runs: Sequence[Run], results: Mapping[Run, Result]) -> Figure:
    """The best accuracy over the settings of one column on one task, or why there is none."""
    found = [results[run] for run in runs if run in results]
    if any(result.error is not None for result in found):
        return Figure(None, why=FAILED)
    if not found or len(found) < len(runs):
        return Figure(None, why=NOT_RUN)
    return Figure(max(result.percent for result in found))


def tables(
    datasets: Iterable[str],
    results: Mapping[Run, Result],
    data_dir: Path | None = None,
    runs: Iterable[Run] | None = None,
) -> list[PaperTable]:
    """Each of the paper's tables that is about some data sets, and one of the same form for data sets of our own.

    Parameters
    ----------
    datasets : iterable of str
    results : mapping of Run to Result
        What there is; nothing is computed here.
    data_dir : Path, optional
        Where the data sets are, to say of missing figures that their data are missing.
    runs : iterable of Run, optional
        The paper's runs on these data sets, if they are there already: `tsrp.experiments.runs.paper_grid`.

    Returns
    -------
    list of PaperTable
    """
    chosen = list(datasets)
    grouped = by_column(paper_grid(chosen) if runs is None else runs)
    made = [_improvement(name, grouped, results, data_dir) for name in DATASETS if name in chosen]
    for name, members in COMPARISONS.items():
        here = [member for member in members if member in chosen]
        if here:
            made.append(_comparison(name, here, grouped, results, data_dir))
    return made


Grouped: TypeAlias = Mapping[Key, list[Run]]


def _improvement(dataset: str, grouped: Grouped, results: Mapping[Run, Result], data_dir: Path | None) -> PaperTable:
    about = DATASETS[dataset]
    own = [(label, runs[0]) for (name, _, label), runs in grouped.items() if name == dataset]
    columns = tuple(dict.fromkeys(label for label, run in own if run.spec.base in IMPROVED))
    rows = [(dataset, task, task) for task in about.task_names]
    return _table(IMPROVEMENT, dataset, about.title, columns, rows, grouped, results, data_dir)


def _comparison(
    name: str, members: Sequence[str], grouped: Grouped, results: Mapping[Run, Result], data_dir: Path | None
) -> PaperTable:
    title = f"Comparison: {'; '.join(DATASETS[member].title for member in members)}"
    rows = [
        (dataset, task, task + (SHORT.get(dataset, "") if len(members) > 1 else ""))
        for dataset in members
        for task in DATASETS[dataset].task_names
    ]
    return _table(COMPARISON, name, title, COMPARED_COLUMNS, rows, grouped, results, data_dir)


def by_column(runs: Iterable[Run]) -> dict[Key, list[Run]]:
    """Runs by data set, task and column."""
    grouped: dict[tuple[str, str, str], list[Run]] = {}
    for run in runs:
        grouped.setdefault((run.dataset, run.task, column_label(run)), []).append(run)
    return grouped


def _table(
    kind: str,
    name: str,
    title: str,
    columns: tuple[str, ...],
    places: Sequence[tuple[str, str, str]],
    grouped: Grouped,
    results: Mapping[Run, Result],
    data_dir: Path | None,
) -> PaperTable:
    printed = {key: misprint.printed for key, misprint in misprints(kind).items()}
    rows = task_rows(columns, places, grouped, results, data_dir, comparable(kind), printed)
    datasets = tuple(dict.fromkeys(dataset for dataset, _, _ in places))
    used = [run for (dataset, _, _), runs in grouped.items() if dataset in datasets for run in runs]
    others = other_files(results[run] for run in used if run in results)
    # Printed averages are those of the whole table.
    summaries = summary_errata(name) if datasets == COMPARISONS.get(name, (name,)) else {}
    return PaperTable(
        kind,
        name,
        title,
        columns,
        (*rows, *summary_rows(columns, rows, summaries)),
        notes=(
            *others.values(),
            *_trust_notes(datasets, columns),
            *(COMPARISON_NOTES if kind == COMPARISON else ()),
        ),
        errata=tuple(sentences(kind, name, places, summaries)),
        other_files=frozenset(others),
    )


def task_rows(
    columns: Sequence[str],
    places: Sequence[tuple[str, str, str]],
    grouped: Grouped,
    results: Mapping[Run, Result],
    data_dir: Path | None,
    known: Mapping[Key, float],
    printed: Mapping[Key, float] | None = None,
) -> list[Row]:
    """A row for each place (data set, task, label): what was measured, what is known, and errata that were printed."""
    rows = []
    for dataset, task, label in places:
        here = is_on_disk(dataset, task, data_dir)
        entries = []
        for column in columns:
            key = (dataset, task, column)
            entry = best_of(grouped.get(key, []), results)
            why = NO_DATA if entry.why == NOT_RUN and not here else entry.why
            entries.append(Figure(entry.measured, known.get(key), why, (printed or {}).get(key)))
        rows.append(ranked_row(label, entries, (dataset, task)))
    return rows


def _trust_notes(datasets: Iterable[str], columns: Sequence[str]) -> Iterator[str]:
    """Where TSRP's trust is not what the paper's text says."""
    for dataset in filter(TRUST_IN_TEXT.__contains__, datasets):
        about, said = DATASETS[dataset], TRUST_IN_TEXT[dataset]
        others: dict[float, list[str]] = {}
        for method, trust in about.trust.items():
            column = method.upper() + WITH_TSRP
            if trust != said and column in columns:
                others.setdefault(trust, []).append(column)
        for trust, changed in others.items():
            names = " and ".join(filter(None, [", ".join(changed[:-1]), changed[-1]]))
            yield (
                f"{about.title}: the trust of {names} is {trust:g}, chosen to fit the published figures; the paper's "
                f"text says {said:g}."
            )


def ranked_row(label: str, entries: Sequence[Figure], task: tuple[str, str] | None = None) -> Row:
    """A row that knows which of its measured figures are the best and the next."""
    shown = {i: round(entry.measured, 2) for i, entry in enumerate(entries) if entry.measured is not None}
    ranked = sorted(set(shown.values()), reverse=True)
    best, second = (frozenset(i for i, figure in shown.items() if [figure] == ranked[k : k + 1]) for k in (0, 1))
    return Row(label, tuple(entries), task, best, second)


def common_tasks(rows: Sequence[Row]) -> tuple[list[int], list[Row]]:
    """The columns that have any measured figure, and the tasks on which all of these have one."""
    tasks = [row for row in rows if not row.is_summary]
    width = len(tasks[0].entries) if tasks else 0
    columns = [i for i in range(width) if any(row.entries[i].measured is not None for row in tasks)]
    if not columns:
        return [], []
    return columns, [row for row in tasks if all(row.entries[i].measured is not None for i in columns)]


def summary_rows(columns: Sequence[str], rows: Sequence[Row], errata: SummaryErrata) -> list[Row]:
    """Averages over the tasks that all columns have; improvements of TSRP from these averages."""
    present, common = common_tasks(rows)
    if not common:
        return []
    by_column = dict(zip(columns, zip(*(row.entries for row in common), strict=True), strict=True))
    measured = summarise({column: [entry.measured for entry in found] for column, found in by_column.items()})
    published = summarise({column: [entry.published for entry in found] for column, found in by_column.items()})
    is_whole = len(common) == len(rows)

    def entry(label: str, column: str, why: str = "") -> Figure:
        place = (label, column)
        wrong = errata.get(place) if is_whole else None
        return Figure(measured.get(place), published.get(place), why, None if wrong is None else wrong.printed)

    over = AVERAGE if is_whole else f"Average of {len(common)} of {len(rows)} tasks"
    averages = [entry(AVERAGE, c, "" if i in present else common[0].entries[i].why) for i, c in enumerate(columns)]
    summaries = [ranked_row(over, averages)]
    for label in GAINS:
        gains = [entry(label, column) if base_of(column) in columns else Figure(None) for column in columns]
        if any(gain.measured is not None for gain in gains):
            summaries.append(Row(label, tuple(gains)))
    return summaries
