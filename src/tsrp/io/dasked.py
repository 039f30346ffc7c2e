"""Parquet files that a Dask cluster reads: folders, patterns, and addresses that fsspec knows, such as s3://."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tsrp._types import LabelArray
from tsrp.blocked.cluster import DaskBlocks, computing
from tsrp.exceptions import InputError
from tsrp.io.files import kind_of, reading
from tsrp.io.frames import PARQUET, Frame, checked_frame, first_label
from tsrp.io.large import LargeTable, by_numbers, files_of
from tsrp.io.notes import unused_label
from tsrp.io.readers import LABEL, AnyPath, Table, labels_beside, source_names, target_columns, target_labels

# Rows from which the columns of a table are known.
HEAD = 100
# pathlib takes one of the slashes away.
REMOTE = re.compile(r"([a-z][a-z0-9+]+):/+")


def is_remote(path: Path) -> bool:
    """Whether a path is an address such as ``"s3://days/*.parquet"``.

    Examples
    --------
    >>> is_remote(Path("s3://days/*.parquet")), is_remote(Path("days/*.parquet"))
    (True, False)
    """
    return REMOTE.match(str(path)) is not None


def addresses(path: Path) -> list[str]:
    """The Parquet files of a folder, a pattern or an address, in the order of the numbers in their names."""
    if not is_remote(path):
        found = [str(file.resolve()) for file in files_of(path)]
    else:
        import fsspec

        # Of the address of a file on this machine the third slash is part of the path.
        address = REMOTE.sub(lambda found: f"{found[1]}://{'/' * (found[1] == 'file')}", str(path), count=1)
        with reading(path, "an address"):
            system, inner = fsspec.core.url_to_fs(address)
            names = system.glob(f"{inner.rstrip('/')}/*" if system.isdir(inner) else inner)
        found = [system.unstrip_protocol(name) for name in sorted(names, key=by_numbers)]
    found = [name for name in found if kind_of(Path(name)) in PARQUET and not Path(name).name.startswith((".", "_"))]
    if not found:
        raise InputError(f"{path} names no Parquet file, which is what a cluster reads: correct it.")
    return found


def read_dask_source(
    path: Path,
    label: str | None = None,
    *,
    labels_path: AnyPath | None = None,
    without: Collection[str] = (),
    drop: Sequence[str] = (),
) -> LargeTable:
    """As `read_large_source`: the cluster reads the samples, the labels are here."""
    named = label or LABEL
    data, head = _open(path, [named], ())
    names = source_names(head, named, without, drop, (), labelled=labels_path is None)
    samples = _samples(data, names, path)
    if labels_path is not None:
        y, notes = labels_beside(labels_path, path, fits=[len(samples)]), unused_label(head)
    else:
        y, notes = Frame(_here(data, [named], path), path, _row, named).labels(), head.notes
    return LargeTable(samples, y, names, path, head.label, notes=notes)


def read_dask_target(
    path: Path, like: LargeTable, label: str | None = None, *, beside: Sequence[str] = ()
) -> LargeTable:
    """As `read_large_target`: the cluster reads the samples."""
    stand_in = Table(np.empty((0, like.samples.shape[1])), None, like.names, like.path, like.label)
    labels = [name for name in ([label] if label else [like.label or LABEL, LABEL]) if name not in beside]
    data, head = _open(path, target_labels(labels, stand_in), beside)
    table = target_columns(head, stand_in, None, beside)
    values: dict[str, LabelArray] = {}
    if beside:
        columns = _here(data, beside, path)
        values = {name: columns[name].to_numpy(dtype=object) for name in beside}
    samples = _samples(data, table.names or [], path)
    return LargeTable(samples, None, table.names, path, table.label, notes=table.notes, beside=values)


def _open(path: Path, labels: Sequence[str], beside: Sequence[str]) -> tuple[Any, Frame]:
    """A data frame of Dask, and its first rows with all that can be said of its columns."""
    import dask.dataframe

    with computing(), reading(path, "Parquet"):
        data = dask.dataframe.read_parquet(addresses(path), index=False)
        first = data.head(HEAD, npartitions=-1)
    label = first_label(labels, path, [str(name) for name in first.columns])
    return data, checked_frame(Frame(first.reset_index(drop=True), path, _row, label), beside)


def _samples(data: Any, names: list[str], path: Path) -> DaskBlocks:
    with reading(path, "Parquet"):
        return DaskBlocks.of(data[names], str(path)).kept_if_small()


def _here(data: Any, names: Sequence[str], path: Path) -> Any:
    """Some columns, in memory."""
    with computing(), reading(path, "Parquet"):
        return data[list(names)].compute().reset_index(drop=True)


def _row(row: int) -> str:
    return f"row {row + 1}"
