"""`tsrp bench`: the paper's experiments, computed, kept, and set beside the published figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from tsrp.cli.console import Exit, fail, failing_with, note, out
from tsrp.cli.datasets import DataDir
from tsrp.cli.running import DEFAULT_RESULTS, KEPT, DaskAddress, Jobs, ResultsFile, averages_table, compute
from tsrp.cli.tables import print_table

if TYPE_CHECKING:
    from tsrp.bench.cells import Cell
    from tsrp.bench.scoring import Result


def bench(
    datasets: Annotated[
        list[str] | None, typer.Argument(metavar="DATASET", help="Data sets; all on this disk if none is named.")
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            "-m",
            help="Methods with commas between, jda+tsrp_n is one too; if not given, the paper's: nn, jda, bda and dicd "
            "as --tsrp says, and on its data sets the eight that it compares with.",
        ),
    ] = None,
    tsrp: Annotated[str, typer.Option(help="Methods without TSRP, with it, or both.")] = "both",
    task: Annotated[list[str] | None, typer.Option(help='Only this task, such as "C -> A"; may be repeated.')] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="NAME=VALUE", help="A parameter other than the preset; may be repeated."),
    ] = None,
    seeds: Annotated[str, typer.Option(help="Seeds with commas between; they matter where something is random.")] = "0",
    results: ResultsFile = DEFAULT_RESULTS,
    jobs: Jobs = None,
    dask: DaskAddress = None,
    data_dir: DataDir = None,
    table: Annotated[bool, typer.Option("--table", help="Print the paper's tables, and write them.")] = False,
    write: Annotated[
        list[Path] | None,
        typer.Option(help="Like --table, into this file (.md, .csv, .tex) instead of tsrp-tables.*; may be repeated."),
    ] = None,
    run: Annotated[bool, typer.Option("--run/--no-run", help="Whether to compute what is not there yet.")] = True,
    again: Annotated[bool, typer.Option("--again", help="Compute also what is there, and replace it.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Run the paper's experiments: every method on every task, with the settings of each data set.

    Stop it when you like, and call it again: what is in the results file is not computed again. Several runners may
    share one file. BDA is tried with every mu that the paper chose from by accuracy, and with the one that it finds
    without labels. A cell that fails is noted, and the others go on; the next call tries it once more.

    Example: tsrp bench office-caltech-surf coil20 --methods nn,jda,dicd --tsrp both --jobs 2 --table
    """
    from tsrp.bench.progress import Standing
    from tsrp.bench.results import Results
    from tsrp.datasets.files import check_place

    with failing_with(Exit.USAGE):
        paths = _table_files(write, table)
        if paths and (settings or seeds.strip() != "0"):
            raise ValueError("--table and --write show the presets at seed 0: leave out --set and --seeds with them.")
        if any(path.resolve() == results.resolve() for path in paths):
            raise ValueError(f"--write {results} would overwrite the results file: name another one.")
        if again and not run:
            raise ValueError("--again and --no-run exclude each other.")
        cells = _cells(datasets or [], methods, tsrp, task, settings or [], seeds, data_dir)
        if run:
            _explain_missing(datasets or [], cells, data_dir, quiet)
        elif not results.exists():
            fail(f"{results} does not exist, so there is nothing to show without running.", Exit.INPUT)
    with failing_with(Exit.OUTPUT, kept=KEPT):
        for path in paths:
            check_place(path, overwrite=True)
        with Results(results) as store:
            if run:
                compute(cells, store, jobs, dask, data_dir, quiet, again=again)
            found = store.all()
        if paths:
            _show_tables(datasets or [], found, data_dir, paths, quiet)
        elif not quiet:
            out.print(averages_table(Standing(cells, found)))
    failed = [found[cell] for cell in cells if cell in found and found[cell].error is not None]
    if failed:
        for result in failed[:5]:
            note(f"{result.cell}: {result.error}")
        fail(f"{len(failed)} of {len(cells)} cells failed; their errors are in {results}.", Exit.FAILED_CELLS)


