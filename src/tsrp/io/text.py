"""CSV and TSV files, and text files of labels: what pandas does not check, and where in the file it went wrong."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from tsrp._types import LabelArray
from tsrp.exceptions import InputError, UsageError
from tsrp.io.declared import check_columns, check_texts, no_text, read_limited
from tsrp.io.files import kind_of, reading

# What stands for a missing number; in a column of labels the same words are labels.
MISSING = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None"]
# Leading zeros and plus signs carry meaning (postcodes, identifiers), so labels with them stay text.
WHOLE = re.compile(r" *(0|-?[1-9][0-9]{0,17}) *")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

# Before 3.1 pandas may miss the last bit of a number unless told not to; since then it warns if told.
OLD_PANDAS = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
PRECISION: Literal["round_trip"] | None = "round_trip" if OLD_PANDAS else None


class TextTable:
    """The lines of a CSV or TSV file, the first of which names the columns."""

    def __init__(self, path: Path, decimal: str = ".") -> None:
        self.path, self._decimal = path, decimal
        self._raw = read_text(path)
        self._separator = separator_of(path, self._stream())
        check_decimal(path, decimal, self._separator)
        with reading(path, "a table"):
            _, header = next(self._rows(), (0, []))
        self.names = [name.strip() for name in header]
        # Files with a space behind each separator have one before each label too.
        self._spaced = {name.strip() for name in header if name.startswith(" ")}
        check_names(path, self.names)
        check_columns(path, self.names)

    def columns(self, label: str | None, text: Collection[str] = ()) -> pd.DataFrame:
        """Every column, as numbers where all its cells are; in the column `label` even "NA" is a label.

        The columns `text` stay text as it stands in the file, without spaces around it.
        """
        with reading(self.path, "a table"):
            data = self._parse({*text, label})
            data.columns = pd.Index(self.names, dtype=object)
            for name in text:
                data[name] = data[name].str.strip()
            if label is not None and label not in text:
                cells = data[label].tolist()
                cells = [cell.lstrip(" ") for cell in cells] if label in self._spaced else cells
                data[label] = parse_labels(self.path, cells)
        return data

    def place(self, row: int) -> str:
        """Where row 0, 1, ... of the table stands in the file."""
        return _line_of(self._rows(), row)

    def _parse(self, as_text: Collection[str | None]) -> pd.DataFrame:
        # The first row decides how many columns pandas makes.
        check_widths(self.path, islice(self._rows(), 2), len(self.names))
        stream = self._stream()
        next(self._rows(stream))  # pandas starts below the header, else it takes longer rows for rows with an index
        try:
            data: pd.DataFrame = pd.read_csv(
                stream,
                sep=self._separator,
                header=None,
                decimal=self._decimal,
                low_memory=False,
                float_precision=PRECISION,
                dtype={j: str for j, name in enumerate(self.names) if name in as_text},
                keep_default_na=False,
                na_values=missing_words(self.names, as_text),
            )
        except pd.errors.EmptyDataError:
            data = pd.DataFrame(columns=range(len(self.names)))
        except pd.errors.ParserError:
            self._check_widths()
            raise
        # pandas fills up short rows, so they show as gaps in the last column.
        last = data.iloc[:, -1]
        if data.shape[1] != len(self.names) or (last.isna() | (last == "")).any():
            self._check_widths()
        return data

    def _stream(self) -> io.TextIOWrapper:
        return io.TextIOWrapper(io.BytesIO(self._raw), encoding="utf-8", newline="")

    def _rows(self, stream: io.TextIOWrapper | None = None) -> Iterator[tuple[int, list[str]]]:
        """Line number and cells of each row that is not blank."""
        return numbered_rows(self.path, stream or self._stream(), self._separator)

    def _check_widths(self) -> None:
        check_widths(self.path, self._rows(), len(self.names))


def missing_words(names: Sequence[str], texts: Collection[str | None]) -> Any:
    """What stands for a missing number, as pandas takes it; in the columns `texts` nothing does."""
    numbers = [j for j, name in enumerate(names) if name not in texts]
    # Column by column this costs several times as much as the reading of many columns.
    return MISSING if len(numbers) == len(names) else dict.fromkeys(numbers, MISSING)


def line_of(path: Path, row: int) -> str:
    """The line of a file in which row 0, 1, ... of its table stands, or the row if it is no longer there."""
    packed = kind_of(path).endswith(".gz")
    with reading(path, "a table"), gzip.open(path) if packed else open(path, "rb") as file:
        lines = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        separator = separator_of(path, lines)
        lines.seek(0)
        return _line_of(numbered_rows(path, lines, separator), row)


def _line_of(rows: Iterator[tuple[int, list[str]]], row: int) -> str:
    return next((f"line {line}" for i, (line, _) in enumerate(rows, start=-1) if i == row), f"row {row + 1}")


def check_decimal(path: Path, decimal: str, separator: str) -> None:
    """Refuse a decimal mark that there is not, or that separates the cells."""
    if decimal not in (".", ","):
        raise UsageError(f"`decimal` must be . or , but it is {decimal!r}.")
    if decimal == separator:
        raise InputError(
            f"{path}: a comma separates its cells, so `decimal` cannot be a comma; separate the cells by ; first."
        )


def numbered_rows(path: Path, lines: Iterable[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of each row that is not blank."""
    return ((line, row) for line, row in _all_rows(path, lines, separator) if len(row) > 1 or any(map(str.strip, row)))


