"""Writing labels to a file: CSV, TSV or Parquet, whole or not at all."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from tsrp.exceptions import OutputError
from tsrp.io.files import check_kind, check_place, optional, replacing
from tsrp.io.frames import PARQUET

Append: TypeAlias = Callable[[Mapping[str, npt.NDArray[Any]]], None]
SEPARATORS = {".csv": ",", ".tsv": "\t"}
# What spreadsheets would run as a formula when they open a file of text: at the start, or behind what separates cells
# somewhere in the world. common.js of the report has the same rule.
FORMULA = re.compile(r"[=+\-@\t\r\n]")
FORMULA_WITHIN = re.compile(r"""([,;\t\r\n]"*)(?=[=+\-@])""")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def check_output(path: str | os.PathLike[str], overwrite: bool = False) -> None:
    """Refuse a path to which `write_labels` could not write, before a long computation.

    Parameters
    ----------
    path : path
        The file to be written: .csv, .tsv, .parquet or .pq.
    overwrite : bool, default False
        Accept a file that exists.

    Raises
    ------
    OutputError
        If the file exists, its folder does not exist or permission is denied, the suffix names no known format, or
        a package is missing; the sentence says which.
    """
    path = Path(path)
    if check_kind(path, (*SEPARATORS, *PARQUET), OutputError) in PARQUET:
        optional("pyarrow.parquet", path, OutputError)
    check_place(path, overwrite)


def write_labels(path: str | os.PathLike[str], columns: Mapping[str, npt.ArrayLike], overwrite: bool = False) -> None:
    """Write columns of the same length to a file, which is there complete or not at all.

    Parameters
    ----------
    path : path
        The file: .csv, .tsv, .parquet or .pq.
    columns : mapping of str to array of shape (n,)
        The columns, in order. Parquet keeps their types. In CSV and TSV files a text that begins with =, +, -, @, a tab
        or the end of a line and is not a number gets an apostrophe before it, or a spreadsheet would run it; so does
        what begins with =, +, - or @ behind a separator (, ; tab or the end of a line) within a text.
    overwrite : bool, default False
        Replace a file that exists.

    Raises
    ------
    OutputError
        If the file cannot be written; nothing has changed then.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.csv")
    ...     write_labels(path, {"row": [0, 1], "label": ["cat", "dog"], "confident": [True, False]})
    ...     print(path.read_text(), end="")
    row,label,confident
    0,cat,True
    1,dog,False
    """
    with label_writer(path, overwrite) as write:
        write(columns)


@contextmanager
def label_writer(
    path: str | os.PathLike[str], overwrite: bool = False
) -> Iterator[Callable[[Mapping[str, npt.ArrayLike]], None]]:
    """A function that appends rows to a file, which is there when the body has ended well, and else not at all.

    Each call has the same columns; otherwise as `write_labels`.
    """
    path = Path(path)
    check_output(path, overwrite)
    with replacing(path, overwrite) as file:
        append = _parquet(file, path) if check_kind(path, (*SEPARATORS, *PARQUET)) in PARQUET else _text(file, path)
        with append as append_arrays:

            def write(columns: Mapping[str, npt.ArrayLike]) -> None:
                arrays = {name: np.asarray(column) for name, column in columns.items()}
                if any(array.ndim != 1 for array in arrays.values()) or len(set(map(len, arrays.values()))) > 1:
                    shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
                    raise OutputError(
                        f"columns must be one-dimensional and of the same length, but their shapes are {shapes}."
                    )
                try:
                    append_arrays(arrays)
                # Columns that the format has no type for, and text that is not valid Unicode.
                except (TypeError, ValueError, NotImplementedError) as error:
                    reason = str(error).splitlines()[0]
                    raise OutputError(
                        f"{path} cannot hold these columns ({reason}): use plain text and numbers."
                    ) from error

            yield write


@contextmanager
def _parquet(file: IO[bytes], path: Path) -> Iterator[Append]:
    pyarrow, parquet = optional("pyarrow", path, OutputError), optional("pyarrow.parquet", path, OutputError)
    writer: Any = None

    def append(arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        nonlocal writer
        table = pyarrow.table(dict(arrays))
        if writer is None:
            writer = parquet.ParquetWriter(file, table.schema)
        writer.write_table(table)

    try:
        yield append
    finally:
        if writer is not None:
            writer.close()


@contextmanager
def _text(file: IO[bytes], path: Path) -> Iterator[Append]:
    header = True

    def append(arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        nonlocal header
        arrays = {harmless(name): _harmless_column(array) for name, array in arrays.items()}
        # The csv module quotes line feeds, but not the carriage returns that end lines for most readers.
        text = (value for array in arrays.values() if array.dtype.kind in "UO" for value in array.tolist())
        returns = any("\r" in value for value in text if isinstance(value, str))
        pd.DataFrame(arrays).to_csv(
            file,
            sep=SEPARATORS[check_kind(path, SEPARATORS)],
            header=header,
            index=False,
            lineterminator="\n",
            quoting=csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL,
        )
        header = False

    yield append


def _harmless_column(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.dtype.kind not in "UO":
        return array
    return np.array([harmless(value) for value in array.tolist()], dtype=object)


def harmless(value: Any) -> Any:
    """A text that no spreadsheet takes for a formula."""
    if not isinstance(value, str):
        return value
    guarded = FORMULA_WITHIN.sub(r"\1'", value)
    return f"'{guarded}" if FORMULA.match(value) and not NUMBER.fullmatch(value) else guarded
