"""Files with named columns: CSV, TSV and Parquet."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from tsrp._types import FloatArray, LabelArray
from tsrp.exceptions import InputError
from tsrp.io.declared import check_dictionaries, check_footer, check_texts
from tsrp.io.files import kind_of, listed, optional, reading
from tsrp.io.text import TextTable, line_of
from tsrp.io.written import is_unknown

PARQUET = (".parquet", ".pq")
TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", *PARQUET)
# Under this name pandas stores row names in a Parquet file.
INDEX = re.compile(r"__index_level_\d+__")
# Of a column so many bytes are read at a time at least.
SMALLEST_BUFFER = 1 << 12


@dataclass(frozen=True)
class Frame:
    """A table as it was read, and how to tell the user where a row stands in the file.

    Attributes
    ----------
    data : DataFrame
        The columns by name.
    path : Path
        The file.
    place : callable
        Turns the number of a row, from 0, into words such as "line 2".
    label : str or None
        The column of labels, if there is one.
    notes : tuple of str
        What the user should be told.
    """

    data: pd.DataFrame
    path: Path
    place: Callable[[int], str]
    label: str | None
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the columns, in the order of the file."""
        return [str(name) for name in self.data.columns]

    def features(self, names: Sequence[str]) -> FloatArray:
        """Some columns as numbers, in the order given; float32 if none of them needs more."""
        chosen = self.data[list(names)]
        if not len(names):
            return np.empty((len(chosen), 0))
        kinds = set(chosen.dtypes)
        if not all(map(_is_numeric, kinds)):
            chosen = pd.DataFrame({name: self._numbers(name) for name in names})
            kinds = set(chosen.dtypes)
        single = np.result_type(*kinds) in (np.float16, np.float32)
        return np.ascontiguousarray(chosen.to_numpy(dtype=np.float32 if single else np.float64))

    def labels(self) -> LabelArray:
        """The column of labels, none of which may be missing."""
        column = self.data[self.label]
        empty = np.array([is_unknown(value) for value in column.tolist()])
        if empty.any():
            count = "1 label is" if empty.sum() == 1 else f"{empty.sum()} labels are"
            raise InputError(
                f"{self.path}: {count} empty in column {self.label!r}, the first in {self.place(int(empty.argmax()))}; "
                "label those rows or drop them."
            )
        if _is_numeric(column.dtype):
            return column.to_numpy()
        values = [value.decode(errors="replace") if isinstance(value, bytes) else value for value in column]
        if not all(isinstance(value, str) for value in values):
            raise InputError(
                f"{self.path}: column {self.label!r} holds {type(values[0]).__name__} values, but labels must be text, "
                "whole numbers or booleans; convert them."
            )
        check_texts(self.path, "the array of labels", values)
        return np.array(values, dtype=str)

    def _numbers(self, name: str) -> Any:
        """A column of numbers, read from text where necessary."""
        column = self.data[name]
        if _is_numeric(column.dtype):
            return column
        # Dates and lists must not become numbers by way of their inner representation.
        known = np.array([isinstance(value, str | int | float | np.number | Decimal) for value in column])
        cells: Any = column.astype(object)
        numbers = pd.to_numeric(cells.where(known), errors="coerce").astype(np.float64)
        bad = (numbers.isna() & ~cells.isna()).to_numpy(dtype=bool)
        if bad.any():
            row = int(bad.argmax())
            value = str(cells.iloc[row])
            shown = repr(value if len(value) <= 40 else value[:40] + "...")
            advice = (
                "turn the column into numbers, leave it out with `drop`, or make it zeros and ones with `categorical`"
            )
            if re.fullmatch(r"[+-]?\d+,\d+", value):
                advice = "write decimal points, or name the comma with `decimal`"
            raise InputError(
                f"{self.path}: column {name!r} holds {shown} in {self.place(row)}, but features must be numbers; "
                f"{advice}."
            )
        return numbers


def place_of_row(path: Path, row: int) -> str:
    """Where row 0, 1, ... of a file stands: its line, if the file has lines."""
    return f"row {row + 1}" if kind_of(path) not in TABLES or kind_of(path) in PARQUET else line_of(path, row)


