"""Tables and arrays that are not read as a whole: folders of Parquet files, and files larger than the memory."""

from __future__ import annotations

import glob
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from re import split
from typing import Any

import numpy as np
import pandas as pd

from tsrp._types import FloatArray, LabelArray
from tsrp.blocked.local import TIMES_IN_MEMORY, LocalBlocks, block_rows
from tsrp.blocked.samples import BlockedSamples
from tsrp.exceptions import InputError
from tsrp.io.arrays import ONLY, check_features_array
from tsrp.io.blocks import Blocks
from tsrp.io.chunks import parquet_chunks, text_chunks
from tsrp.io.declared import PER_BYTE_OF_TEXT
from tsrp.io.files import (
    Stamp,
    check_input,
    check_kind,
    is_remote,
    kind_of,
    listed,
    optional,
    reading,
    stamp_of,
    unchanged,
)
from tsrp.io.frames import PARQUET, TABLES, Frame, arrow_schema, checked_frame, first_label, place_of_row, plain_cells
from tsrp.io.notes import side_notes, unused_label
from tsrp.io.preparing import check_fillable, filled, gap_notes
from tsrp.io.readers import (
    LABEL,
    AnyPath,
    Table,
    labels_beside,
    source_names,
    target_columns,
    target_labels,
)
from tsrp.io.stored import StoredArray, StoredRows, spooled
from tsrp.io.text import parse_labels
from tsrp.memory import check_memory, memory_limit

# Rows from which the columns of a table are known.
HEAD = 100
# Of a column that is read as a whole, for each row at the peak.
COLUMN_BYTES = 40
KINDS = (*TABLES, ".npy")


@dataclass(frozen=True)
class LargeTable(Table):
    """A table whose samples are in blocks."""

    X: BlockedSamples  # type: ignore[assignment]

    @property
    def samples(self) -> BlockedSamples:
        """What `fit` takes."""
        return self.X

    def in_memory(self) -> Table:
        """The same, read as a whole."""
        return Table(**vars(self) | {"X": self.X.rows(np.array)})


def impute_mean(table: LargeTable) -> LargeTable:
    """As `preparing.impute`, with means: one pass over the table, and its later ones fill the gaps."""
    sums, counts = table.X.total(_sums_and_counts)
    check_fillable(table, counts == 0)
    fill, n_gaps = sums / counts, int(len(table.X) * len(counts) - counts.sum())
    notes = (*table.notes, *gap_notes(table, "mean", n_gaps))
    return replace(table, X=table.X.then(partial(filled, fill=fill)), fill=fill, notes=notes)


def _sums_and_counts(X: FloatArray) -> FloatArray:
    return np.stack([np.nansum(X, axis=0, dtype=np.float64), np.count_nonzero(~np.isnan(X), axis=0)])


def files_of(path: Path) -> list[Path]:
    """The Parquet files of a folder or of a pattern such as ``"days/*.parquet"``; a file itself is the only one.

    Numbers in names count as numbers: part.2 comes before part.10.
    """
    if is_one_file(path) or is_remote(path):
        check_input(path)
        return [path]
    if path.is_dir():
        found = [file for file in path.iterdir() if kind_of(file) in PARQUET and not file.name.startswith((".", "_"))]
    else:
        found = [Path(name) for name in glob.glob(str(path))]
    if not found:
        what = "is a folder without Parquet files" if path.is_dir() else "matches no file"
        raise InputError(f"{path} {what}: name a file, or a folder or a pattern of Parquet files.")
    for file in found:
        check_input(file)
        check_kind(file, PARQUET)
    return sorted(found, key=by_numbers)


def with_rows(files: Sequence[Path]) -> Sequence[Path]:
    """Those of several Parquet files that have rows, or else the first: programs that write many leave some empty."""
    if len(files) == 1:
        return files
    return [file for file in files if _n_rows([file])] or files[:1]