def _all_rows(path: Path, lines: Iterable[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of each row."""
    reader = csv.reader(lines, delimiter=separator)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        if "field limit" not in str(error):
            raise
        raise InputError(
            f"{path}: a cell in line {reader.line_num} has more than {csv.field_size_limit():,} characters: shorten "
            "it, or close its quotation mark."
        ) from error


def check_widths(path: Path, rows: Iterable[tuple[int, list[str]]], width: int) -> None:
    """Refuse a row with more or fewer cells than the first line, which pandas may fill up or shift."""
    for line, row in rows:
        if len(row) != width:
            raise InputError(
                f"{path}: line {line} does not have as many cells as the first line ({len(row)} instead of {width}); "
                "correct that line."
            )


def separator_of(path: Path, lines: Iterable[str]) -> str:
    """What separates the cells, from the suffix and the first line that is not blank."""
    if kind_of(path).startswith(".tsv"):
        return "\t"
    first = next((line for line in lines if line.strip()), "")
    unquoted = re.sub(r'"[^"]*"', "", first)
    return next((separator for separator in ",;\t" if separator in unquoted), ",")


def check_names(path: Path, names: Sequence[str]) -> None:
    """Refuse a first line that does not name the columns."""
    if not names:
        raise InputError(f"{path} holds blank lines only: write or download it again.")
    if all(NUMBER.fullmatch(name) for name in names) and not all(map(WHOLE.fullmatch, names)):
        raise InputError(f"{path} starts with a line of numbers: its first line must name the columns.")
    if "" in names[1:]:
        number = list(names).index("", 1) + 1
        raise InputError(f"{path}: column {number} has no name in the first line; name it or remove it.")


def read_text(path: Path) -> bytes:
    """The bytes of a text file, unpacked, without a byte order mark, and known to be UTF-8."""
    packed = kind_of(path).endswith(".gz")
    with reading(path, "gzip" if packed else "text"):
        raw = read_limited(path)
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError(f"{path} is in UTF-16: save it as UTF-8.")
        if b"\0" in raw:
            raise no_text(path)
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            raise InputError(
                f"{path} is not UTF-8 text (byte 0x{raw[error.start]:02x} in line {line}): save it as UTF-8, "
                "or give the file its true suffix."
            ) from error
    return raw.removeprefix(b"\xef\xbb\xbf")


def read_label_lines(path: Path, fits: Sequence[int]) -> LabelArray:
    """The labels of a text file with one of them in each line, below a header or not.

    Parameters
    ----------
    path : Path
        A CSV or TSV file of one column, or a text file, whose lines are taken whole.
    fits : sequence of int
        The numbers of labels that would fit: they tell whether the first line is a header.

    Returns
    -------
    labels : array of shape (n,)
    """
    lines = io.TextIOWrapper(io.BytesIO(read_text(path)), encoding="utf-8", newline="")
    with reading(path, "a list of labels"):
        if kind_of(path) == ".txt":
            cells = [line.rstrip("\r\n") for line in lines]
        else:
            cells = []
            for _, row in _all_rows(path, lines, "\t" if kind_of(path).startswith(".tsv") else ","):
                if len(row) > 1:
                    raise InputError(f"{path} has {len(row)} cells in row {len(cells) + 1}: give one label per line.")
                cells.append("".join(row))
    while cells and not cells[-1].strip():
        cells.pop()
    gap = next((i for i, cell in enumerate(cells) if not cell.strip()), None)
    if gap is not None:
        raise InputError(f"{path} has an empty label in line {gap + 1}: fill it in.")
    first, *rest = cells or [""]
    # A header differs from all labels: what occurs again below is one label too many.
    if first not in rest and not WHOLE.fullmatch(first):
        above_numbers = bool(rest) and all(map(WHOLE.fullmatch, rest))
        if above_numbers or (len(rest) in fits and len(cells) not in fits):
            cells = rest
    return parse_labels(path, cells)


def parse_labels(path: Path, cells: Sequence[str]) -> LabelArray:
    """Text as labels: integers or booleans if every cell is one, else the text itself."""
    if all(map(WHOLE.fullmatch, cells)):
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    if all(cell in ("True", "False") for cell in cells):
        return np.array([cell == "True" for cell in cells])
    check_texts(path, "the array of labels", cells)
    return np.array(cells, dtype=str)
