"""`tsrp demo`: the embedded digits, a table and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from tsrp.cli.console import out, progress_bar

if TYPE_CHECKING:
    from tsrp.progress import Event


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The picture to write.")] = Path("tsrp-demo.png"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the printed digits.")] = 0,
    files: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Only write printed.csv, handwritten.csv and tomorrow.csv, to try adapt, tune and predict on.",
        ),
    ] = None,
) -> None:
    """Adapt from printed to handwritten digits: a table of the paper's methods, and a picture. Needs no download."""
    if files is not None:
        _write_files(files, seed)
        return
    from tsrp.datasets.digits import load_digit_pair
    from tsrp.experiments.demo import demo_methods, run_demo
    from tsrp.experiments.demo_picture import check_picture, draw_demo

    check_picture(output)
    pair = load_digit_pair(seed)
    out.print(
        f"Source: {len(pair.Xs):,} printed digits, labelled.  Target: {len(pair.Xt):,} handwritten digits; "
        "their labels are used for scoring only.",
        highlight=False,
    )
    with progress_bar() as progress:
        names = list(demo_methods())
        task = progress.add_task("fitting", total=len(names))

        def show(name: str, r: Event) -> None:
            progress.update(task, completed=names.index(name), description=f"{name}, round {r.number}")

        rows = run_demo(pair, show)
        progress.update(task, completed=len(names), description="drawing")
        draw_demo(pair, rows, output)
    table = Table(title="From printed to handwritten digits")
    for heading in (
        "method",
        "accuracy",
        "estimated",
        "most trusted half",
        "at 0.9 or more",
        "of these right",
        "seconds",
    ):
        table.add_column(heading, justify="left" if heading == "method" else "right")
    for row in rows:
        table.add_row(
            row.method,
            f"{row.accuracy:.1%}",
            f"{row.estimated_accuracy:.1%}",
            f"{row.half_accuracy:.1%}",
            f"{row.confident_share:.1%}",
            f"{row.confident_accuracy:.1%}",
            f"{row.seconds:.2f}",
            end_section=row.method.endswith("+TSRP"),
        )
    out.print(table)
    out.print(f"Picture: {escape(str(output))}", highlight=False, soft_wrap=True)


def _write_files(folder: Path, seed: int) -> None:
    from tsrp.datasets.digit_files import write_digit_files

    for path, what in write_digit_files(folder, seed).items():
        out.print(f"{escape(str(path))}: {what}", highlight=False, soft_wrap=True)