def by_numbers(path: object) -> list[tuple[int, str]]:
    """What to sort names by, so that numbers in them count as numbers."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in split(r"(\d+)", str(path))]


def is_one_file(path: Path) -> bool:
    """Whether a path names one file, and no folder or pattern."""
    return not (path.is_dir() or (glob.has_magic(str(path)) and not path.exists()))


def is_large(*paths: Path) -> bool:
    """Whether a fit to these files, read as a whole, would take more memory than there is."""
    return TIMES_IN_MEMORY * sum(map(size_in_memory, paths)) > memory_limit()


def size_in_memory(path: Path) -> float:
    """What samples take when they are read as a whole, as far as their file says; 0 for files that are always."""
    kind = kind_of(path)
    if not is_one_file(path) or kind in PARQUET:
        return sum(_parquet_size(file) for file in files_of(path))
    if kind not in KINDS or not path.is_file():
        return 0.0
    if kind == ".npy":
        array = StoredArray.of(path)
        return array.nbytes / array.kind.itemsize * array.dtype.itemsize
    return PER_BYTE_OF_TEXT * path.stat().st_size


def _parquet_size(path: Path) -> float:
    with reading(path, "Parquet"):
        footer = optional("pyarrow.parquet", path).read_metadata(path)
        return 8.0 * footer.num_rows * footer.num_columns


def read_large_source(
    path: Path,
    label: str | None = None,
    *,
    labels_path: AnyPath | None = None,
    without: Collection[str] = (),
    drop: Sequence[str] = (),
    decimal: str = ".",
    gaps: bool = False,
) -> LargeTable:
    """As `read_source`, without reading the samples as a whole; `gaps` are NaN, or refused if there must be none."""
    if kind_of(path) == ".npy":
        return _source_array(path, labels_path)
    files, named = with_rows(files_of(path)), label or LABEL
    stamps = list(map(stamp_of, files))
    head = _head(files[0], [named], (), decimal)
    names = source_names(head, named, without, drop, (), labelled=labels_path is None)
    samples, columns = _samples(files, stamps, names, [named] if labels_path is None else [], (), decimal, gaps)
    if labels_path is None:
        return LargeTable(samples, columns[named], names, path, head.label, notes=head.notes)
    y = labels_beside(labels_path, path, fits=[len(samples)])
    return LargeTable(samples, y, names, path, head.label, notes=unused_label(head))


def read_large_target(
    path: Path,
    like: Table,
    label: str | None = None,
    *,
    beside: Sequence[str] = (),
    decimal: str = ".",
    gaps: bool = False,
) -> LargeTable:
    """As `read_target`, without reading the samples as a whole; labels are left out. `gaps` as of the source."""
    if kind_of(path) == ".npy":
        return _target_array(path, like, beside)
    files = with_rows(files_of(path))
    stamps = list(map(stamp_of, files))
    labels = [name for name in ([label] if label else [like.label or LABEL, LABEL]) if name not in beside]
    head = _head(files[0], target_labels(labels, like), beside, decimal)
    table = target_columns(head, like, None, beside)
    samples, columns = _samples(files, stamps, table.names or [], [], beside, decimal, gaps)
    return LargeTable(samples, None, table.names, path, table.label, notes=table.notes, beside=columns)


def _head(path: Path, labels: Sequence[str], beside: Sequence[str], decimal: str) -> Frame:
    """The first rows of a table, with all that can be said of its columns."""
    chunks = _chunks(path, HEAD, {*labels, *beside}, decimal)
    data = next(chunks, None)
    if data is None:
        raise InputError(f"{path} has column names but no rows: add samples.")
    label = first_label(labels, path, [str(name) for name in data.columns])
    return checked_frame(Frame(data, path, partial(place_of_row, path), label), beside)


def _chunks(
    path: Path, rows: int, texts: Collection[str], decimal: str, columns: Sequence[str] | None = None
) -> Iterator[pd.DataFrame]:
    if kind_of(path) in PARQUET:
        return parquet_chunks(path, rows, (), columns)
    return text_chunks(path, rows, texts, decimal)


def _samples(
    files: Sequence[Path],
    stamps: Sequence[Stamp],
    names: list[str],
    labels: Sequence[str],
    beside: Sequence[str],
    decimal: str,
    gaps: bool,
) -> tuple[BlockedSamples, dict[str, LabelArray]]:
    """The features of a table, and some columns that are in memory: labels, and others as the file holds them.

    The files have these `stamps` whenever they are read.
    """
    if kind_of(files[0]) in PARQUET:
        dtype, n_rows = np.result_type(*(_feature_type(file, names) for file in files)), _n_rows(files)
        for name in (*labels, *beside):
            # A small file may hold any number of equal values.
            check_memory(f"{files[0]}: column {name!r} of {n_rows:,} rows", COLUMN_BYTES * n_rows, "use fewer rows")
        samples = LocalBlocks.of(_TableRows(files, stamps, names, (n_rows, len(names)), dtype, gaps), names)
        return samples, {
            **{name: _label_column(files, name) for name in labels},
            **{name: _cells(files, name) for name in beside},
        }
    tapped = _Tapped(files[0], names, [*labels, *beside], decimal, gaps)
    with unchanged(files[0], stamps[0]):
        rows = spooled((block.X for block in tapped), len(names), files[0])
    columns = {name: _text_labels(files[0], tapped.cells[name]) for name in labels}
    kept = {name: np.array([cell.strip() for cell in tapped.cells[name]], dtype=object) for name in beside}
    return LocalBlocks.of(rows, names), columns | kept


class _Features(Blocks):
    """The features of a file, in blocks."""

    advice = "drop those rows, or fill the gaps with `impute`"

    def __init__(self, path: Path, names: list[str], decimal: str = ".", gaps: bool = False) -> None:
        super().__init__(path, names, len(names), decimal=decimal, rows=block_rows(len(names)), gaps=gaps)

    def _chunks(self) -> Iterator[pd.DataFrame]:
        return _chunks(self.path, self.rows, (), self.decimal, self.names)


class _Tapped(_Features):
    """The features of a text file, and the cells of some other columns, which are kept."""

    def __init__(self, path: Path, names: list[str], texts: Sequence[str], decimal: str, gaps: bool) -> None:
        super().__init__(path, names, decimal, gaps)
        self.cells: dict[str, list[str]] = {name: [] for name in texts}
        self._words: dict[str, str] = {}

    def _chunks(self) -> Iterator[pd.DataFrame]:
        for chunk in text_chunks(self.path, self.rows, self.cells, self.decimal):
            for name, kept in self.cells.items():
                # Equal texts are kept once.
                kept.extend(self._words.setdefault(cell, cell) for cell in chunk[name].tolist())
            yield chunk


@dataclass(frozen=True)
class _TableRows:
    """The features of Parquet files, one file after the other."""

    files: Sequence[Path]
    stamps: Sequence[Stamp]
    names: list[str]
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    gaps: bool

    def __iter__(self) -> Iterator[FloatArray]:
        for file, stamp in zip(self.files, self.stamps, strict=True):
            with unchanged(file, stamp):
                for block in _Features(file, self.names, gaps=self.gaps):
                    yield block.X.astype(self.dtype, copy=False)
                    # Not kept while the next is read.
                    del block


def _n_rows(files: Sequence[Path]) -> int:
    parquet, n = optional("pyarrow.parquet", files[0]), 0
    for file in files:
        with reading(file, "Parquet"):
            n += parquet.read_metadata(file).num_rows
    return n


def _feature_type(path: Path, names: list[str]) -> np.dtype[Any]:
    """As `Frame.features` would have it: float32 if no column needs more."""
    schema = arrow_schema(path)
    missing = [name for name in names if name not in schema.names]
    if missing:
        raise InputError(f"{path} lacks {len(missing)} of the {len(names)} features ({listed(missing)}): add them.")
    kinds = []
    for name in names:
        try:
            kinds.append(np.dtype(schema.field(name).type.to_pandas_dtype()))
        except (NotImplementedError, TypeError):
            # pandas has no such type: what its values are shows when they are read.
            kinds.append(np.dtype(np.float64))
    plain = all(kind.kind in "biuf" for kind in kinds)
    single = plain and np.result_type(*kinds) in (np.float16, np.float32)
    return np.dtype(np.float32 if single else np.float64)


def _column(path: Path, name: str) -> Any:
    """A column of a Parquet file as a table of Arrow."""
    with reading(path, "Parquet"):
        return optional("pyarrow.parquet", path).read_table(path, columns=[name], partitioning=None)


def _cells(files: Sequence[Path], name: str) -> LabelArray:
    return np.concatenate([plain_cells(_column(file, name).column(name)) for file in files])


def _label_column(files: Sequence[Path], name: str) -> LabelArray:
    parts = []
    for file in files:
        data = _column(file, name).to_pandas(ignore_metadata=True)
        parts.append(Frame(data, file, partial(place_of_row, file), name).labels())
    return np.concatenate(parts)


def _text_labels(path: Path, cells: list[str]) -> LabelArray:
    """As the column of labels of a table that is read as a whole."""
    # Files with a space behind each separator have one before each label too.
    spaced = all(cell.startswith(" ") for cell in cells)
    data = pd.DataFrame({LABEL: parse_labels(path, [cell.lstrip(" ") for cell in cells] if spaced else cells)})
    return Frame(data, path, partial(place_of_row, path), LABEL).labels()


def _source_array(path: Path, labels_path: AnyPath | None) -> LargeTable:
    array = _stored(path)
    if labels_path is None:
        raise InputError(f"{path} holds features alone: give a file of labels with `labels_path`.")
    y = labels_beside(labels_path, path, fits=array.shape)
    transposed = len(y) != array.shape[0]
    return _of_array(array, y, path, transposed, [])


def _target_array(path: Path, like: Table, beside: Sequence[str]) -> LargeTable:
    array = _stored(path)
    m, (rows, columns) = like.X.shape[1], array.shape
    if beside:
        raise InputError(f"{path} has no columns, so {beside[0]!r} cannot be found: use a table.")
    if m not in array.shape:
        raise InputError(
            f"{path}: {ONLY} is {rows} x {columns}, but {like.path} has {m} features: give both the same features."
        )
    notes = [] if like.names is None else ["the target has no column names, so its columns were matched by position"]
    transposed = like.transposed if rows == columns else columns != m
    return _of_array(array, None, path, transposed, notes, like.names)


def _stored(path: Path) -> StoredArray:
    check_input(path)
    array = StoredArray.of(path)
    check_features_array(path, ONLY, array.kind, array.shape)
    return array


def _of_array(
    array: StoredArray,
    y: LabelArray | None,
    path: Path,
    transposed: bool,
    notes: list[str],
    names: list[str] | None = None,
) -> LargeTable:
    square = array.shape[0] == array.shape[1]
    rows = StoredRows(array.transposed() if transposed else array)
    notes = [*side_notes(ONLY, transposed, square=square), *notes]
    return LargeTable(LocalBlocks.of(rows, names), y, names, path, transposed=transposed, notes=tuple(notes))
