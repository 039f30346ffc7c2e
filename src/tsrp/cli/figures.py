"""`tsrp figures`: the paper's figures, drawn from the results file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from tsrp.cli.console import Exit, fail, if_interrupted, out, progress_bar
from tsrp.cli.datasets import DataDir
from tsrp.cli.running import DEFAULT_RESULTS, KEPT, DaskAddress, Jobs, ResultsFile, compute


def figures(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FIGURE",
            help="rounds, rounds-tasks, strong-classifier, strong-classifier-tasks, sweeps, planes, averages, "
            "averages-others, utsp; all if none is named.",
        ),
    ] = None,
    output_dir: Annotated[
        Path, typer.Option("--output-dir", "-o", help="Folder for the pictures and the page that shows them.")
    ] = Path("tsrp-figures"),
    results: ResultsFile = DEFAULT_RESULTS,
    jobs: Jobs = None,
    dask: DaskAddress = None,
    data_dir: DataDir = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Draw the paper's figures as SVG and PNG, and a page with captions (figures.md), from the data sets on this disk.

    What they need and the results file does not have yet is computed first; each fit serves all rounds and all
    figures. Without any of the paper's data sets the embedded digits are shown.
    """
    from tsrp.exceptions import OutputError
    from tsrp.experiments.figures import FIGURES, save
    from tsrp.experiments.figures.page import NAME, page, section
    from tsrp.experiments.store import Results
    from tsrp.io.files import check_place, replacing
    from tsrp.lookup import look_up

    chosen = {name: look_up("figure", name, FIGURES) for name in names or FIGURES}
    needed = {name: drawing.runs(data_dir) for name, drawing in chosen.items()}
    with if_interrupted(KEPT), Results(results) as store:
        if output_dir.exists() and not output_dir.is_dir():
            raise OutputError(f"--output-dir {output_dir} is a file: name a folder.")
        try:
            output_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"--output-dir {output_dir} cannot be made ({error.strerror}): name another.") from error
        check_place(output_dir / "picture.svg", overwrite=True)
        runs = list(dict.fromkeys(run for wanted in needed.values() for run in wanted))
        compute(runs, store, jobs, dask, data_dir, quiet)
        found = store.settled(failed_since=math.inf)
    with if_interrupted("the pictures that were complete are kept"), progress_bar(quiet) as progress:
        task = progress.add_task("drawing", total=len(chosen))
        sections, left_out = [], []
        for name, drawing in chosen.items():
            progress.update(task, description=f"drawing {name}")
            if not set(needed[name]) <= set(found):
                left_out.append(name)
                continue
            paths = save(drawing.draw(found, data_dir), output_dir, name)
            used = [found[run] for run in needed[name]]
            sections.append(section(name, drawing.summary, drawing.caption(found, data_dir), used))
            progress.advance(task)
            if not quiet:
                written = ", ".join(escape(str(path)) for path in paths)
                out.print(f"{name}: {drawing.summary}\n  {written}", highlight=False, soft_wrap=True)
        with replacing(output_dir / NAME) as file:
            file.write(page(sections).encode())
    if left_out:
        fail(f"not drawn, because runs failed (see tsrp bench): {', '.join(left_out)}.", Exit.FAILED_RUNS)
