"""`tsrp adapt`: labels for a file of unlabelled samples."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from tsrp.cli.adapted import print_summary, summary_of
from tsrp.cli.again import typed
from tsrp.cli.choosing import AUTO, ONE_METHOD, build
from tsrp.cli.console import PREPARED, AsJson, if_interrupted, note, notes, out, print_json, progress_bar
from tsrp.cli.reading import (
    Categorical,
    DaskCluster,
    Decimal,
    Dropped,
    Impute,
    MaxMemory,
    are_large,
    beside_target,
    exceed_memory,
    files_in,
    naming_files,
    note_tables,
    read_domains,
)
from tsrp.cli.streams import shown, through_pipes
from tsrp.trust.judgement import CONFIDENT_AT, check_confident_at

if TYPE_CHECKING:
    from tsrp.progress import Event
    from tsrp.trust.queries import Query

COLUMNS = ("label", "probability", "confident")
# Of the file of rows to label, beside the id.
TO_LABEL = ("row", "label", "probability", "true_label", "classes", "purpose")
# What the report downloads, with the labels that were known before, takes the place of these when it is run again.
NOT_AGAIN, AGAIN = ("known", "known_column", "force"), "--known labelled.csv --force"
SEPARATOR = " | "


@through_pipes("source", "target")
def adapt(
    context: typer.Context,
    source: Annotated[
        Path,
        typer.Argument(help="Labelled samples: CSV, TSV, Parquet, NPZ, NPY or MAT, or a folder of Parquet files."),
    ],
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
        str | None,
        typer.Option(
            "--method",
            "-m",
            help="auto: a vote of several methods; or one of `tsrp methods`, alone or with +tsrp. If not given: auto, "
            "or dicd+tsrp if --trust, --set or --preprocess is.",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(help="Of --method auto: quick, normal, thorough or seconds; normal if not given."),
    ] = None,
    trust: Annotated[float | None, typer.Option(help="How strict +tsrp is, from 0 to 1; 0.9 if not given.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", "-s", metavar="NAME=VALUE", help="Any parameter; may be repeated.")
    ] = None,
    max_fit_rows: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Learn from at most N rows of each file, and label all; 10,000 of --method auto if not given.",
        ),
    ] = None,
    preprocess: Annotated[str, typer.Option(metavar="NAME", help=f"On each domain by itself: {PREPARED}.")] = "none",
    save: Annotated[
        Path | None, typer.Option(help="Save the fitted model here, usually .tsrp, for `tsrp predict`.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML page that shows whether to believe the labels.")
    ] = None,
    truth: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column (or key) of TARGET with true labels, to compare.")
    ] = None,
    confident_at: Annotated[
        float, typer.Option(help="The probability, from 0 to 1, from which a label is called confident.")
    ] = CONFIDENT_AT,
    id_column: Annotated[
        str | None,
        typer.Option("--id", metavar="COLUMN", help="Column (or key) of TARGET that identifies rows, kept in outputs."),
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Labels of some rows of TARGET that are known: a table with the rows' --id, or their numbers in a "
            "column row, as --to-label and the report's downloads have them.",
        ),
    ] = None,
    known_column: Annotated[
        str, typer.Option(metavar="COLUMN", help="The column of --known that holds the labels; empty: not known.")
    ] = "true_label",
    suggest: Annotated[
        int | None, typer.Option(metavar="N", help="Write the N rows whose labels would help most to --to-label.")
    ] = None,
    audit: Annotated[
        int | None, typer.Option(metavar="N", help="Write N rows at random, to measure accuracy, to --to-label.")
    ] = None,
    to_label: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rows for somebody to label, for --known; TARGET-to-label.csv if not given."),
    ] = None,
    show: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="text|image COLUMN",
            help="What the report shows of rows to label: a column (or key) of TARGET with texts, or with paths of "
            "image files. It is not a feature. If not given: some features.",
        ),
    ] = None,
    image_folder: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where the images of --show are; the folder of TARGET if not given."),
    ] = None,
    drop: Dropped = None,
    categorical: Categorical = None,
    impute: Impute = None,
    decimal: Decimal = ".",
    max_memory: MaxMemory = None,
    dask: DaskCluster = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace outputs that exist.")] = False,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Label the rows of TARGET with what the labelled rows of SOURCE teach, and say which labels to trust.

    Writes a row for each row of TARGET, in its order: label, probability (that the label is right) and confident (True
    or False: whether that is at least --confident-at). Without settings and without --method, several methods are
    fitted, some without adaptation among them, and vote. For the probabilities a method is fitted a second time, back
    from TARGET to SOURCE.

    Labels that are known (--known) are kept, with probability 1, and the methods learn from them. --suggest names rows
    to label next. They are doubtful ones, so that how many of them are right says little about all: --audit draws rows
    at random, which do. Fill in the column true_label of the file, and hand it to --known. Or fill in labels in the
    report, which asks about 20 rows of each kind, or as many as these options say, and hands out the file; --show says
    what it shows of them. Images that lie outside --image-folder, are broken or too large are left out.

    Instead of SOURCE or TARGET, - reads CSV from the standard input; --output - writes CSV to the standard output, to
    which the labels also go if TARGET is - and there is no --output. All messages are on the error stream then.

    Files that exceed the memory are read in blocks by nn, pca, tca, jda, bda and dicd, alone or with +tsrp; without
    --method it is dicd+tsrp. If features have different units, --preprocess zscore scales them there too. With --dask a
    cluster reads Parquet files, also at addresses such as s3://, and does the work.

    In CSV and TSV files an apostrophe stands before text that a spreadsheet would run as a formula (it begins with =,
    +, - or @ and is not a number, or does so behind a separator within the text); Parquet files have it as it is.

    Examples: tsrp adapt lab.csv field.csv --label class

    tsrp adapt lab.csv field.csv --label class --method dicd+tsrp --set n_components=50 --trust 0.85

    tsrp adapt lab.csv field.csv --label class --report report.html --show image photo
    """
    import numpy as np

    from tsrp.blocked.cluster import connected
    from tsrp.exceptions import UsageError
    from tsrp.io.files import check_apart, check_place
    from tsrp.io.filled_in import TRUE_LABEL, read_known
    from tsrp.io.writers import check_output, write_labels
    from tsrp.report.truth import check_truth, known_accuracy
    from tsrp.trust.queries import USUAL, ask, check_counts
    from tsrp.validation import ComponentsWarning

    wants_labels = not (suggest is None and audit is None and to_label is None)
    if id_column in COLUMNS + TO_LABEL * wants_labels:
        raise UsageError(f"--id {id_column}: the output has a column of that name; rename the one in {target}.")
    if truth is not None and truth in (categorical or []):
        raise UsageError(f"--truth {truth} is a feature by --categorical {truth}, which gives the answers away.")
    check_confident_at(confident_at)
    _check_show(show, image_folder, report)
    if any(count is not None and count < 1 for count in (suggest, audit)):
        raise UsageError("--suggest and --audit must be whole numbers of at least 1.")
    model, name, chosen = build(method, budget, settings or [], trust, preprocess, max_fit_rows)
    if method is None and name == AUTO and (dask is not None or exceed_memory(source, target)):
        model, name, chosen = build(ONE_METHOD, budget, [], None, preprocess)
    if dask is not None:
        context.with_resource(connected(dask))
    in_blocks = dask is not None or (model.takes_blocks and are_large(source, target))
    if in_blocks and report is not None:
        raise UsageError("--report needs files that fit into memory: leave it out, or draw it for some of the rows.")
    output = output or beside_target(target, "labels")
    check_output(output, overwrite=force)
    if wants_labels:
        to_label = to_label or beside_target(target, "to-label")
        check_output(to_label, overwrite=force)
        if suggest is None and audit is None:
            suggest = USUAL
    if save is not None:
        check_place(save, overwrite=force)
    if report is not None:
        from tsrp.report.page import check_report

        check_report(report, overwrite=force)
    check_apart([output, save, report, to_label], [*files_in(source), *files_in(target), labels_file, known])
    beside = list(dict.fromkeys(name for name in (id_column, truth, show and show[1]) if name is not None))
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
        in_blocks=in_blocks,
        on_dask=dask is not None,
    )
    n_target = len(new.samples)
    if truth is not None:
        check_truth(new.beside[truth], n_target)
    ids = None if id_column is None else new.beside[id_column]
    yt = None
    if known is not None:
        assert old.y is not None
        yt = read_known(known, np.unique(old.y), n_target, known_column=known_column, id_column=id_column, ids=ids)
    check_counts(n_target if yt is None else sum(label is None for label in yt), suggest, audit)
    if not quiet:
        note_tables(old, new)
        if in_blocks:
            note(f"the files are read in blocks by {name}, and not compared with labels of other methods")
        else:
            _note_columns(old.samples, new.samples, scales=name == AUTO or preprocess != "none")
    began = time.perf_counter()
    # Of components only to those who asked for some.
    without = () if "n_components" in chosen else (ComponentsWarning,)
    with naming_files(source, target), _progress(quiet) as watch, notes(quiet, without):
        model.fit(old.samples, old.y, new.samples, yt, callback=watch)
    elapsed = time.perf_counter() - began
    if new.fill is not None:
        # For `tsrp predict`: samples to come are of the target's domain.
        model.fill_values_ = new.fill
    model.categorical_, model.decimal_ = list(dict.fromkeys(categorical or [])), decimal
    with if_interrupted("nothing was written"), progress_bar(quiet) as progress:
        progress.add_task("estimating the accuracy", total=None)
        labels = model.to_frame(confident_at=confident_at)
        # The report asks by itself.
        comparison = model.compare() if report is None and not in_blocks else None
        queries = ask(model, suggest or 0, audit or 0) if report is None else []
    warning = "" if comparison is None or comparison.helps else comparison.sentence
    if model.estimated_accuracy_.equal_rows:
        warning = model.estimated_accuracy_.sentence
    if ids is not None:
        labels.insert(0, id_column, ids)
    write_labels(output, labels, overwrite=force)
    if save is not None:
        with if_interrupted(f"{output} was written, {save} was not"):
            model.save(save, overwrite=force)
    if report is not None:
        with if_interrupted(f"{report} was not written, the labels were"), progress_bar(quiet) as progress:
            progress.add_task("drawing the report", total=None)
            true_labels = None if truth is None else new.beside[truth]
            # Asked for both in the page and in a file, the rows are the same.
            counts = {"suggest": suggest or 0, "audit": audit or 0} if wants_labels else {}
            found = model.report(
                report,
                truth=true_labels,
                ids=ids,
                files=(source.name, target.name),
                confident_at=confident_at,
                show=None if show is None else (show[0], new.beside[show[1]]),
                image_folder=image_folder or context.params["target"].parent,
                command=f"{typed(context, NOT_AGAIN)} {AGAIN}",
                overwrite=force,
                **counts,
            )
        queries = [replace(query, rows=found.numbers[query.rows]) for query in found.labelling.queries]
        if not quiet and found.samples.note:
            note(found.samples.note)
        for diagnostic in [] if quiet else found.diagnostics:
            note(str(diagnostic))
        if found.verdict.command:
            warning = f"{found.verdict.headline} Try {found.verdict.command}."
    if to_label is not None:
        with if_interrupted(f"{output} was written, {to_label} was not"):
            write_labels(to_label, _rows_to_label(model, queries, id_column, ids), overwrite=force)
    if as_json:
        summary = summary_of(model, name, chosen, elapsed, confident_at)
        if truth is not None:
            summary["accuracy"], summary["rows with a true label"] = known_accuracy(model.labels_, new.beside[truth])
        files = {"output": output, "rows to label": to_label, "model": save, "report": report}
        written = {name: str(path) for name, path in files.items() if path is not None}
        print_json(summary | {"warning": warning or None, "files": written})
    elif not quiet:
        if warning:
            out.print(f"[bold red]{escape(warning)}[/]", highlight=False, soft_wrap=True)
        print_summary(model, name, elapsed, confident_at)
        if truth is not None:
            accuracy, n = known_accuracy(model.labels_, new.beside[truth])
            right = f"{accuracy:.1%} of the {n:,} rows with a true label are right".replace("%", " %")
            out.print(right, highlight=False)
        for path in (output, to_label, save, report):
            if path is not None:
                out.print(f"Written to {escape(shown(path))}", highlight=False, soft_wrap=True)
        if to_label is not None:
            for query in queries:
                out.print(f"{len(query.rows):,} rows {query.purpose}", highlight=False, soft_wrap=True)
            again = f"Fill in its column {TRUE_LABEL}, and run again with --known {escape(str(to_label))}"
            out.print(again, highlight=False, soft_wrap=True)


