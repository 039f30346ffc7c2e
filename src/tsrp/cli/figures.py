"""`tsrp figures`: the paper's figures, drawn from the results file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from tsrp.cli.bench import DEFAULT_RESULTS, DaskAddress, Jobs, ResultsFile, compute, open_results
from tsrp.cli.console import Exit, fail, failing_with, out, progress_bar
from tsrp.cli.datasets import DataDir


def figures(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FIGURE]...",
            help="rounds, strong-classifier, sweeps, planes, averages, utsp; all if none is named.",
        ),
    ] = None,
    output_dir: Annotated[Path, typer.Option("--output-dir", "-o", help="Folder for the pictures.")] = Path(
        "tsrp-figures"
    ),
    results: ResultsFile = DEFAULT_RESULTS,
    jobs: Jobs = None,
    dask: DaskAddress = None,
    data_dir: DataDir = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Draw the paper's figures as SVG and PNG, from the data sets on this disk.

    What they need and the results file does not have yet is computed first; each fit serves all rounds and all
    figures. Without any of the paper's data sets the embedded digits are shown.
    """
    from tsrp.naming import known
    from tsrp.report.figures import FIGURES, save

    with failing_with(Exit.USAGE):
        chosen = {name: FIGURES[known("figure", name, FIGURES)] for name in names or FIGURES}
    with failing_with(Exit.OUTPUT):
        output_dir.mkdir(parents=True, exist_ok=True)
        store = open_results(results)
    with store:
        cells = list(dict.fromkeys(cell for drawing in chosen.values() for cell in drawing.cells(data_dir)))
        compute(cells, store, jobs, dask, data_dir, quiet)
        found = store.all()
    failed = [cell for cell in cells if found[cell].error is not None]
    if failed:
        first = found[failed[0]]
        fail(f"{len(failed)} cells failed, the first of them {first.cell}: {first.error}", Exit.FAILED_CELLS)
    with progress_bar(quiet) as progress:
        task = progress.add_task("drawing", total=len(chosen))
        for name, drawing in chosen.items():
            progress.update(task, description=f"drawing {name}")
            with failing_with(Exit.OUTPUT, kept="the pictures that were complete are kept"):
                paths = save(drawing.draw(found, data_dir), output_dir, name)
            progress.advance(task)
            if not quiet:
                written = ", ".join(escape(str(path)) for path in paths)
                out.print(f"{name}: {drawing.summary}\n  {written}", highlight=False, soft_wrap=True)
