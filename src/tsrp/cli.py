"""The command line: parse, call, print. Nothing is computed here."""

from __future__ import annotations

import io
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

# scikit-learn and matplotlib are loaded by the commands that need them, so that help and version answer at once.
if TYPE_CHECKING:
    from tsrp.adaptation import Round


class Exit(IntEnum):
    """What the exit code says."""

    USAGE = 2
    INPUT = 3
    OUTPUT = 4
    INTERRUPTED = 130


EXIT_CODES = (
    "Exit codes: 0 done, 2 wrong usage, 3 input that cannot be used, 4 output that cannot be written, 130 interrupted."
)

app = typer.Typer(
    name="tsrp",
    help="Labels for unlabelled data of a new world, from labelled data of an old one, and which of them to trust.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
out = Console()
err = Console(stderr=True)


def main() -> None:
    """Entry point of the command `tsrp`."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal without a character of the data shows another one.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    app()


def _fail(sentence: str, code: Exit) -> NoReturn:
    err.print(f"[bold red]tsrp:[/] {escape(sentence)}", soft_wrap=True, highlight=False)
    sys.exit(code)


@contextmanager
def _failing_with(code: Exit) -> Iterator[None]:
    """A user's mistake is one sentence and an exit code, never a traceback."""
    try:
        yield
    except (ValueError, TypeError, OverflowError, OSError) as error:
        _fail(" ".join(str(error).split()), code)
    except KeyboardInterrupt:
        _fail("interrupted; nothing was written.", Exit.INTERRUPTED)
    except MemoryError:
        _fail("there is not enough memory for this method on so many samples; the rbf kernel needs most.", code)


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


@app.command(epilog=EXIT_CODES)
def adapt(
    source: Annotated[Path, typer.Argument(help="Labelled samples: CSV, TSV, Parquet, NPZ, NPY or MAT.")],
    target: Annotated[Path, typer.Argument(help="Unlabelled samples with the same features.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="CSV, TSV or Parquet file to write; TARGET-labels.csv if not given."),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--label", "-l", help="Column (if not given: label) or key (y, gnd, labels, ...)."),
    ] = None,
    labels_file: Annotated[
        Path | None, typer.Option(help="Another file with the source's labels, as NPY files need it.")
    ] = None,
    features_key: Annotated[str | None, typer.Option(help="Key of the samples in NPZ and MAT files.")] = None,
    method: Annotated[
        str, typer.Option("--method", "-m", help="A method, alone or with +tsrp; `tsrp methods` lists them.")
    ] = "dicd+tsrp",
    trust: Annotated[float | None, typer.Option(help="How strict +tsrp is, from 0 to 1; 0.9 if not given.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", "-s", metavar="NAME=VALUE", help="Any parameter; may be repeated.")
    ] = None,
    preprocess: Annotated[
        str, typer.Option(help="On each domain by itself: none, unit, zscore, rowsum or rowsum-zscore.")
    ] = "none",
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace the output if it exists.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Label the rows of TARGET with what the labelled rows of SOURCE teach, and say which labels to trust.

    Writes a row for each row of TARGET, in its order: label, confident (True or False) and, with +tsrp, picked (1:
    confident at first sight, 2 or more: after relabelling, 0: never).

    Example: tsrp adapt lab.csv field.csv --label class --method dicd+tsrp --set n_components=50 --trust 0.85
    """
    from tsrp.datasets.formats import read_source, read_target
    from tsrp.datasets.output import check_output, write_labels
    from tsrp.validation import check_finite

    with _failing_with(Exit.USAGE):
        model = _model(method, settings or [], trust, preprocess)
    if output is None:
        output = target.with_name(f"{target.name.removesuffix('.gz').rpartition('.')[0]}-labels.csv")
    with _failing_with(Exit.OUTPUT):
        check_output(output, overwrite=force)
        if output.exists() and any(path.exists() and output.samefile(path) for path in (source, target)):
            raise ValueError(f"{output} is an input; choose another output.")
    with _failing_with(Exit.INPUT):
        old = read_source(source, label, features_key=features_key, labels_path=labels_file)
        new = read_target(target, old, label, features_key=features_key)
        for table in (old, new):
            check_finite(table.X, str(table.path), table.names)
    if not quiet:
        for note in (*old.notes, *new.notes):
            err.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True, highlight=False)
    began = time.perf_counter()
    with _failing_with(Exit.INPUT), _progress(quiet) as bar, _notes(quiet):
        model.fit(old.X, old.y, new.X, callback=bar)
    elapsed = time.perf_counter() - began
    columns = {"label": model.labels_, "confident": model.confident_}
    if hasattr(model, "picked_"):
        columns["picked"] = model.picked_
    with _failing_with(Exit.OUTPUT):
        write_labels(output, columns, overwrite=force)
    if not quiet:
        _summarise(model, method, elapsed, output)


def _model(method: str, settings: list[str], trust: float | None, preprocess: str) -> Any:
    from tsrp.methods import PREPROCESSING, make_method, parse_settings
    from tsrp.preprocessing import PerDomain

    values = parse_settings(settings)
    if trust is not None:
        if "trust" in values:
            raise ValueError("trust is given twice, by --trust and by --set.")
        values["trust"] = trust
    model = make_method(method, values)
    if preprocess not in PREPROCESSING:
        raise ValueError(f"--preprocess must be one of {', '.join(PREPROCESSING)}, but it is {preprocess!r}.")
    transformer = PREPROCESSING[preprocess]()
    return model if transformer is None else PerDomain(transformer, model)


@contextmanager
def _progress(quiet: bool) -> Iterator[Any]:
    """A callback for `fit` that shows its rounds."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal) as progress:
        task = progress.add_task("reducing", total=None)

        def show(r: Round) -> None:
            moved = f"round {r.number}: {r.n_moved:,} labels moved"
            progress.update(task, total=r.limit, completed=r.number, description=moved)

        yield show


@contextmanager
def _notes(quiet: bool) -> Iterator[None]:
    """Warnings as notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in caught:
        if not quiet and issubclass(warning.category, UserWarning):
            err.print(f"[yellow]note:[/] {escape(str(warning.message))}", soft_wrap=True, highlight=False)


def _summarise(model: Any, method: str, elapsed: float, output: Path) -> None:
    labels, confident = model.labels_, model.confident_
    rounds = f"{model.n_iter_} round{'s' if model.n_iter_ > 1 else ''}"
    out.print(f"{method}: {len(labels):,} target rows labelled in {elapsed:.1f} s, {rounds}", highlight=False)
    table = Table()
    for heading, side in (("label", "left"), ("rows", "right"), ("confident", "right")):
        table.add_column(heading, justify=side)  # type: ignore[arg-type]
    shown = model.classes_[:20]
    for name in shown:
        chosen = labels == name
        share = f"{confident[chosen].mean():.0%}" if chosen.any() else "-"
        table.add_row(escape(str(name)), f"{chosen.sum():,}", share)
    if len(shown) < len(model.classes_):
        table.add_row(f"... {len(model.classes_) - len(shown)} more", "", "")
    table.add_section()
    table.add_row("all", f"{len(labels):,}", f"{confident.mean():.0%}")
    out.print(table)
    out.print(f"Written to {escape(str(output))}", highlight=False, soft_wrap=True)


@app.command()
def methods() -> None:
    """List the methods and their parameters."""
    from tsrp.methods import CLASSIFIERS, METHODS, WRAPPERS, defaults
    from tsrp.remedy import TSRP

    rows = [
        (name, f"{entry.summary}\n({entry.reference}; {entry.cost})", defaults(entry.kind))
        for name, entry in METHODS.items()
    ]
    out.print(_parameter_table("Methods", rows))
    wrappers = [(f"+{name}", summary, {**defaults(TSRP), **changes}) for name, (changes, summary) in WRAPPERS.items()]
    out.print(_parameter_table("Around any of them, such as dicd+tsrp", wrappers))
    out.print(f"Classifiers, for classifier= and strong_classifier=: {', '.join(CLASSIFIERS)}", highlight=False)


def _parameter_table(title: str, rows: list[tuple[str, str, dict[str, Any]]]) -> Table:
    table = Table(title=title, show_lines=True)
    for heading in ("name", "what it does", "parameters and defaults"):
        table.add_column(heading)
    for name, what, parameters in rows:
        table.add_row(name, what, ", ".join(f"{key}={value}" for key, value in parameters.items()))
    return table


@app.command(epilog=EXIT_CODES)
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The picture to write.")] = Path("tsrp-demo.png"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the printed digits.")] = 0,
) -> None:
    """Adapt from printed to handwritten digits: a table of all methods, and a picture. Needs no download."""
    from tsrp.datasets.digits import load_digit_pair
    from tsrp.demo import demo_methods, run_demo
    from tsrp.report.demo_picture import check_picture, draw_demo

    with _failing_with(Exit.OUTPUT):
        check_picture(output)
    pair = load_digit_pair(seed)
    out.print(
        f"Source: {len(pair.Xs):,} printed digits, labelled.  Target: {len(pair.Xt):,} handwritten digits; "
        "their labels are used for scoring only.",
        highlight=False,
    )
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        names = list(demo_methods())
        task = progress.add_task("fitting", total=len(names))

        def show(name: str, r: Round) -> None:
            progress.update(task, completed=names.index(name), description=f"{name}, round {r.number}")

        rows = run_demo(pair, show)
        progress.update(task, completed=len(names), description="drawing")
        with _failing_with(Exit.OUTPUT):
            draw_demo(pair, rows, output)
    table = Table(title="From printed to handwritten digits")
    for heading in ("method", "accuracy", "of the confident", "confident", "seconds"):
        table.add_column(heading, justify="left" if heading == "method" else "right")
    for row in rows:
        table.add_row(
            row.method,
            f"{row.accuracy:.1%}",
            f"{row.confident_accuracy:.1%}",
            f"{row.confident_share:.1%}",
            f"{row.seconds:.2f}",
            end_section=row.method.endswith("+TSRP"),
        )
    out.print(table)
    out.print(f"Picture: {escape(str(output))}", highlight=False, soft_wrap=True)
