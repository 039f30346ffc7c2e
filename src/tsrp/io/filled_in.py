"""Files in which somebody has filled in true labels of target rows."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tsrp._types import LabelArray
from tsrp.exceptions import InputError
from tsrp.io.files import check_input, check_kind, listed
from tsrp.io.frames import TABLES, Frame, read_frame
from tsrp.io.writers import harmless
from tsrp.io.written import is_unknown, meaning

# The column of row numbers, from 0, and that of ids, in the files that a report and `tsrp adapt` hand out.
ROW, ID = "row", "id"
TRUE_LABEL = "true_label"


def read_known(
    path: str | os.PathLike[str],
    classes: LabelArray,
    n_target: int,
    *,
    known_column: str = TRUE_LABEL,
    id_column: str | None = None,
    ids: Sequence[Any] | LabelArray | None = None,
) -> LabelArray:
    r"""Read the labels that are known of a target.

    Parameters
    ----------
    path : path
        A file of columns (.csv, .tsv, .csv.gz, .tsv.gz, .parquet, .pq), a row for each of some target rows.
    classes : array of shape (n_classes,)
        The classes of the source.
    n_target : int
        Rows of the target.
    known_column : str, default "true_label"
        The column of labels; where it is empty nothing is known.
    id_column : str, optional
        The column, or else "id", that identifies target rows. None: the column "row" has their numbers, from 0; it
        also tells rows of the same id apart.
    ids : sequence of length n_target, optional
        What the target's rows are called, if `id_column` says where that stands in the file.

    Returns
    -------
    array of object, shape (n_target,)
        A class, or None where the label is not known: what `fit` takes as `yt`.

    Raises
    ------
    InputError
        If rows cannot be found in the target, or are labelled twice, or with what is not a class of the source.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.csv")
    ...     _ = path.write_text("row,true_label\n2,dog\n0,\n")
    ...     read_known(path, np.array(["cat", "dog"]), 4)
    array([None, None, 'dog', None], dtype=object)
    """
    path = Path(path)
    check_input(path)
    check_kind(path, TABLES)
    names = read_frame(path, ()).names
    # In the files of a report, "row" is the number of a row even where the user's column of ids is called so.
    candidates = [] if id_column is None else [ID, id_column] if id_column == ROW else [id_column, ID]
    key = next((name for name in candidates if name in names), ROW)
    if known_column not in names:
        raise InputError(
            f"{path} has no column {known_column!r} (its columns: {listed(names)}): name the one of known labels with "
            "`known_column`."
        )
    if key not in names:
        wanted = f"{id_column!r}, {ID!r} or {ROW!r}" if id_column is not None else repr(ROW)
        raise InputError(
            f"{path} has no column {wanted} (its columns: {listed(names)}) that says which rows of the target these "
            "are: add row numbers, from 0, or name the target's column of ids with `id_column`."
        )
    numbered = key == ROW and key != id_column
    # Where several rows have one id, their numbers tell them apart.
    by_both = not numbered and key != ROW and ROW in names and ids is not None and len({*map(str, ids)}) < len(ids)
    frame = read_frame(path, (), [key, known_column, *([ROW] if by_both else [])])
    find = _by_number(n_target) if numbered or by_both else _by_id(ids, str(id_column))
    if by_both:
        assert ids is not None
        _check_ids(frame, key, find, ids)
        key = ROW
    written = {form: label for label in classes.tolist() for form in (harmless(str(label)), str(label).strip())}
    written |= {label: label for label in classes.tolist()}
    return _matched(frame, key, known_column, find, written, n_target)


def _matched(
    frame: Frame,
    key: str,
    column: str,
    find: Callable[[Any], int | None],
    written: Mapping[Any, Any],
    n_target: int,
) -> LabelArray:
    known = np.full(n_target, None, dtype=object)
    seen: dict[int, int] = {}
    cells = zip(frame.data[key].tolist(), frame.data[column].tolist(), strict=True)
    for number, (name, cell) in enumerate(cells):
        if is_unknown(cell):
            continue
        row = find(name)
        if row is None:
            raise InputError(
                f"{frame.path}, {frame.place(number)}: the target has no row whose {key} is {_short(name)}; is this "
                "file about another target?"
            )
        label = meaning(cell, written, None)
        if label is None:
            classes = listed([str(label) for label in dict.fromkeys(written.values())])
            raise InputError(
                f"{frame.path}, {frame.place(number)}: {_short(cell)} is not a class of the source ({classes}), and no "
                "other can be learnt; correct it, or leave it empty."
            )
        if row in seen:
            same = "twice" if known[row] == label else f"as {_short(known[row])} and as {_short(label)}"
            raise InputError(
                f"{frame.path} labels the same row {same}, in {frame.place(seen[row])} and in {frame.place(number)}: "
                "remove one of them."
            )
        known[row], seen[row] = label, number
    if not seen:
        raise InputError(f"{frame.path}: column {column!r} is empty: fill in some labels, or leave the file out.")
    return known


def _by_number(n_target: int) -> Callable[[Any], int | None]:
    def find(name: Any) -> int | None:
        number = _whole(name)
        return number if number is not None and 0 <= number < n_target else None

    return find


def _check_ids(frame: Frame, key: str, find: Callable[[Any], int | None], ids: Sequence[Any] | LabelArray) -> None:
    """Refuse numbers of rows that have other ids in the target: it may have been sorted since."""
    for number, (name, place) in enumerate(zip(frame.data[key].tolist(), frame.data[ROW].tolist(), strict=True)):
        row = find(place)
        own = None if row is None else str(ids[row]).strip()
        if own is not None and not is_unknown(name) and str(name).strip() not in (own, harmless(own)):
            raise InputError(
                f"{frame.path}, {frame.place(number)}: the {key} of row {row} of the target is {_short(own)} and not "
                f"{_short(name)}; is this file about another target?"
            )


def _whole(value: Any) -> int | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if number.is_integer() else None


def _by_id(ids: Sequence[Any] | LabelArray | None, column: str) -> Callable[[Any], int | None]:
    names = [str(name).strip() for name in ([] if ids is None else ids)]
    count = Counter(names)
    place = {form: row for row, name in enumerate(names) for form in (harmless(name), name)}

    def find(name: Any) -> int | None:
        text = str(name).strip()
        if count[text] > 1:
            raise InputError(
                f"the target has {count[text]} rows whose {column} is {_short(text)}: which of them is labelled cannot "
                f"be told; give each row an id of its own, or add the rows' numbers, from 0, in a column {ROW}."
            )
        return place.get(text)

    return find


def _short(value: Any) -> str:
    text = str(value)
    return repr(text if len(text) <= 40 else text[:40] + "...")