def _table_files(write: list[Path] | None, table: bool) -> list[Path]:
    paths = write or ([Path(f"tsrp-tables.{kind}") for kind in ("md", "csv", "tex")] if table else [])
    for path in paths:
        if path.suffix.lower() not in (".md", ".csv", ".tex"):
            raise ValueError(f"--write {path} does not end in .md, .csv or .tex: the suffix says the format.")
    return paths


def _cells(
    datasets: Sequence[str],
    methods: str | None,
    tsrp: str,
    tasks: list[str] | None,
    settings: Sequence[str],
    seeds: str,
    data_dir: Path | None,
) -> list[Cell]:
    """The cells that were asked for and whose data are on this disk."""
    from tsrp.bench.cells import grid, paper_grid
    from tsrp.datasets import DATASETS
    from tsrp.datasets.loading import is_on_disk
    from tsrp.methods import parse_settings

    if not all(seed.strip().isdecimal() and int(seed) < 2**32 for seed in seeds.split(",")):
        raise ValueError(f"--seeds must be whole numbers from 0 to 2**32 - 1 with commas between, not {seeds!r}.")
    chosen = datasets or list(DATASETS)
    changes = parse_settings(settings)
    numbers = [int(seed) for seed in seeds.split(",")]
    if methods is None:
        cells = paper_grid(chosen, tsrp, changes=changes, seeds=numbers, tasks=tasks)
    else:
        names = [name.strip().lower() for name in methods.split(",") if name.strip()]
        if not names:
            raise ValueError("--methods names no method; an example is --methods nn,jda.")
        cells = grid(chosen, names, tsrp, changes=changes, seeds=numbers, tasks=tasks)
    return [cell for cell in cells if is_on_disk(cell.dataset, cell.task, data_dir)]


def _explain_missing(datasets: Sequence[str], cells: Sequence[Cell], data_dir: Path | None, quiet: bool) -> None:
    """Say which of the data sets and tasks are not here."""
    from tsrp.datasets import DATASETS, data_folder
    from tsrp.datasets.loading import is_on_disk

    missing = []
    for name in datasets or DATASETS:
        tasks = DATASETS[name].task_names
        here = sum(is_on_disk(name, task, data_dir) for task in tasks)
        if here < len(tasks):
            missing.append(f"{name} ({len(tasks) - here} of {len(tasks)} tasks)" if here else name)
    if missing and not quiet:
        note(f"not in {data_folder(data_dir)}, and left out: {', '.join(missing)}; tsrp datasets fetch gets data sets.")
    if not cells:
        fail("nothing to run: none of these data sets and tasks is on this disk.", Exit.INPUT)


def _show_tables(
    datasets: Sequence[str], found: dict[Cell, Result], data_dir: Path | None, paths: Sequence[Path], quiet: bool
) -> None:
    from tsrp.bench.cells import paper_grid
    from tsrp.bench.table_formats import to_csv, to_latex, to_markdown
    from tsrp.bench.tables import tables
    from tsrp.datasets import DATASETS
    from tsrp.datasets.files import replacing

    made = tables(datasets or DATASETS, found, data_dir)
    used = {cell: found[cell] for cell in paper_grid(datasets or DATASETS) if cell in found}
    empty = [
        paper.title for paper in made if all(entry.measured is None for row in paper.rows for entry in row.entries)
    ]
    for paper in made if not quiet else []:
        if paper.title not in empty:
            print_table(paper)
    if empty and not quiet:
        out.print(f"Nothing measured yet, so in the files only: {'; '.join(empty)}", highlight=False)
    texts = {".md": to_markdown(made, used), ".csv": to_csv(made), ".tex": to_latex(made)}
    for path in paths:
        with replacing(path) as file:
            file.write(texts[path.suffix.lower()].encode())
    if not quiet:
        out.print(f"Written: {', '.join(escape(str(path)) for path in paths)}", highlight=False, soft_wrap=True)
