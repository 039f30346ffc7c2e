"""`tsrp bench`: the paper's experiments, computed, kept, and set beside the published figures."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tsrp.cli.console import Exit, err, fail, failing_with, note, out
from tsrp.cli.datasets import DataDir

if TYPE_CHECKING:
    from tsrp.bench.backends import Backend
    from tsrp.bench.cells import Cell
    from tsrp.bench.progress import Standing
    from tsrp.bench.results import Results
    from tsrp.bench.scoring import Result
    from tsrp.bench.tables import PaperTable

KEPT = "what was computed is kept, and the same command goes on from there"
# Seconds between two lines where there is no terminal to draw on.
QUIET_PACE = 10.0
ResultsFile = Annotated[Path, typer.Option("--results", help="The results file: what is in it is not computed again.")]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Processes; as many as there are cores if not given.")
]
DaskAddress = Annotated[
    str | None, typer.Option("--dask", metavar="ADDRESS", help="Send the cells to the Dask scheduler at this address.")
]
DEFAULT_RESULTS = Path("tsrp-results.sqlite")


def bench(
    datasets: Annotated[
        list[str] | None, typer.Argument(metavar="[DATASET]...", help="Data sets; all on this disk if none is named.")
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option("--methods", "-m", help="Methods with commas between, jda+tsrp_n is one too; all if not given."),
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
    with failing_with(Exit.USAGE):
        paths = _table_files(write, table)
        if paths and (settings or seeds.strip() != "0"):
            raise ValueError("--table and --write show the presets at seed 0: leave out --set and --seeds with them.")
        if any(path.resolve() == results.resolve() for path in paths):
            raise ValueError(f"--write {results} would overwrite the results file: name another one.")
        if again and not run:
            raise ValueError("--again and --no-run exclude each other.")
    with failing_with(Exit.USAGE):
        cells = _cells(datasets or [], methods, tsrp, task, settings or [], seeds, data_dir)
    if run:
        _explain_missing(datasets or [], cells, data_dir, quiet)
    elif not results.exists():
        fail(f"{results} does not exist, so there is nothing to show without running.", Exit.INPUT)
    with failing_with(Exit.OUTPUT, kept=KEPT):
        from tsrp.datasets.files import check_place

        for path in paths:
            check_place(path, overwrite=True)
        with open_results(results) as store:
            if run:
                compute(cells, store, jobs, dask, data_dir, quiet, again=again)
            found = store.all()
        if paths:
            _show_tables(datasets or [], found, data_dir, paths, quiet)
        elif not quiet:
            from tsrp.bench.progress import Standing

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
    from tsrp.bench.cells import grid, is_on_disk
    from tsrp.datasets import DATASETS
    from tsrp.methods import METHODS, parse_settings

    names = list(METHODS) if methods is None else [name.strip().lower() for name in methods.split(",") if name.strip()]
    if not names:
        raise ValueError("--methods names no method; an example is --methods nn,jda.")
    if not all(seed.strip().isdecimal() and int(seed) < 2**32 for seed in seeds.split(",")):
        raise ValueError(f"--seeds must be whole numbers from 0 to 2**32 - 1 with commas between, not {seeds!r}.")
    cells = grid(
        datasets or DATASETS,
        names,
        tsrp,
        changes=parse_settings(settings),
        seeds=[int(seed) for seed in seeds.split(",")],
        tasks=tasks,
    )
    return [cell for cell in cells if is_on_disk(cell.dataset, cell.task, data_dir)]


def _explain_missing(datasets: Sequence[str], cells: Sequence[Cell], data_dir: Path | None, quiet: bool) -> None:
    """Say which of the data sets and tasks are not here."""
    from tsrp.bench.cells import is_on_disk
    from tsrp.datasets import DATASETS, data_folder

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


def open_results(path: Path) -> Results:
    """The results file, or a sentence on why it cannot be used."""
    from tsrp.bench.results import Results

    return Results(path)


def compute(
    cells: Sequence[Cell],
    store: Results,
    jobs: int | None,
    dask: str | None,
    data_dir: Path | None,
    quiet: bool,
    *,
    again: bool = False,
) -> None:
    """Compute what is missing, with something to look at meanwhile."""
    from tsrp.bench.progress import Standing
    from tsrp.bench.runner import run
    from tsrp.bench.scoring import versions

    known = {} if again else store.settled(failed_since=math.inf)
    old = {known[cell].versions.get("tsrp", "?") for cell in cells if cell in known} - {versions()["tsrp"]}
    if old and not quiet:
        note(f"some results are of tsrp {', '.join(sorted(old))}; --again computes them anew.")
    todo = [cell for cell in cells if cell not in known]
    if not todo:
        return
    standing = Standing(cells, known)
    with failing_with(Exit.USAGE):
        backend = _backend(jobs, dask, data_dir, len(todo))
    kept = "what was computed has replaced the old, the rest is as it was" if again else KEPT
    with failing_with(Exit.OUTPUT, kept=kept), _watching(standing, quiet) as show:
        for result in run(cells, store, backend, again=again):
            standing.add(result)
            show(result)


def _backend(jobs: int | None, dask: str | None, data_dir: Path | None, n_cells: int) -> Backend:
    import joblib

    from tsrp.bench.backends import cluster, processes, serial

    # A worker process may start in another folder.
    folder = None if data_dir is None else data_dir.resolve()
    if dask is not None:
        if jobs is not None:
            raise ValueError("--jobs and --dask exclude each other: the cluster's workers are its own affair.")
        return cluster(dask, folder)
    n_jobs = min(jobs or joblib.cpu_count(), n_cells)
    return serial(folder) if n_jobs == 1 else processes(n_jobs, folder)


@contextmanager
def _watching(standing: Standing, quiet: bool) -> Iterator[Any]:
    """A function to call with each result: a live table in a terminal, a line now and then elsewhere."""
    if quiet:
        yield lambda result: None
    elif err.is_terminal:
        with Live(_picture(standing), console=err, refresh_per_second=4, transient=True) as live:
            # Drawn when it is looked at, and not for each of many results.
            live.get_renderable = lambda: _picture(standing)  # type: ignore[method-assign]
            yield lambda result: None
    else:
        last = time.monotonic()

        def show(result: Result) -> None:
            nonlocal last
            if time.monotonic() - last > QUIET_PACE:
                last = time.monotonic()
                err.print(_line(standing), highlight=False, soft_wrap=True)

        yield show


def _picture(standing: Standing) -> Group:
    return Group(averages_table(standing), Text(_line(standing)))


def _line(standing: Standing) -> str:
    left = standing.seconds_left
    eta = "" if left is None else f", about {left / 60:.0f} min left" if left > 90 else f", about {left:.0f} s left"
    failed = f", {standing.n_failed} failed" if standing.n_failed else ""
    return f"{standing.n_done:,} of {standing.n_cells:,} cells{failed}{eta}"


def averages_table(standing: Standing) -> Table:
    """Average accuracy of each method on each data set, as far as it is known."""
    datasets, rows = standing.averages()
    table = Table(title="Average accuracy in per cent")
    table.add_column("method", no_wrap=True)
    for dataset in datasets:
        table.add_column(dataset, justify="right", overflow="fold")
    for method, texts in rows:
        table.add_row(method, *texts)
    return table


def _show_tables(
    datasets: Sequence[str], found: dict[Cell, Result], data_dir: Path | None, paths: Sequence[Path], quiet: bool
) -> None:
    from tsrp.bench.cells import grid
    from tsrp.bench.table_formats import to_csv, to_latex, to_markdown
    from tsrp.bench.tables import tables
    from tsrp.datasets import DATASETS
    from tsrp.datasets.files import replacing
    from tsrp.methods import METHODS

    made = tables(datasets or DATASETS, found, data_dir)
    used = {cell: found[cell] for cell in grid(datasets or DATASETS, METHODS) if cell in found}
    for paper in made if not quiet else []:
        _print_table(paper)
    texts = {".md": to_markdown(made, used), ".csv": to_csv(made), ".tex": to_latex(made)}
    for path in paths:
        with replacing(path) as file:
            file.write(texts[path.suffix.lower()].encode())
    if not quiet:
        out.print(f"Written: {', '.join(escape(str(path)) for path in paths)}", highlight=False, soft_wrap=True)


def _print_table(paper: PaperTable) -> None:
    """A table of the paper, in as many parts as the terminal's width asks for."""
    from tsrp.bench.table_formats import short_texts

    texts = [short_texts(row) for row in paper.rows]
    widths = [
        max(len(column), *(Text.from_markup(row[i]).cell_len for row in texts))
        for i, column in enumerate(paper.columns)
    ]
    room = out.width - max(len(row.label) for row in paper.rows) - 4
    out.print(f"[bold]{escape(paper.title)}[/]: measured, then = or (published, difference)", highlight=False)
    for part in _parts(widths, room):
        shown = Table()
        shown.add_column("task", no_wrap=True)
        for i in part:
            shown.add_column(paper.columns[i], justify="right", no_wrap=True)
        for row, cells in zip(paper.rows, texts, strict=True):
            shown.add_row(row.label, *(cells[i] for i in part), style="italic" if row.is_summary else "")
        out.print(shown)
    for sentence in paper.notes:
        out.print(f"Note: {escape(sentence)}", highlight=False)


def _parts(widths: Sequence[int], room: int) -> list[list[int]]:
    """Columns in groups that fit beside each other, one at least in each."""
    parts: list[list[int]] = []
    left = 0
    for i, width in enumerate(widths):
        # Two blanks and a line belong to each column.
        if not parts or width + 3 > left:
            parts.append([])
            left = room
        parts[-1].append(i)
        left -= width + 3
    return parts
