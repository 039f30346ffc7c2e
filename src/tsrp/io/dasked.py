"""Parquet files that a Dask cluster reads: folders, patterns, and addresses that fsspec knows, such as s3://."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pandas as pd

from tsrp._types import LabelArray
from tsrp.blocked.cluster import DaskBlocks, computing
from tsrp.exceptions import InputError
from tsrp.io.blocks import Blocks
from tsrp.io.chunks import parquet_chunks
from tsrp.io.files import REMOTE, is_remote, kind_of, optional, reading
from tsrp.io.frames import PARQUET, Frame, checked_frame, first_label
from tsrp.io.large import LargeTable, by_numbers, files_of
from tsrp.io.notes import unused_label
from tsrp.io.readers import LABEL, AnyPath, Table, labels_beside, source_names, target_columns, target_labels

# Rows from which the columns of a table are known.
HEAD = 100


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


def read_dask_target(path: Path, like: Table, label: str | None = None, *, beside: Sequence[str] = ()) -> LargeTable:
    """As `read_large_target`: the cluster reads the samples."""
    labels = [name for name in ([label] if label else [like.label or LABEL, LABEL]) if name not in beside]
    data, head = _open(path, target_labels(labels, like), beside)
    table = target_columns(head, like, None, beside)
    values: dict[str, LabelArray] = {}
    if beside:
        columns = _here(data, beside, path)
        values = {name: columns[name].to_numpy(dtype=object) for name in beside}
    samples = _samples(data, table.names or [], path)
    return LargeTable(samples, None, table.names, path, table.label, notes=table.notes, beside=values)


@dataclass(frozen=True)
class Part:
    """Some groups of rows of a Parquet file: what a worker reads at a time.

    Attributes
    ----------
    address : str
        The file.
    groups : tuple of int
    first : int
        The row of the file that is the first of these.
    """

    address: str
    groups: tuple[int, ...]
    first: int


class PartBlocks(Blocks):
    """The samples of a part of a Parquet file, which may be at any address that fsspec knows."""

    def __init__(self, part: Part, names: list[str] | None, n_features: int, **options: Any) -> None:
        super().__init__(Path(part.address), names, n_features, **options)
        self.part = part

    def _check_file(self, path: Path) -> None:
        # It was found where files are listed; whether it can be read shows when it is.
        pass

    def _chunks(self) -> Iterator[pd.DataFrame]:
        with _opened(self.part.address) as stream:
            yield from parquet_chunks(self.path, self.rows, self.texts, groups=self.part.groups, stream=stream)

    def _place(self, first: int, row: int) -> str:
        return super()._place(self.part.first + first, row)


def parts_of(address: str, rows: int) -> list[Part]:
    """The parts of a Parquet file: each has as many groups as have so many rows, and one at least."""
    path = Path(address)
    with reading(path, "Parquet"), _opened(address) as stream:
        footer = optional("pyarrow.parquet", path).read_metadata(path if stream is None else stream)
    parts: list[Part] = []
    groups: list[int] = []
    first = n = 0
    for group in range(footer.num_row_groups):
        size = footer.row_group(group).num_rows
        if groups and n + size > rows:
            parts.append(Part(address, tuple(groups), first))
            groups, first, n = [], first + n, 0
        groups.append(group)
        n += size
    return [*parts, Part(address, tuple(groups), first)] if n else parts


@contextmanager
def _opened(address: str) -> Iterator[IO[bytes] | None]:
    """A file that is elsewhere, to read; None if it is on this machine, where it is read by its path."""
    if not is_remote(Path(address)):
        yield None
        return
    import fsspec

    with reading(Path(address), "an address"):
        file = fsspec.open(address).open()
    with file:
        yield file


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
