"""The command line: parse, call, print. Nothing is computed here.

scikit-learn and matplotlib are loaded by the commands that need them, so that help and version answer at once.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from tsrp.cli.adapt import adapt
from tsrp.cli.bench import bench
from tsrp.cli.console import (
    EXIT_CODES,
    Command,
    Exit,
    Forgiving,
    Group,
    fail,
    handle_signals,
    if_interrupted,
    is_full,
    out,
    reporting_errors,
)
from tsrp.cli.datasets import datasets
from tsrp.cli.demo import demo
from tsrp.cli.figures import figures
from tsrp.cli.methods import methods
from tsrp.cli.predict import predict
from tsrp.cli.tune import tune

app = typer.Typer(
    name="tsrp",
    cls=Group,
    help="Labels for unlabelled data of a new domain, from labelled data of an old one, and which of them to trust.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for command in (adapt, predict, tune, methods, demo):
    app.command(cls=Command, epilog=EXIT_CODES)(reporting_errors(command))
app.add_typer(datasets, name="datasets")
for command in (bench, figures):
    app.command(cls=Command, epilog=EXIT_CODES)(reporting_errors(command))


def main() -> None:
    """Entry point of the command `tsrp`."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal without a character of the data shows another one.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if sys.stderr is not None:
        sys.stderr = Forgiving(sys.stderr)
    handle_signals()
    try:
        with if_interrupted("nothing was written"):
            app()
    except OSError as error:
        if not is_full(error):
            raise
        # What is still to be written must not fail once more at the very end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        fail(f"the standard output cannot be written ({error.strerror}): make room for it.", Exit.OUTPUT)


def _version(asked: bool) -> None:
    if asked:
        from tsrp import __version__

        out.print(f"tsrp {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
