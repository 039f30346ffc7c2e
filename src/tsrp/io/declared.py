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
# Text stands in memory as bytes, as characters and as the table that is made of it; and what the parser notes of each
# cell and of each line, and a number or a text made of it, as measured with pandas.
PER_BYTE_OF_TEXT, PER_CELL_OF_TEXT, PER_LINE_OF_TEXT = 3, 30, 90
# Parsers read ahead by a quarter of it: what a few bytes hold is never much.
FEW_BYTES = 1 << 20
# What a column costs beside its values, as measured with pandas; and what a text costs beside its characters.
PER_COLUMN, PER_TEXT = 15_000, 64
BLOCK = 1 << 20
# Bytes of a value in the physical types of Parquet; texts have a length of their own. Truth values beside a missing one
# are objects, if always the same two.
PARQUET_WIDTHS = {"BOOLEAN": 8, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}
# What stays a number in a table whatever it stands for; decimals, dates and the like become objects, of about so many
# bytes.
PARQUET_NUMBERS, PER_OBJECT = ("BOOLEAN", "FLOAT", "DOUBLE"), 60


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


def check_footer(path: Path, file: Any, rows: int | None = None, groups: Sequence[int] | None = None) -> None:
    """Refuse an open Parquet file whose values, or as many of its rows at a time, are more than memory can hold.

    `groups` are the groups of rows that are read; None: all.
    """
    footer = file.metadata
    # Arrow's schema: Parquet's own and the footer, of megabytes if there are many columns, would hold each other until
    # the next search for garbage.
    kinds = {field.name: _value_type(field.type) for field in file.schema_arrow}
    sizes: list[int] = []
    for group in map(footer.row_group, range(footer.num_row_groups) if groups is None else groups):
        columns = map(group.column, range(group.num_columns))
        size = sum(_column_bytes(column, kinds.get(column.path_in_schema)) for column in columns)
        whole = rows is None or group.num_rows <= rows
        sizes.append(size if whole else math.ceil(size * (rows or 0) / group.num_rows))
    # Once as Arrow holds them, once as the table.
    needed = 2 * (sum(sizes) if rows is None else max(sizes, default=0))
    check_memory(f"{path} ({footer.num_rows:,} rows, {footer.num_columns:,} columns)", needed, ADVICE)
    check_memory(f"{path} with its {footer.num_columns:,} columns", PER_COLUMN * footer.num_columns, ADVICE)


def _value_type(kind: Any) -> Any:
    """The type of Arrow that an extension or a dictionary has its values in."""
    return getattr(kind, "storage_type", getattr(kind, "value_type", kind))


def _column_bytes(column: Any, kind: Any) -> int:
    """Bytes of a column in a group of rows; `kind` is its type of Arrow, None of a part of a nested column."""
    from pyarrow import types

    stored, nested = column.physical_type, kind is None or "." in column.path_in_schema
    # A text that is stored once may stand in each row; only those of plain columns can be read as they are stored.
    if nested and stored not in PARQUET_WIDTHS:
        return column.num_values * column.total_uncompressed_size
    if stored == "BYTE_ARRAY":
        return column.num_values * 8
    width = PARQUET_WIDTHS.get(stored) or kind.bit_width // 8
    number = stored in PARQUET_NUMBERS or (kind is not None and (types.is_integer(kind) or types.is_floating(kind)))
    return max(column.num_values * (width if number else width + PER_OBJECT), column.total_uncompressed_size)


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


class TextSize:
    """How much memory a text takes as a table, counted while it is read."""

    def __init__(self) -> None:
        self.n_bytes = self.n_lines = 0
        self._separators = dict.fromkeys((b",", b";", b"\t"), 0)

    def add(self, data: bytes) -> None:
        """Count what was read."""
        self.n_bytes += len(data)
        # Lines end with either, or with both.
        self.n_lines += max(data.count(b"\n"), data.count(b"\r"))
        # One of them separates cells; another may stand before fractions.
        for separator in self._separators:
            self._separators[separator] += data.count(separator)

    @property
    def needed(self) -> int:
        """Bytes of memory."""
        cells = self.n_lines + max(self._separators.values())
        return PER_BYTE_OF_TEXT * self.n_bytes + PER_CELL_OF_TEXT * cells + PER_LINE_OF_TEXT * self.n_lines


def read_limited(path: Path) -> bytes:
    """The bytes of a text file, unpacked if it is packed, as long as they fit into memory as a table."""
    packed = kind_of(path).endswith(".gz")
    if not packed:
        check_memory(str(path), PER_BYTE_OF_TEXT * path.stat().st_size, ADVICE)
    blocks, size, limit = [], TextSize(), memory_limit()
    with gzip.open(path) if packed else open(path, "rb") as file:
        while block := file.read(BLOCK):
            blocks.append(block)
            size.add(block)
            # Files of the system say that they are empty, and may have no end.
            if size.needed > limit:
                what = f"{path}, of which {show_size(size.n_bytes)} are read so far,"
                check_memory(what, size.needed, ADVICE)
    check_memory(str(path), size.needed, ADVICE)
    return b"".join(blocks)


def no_text(path: Path) -> InputError:
    """The error for a file with NUL bytes."""
    return InputError(f"{path} is not a text file (it holds NUL bytes): give the file its true suffix.")


class CountedStream(io.RawIOBase):
    """The bytes of a text file, which must not be too many between two calls of `restart`.

    The reader of a file in blocks calls it after each: a line or a quotation without end fills no memory.
    """

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file, self._path = file, path
        self._seen, self._limit = TextSize(), memory_limit()
        self.refusal: InputError | None = None

    def restart(self) -> None:
        """Count from here."""
        self._seen = TextSize()

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As `io.RawIOBase.readinto`."""
        data = self._file.read(min(len(buffer), BLOCK))
        if b"\0" in data:
            self.refusal = no_text(self._path)
            raise self.refusal
        self._seen.add(data)
        few = self._seen.n_bytes <= FEW_BYTES
        needed = PER_BYTE_OF_TEXT * self._seen.n_bytes if few else self._seen.needed
        if needed > self._limit:
            try:
                check_memory(f"{self._path}: a block of its rows", needed, "use smaller blocks")
            except InputError as error:
                # Parsers in C may put an error of their own in its place.
                self.refusal = error
                raise
        buffer[: len(data)] = data
        return len(data)
