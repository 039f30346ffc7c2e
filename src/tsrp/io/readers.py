"""Reading samples and labels from files: CSV, TSV, Parquet, NPZ, NPY and MAT."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from tsrp._types import FloatArray, LabelArray
from tsrp.exceptions import InputError
from tsrp.io.arrays import (
    ARRAYS,
    KEYED,
    ONLY,
    SOURCE,
    TARGET,
    array_keys,
    choose_features,
    choose_labels,
    read_features,
    read_labels,
)
from tsrp.io.files import check_input, check_kind, kind_of, listed, unchanged
from tsrp.io.frames import TABLES, Frame, place_of_row, read_frame
from tsrp.io.notes import column_notes, side_notes, unused_label
from tsrp.io.text import read_label_lines

AnyPath: TypeAlias = str | os.PathLike[str]

LABEL_FILES = (".npy", ".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")
# The column of labels, unless the user names another.
LABEL = "label"


@dataclass(frozen=True)
class Table:
    """Samples read from a file.

    Attributes
    ----------
    X : array of shape (n, m)
        The samples: float32 if the file held that, else float64. Missing and infinite values are left in.
    y : array of shape (n,) or None
        Their labels, of the type that the file held; None if there are none (targets only).
    names : list of str or None
        The names of the features, if the file has any.
    path : Path
        The file.
    label : str or None
        The column or key that held the labels.
    transposed : bool
        Whether the file held the samples in columns.
    notes : tuple of str
        What the user should be told, such as which columns were left out.
    beside : mapping of str to array of shape (n,)
        Columns that were asked for beside the features, as text or as the file held them.
    fill : array of shape (m,) or None
        What gaps of each feature are filled with, if they are.
    """

    X: FloatArray
    y: LabelArray | None
    names: list[str] | None
    path: Path
    label: str | None = None
    transposed: bool = False
    notes: tuple[str, ...] = ()
    beside: Mapping[str, LabelArray] = field(default_factory=dict)
    fill: FloatArray | None = None

    def place(self, row: int) -> str:
        """Where row 0, 1, ... stands in the file: its line, if the file has lines."""
        return place_of_row(self.path, row)

    @property
    def samples(self) -> FloatArray | pd.DataFrame:
        """What `fit` takes: `X` with the names of the features, if these have any. Nothing is copied."""
        return self.X if self.names is None else pd.DataFrame(self.X, columns=self.names, copy=False)


def read_source(
    path: AnyPath,
    label: str | None = None,
    *,
    features_key: str | None = None,
    labels_path: AnyPath | None = None,
    without: Collection[str] = (),
    drop: Sequence[str] = (),
    beside: Sequence[str] = (),
    decimal: str = ".",
) -> Table:
    r"""Read the samples of the source and their labels.

    Parameters
    ----------
    path : path
        A file of columns (.csv, .tsv, .csv.gz, .tsv.gz, .parquet, .pq) or of arrays (.npz, .npy, .mat). Arrays hold
        samples in rows or in columns, which the number of labels tells.
    label : str, optional
        The column or key of the labels. By default the column "label", or the key that goes with the features:
        X and y, fea and gnd, fts and labels, feas and labels, X_src and Y_src, Xs and Ys.
    features_key : str, optional
        The key of the features in an .npz or .mat file.
    labels_path : path, optional
        Another file with the labels: .npy, or .csv, .tsv or .txt with one label per line.
    without : collection of str, default none
        Columns that are not features, if they are there, such as those that `read_target` reads beside its features.
    drop : sequence of str, default none
        Columns that are not features, and must be there.
    beside : sequence of str, default none
        Columns to be read beside the features, one value for each sample. They are never features.
    decimal : {".", ","}, default "."
        What stands before the fraction of a number in a CSV or TSV file.

    Returns
    -------
    source : Table

    Raises
    ------
    InputError
        If a file cannot be used; the sentence says why, and what to do.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "source.csv")
    ...     _ = path.write_text("width,height,label\n1.5,2,cat\n0.5,3,dog\n")
    ...     source = read_source(path)
    >>> source.names, source.y.tolist()
    (['width', 'height'], ['cat', 'dog'])
    """
    path = Path(path)
    is_table = _is_table(path, features_key)
    if not is_table and (drop or beside):
        raise InputError(f"{path} has no columns, so {[*drop, *beside][0]!r} cannot be found: use a table.")
    with unchanged(path):
        if not is_table:
            return _source_arrays(path, label, features_key, labels_path)
        frame = read_frame(path, [label or LABEL], beside, decimal)
        return _source_columns(frame, label or LABEL, labels_path, without, drop, beside)


def read_target(
    path: AnyPath,
    like: Table,
    label: str | None = None,
    *,
    features_key: str | None = None,
    labels_path: AnyPath | None = None,
    beside: Sequence[str] = (),
    decimal: str = ".",
) -> Table:
    """Read the samples of the target, with the features of the source in the order of the source.

    Labels are read if they are there, never needed, and never a feature.

    Parameters
    ----------
    path : path
        A file as for `read_source`. Arrays hold samples in rows or in columns, which the number of features tells.
    like : Table
        The source.
    label : str, optional
        The column or key of the labels; by default that of the source, or the key that goes with the features.
    features_key : str, optional
        The key of the features in an .npz or .mat file.
    labels_path : path, optional
        Another file with the labels.
    beside : sequence of str, default none
        Columns or keys to be read beside the features, one value for each sample. They are never features.
    decimal : {".", ","}, default "."
        What stands before the fraction of a number in a CSV or TSV file.

    Returns
    -------
    target : Table

    Raises
    ------
    InputError
        If a file cannot be used; the sentence says why, and what to do.
    """
    path = Path(path)
    # A key that was given for an .npz or .mat source has no meaning in a target without keys.
    if kind_of(like.path) in KEYED and kind_of(path) not in KEYED:
        features_key = None
    is_table = _is_table(path, features_key)
    with unchanged(path):
        if not is_table:
            return _target_arrays(path, like, label, features_key, labels_path, beside)
        labels = [name for name in ([label] if label else [like.label or LABEL, LABEL]) if name not in beside]
        frame = read_frame(path, target_labels(labels, like), beside, decimal)
        return target_columns(frame, like, labels_path, beside)


def _is_table(path: Path, features_key: str | None) -> bool:
    """Check what can be checked without reading; true for a file of columns, false for one of arrays."""
    check_input(path)
    kind = check_kind(path, (*TABLES, *ARRAYS))
    if features_key is not None and kind not in KEYED:
        raise InputError(
            f"{path} has no keys, so `features_key` {features_key} cannot be found: use it with {listed(KEYED)} only."
        )
    return kind in TABLES


def _source_columns(
    frame: Frame,
    label: str,
    labels_path: AnyPath | None,
    without: Collection[str],
    drop: Sequence[str],
    beside: Sequence[str],
) -> Table:
    path = frame.path
    names = source_names(frame, label, without, drop, beside, labelled=labels_path is None)
    values = {name: frame.data[name].to_numpy(dtype=object) for name in beside}
    X = frame.features(names)
    if labels_path is None:
        return Table(X, frame.labels(), names, path, frame.label, notes=frame.notes, beside=values)
    y = labels_beside(labels_path, path, fits=[len(X)])
    return Table(X, y, names, path, frame.label, notes=unused_label(frame), beside=values)


def source_names(
    frame: Frame,
    label: str,
    without: Collection[str],
    drop: Sequence[str],
    beside: Sequence[str],
    *,
    labelled: bool,
) -> list[str]:
    """The features of a source, which must have a column of labels if it is to be `labelled`."""
    path = frame.path
    for name in drop:
        if name not in frame.names:
            raise InputError(f"{path} has no column {name!r} (its columns: {listed(frame.names)}): correct `drop`.")
    names = [name for name in frame.names if name != frame.label and name not in {*without, *drop, *beside}]
    if frame.label is None and labelled:
        raise InputError(
            f"{path} has no column {label!r} (its columns: {listed(names)}): name the column of labels with `label`."
        )
    if not names and not beside:
        raise InputError(f"{path} has no column beside {label!r}: add features.")
    return names


def target_labels(labels: Sequence[str], like: Table) -> list[str]:
    """Columns that may hold the labels of a target: none that is a feature of the source."""
    return [label for label in labels if label not in (like.names or [])]


def target_columns(frame: Frame, like: Table, labels_path: AnyPath | None, beside: Sequence[str]) -> Table:
    """The target from a table, of which these may be the first rows."""
    path = frame.path
    there = [name for name in frame.names if name != frame.label and name not in beside]
    names = there if like.names is None else like.names
    own = set(there)
    missing = [name for name in names if name not in own]
    if missing:
        raise InputError(
            f"{path} lacks {len(missing)} of the {len(names)} features of the source ({listed(missing)}): "
            "add these columns, or drop them from the source."
        )
    m = like.X.shape[1]
    if len(names) != m:
        raise InputError(
            f"{path} has {len(names)} features ({listed(names)}), but {like.path} has {m}: give both the same features."
        )
    X = frame.features(names)
    columns = [name for name in frame.names if name not in beside]
    y, notes = None, [*frame.notes, *column_notes(columns, there, names, like.names)]
    if labels_path is not None:
        y = labels_beside(labels_path, path, fits=[len(X)])
    elif frame.label is not None:
        try:
            y = frame.labels()
        except InputError as error:
            notes.append(f"target labels were not read ({error})")
    values = {name: frame.data[name].to_numpy(dtype=object) for name in beside}
    return Table(X, y, names, path, frame.label, notes=tuple(notes), beside=values)


def _source_arrays(path: Path, label: str | None, features_key: str | None, labels_path: AnyPath | None) -> Table:
    keys = array_keys(path)
    key = choose_features(path, keys, SOURCE, label, features_key)
    label_key = choose_labels(keys, SOURCE, key, label)
    X = read_features(path, key)
    if labels_path is not None:
        y, label_key = labels_beside(labels_path, path, fits=X.shape), None
    elif kind_of(path) == ".npy":
        raise InputError(f"{path} holds features alone: give a file of labels with `labels_path`.")
    elif label_key is None:
        trouble = f"has no key {label!r}" if label else "does not tell which key holds the labels"
        raise InputError(f"{path} {trouble} (its keys: {listed(keys)}): name the key of the labels with `label`.")
    else:
        y = read_labels(path, label_key)
    rows, columns = X.shape
    if len(y) not in X.shape:
        raise InputError(
            f"{path}: {label_key} holds {len(y)} labels, but {key} is {rows} x {columns}: "
            "give one label for each sample."
        )
    transposed = len(y) != rows
    notes = side_notes(key, transposed, square=rows == columns)
    return Table(_samples_in_rows(X, transposed), y, None, path, label_key, transposed, tuple(notes))


def _target_arrays(
    path: Path,
    like: Table,
    label: str | None,
    features_key: str | None,
    labels_path: AnyPath | None,
    beside: Sequence[str],
) -> Table:
    keys = array_keys(path)
    # In a file of both domains, the keys that the user gave for the source are not those of the target.
    of_source = {name for pair in SOURCE for name in pair} - {name for pair in TARGET for name in pair}
    label = None if label in of_source else label
    features_key = None if features_key in of_source else features_key
    key = choose_features(path, keys, TARGET, label, features_key)
    label_key = choose_labels(keys, TARGET, key, label)
    X = read_features(path, key)
    rows, columns = X.shape
    m = like.X.shape[1]
    if m not in X.shape:
        raise InputError(
            f"{path}: {key} is {rows} x {columns}, but {like.path} has {m} features: give both the same features."
        )
    transposed = like.transposed if rows == columns else columns != m
    X = _samples_in_rows(X, transposed)
    notes = [*side_notes(key, transposed, square=rows == columns)]
    if like.names is not None:
        notes.append("the target has no column names, so its columns were matched by position")
    y = None
    if labels_path is not None:
        y = labels_beside(labels_path, path, fits=[len(X)])
    elif label_key is not None:
        y = read_labels(path, label_key)
        if len(y) != len(X):
            raise InputError(
                f"{path}: {label_key} holds {len(y)} labels, but {key} is {rows} x {columns}, and with the {m} "
                f"features of the source these are {len(X)} samples: give one label for each sample."
            )
    values = {name: _values_beside(path, name, keys, len(X)) for name in beside}
    return Table(X, y, like.names, path, label_key, transposed, tuple(notes), values)


def _values_beside(path: Path, key: str, keys: Sequence[str], n_samples: int) -> LabelArray:
    if key not in keys:
        raise InputError(f"{path} has no key {key!r} (its keys: {listed(keys)}): name another.")
    values = read_labels(path, key)
    if len(values) != n_samples:
        raise InputError(f"{path}: {key} holds {len(values)} values for {n_samples} samples: give one for each.")
    return values.astype(object)


def _samples_in_rows(X: FloatArray, transposed: bool) -> FloatArray:
    return np.ascontiguousarray(X.T if transposed else X)


def labels_beside(labels_path: AnyPath, path: Path, fits: Sequence[int]) -> LabelArray:
    """Labels from a file of their own, as many as one of `fits`."""
    other = Path(labels_path)
    check_input(other)
    kind = check_kind(other, LABEL_FILES)
    y = read_labels(other, ONLY) if kind == ".npy" else read_label_lines(other, fits)
    if len(y) not in fits:
        sizes = " x ".join(map(str, fits)) if len(fits) > 1 else f"{fits[0]} samples"
        raise InputError(f"{other} holds {len(y)} labels, but {path} holds {sizes}: give one label for each sample.")
    return y
