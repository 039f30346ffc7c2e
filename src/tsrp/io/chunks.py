"""Tables in data frames of some rows at a time: CSV, TSV and Parquet files that may be larger than the memory."""

from __future__ import annotations

import gzip
import io
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO

import pandas as pd

from tsrp.io.declared import CountedStream, check_columns, check_footer
from tsrp.io.files import kind_of, optional, reading
from tsrp.io.frames import open_parquet, plain_cells, plain_texts
from tsrp.io.text import (
    OLD_PANDAS,
    PRECISION,
    check_decimal,
    check_names,
    check_widths,
    missing_words,
    numbered_rows,
    separator_of,
)
from tsrp.memory import check_memory, held_at_a_time

# Of all columns together so many bytes are read ahead, and not all that a group of rows has.
BUFFERS = 1 << 25


def parquet_chunks(
    path: Path,
    rows: int,
    as_stored: Collection[str],
    columns: Sequence[str] | None = None,
    *,
    groups: Sequence[int] | None = None,
    stream: IO[bytes] | None = None,
) -> Iterator[pd.DataFrame]:
    """A Parquet file, a DataFrame of some rows at a time; some columns have their cells as they are stored.

    `columns` are those to read, `groups` the groups of rows; None: all. A file that is elsewhere is an open `stream`.
    """
    pyarrow = optional("pyarrow", path)
    with reading(path, "Parquet"), open_parquet(path, held_at_a_time(BUFFERS), stream) as file:
        chosen = range(file.num_row_groups) if groups is None else groups
        check_footer(path, file, rows, chosen)
        # A page of each column is unpacked at a time, which may be all that a group of rows has.
        largest = max((file.metadata.row_group(i).total_byte_size for i in chosen), default=0)
        check_memory(f"{path}: a group of its rows", largest, "write it with smaller groups of rows")
        # Group by group: what belongs to one does not stay until the end of the file. On this thread: others take the
        # memory of their stacks, and more time for blocks of this size.
        for stored in chain.from_iterable(
            file.iter_batches(batch_size=rows, row_groups=[group], columns=columns, use_threads=False)
            for group in chosen
        ):
            batch = plain_texts(path, pyarrow.Table.from_batches([stored]))
            frame = batch.to_pandas(ignore_metadata=True, use_threads=False)
            for name in as_stored:
                if batch.schema.names.count(name) == 1:
                    frame[name] = plain_cells(batch.column(name))
            # Nothing of a block is kept while the next is read.
            del stored, batch
            yield frame
            del frame


def text_chunks(path: Path, rows: int, text_columns: Collection[str], decimal: str) -> Iterator[pd.DataFrame]:
    """A CSV or TSV file, a DataFrame of some rows at a time; some columns are text whatever they look like."""
    with reading(path, "a table"):
        with _lines(path) as (lines, _):
            separator = separator_of(path, lines)
            check_decimal(path, decimal, separator)
        with _lines(path) as (lines, counted):
            header = next((row for _, row in numbered_rows(path, lines, separator) if any(map(str.strip, row))), [])
            names = [name.strip() for name in header]
            check_names(path, names)
            check_columns(path, names)
            # The first row decides how many columns pandas makes.
            with _lines(path) as (again, _):
                check_widths(path, islice(numbered_rows(path, again, separator), 2), len(names))
            try:
                chunks = pd.read_csv(
                    lines,
                    sep=separator,
                    header=None,
                    chunksize=rows,
                    decimal=decimal,
                    # A column has one type in a block, not one in each part of it.
                    low_memory=False,
                    float_precision=PRECISION,
                    dtype={j: str for j, name in enumerate(names) if name in text_columns},
                    keep_default_na=False,
                    na_values=missing_words(names, text_columns),
                )
                # An old pandas cuts off rows that are too long beyond the first block, without a word.
                if OLD_PANDAS:
                    _check_even(path, separator, len(names))
                even = OLD_PANDAS
                for chunk in chunks:
                    # Short rows are filled up, so they show as gaps in the last column; one pass tells for all blocks.
                    last = chunk.iloc[:, -1]
                    if not even and (chunk.shape[1] != len(names) or (last.isna() | (last == "")).any()):
                        _check_even(path, separator, len(names))
                        even = True
                    chunk.columns = pd.Index(names, dtype=object)
                    yield chunk.reset_index(drop=True)
                    counted.restart()
            except pd.errors.EmptyDataError:
                return
            except pd.errors.ParserError:
                if counted.refusal is not None:
                    raise counted.refusal from None
                _check_even(path, separator, len(names))
                raise


def _check_even(path: Path, separator: str, width: int) -> None:
    with _lines(path) as (lines, counted):
        check_widths(path, _one_by_one(numbered_rows(path, lines, separator), counted), width)


def _one_by_one(rows: Iterator[tuple[int, list[str]]], counted: CountedStream) -> Iterator[tuple[int, list[str]]]:
    for row in rows:
        counted.restart()
        yield row


@contextmanager
def _lines(path: Path) -> Iterator[tuple[io.TextIOWrapper, CountedStream]]:
    with gzip.open(path) if kind_of(path).endswith(".gz") else open(path, "rb") as file:
        counted = CountedStream(file, path)  # type: ignore[arg-type]
        yield io.TextIOWrapper(io.BufferedReader(counted), encoding="utf-8-sig", newline=""), counted
