"""Samples of a file, block by block: CSV, TSV, Parquet and NPY files may be larger than the memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from tsrp._types import FloatArray, LabelArray
from tsrp.exceptions import InputError
from tsrp.io.arrays import ARRAYS, KEYED
from tsrp.io.chunks import parquet_chunks, text_chunks
from tsrp.io.files import check_input, check_kind, is_remote, kind_of, listed, unchanged
from tsrp.io.frames import INDEX, PARQUET, TABLES, Frame, place_of_row
from tsrp.io.preparing import category, feature_name, filled, indicators
from tsrp.io.readers import Table, read_target
from tsrp.io.stored import StoredArray
from tsrp.validation import check_finite, is_missing

ROWS = 10_000
ADVICE = "drop those rows, fill the gaps first, or adapt with `impute`, so that the model knows what to fill them with"
# Samples, and what identifies them if a column does.
Part: TypeAlias = tuple[FloatArray, LabelArray | None]


@dataclass(frozen=True)
class Block:
    """Some consecutive samples of a file, what identifies them if a column does, and the names of their features."""

    X: FloatArray
    ids: LabelArray | None
    names: list[str] | None

    @property
    def samples(self) -> FloatArray | pd.DataFrame:
        """What `predict` takes: `X` with the names of the features, if these have any. Nothing is copied."""
        return self.X if self.names is None else pd.DataFrame(self.X, columns=self.names, copy=False)


@dataclass
class Remarks:
    """What the user should be told of rows that were read.

    Attributes
    ----------
    said : list of str
        Sentences.
    left_out : list of str
        Columns that are not features.
    unseen : dict of str to set of str
        Values of columns of categories that the model does not know.
    n_gaps : int
        How many values were filled in.

    Examples
    --------
    >>> remarks = Remarks(left_out=["note"])
    >>> remarks.add(Remarks(left_out=["note", "day"], n_gaps=2))
    >>> remarks.sentences, remarks.n_gaps
    (('not features of the model and left out: note, day',), 2)
    """

    said: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    unseen: dict[str, set[str]] = field(default_factory=dict)
    n_gaps: int = 0

    @property
    def sentences(self) -> tuple[str, ...]:
        """All but the number of gaps, in words."""
        extra = [f"not features of the model and left out: {listed(self.left_out)}"] if self.left_out else []
        unseen = [
            f"values of {column} that the model does not know: {listed(sorted(values))}"
            for column, values in self.unseen.items()
            if values
        ]
        return (*extra, *self.said, *unseen)

    def add(self, other: Remarks) -> None:
        """Those of further rows; what is the same is said once."""
        self.said += [sentence for sentence in other.said if sentence not in self.said]
        self.left_out += [name for name in other.left_out if name not in self.left_out]
        for column, values in other.unseen.items():
            self.unseen[column] = self.unseen.get(column, set()) | values
        self.n_gaps += other.n_gaps


class Blocks:
    """The samples of a file with the features that a model knows; iterating gives a `Block` at a time.

    Parameters
    ----------
    path : Path
        The file. NPZ and MAT files are read as a whole, the others a block at a time.
    names : list of str or None
        The features by name, in the model's order; None takes a table's columns as they come.
    n_features : int
        How many there are.
    id_column : str, optional
        The column that identifies the rows; it is not a feature.
    features_key : str, optional
        The key of the features in an NPZ or MAT file.
    categorical : sequence of str, default none
        Columns whose values are the model's features of zeros and ones, such as ``"colour=red"``.
    decimal : {".", ","}, default "."
        What stands before the fraction of a number in a CSV or TSV file.
    fill : array of shape (n_features,), optional
        What gaps of each feature are filled with; None: gaps are refused.
    rows : int, default 10,000
        At most so many rows are held at a time.
    gaps : bool, default False
        Whether values may be missing: they are filled in and checked later.

    Attributes
    ----------
    remarks : Remarks
        What the user should be told of the blocks that are there by now.
    """

    # What to do about gaps.
    advice = ADVICE

    def __init__(
        self,
        path: Path,
        names: list[str] | None,
        n_features: int,
        *,
        id_column: str | None = None,
        features_key: str | None = None,
        categorical: Sequence[str] = (),
        decimal: str = ".",
        fill: FloatArray | None = None,
        rows: int = ROWS,
        gaps: bool = False,
    ) -> None:
        self._check_file(path)
        kind = check_kind(path, (*TABLES, *ARRAYS))
        if categorical and (kind not in TABLES or names is None):
            what = "the model knows no names of features" if kind in TABLES else f"{path} has no columns"
            raise InputError(f"{what}, so `categorical` {categorical[0]} cannot be found: use it with tables.")
        if id_column is not None and kind not in TABLES:
            raise InputError(f"{path} has no columns, so `id_column` {id_column} cannot be found: use it with a table.")
        if features_key is not None and kind not in KEYED:
            raise InputError(
                f"{path} has no keys, so `features_key` {features_key} cannot be found: use it with {listed(KEYED)} "
                "only."
            )
        self.path, self.names, self.n_features = path, names, n_features
        self.id_column, self.features_key, self.rows = id_column, features_key, rows
        self.categorical, self.decimal = categorical, decimal
        self.fill, self.gaps, self.remarks = fill, gaps, Remarks()

    def _check_file(self, path: Path) -> None:
        check_input(path)

    def __iter__(self) -> Iterator[Block]:
        with nullcontext() if is_remote(self.path) else unchanged(self.path):
            yield from self._checked()

    def _checked(self) -> Iterator[Block]:
        kind = kind_of(self.path)
        if kind in TABLES:
            blocks = self._frames(self._chunks())
        elif kind == ".npy":
            blocks = self._mapped()
        else:
            blocks = self._whole()
        row = 0
        for X, ids in blocks:
            if self.fill is not None:
                self.remarks.n_gaps += int(np.isnan(X).sum())
                X = filled(X, self.fill)
            if not self.gaps:
                place = partial(self._place, row)
                check_finite(X, str(self.path), self.names, place, self.advice, first_column=1)
            row += len(X)
            yield Block(X, ids, self.names)
            del X, ids
        if row == 0:
            raise InputError(f"{self.path} has no rows: add samples.")

    def _chunks(self) -> Iterator[pd.DataFrame]:
        """The table, some rows at a time."""
        if kind_of(self.path) in PARQUET:
            return parquet_chunks(self.path, self.rows, self.texts)
        return text_chunks(self.path, self.rows, self.texts, self.decimal)

    @property
    def texts(self) -> set[str]:
        """The columns that are read as text, whatever they hold."""
        return {*self.categorical, *([] if self.id_column is None else [self.id_column])}

    def _frames(self, chunks: Iterator[pd.DataFrame]) -> Iterator[Part]:
        row, truths, numbers = 0, set[str](), set[str]()
        for chunk in chunks:
            chunk = self._with_indicators(chunk)
            names = self._choose([str(name) for name in chunk.columns])
            frame = Frame(chunk, self.path, partial(self._place, row), None)
            X = frame.features(names)
            # A column of either is fine, one of both is not: that must not depend on where a block ends.
            for name, kind in chunk.dtypes[names].items():
                (truths if kind.kind == "b" else numbers if kind.kind in "iuf" else set()).add(str(name))
            mixed = sorted(truths & numbers)
            if mixed:
                raise InputError(
                    f"{self.path}: column {mixed[0]!r} holds True or False in some rows and numbers in others, and "
                    f"changes near {self._place(0, row)}; turn it into numbers."
                )
            ids = None if self.id_column is None else self._texts(chunk[self.id_column])
            row += len(chunk)
            # Nothing of a block is kept while the next is read.
            del chunk, frame
            yield X, ids
            del X, ids

    def _texts(self, cells: pd.Series[Any]) -> LabelArray:
        """Cells as text: those of text files without spaces around them, as in a table that is read whole."""
        if kind_of(self.path) in PARQUET:
            return np.array(["" if is_missing(cell) else str(cell) for cell in cells], dtype=object)
        return cells.str.strip().to_numpy(dtype=object)

    def _place(self, first: int, row: int) -> str:
        return place_of_row(self.path, first + row)

    def _with_indicators(self, chunk: pd.DataFrame) -> pd.DataFrame:
        """The block with zeros and ones in the place of its categories."""
        for column in self.categorical:
            features = [name for name in self.names or [] if name.startswith(f"{column}=")]
            if column not in chunk.columns and features and set(features) <= set(chunk.columns):
                # They are zeros and ones already.
                continue
            if column not in chunk.columns:
                raise InputError(
                    f"{self.path} has no column {column!r} (its columns: {listed(chunk.columns)}): correct "
                    "`categorical`."
                )
            values = [name.removeprefix(f"{column}=") for name in features]
            cells = category(chunk[column])
            self.remarks.unseen.setdefault(column, set()).update({*cells} - {*values})
            names = [feature_name(column, value) for value in values]
            ones = pd.DataFrame(indicators(cells, values), columns=names, index=chunk.index)
            chunk = pd.concat([chunk.drop(columns=column), ones], axis=1)
        return chunk

    def _choose(self, columns: list[str]) -> list[str]:
        """The columns of the features, in the model's order."""
        twice = [name for name, count in Counter(columns).items() if count > 1]
        if twice:
            raise InputError(f"{self.path} has several columns of the same name ({listed(twice)}): rename them.")
        if self.id_column is not None and self.id_column not in columns:
            raise InputError(
                f"{self.path} has no column {self.id_column!r} (its columns: {listed(columns)}): name one of them "
                "with `id_column`."
            )
        there = [
            name
            for j, name in enumerate(columns)
            if name != self.id_column and not (INDEX.fullmatch(name) or (j == 0 and name == ""))
        ]
        names = there if self.names is None else self.names
        missing = sorted(set(names) - set(there))
        if missing:
            raise InputError(
                f"{self.path} lacks {len(missing)} of the {len(names)} features of the model ({listed(missing)}): "
                "add these columns."
            )
        if len(names) != self.n_features:
            raise InputError(
                f"{self.path} has {len(names)} features ({listed(names)}), but the model was fitted with "
                f"{self.n_features}: give it the same features."
            )
        used = set(names)
        self.remarks.left_out = [name for name in there if name not in used]
        if self.names is None:
            self.remarks.said = ["the model knows no names of features, so columns were matched by position"]
        return names

    def _mapped(self) -> Iterator[Part]:
        stored = StoredArray.of(self.path)
        if stored.kind.kind not in "biuf" or len(stored.shape) != 2 or stored.shape[1] != self.n_features:
            size = " x ".join(map(str, stored.shape)) or "a single value"
            raise InputError(
                f"{self.path} is {size} of type {stored.kind}, but the model was fitted with {self.n_features} "
                f"features: give it an array of numbers, a row a sample."
            )
        self._say_positions()
        for block in stored.blocks(self.rows):
            yield block, None

    def _whole(self) -> Iterator[Part]:
        like = Table(np.empty((0, self.n_features)), None, None, Path("the model"))
        table = read_target(self.path, like, features_key=self.features_key)
        self._say_positions()
        self.remarks.said += table.notes
        for start in range(0, len(table.X), self.rows):
            yield table.X[start : start + self.rows], None

    def _say_positions(self) -> None:
        if self.names is not None:
            self.remarks.said = [f"{self.path.name} has no column names, so its columns were matched by position"]
