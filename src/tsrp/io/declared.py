"""What a file says that it holds, checked before memory is taken for it: a few kilobytes can declare terabytes."""

from __future__ import annotations

import gzip
import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from tsrp.exceptions import InputError
from tsrp.io.files import kind_of
from tsrp.memory import check_memory, memory_limit, show_size

ADVICE = "use a smaller file"
# Text stands in memory as bytes, as characters and as the table that is made of it.
PER_BYTE_OF_TEXT = 3
# What a column costs beside its values, as measured with pandas; and what a text costs beside its characters.
PER_COLUMN, PER_TEXT = 15_000, 64
BLOCK = 1 << 20
# Bytes of a value in the physical types of Parquet; texts have a length of their own.
PARQUET_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}


def check_array(path: Path, key: str, shape: Sequence[int], dtype: np.dtype[Any]) -> None:
    """Refuse an array that does not fit into memory, together with what is made of it."""
    check_memory(f"{path}: {key} ({' x '.join(map(str, shape))})", footprint(math.prod(shape), dtype), ADVICE)


def footprint(count: int, dtype: np.dtype[Any]) -> int:
    """Bytes of so many values as they are read, and as they are used: numbers as floating point, text as str."""
    if dtype in (np.float32, np.float64):
        return count * dtype.itemsize
    return count * (dtype.itemsize + (4 * dtype.itemsize + PER_TEXT if dtype.kind in "SU" else 8))


def check_texts(path: Path, what: str, values: Iterable[str]) -> None:
    """Refuse texts of which an array would be too large: each takes as much in it as the longest."""
    lengths = [len(value) for value in values]
    check_memory(f"{path}: {what}", 4 * len(lengths) * max(lengths, default=0), "shorten the longest text")


def check_columns(path: Path, names: Sequence[str]) -> None:
    """Refuse a table with more columns than memory can hold, whatever is in them."""
    check_memory(f"{path} with its {len(names):,} columns", PER_COLUMN * len(names), ADVICE)


def check_footer(path: Path, footer: Any, rows: int | None = None) -> None:
    """Refuse a Parquet file whose values, or as many of its rows at a time, are more than memory can hold."""
    groups = [footer.row_group(i) for i in range(footer.num_row_groups)]
    sizes: list[int] = []
    for group in groups:
        columns = [group.column(j) for j in range(group.num_columns)]
        size = sum(_column_bytes(column, footer.schema.column(j)) for j, column in enumerate(columns))
        whole = rows is None or group.num_rows <= rows
        sizes.append(size if whole else math.ceil(size * (rows or 0) / group.num_rows))
    # Once as Arrow holds them, once as the table.
    needed = 2 * (sum(sizes) if rows is None else max(sizes, default=0))
    check_memory(f"{path} ({footer.num_rows:,} rows, {footer.num_columns:,} columns)", needed, ADVICE)
    check_memory(f"{path} with its {footer.num_columns:,} columns", PER_COLUMN * footer.num_columns, ADVICE)


def _column_bytes(column: Any, schema: Any) -> int:
    if column.physical_type != "BYTE_ARRAY":
        width = PARQUET_WIDTHS.get(column.physical_type, schema.length)
        return max(column.num_values * width, column.total_uncompressed_size)
    # A text that is stored once may stand in each row; only those of plain columns can be read as they are stored.
    nested = "." in column.path_in_schema
    return column.num_values * (column.total_uncompressed_size if nested else 8)


def check_dictionaries(path: Path, table: Any) -> None:
    """Refuse a table of Arrow whose texts, stored once, are too large when each row has its own."""
    from pyarrow import compute, types

    for field, column in zip(table.schema, table.columns, strict=True):
        if types.is_dictionary(field.type):
            needed = 0
            for chunk in column.chunks:
                lengths = compute.binary_length(chunk.dictionary).to_numpy(zero_copy_only=False)
                codes = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
                needed += int(lengths[codes].sum()) + PER_TEXT * len(codes)
            check_memory(f"{path}: column {field.name!r}", 2 * needed, "shorten its texts")


def read_limited(path: Path) -> bytes:
    """The bytes of a text file, unpacked if it is packed, as long as they fit into memory."""
    most = memory_limit() / PER_BYTE_OF_TEXT
    if not kind_of(path).endswith(".gz"):
        check_memory(str(path), PER_BYTE_OF_TEXT * path.stat().st_size, ADVICE)
        return path.read_bytes()
    blocks, size = [], 0
    with gzip.open(path) as file:
        while block := file.read(BLOCK):
            blocks.append(block)
            size += len(block)
            if size > most:
                what = f"{path}, of which {show_size(size)} are unpacked so far,"
                check_memory(what, PER_BYTE_OF_TEXT * size, ADVICE)
    return b"".join(blocks)


class CountedStream(io.RawIOBase):
    """The bytes of a file, which must not be too many between two calls of `restart`.

    The reader of a file in blocks calls it after each: a line or a quotation without end fills no memory.
    """

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file, self._path = file, path
        self._seen, self._most = 0, memory_limit() / PER_BYTE_OF_TEXT
        self.refusal: InputError | None = None

    def restart(self) -> None:
        """Count from here."""
        self._seen = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As `io.RawIOBase.readinto`."""
        data = self._file.read(min(len(buffer), BLOCK))
        self._seen += len(data)
        if self._seen > self._most:
            try:
                check_memory(f"{self._path}: a block of its rows", PER_BYTE_OF_TEXT * self._seen, "use smaller blocks")
            except InputError as error:
                # Parsers in C may put an error of their own in its place.
                self.refusal = error
                raise
        buffer[: len(data)] = data
        return len(data)
