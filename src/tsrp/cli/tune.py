"""`tsrp tune`: which method and settings, judged without target labels."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from tsrp.cli.console import PREPARED, AsJson, err, note, out, print_json, progress_bar
from tsrp.cli.reading import (
    Categorical,
    Decimal,
    Dropped,
    Impute,
    MaxMemory,
    files_in,
    naming_files,
    note_tables,
    read_domains,
)
from tsrp.cli.running import Jobs, Pace
from tsrp.cli.streams import named, shown, through_pipes

if TYPE_CHECKING:
    from tsrp.selection import Candidate, Selection, Trial
    from tsrp.spec import MethodSpec

SHOWN = 10


@through_pipes("source", "target", labels=False)
def tune(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(help="Labelled samples: CSV, TSV, Parquet, NPZ, NPY or MAT.")],
    target: Annotated[Path, typer.Argument(help="Unlabelled samples with the same features.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV, TSV or Parquet file for the whole ranking.")
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--label", "-l", help="Column (if not given: label) or key (y, gnd, labels, ...)."),
    ] = None,
    labels_file: Annotated[
        Path | None, typer.Option(help="Another file with the source's labels, as NPY files need it.")
    ] = None,
    features_key: Annotated[str | None, typer.Option(help="Key of the samples in NPZ and MAT files.")] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="A column that names rows and is not a feature.")
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option("--method", "-m", help="A method to try, such as jda+tsrp; may be repeated. None: a selection."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="NAME=VALUE,...", help="Values to try of a parameter; may be repeated."),
    ] = None,
    preprocess: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help=f"What to try on each domain by itself: {PREPARED}."),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            help="What decides: consensus (if not given), round-trip, neighbours, agreement, reverse, snd, certainty, "
            "information or importance; docs/SELECTION.md explains them."
        ),
    ] = None,
    jobs: Jobs = None,
    drop: Dropped = None,
    categorical: Categorical = None,
    impute: Impute = None,
    decimal: Decimal = ".",
    max_memory: MaxMemory = None,
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask", metavar="ADDRESS", help="Try the candidates on the Dask cluster of the scheduler at this address."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace the output if it exists.")] = False,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors and what to run next only.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show where candidates that failed did so (tracebacks).")
    ] = False,
) -> None:
    """Try methods and settings on SOURCE and TARGET, rank them without target labels, and say what to run next.

    No label-free ranking is certain: docs/SELECTION.md shows how often this one is right on known tasks. Where the
    choice is not sure, what to run next is the panel, which does not depend on one method.

    Each candidate is fitted to all samples in memory, by one of the processes of this machine. With --dask each is
    fitted by one worker of a cluster, to which the samples are sent; Parquet files at addresses such as s3:// are read
    by the cluster itself.

    Instead of SOURCE or TARGET, - reads CSV from the standard input; --output - writes the ranking as CSV to the
    standard output, and what is printed goes to the error stream.

    Example: tsrp tune lab.csv field.csv --label class --method jda+tsrp --method nn --set ridge=0.1,1,10
    """
    from tsrp.blocked.cluster import connected
    from tsrp.exceptions import UsageError
    from tsrp.io.files import check_apart, is_remote
    from tsrp.io.writers import check_output, write_labels
    from tsrp.lookup import check_name
    from tsrp.selection import DEFAULT_SCORE, SCORES, default_candidates, search, summarise

    chosen = check_name("score", DEFAULT_SCORE if score is None else score, SCORES)
    prepared = [] if preprocess is None else [name.strip() for name in preprocess.split(",")]
    candidates = _candidates(methods or [], settings or [], prepared)
    if output is not None:
        check_output(output, overwrite=force)
        check_apart([output], [*files_in(source), *files_in(target), labels_file])
    if dask is not None:
        if jobs is not None:
            raise UsageError("--jobs and --dask exclude each other: the cluster's workers are its own affair.")
        context.with_resource(connected(dask))
    elsewhere = dask is not None and (is_remote(source) or is_remote(target))
    beside = [] if id_column is None else [id_column]
    old, new = read_domains(
        source,
        target,
        label,
        labels_file=labels_file,
        features_key=features_key,
        beside=beside,
        drop=drop or [],
        categorical=categorical or [],
        impute=impute,
        decimal=decimal,
        in_blocks=elsewhere,
        on_dask=elsewhere,
    )
    if not quiet:
        note_tables(old, new)
    if candidates is None:
        tried = {"preprocess": prepared} if prepared else {}
        candidates = default_candidates(**tried)
    with naming_files(source, target), progress_bar(quiet) as progress:
        task = progress.add_task("trying", total=len(candidates))

        pace = Pace()
        done = 0

        def show(trial: Trial) -> None:
            nonlocal done
            done += 1
            progress.update(task, advance=1, description=escape(trial.candidate.method))
            if not quiet and not err.is_terminal and pace.is_due():
                err.print(f"{done} of {len(candidates)} candidates tried", highlight=False)
            if verbose and trial.traceback:
                err.print(f"{trial.candidate}\n{trial.traceback}", highlight=False, markup=False, soft_wrap=True)

        assert old.y is not None
        found = search(
            *(old.samples, old.y, new.samples, candidates),
            score=chosen,
            estimate=True,
            n_jobs=jobs or -1,
            on_dask=dask is not None,
            callback=show,
        )
    if output is not None:
        write_labels(output, found.table, overwrite=force)
    if not quiet and not as_json:
        _print_ranking(found)
        for sentence in summarise(found):
            out.print(sentence, highlight=False, soft_wrap=True)
        if output is not None:
            out.print(f"Written to {escape(shown(output))}", highlight=False, soft_wrap=True)
        out.print("Run next:", highlight=False)
    files = ["tsrp", "adapt", named(source), named(target)]
    given = {"--label": label, "--labels-file": labels_file, "--features-key": features_key, "--id": id_column}
    given |= {"--impute": impute, "--decimal": None if decimal == "." else decimal}
    for option, value in given.items():
        files += [] if value is None else [option, str(value)]
    for option, columns in (("--drop", drop), ("--categorical", categorical)):
        files += [word for column in columns or [] for word in (option, column)]
    if elsewhere:
        files += ["--dask", str(dask)]
    spec = _for_adapt(found, in_blocks=elsewhere)
    if spec != found.best.spec and not quiet:
        note(f"on a cluster {found.best.method} cannot be fitted: the command has the best method that can")
    best = shlex.join([*files, *adapt_options(spec)])
    # The panel needs samples in memory.
    is_sure = elsewhere or not found.n_tied
    command = best if is_sure else shlex.join(files)
    if as_json:
        written = {} if output is None else {"output": str(output)}
        print_json(_summary(found) | {"command": command, "best_command": best, "files": written})
        return
    out.print(command, highlight=False, soft_wrap=True, markup=False)
    if not is_sure and not quiet:
        out.print("which is the panel; or, for the best candidate alone:", highlight=False)
        out.print(best, highlight=False, soft_wrap=True, markup=False)


def _for_adapt(found: Selection, in_blocks: bool) -> MethodSpec:
    """The best candidate, or the best that takes samples in blocks; the best if none does."""
    ranked = [found.trials[number].candidate for number in found.table.index[found.table["error"] == ""]]
    taking = [candidate for candidate in ranked if candidate.estimator.takes_blocks]
    spec = (taking if in_blocks and taking else ranked)[0].spec
    assert spec is not None
    return spec


def adapt_options(spec: MethodSpec) -> list[str]:
    """The options that make `tsrp adapt` run a method with these settings and this preprocessing.

    Examples
    --------
    >>> from tsrp.spec import MethodSpec
    >>> adapt_options(MethodSpec("jda", {"ridge": 0.1}, "zscore"))
    ['--method', 'jda', '--set', 'ridge=0.1', '--preprocess', 'zscore']
    """
    from tsrp.spec import NO_PREPROCESSING

    settings = [word for key, value in spec.settings.items() for word in ("--set", f"{key}={value}")]
    preprocess = [] if spec.preprocess == NO_PREPROCESSING else ["--preprocess", spec.preprocess]
    return ["--method", spec.name, *settings, *preprocess]


def _candidates(methods: list[str], settings: list[str], preprocess: list[str]) -> list[Candidate] | None:
    """What the options name; None if they name no method."""
    from tsrp.exceptions import UsageError
    from tsrp.lookup import check_name
    from tsrp.selection import candidate_grid
    from tsrp.spec import PREPROCESSING, parse_values

    for name in preprocess:
        check_name("preprocessing", name.lower(), PREPROCESSING)
    if methods:
        return candidate_grid(methods, parse_values(settings), preprocess or ["none"])
    if settings:
        raise UsageError("--set needs a --method, whose parameter it sets.")
    return None


def _summary(found: Selection) -> dict[str, Any]:
    """The ranking, for programs."""
    from tsrp.selection.search import ESTIMATED

    kept = found.table[["method", "settings", "preprocess", found.score, ESTIMATED, "seconds", "error"]]
    # NaN, the score of what failed, is not a value of JSON.
    rows = kept.astype(object).where(kept.notna(), None).to_dict("records")
    return {"score": found.score, "best": str(found.best.spec), "candidates": rows}


def _print_ranking(found: Selection) -> None:
    from tsrp.selection.search import ESTIMATED

    table = Table(title=f"The best of {len(found.table)} candidates by {found.score}; higher is better")
    for heading, side in (("method", "left"), ("settings", "left"), ("preprocess", "left")):
        table.add_column(heading, justify=side)  # type: ignore[arg-type]
    for heading in (found.score, ESTIMATED, "seconds"):
        table.add_column(heading, justify="right")
    done = found.table[found.table["error"] == ""]
    for row in done.head(SHOWN).to_dict("records"):
        names = (escape(str(row[name])) for name in ("method", "settings", "preprocess"))
        table.add_row(*names, f"{row[found.score]:.4f}", f"{row[ESTIMATED]:.0%}", f"{row['seconds']:.1f}")
    if len(done) > SHOWN:
        table.add_row(f"... {len(done) - SHOWN} more", "", "", "", "", "")
    out.print(table)
    for number in found.table.index[found.table["error"] != ""]:
        trial = found.trials[number]
        note(f"{trial.candidate} failed: {trial.error}")
