"""`tsrp predict`: labels for new samples from a saved model."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from tsrp.cli.console import AsJson, note, notes, out, print_json, progress_bar
from tsrp.cli.counts import LabelCounts
from tsrp.cli.reading import DaskCluster, MaxMemory, beside_target, files_in
from tsrp.cli.streams import shown, through_pipes
from tsrp.trust.judgement import CONFIDENT_AT, check_confident_at

COLUMNS = ("label", "probability", "confident")


@through_pipes("new")
def predict(
    model: Annotated[Path, typer.Argument(help="A model that `tsrp adapt --save` or model.save wrote.")],
    new: Annotated[
        Path,
        typer.Argument(
            help="Samples of the target domain: CSV, TSV, Parquet, NPZ, NPY or MAT, or a folder of Parquet files."
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV, TSV or Parquet file; NEW-labels.csv if not given.")
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", help="Column of NEW that identifies its rows, kept in the output.")
    ] = None,
    features_key: Annotated[str | None, typer.Option(help="Key of the samples in NPZ and MAT files.")] = None,
    confident_at: Annotated[
        float, typer.Option(help="The probability, from 0 to 1, from which a label is called confident.")
    ] = CONFIDENT_AT,
    block_rows: Annotated[
        int, typer.Option(min=1, help="Rows that are read, labelled and written at a time, or fewer by --max-memory.")
    ] = 10_000,
    categorical: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column of categories; those of `tsrp adapt` if none is given."),
    ] = None,
    decimal: Annotated[
        str | None,
        typer.Option(
            metavar="MARK", help="What stands before fractions in CSV and TSV files: . or ,; adapt's if not given."
        ),
    ] = None,
    max_memory: MaxMemory = None,
    dask: DaskCluster = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace the output if it exists.")] = False,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Label the rows of NEW with a saved model, and say which labels to trust.

    CSV, TSV, Parquet and NPY files are read, labelled and written in blocks, so they may be larger than the memory;
    the output is there when all of it is. It has a row for each row of NEW, in its order: label, probability (that the
    label is right, compared with the target that the model was fitted to) and confident (True or False: whether that is
    at least --confident-at).

    Of a folder, or of a pattern in quotes, the Parquet files are read in the order of the numbers in their names. With
    --dask the workers of a cluster read and label them, also at addresses such as s3://.

    Columns of categories and the decimal mark are those of `tsrp adapt`, unless options say otherwise.

    Missing values are filled in if the model was adapted with --impute: with the medians or means of the target that it
    was fitted to. Otherwise rows with gaps are refused.

    Instead of NEW, - reads CSV from the standard input; --output - writes CSV to the standard output, where the labels
    also go if NEW is - and there is no --output. All messages are on the error stream then.

    In CSV and TSV files an apostrophe stands before text that a spreadsheet would run as a formula (it begins with =,
    +, - or @ and is not a number, or does so behind a separator within the text); Parquet files have it as it is.

    Example: tsrp predict model.tsrp tomorrow.csv -o tomorrow-labels.csv
    """
    from tsrp.blocked.cluster import connected
    from tsrp.exceptions import UsageError
    from tsrp.io.files import check_apart
    from tsrp.io.writers import check_output, label_writer
    from tsrp.saving import load
    from tsrp.saving.labelling import Labelling

    if id_column in COLUMNS:
        raise UsageError(f"--id {id_column}: the output has a column of that name; rename the one in {new}.")
    check_confident_at(confident_at)
    output = output or beside_target(new, "labels")
    check_output(output, overwrite=force)
    check_apart([output], [model, *files_in(new)])
    with notes(quiet):
        fitted = load(model)
    options: dict[str, Any] = {"id_column": id_column, "features_key": features_key}
    given = {name: value for name, value in (("categorical", categorical), ("decimal", decimal)) if value}
    labelling = Labelling(fitted, confident_at, block_rows, options | given)
    counts = LabelCounts()
    with (
        nullcontext() if dask is None else connected(dask),
        label_writer(output, overwrite=force) as write,
        progress_bar(quiet) as progress,
    ):
        task = progress.add_task("reading", total=None)
        for rows in labelling.here(new) if dask is None else labelling.on_cluster(new):
            ids = {} if id_column is None else {id_column: rows.ids}
            write(ids | dict(zip(COLUMNS, (rows.labels, rows.probability, rows.confident), strict=True)))
            counts.add(rows.labels, rows.confident)
            progress.update(task, completed=counts.rows, description="rows labelled")
    remarks = labelling.remarks
    filled = [f"gaps filled as those of the target that the model was fitted to: {remarks.n_gaps:,}"]
    for sentence in [] if quiet else [*remarks.sentences, *(filled if remarks.n_gaps else [])]:
        note(sentence)
    if as_json:
        summary = {"rows": counts.rows, "classes": counts.summary(fitted.classes_)}
        print_json(summary | {"files": {"output": str(output)}})
    elif not quiet:
        out.print(f"{shown(new)}: {counts.rows:,} rows labelled", highlight=False, soft_wrap=True, markup=False)
        out.print(counts.table(fitted.classes_))
        out.print(f"Written to {escape(shown(output))}", highlight=False, soft_wrap=True)