def read_frame(path: Path, labels: Sequence[str], beside: Sequence[str] = (), decimal: str = ".") -> Frame:
    """Read a CSV, TSV or Parquet file; the first of the columns `labels` that exists is the column of labels.

    The columns `beside` must exist; in text files they stay text.
    """
    if kind_of(path) in PARQUET:
        return checked_frame(_read_parquet(path, labels, beside), beside)
    frame = _read_text(path, labels, beside, decimal)
    return checked_frame(frame, beside)


def checked_frame(frame: Frame, beside: Sequence[str] = ()) -> Frame:
    """A table that has rows and the columns `beside`, without row names."""
    path = frame.path
    absent = [name for name in beside if name not in frame.names]
    if absent:
        raise InputError(f"{path} has no column {absent[0]!r} (its columns: {listed(frame.names)}): name another.")
    if not len(frame.data):
        raise InputError(f"{path} has column names but no rows: add samples.")
    # Row numbers that were saved with the table say nothing about a sample, and must not pass for a feature.
    index = [name for j, name in enumerate(frame.names) if INDEX.fullmatch(name) or (j == 0 and name == "")]
    if index:
        note = f"the column of row names in {path.name} is not a feature and was left out"
        frame = replace(frame, data=frame.data.drop(columns=index), notes=(note,))
    return frame


def _read_text(path: Path, labels: Sequence[str], beside: Sequence[str], decimal: str) -> Frame:
    table = TextTable(path, decimal)
    label = first_label(labels, path, table.names)
    return Frame(table.columns(label, [name for name in beside if name in table.names]), path, table.place, label)


def _read_parquet(path: Path, labels: Sequence[str], beside: Sequence[str]) -> Frame:
    with reading(path, "Parquet"), open_parquet(path) as file:
        check_footer(path, file)
        table = plain_texts(path, file.read())
        label = first_label(labels, path, table.column_names)
        data = table.to_pandas(ignore_metadata=True)
        for name in {*beside}.intersection(table.column_names):
            data[name] = plain_cells(table.column(name))
    return Frame(data, path, lambda row: f"row {row + 1}", label)


def open_parquet(path: Path, buffer: int = 0, stream: IO[bytes] | None = None) -> Any:
    """A Parquet file whose texts are read as they are stored: each once, and a number for each row.

    With a `buffer` about so many bytes of all columns are read at a time, instead of all that a group of rows has. A
    file that is elsewhere is an open `stream`.
    """
    source = path if stream is None else stream
    parquet, types = optional("pyarrow.parquet", path), optional("pyarrow.types", path)
    is_text = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    fields = arrow_schema(path, stream)
    texts = [field.name for field in fields if any(kind(field.type) for kind in is_text)]
    each = max(SMALLEST_BUFFER, buffer // max(1, len(fields))) if buffer else 0
    # What is fetched ahead from a file is kept until its end, so a part of one that is far away is fetched at most.
    return parquet.ParquetFile(source, read_dictionary=texts, buffer_size=each, pre_buffer=stream is not None)


def arrow_schema(path: Path, stream: IO[bytes] | None = None) -> Any:
    """The schema of a Parquet file as Arrow has it.

    Not by `read_schema`, which in some versions asks for Parquet's own: that and the footer would hold each other until
    the next search for garbage.
    """
    with optional("pyarrow.parquet", path).ParquetFile(path if stream is None else stream) as file:
        return file.schema_arrow


def plain_texts(path: Path, table: Any) -> Any:
    """A table of Arrow with a text for each row, if they all fit into memory."""
    check_dictionaries(path, table)
    types = optional("pyarrow.types", path)
    for j, field in enumerate(table.schema):
        if types.is_dictionary(field.type):
            table = table.set_column(j, field.name, table.column(j).cast(field.type.value_type))
    return table


def plain_cells(column: Any) -> LabelArray:
    """The cells of a column of Arrow, None where there is none.

    Not by way of pandas, where whole numbers beside a missing one become fractions, and lists arrays.
    """
    cells = [cell.decode(errors="replace") if isinstance(cell, bytes) else cell for cell in column.to_pylist()]
    return pd.Series(cells, dtype=object).to_numpy()


def first_label(labels: Sequence[str], path: Path, names: Sequence[str]) -> str | None:
    """The first of `labels` that is a column; columns must differ in name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"{path} has several columns of the same name ({listed(twice)}): the first line must give each column "
            "a name of its own."
        )
    return next((label for label in labels if label in names), None)


def _is_numeric(kind: Any) -> bool:
    return isinstance(kind, np.dtype) and kind.kind in "biuf"