def _check_show(show: tuple[str, str] | None, folder: Path | None, report: Path | None) -> None:
    if show is None and folder is None:
        return
    from tsrp.exceptions import InputError, UsageError
    from tsrp.lookup import check_name
    from tsrp.report.samples import IMAGE, SHOWN

    if show is not None:
        check_name("way to show samples", show[0], SHOWN)
        if report is None:
            raise UsageError("--show says what the report shows of rows: add --report FILE.")
    if folder is not None:
        if show is None or show[0] != IMAGE:
            raise UsageError("--image-folder is for --show image COLUMN.")
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder: correct --image-folder.")


def _rows_to_label(model: Any, queries: list[Query], id_column: str | None, ids: Any) -> dict[str, Any]:
    """The columns of the file of rows to label."""
    import numpy as np

    rows = np.concatenate([query.rows for query in queries])
    named = {} if id_column is None else {id_column: ids[rows]}
    columns = (
        rows,
        model.labels_[rows],
        model.probability_[rows],
        np.full(len(rows), ""),
        [SEPARATOR.join(str(name) for name in own) for own in model.ranked_classes(rows)],
        np.repeat([query.purpose for query in queries], [len(query.rows) for query in queries]),
    )
    return named | dict(zip(TO_LABEL, columns, strict=True))


def _note_columns(source: Any, target: Any, *, scales: bool) -> None:
    """Name columns that may not be features; large ones only if the method does not scale features itself."""
    from tsrp.columns import IDENTIFIER, SCALE, odd_columns, sentences

    for kind, sentence in sentences(odd_columns(source, target)).items():
        if kind != SCALE or not scales:
            note(f"{sentence} (--drop)" if kind == IDENTIFIER and hasattr(source, "columns") else sentence)


@contextmanager
def _progress(quiet: bool) -> Iterator[Any]:
    """A callback for `fit` that shows its rounds, and the steps of methods that take many within one."""
    from tsrp.progress import Arrival, Stage, Step

    with progress_bar(quiet) as progress:
        task = progress.add_task("fitting", total=None)

        def show(event: Event) -> None:
            if isinstance(event, Stage):
                what = event.what
            elif isinstance(event, Arrival):
                what = f"{event.name} takes no part" if event.error else event.name
            elif isinstance(event, Step):
                what = f"{event.what} {event.value:.2g}"
            else:
                what = f"round {event.number}: {event.n_moved:,} labels moved"
            progress.update(task, total=event.limit, completed=event.number, description=what)

        yield show
