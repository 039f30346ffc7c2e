"""`tsrp bench`: the paper's experiments, computed, kept, and set beside the published figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from tsrp.cli.console import PREPARED, Exit, err, fail, if_interrupted, note, out
from tsrp.cli.datasets import DataDir
from tsrp.cli.running import DEFAULT_RESULTS, KEPT, DaskAddress, Jobs, ResultsFile, averages_table, compute
from tsrp.cli.table_view import print_table

if TYPE_CHECKING:
    from tsrp.datasets import DataFile
    from tsrp.experiments.runs import Run
    from tsrp.experiments.scoring import Result


def bench(
    datasets: Annotated[
        list[str] | None, typer.Argument(metavar="DATASET", help="Data sets; all on this disk if none is named.")
    ] = None,
    methods: Annotated[
        str,
        typer.Option(
            "--methods",
            "-m",
            help="Methods with commas between, jda+tsrp_n is one too, or groups: paper is nn, jda, bda and dicd as "
            "--tsrp says, and on its data sets the eight that it compares with; strong is eight later ones.",
        ),
    ] = "paper",
    tsrp: Annotated[str, typer.Option(help="Methods without TSRP, with it, or both.")] = "both",
    task: Annotated[list[str] | None, typer.Option(help='Only this task, such as "C -> A"; may be repeated.')] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="NAME=VALUE", help="A parameter other than the preset; may be repeated."),
    ] = None,
    preprocess: Annotated[
        str | None, typer.Option(metavar="NAME", help=f"Other than the preset, on each domain by itself: {PREPARED}.")
    ] = None,
    seeds: Annotated[str, typer.Option(help="Seeds with commas between; they matter where something is random.")] = "0",
    results: ResultsFile = DEFAULT_RESULTS,
    jobs: Jobs = None,
    dask: DaskAddress = None,
    data_dir: DataDir = None,
    table: Annotated[
        bool, typer.Option("--table", help="Print the tables of both groups, as far as they were run, and write them.")
    ] = False,
    write: Annotated[
        list[Path] | None,
        typer.Option(help="Like --table, into this file (.md, .csv, .tex) instead of tsrp-tables.*; may be repeated."),
    ] = None,
    run: Annotated[bool, typer.Option("--run/--no-run", help="Whether to compute what is not there yet.")] = True,
    again: Annotated[bool, typer.Option("--again", help="Compute also what is there, and replace it.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show where runs that failed did so (tracebacks).")
    ] = False,
) -> None:
    """Run the paper's experiments: every method on every task, with the settings of each data set.

    Stop it when you like, and call it again: what is in the results file is not computed again. Several runners may
    share one file. BDA is tried with every mu that the paper chose from by accuracy, and with the one that it finds
    without labels. A run that fails is noted, and the others go on; the next call tries it once more.

    Example: tsrp bench office-caltech-surf coil20 --methods nn,jda,dicd --tsrp both --jobs 2 --table
    """
    from tsrp.datasets import DATASETS
    from tsrp.datasets.loading import find_dataset, is_on_disk
    from tsrp.exceptions import UsageError
    from tsrp.experiments.standing import Standing
    from tsrp.experiments.store import Results
    from tsrp.io.files import check_place

    paths = _table_files(write, table)
    if paths and (settings or preprocess or seeds.strip() != "0"):
        raise UsageError(
            "--table and --write show the presets at seed 0: leave out --set, --preprocess and --seeds with them."
        )
    if any(path.resolve() == results.resolve() for path in paths):
        raise UsageError(f"--write {results} would overwrite the results file: name another one.")
    if again and not run:
        raise UsageError("--again and --no-run exclude each other.")
    chosen = [find_dataset(name).name for name in datasets or DATASETS]
    wanted = _grid(chosen, methods, tsrp, task, settings or [], preprocess, seeds)
    runs = [run for run in wanted if is_on_disk(run.dataset, run.task, data_dir)]
    if run:
        _explain_missing(chosen, runs, data_dir, quiet)
    elif not results.exists():
        fail(f"{results} does not exist, so there is nothing to show without running.", Exit.INPUT)
    for path in paths:
        check_place(path, overwrite=True)
    with if_interrupted(KEPT):
        with Results(results) as store:
            if run:
                compute(runs, store, jobs, dask, data_dir, quiet, again=again)
            found = store.all()
        if paths:
            _show_tables(chosen, found, data_dir, paths, quiet)
        elif not quiet:
            out.print(averages_table(Standing(runs, found)))
    failed = [found[each] for each in runs if each in found and found[each].error is not None]
    if failed:
        for result in failed if verbose else failed[:5]:
            note(f"{result.run}: {result.error}")
            if verbose:
                err.print(result.traceback, highlight=False, markup=False, soft_wrap=True)
        fail(f"{len(failed)} of {len(runs)} runs failed; their errors are in {results}.", Exit.FAILED_RUNS)


def _table_files(write: list[Path] | None, table: bool) -> list[Path]:
    from tsrp.exceptions import UsageError

    paths = write or ([Path(f"tsrp-tables.{kind}") for kind in ("md", "csv", "tex")] if table else [])
    for path in paths:
        if path.suffix.lower() not in (".md", ".csv", ".tex"):
            raise UsageError(f"--write {path} does not end in .md, .csv or .tex: the suffix says the format.")
    return paths


def _grid(
    datasets: Sequence[str],
    methods: str,
    tsrp: str,
    tasks: list[str] | None,
    settings: Sequence[str],
    preprocess: str | None,
    seeds: str,
) -> list[Run]:
    """The runs that were asked for."""
    from tsrp.exceptions import UsageError
    from tsrp.experiments.runs import GROUPS, grid
    from tsrp.lookup import check_name
    from tsrp.registry import method_names
    from tsrp.spec import PLUS, parse_settings

    if not all(seed.strip().isdecimal() and int(seed) < 2**32 for seed in seeds.split(",")):
        raise UsageError(f"--seeds must be whole numbers from 0 to 2**32 - 1 with commas between, not {seeds!r}.")
    names = [name.strip().lower() for name in methods.split(",") if name.strip()]
    if not names:
        raise UsageError("--methods names no method; an example is --methods nn,jda.")
    for name in names:
        check_name("method or group", name.partition(PLUS)[0], [*GROUPS, *method_names()])
    changes = parse_settings(settings)
    if preprocess is not None:
        if "preprocess" in changes:
            raise UsageError("preprocess is given twice, by --preprocess and by --set.")
        changes["preprocess"] = preprocess
    options: dict[str, Any] = {
        "changes": changes,
        "seeds": [int(seed) for seed in seeds.split(",")],
        "tasks": tasks,
    }
    single = [name for name in names if name not in GROUPS]
    runs = [run for name in names if name in GROUPS for run in GROUPS[name](datasets, tsrp, **options)]
    return list(dict.fromkeys([*runs, *(grid(datasets, single, tsrp, **options) if single else [])]))


def _explain_missing(datasets: Sequence[str], runs: Sequence[Run], data_dir: Path | None, quiet: bool) -> None:
    """Say which of the data sets and tasks are not here."""
    from tsrp.datasets import DATASETS, data_folder
    from tsrp.datasets.loading import is_on_disk

    missing = []
    for name in datasets:
        tasks = DATASETS[name].task_names
        here = sum(is_on_disk(name, task, data_dir) for task in tasks)
        if here < len(tasks):
            missing.append(f"{name} ({len(tasks) - here} of {len(tasks)} tasks)" if here else name)
    if missing and not quiet:
        note(f"not in {data_folder(data_dir)}, and left out: {', '.join(missing)}; tsrp datasets fetch gets data sets.")
    if not quiet:
        for sentence in _other_copies(runs, data_dir):
            note(sentence)
    if not runs:
        fail("nothing to run: none of these data sets and tasks is on this disk.", Exit.INPUT)


def _other_copies(runs: Sequence[Run], data_dir: Path | None) -> Iterator[str]:
    """A sentence for each data set of which some files are not the published ones."""
    from tsrp.datasets import DATASETS
    from tsrp.datasets.loading import difference, find_task, place_of

    used: dict[str, dict[DataFile, None]] = {}
    for run in runs:
        about = DATASETS[run.dataset]
        used.setdefault(run.dataset, {}).update(dict.fromkeys(about.files_of(*find_task(about, run.task))))
    for name, files in used.items():
        found = [difference(place_of(DATASETS[name], file, data_dir), file) for file in files]
        for what in dict.fromkeys(filter(None, found)):
            yield f"{name}: {found.count(what)} of {len(files)} files are {what}: figures may differ."


def _show_tables(
    datasets: Sequence[str],
    found: dict[Run, Result],
    data_dir: Path | None,
    paths: Sequence[Path],
    quiet: bool,
) -> None:
    """Print and write the paper's tables, and those of the stronger methods if any of their results is there."""
    from tsrp.experiments.paper_tables import tables
    from tsrp.experiments.results_page import to_markdown
    from tsrp.experiments.runs import GROUPS
    from tsrp.experiments.strong_tables import strong_tables
    from tsrp.experiments.table_formats import to_csv, to_latex
    from tsrp.io.files import replacing

    groups = {name: make(datasets) for name, make in GROUPS.items()}
    shown = [run for runs in groups.values() for run in runs]
    paper, strong = tables(datasets, found, data_dir, groups["paper"]), strong_tables(datasets, found, data_dir, shown)
    used, made = {run: found[run] for run in shown if run in found}, [*paper, *strong]
    empty = [
        table.title for table in made if all(entry.measured is None for row in table.rows for entry in row.entries)
    ]
    for table in made if not quiet else []:
        if table.title not in empty:
            print_table(table)
    if empty and not quiet:
        out.print(f"Nothing measured yet, so in the files only: {'; '.join(empty)}", highlight=False)
    texts = {".md": to_markdown(paper, used, strong), ".csv": to_csv(made), ".tex": to_latex(made)}
    for path in paths:
        with replacing(path) as file:
            file.write(texts[path.suffix.lower()].encode())
    if not quiet:
        out.print(f"Written: {', '.join(escape(str(path)) for path in paths)}", highlight=False, soft_wrap=True)
