"""The two files that `adapt` and `tune` read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsrp.cli.console import note

if TYPE_CHECKING:
    from tsrp.io.large import LargeTable
    from tsrp.io.readers import Table


def _limit_memory(context: typer.Context, size: str | None) -> str | None:
    from tsrp.exceptions import UsageError
    from tsrp.memory import limited_memory

    try:
        context.with_resource(limited_memory(size))
    except UsageError as error:
        raise typer.BadParameter(str(error).replace("`max_memory`", "it")) from None
    return size


# What to do about gaps.
FILL = "drop those rows, or fill the gaps with `impute`"

MaxMemory = Annotated[
    str | None,
    typer.Option(
        "--max-memory",
        metavar="SIZE",
        callback=_limit_memory,
        help="What files and fits may take, such as 500MB or 2GB; three quarters of what is free if not given.",
    ),
]


DaskCluster = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Let the Dask cluster of the scheduler at this address read the Parquet files and do the work.",
    ),
]
Dropped = Annotated[
    list[str] | None, typer.Option("--drop", metavar="COLUMN", help="A column that is not a feature; may be repeated.")
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical",
        metavar="COLUMN",
        help="A column of categories, made a feature of zeros and ones for each of its values; may be repeated.",
    ),
]
Impute = Annotated[
    str | None,
    typer.Option("--impute", metavar="median|mean", help="Fill missing values with this of their column, per file."),
]
Decimal = Annotated[
    str, typer.Option("--decimal", metavar="MARK", help="What stands before fractions in CSV and TSV files: . or ,")
]


def read_domains(
    source: Path,
    target: Path,
    label: str | None,
    *,
    labels_file: Path | None,
    features_key: str | None,
    beside: Sequence[str] = (),
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    impute: str | None = None,
    decimal: str = ".",
    in_blocks: bool = False,
    on_dask: bool = False,
) -> tuple[Any, Any]:
    """Source and target, prepared as the options say; the columns named in `beside` are not features.

    Each is a `Table`, or a `LargeTable` if they are to be read `in_blocks`; folders that are not to be fit into memory.
    """
    from tsrp.exceptions import UsageError
    from tsrp.io import preparing
    from tsrp.io.large import impute_mean
    from tsrp.io.readers import LABEL, read_source, read_target
    from tsrp.lookup import check_name
    from tsrp.validation import check_finite

    if impute is not None:
        check_name("imputation", impute, preparing.IMPUTERS)
    categories = list(dict.fromkeys(categorical))
    for name in categories:
        if name in drop:
            raise UsageError(f"--categorical {name} is dropped by --drop {name}: leave one of them out.")
        if name == (label or LABEL):
            raise UsageError(f"--categorical {name} is the column of labels, which is not a feature: leave it out.")
    if in_blocks or are_folders(source, target):
        if categorical:
            raise UsageError(
                "--categorical needs files that fit into memory: prepare the columns of larger ones first."
            )
        if in_blocks and impute == "median":
            raise UsageError("--impute median needs files that fit into memory: --impute mean does not.")
        gaps = impute is not None
        large = _read_in_blocks(source, target, label, labels_file, beside, drop, decimal, gaps=gaps, on_dask=on_dask)
        if in_blocks:
            return (impute_mean(large[0]), impute_mean(large[1])) if gaps else large
        old, new = large[0].in_memory(), large[1].in_memory()
    else:
        old = read_source(
            source,
            label,
            features_key=features_key,
            labels_path=labels_file,
            without=beside,
            drop=drop,
            beside=categories,
            decimal=decimal,
        )
        new = read_target(target, old, label, features_key=features_key, beside=[*beside, *categories], decimal=decimal)
        old, new = preparing.one_hot(old, new, categories)
    if impute is not None:
        old, new = (preparing.impute(table, impute) for table in (old, new))
    for table in (old, new):
        check_finite(table.X, str(table.path), table.names, table.place, FILL, first_column=1)
    return old, new


def are_large(*paths: Path) -> bool:
    """Whether a fit to these files in memory would take too much of it."""
    from tsrp.io.large import is_large

    return is_large(*paths)


def exceed_memory(*paths: Path) -> bool:
    """Whether these files cannot be read as a whole."""
    from tsrp.io.large import size_in_memory
    from tsrp.memory import memory_limit

    return sum(map(size_in_memory, paths)) > memory_limit()


def beside_target(target: Path, what: str) -> Path:
    """Where an output goes that has no path: beside the target's file, or beside its folder."""
    from tsrp.exceptions import UsageError
    from tsrp.io.files import is_remote
    from tsrp.io.large import is_one_file

    if is_remote(target):
        raise UsageError(f"{target} is not on this machine: name the file to write.")
    if is_one_file(target):
        stem = target.name.removesuffix(".gz").rpartition(".")[0]
        return target.with_name(f"{stem}-{what}.csv")
    folder = (target if target.is_dir() else target.parent).resolve()
    return folder.with_name(f"{folder.name}-{what}.csv")


def files_in(path: Path) -> list[Path]:
    """The files that a path names on this machine, itself if it is one file: outputs must not replace them."""
    from tsrp.io.files import is_remote
    from tsrp.io.large import files_of, is_one_file

    return [] if is_remote(path) else [path] if is_one_file(path) else files_of(path)


def are_folders(*paths: Path) -> bool:
    """Whether one of these is a folder or a pattern of files."""
    from tsrp.io.large import is_one_file

    return not all(map(is_one_file, paths))


def _read_in_blocks(
    source: Path,
    target: Path,
    label: str | None,
    labels_file: Path | None,
    beside: Sequence[str],
    drop: Sequence[str],
    decimal: str,
    *,
    gaps: bool,
    on_dask: bool,
) -> tuple[LargeTable, LargeTable]:
    from tsrp.io import dasked, large

    # A cluster reads Parquet files only, whose numbers are no text, and looks for gaps later.
    options: dict[str, Any] = {} if on_dask else {"decimal": decimal, "gaps": gaps}
    read_source: Any = dasked.read_dask_source if on_dask else large.read_large_source
    read_target: Any = dasked.read_dask_target if on_dask else large.read_large_target
    old = read_source(source, label, labels_path=labels_file, without=beside, drop=drop, **options)
    return old, read_target(target, old, label, beside=beside, **options)


@contextmanager
def naming_files(source: Path, target: Path) -> Iterator[None]:
    """Errors that speak of Xs, ys and Xt speak of the files that these came from."""
    from tsrp.exceptions import TsrpError

    files = {"Xs": str(source), "ys": f"{source} (labels)", "Xt": str(target)}
    try:
        yield
    except TsrpError as error:
        sentence = re.sub(r"\b(Xs|ys|Xt)\b", lambda found: files[found[0]], str(error))
        raise type(error)(sentence) from error


def note_tables(old: Table, new: Table) -> None:
    """What the user should know of files that were read."""
    import numpy as np

    from tsrp.io.arrays import KEYED
    from tsrp.io.files import kind_of

    # An NPZ or MAT file may hold both domains.
    if os.path.realpath(old.path) == os.path.realpath(new.path) and (
        kind_of(old.path) not in KEYED or np.array_equal(old.X, new.X)
    ):
        note(f"{old.path} is given as source and as target: there is nothing to adapt to")
    for table in (old, new):
        for sentence in table.notes:
            note(sentence)
