"""What a person is asked to label in the page."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp.trust.queries import Query, ask, check_counts, usual_counts

# As many classes as there are number keys for.
KEYS = 9
# Rows of a class whose labels look least right.
MISFITS = 3


@dataclass(frozen=True, eq=False)
class Labelling:
    """Rows for somebody to label, and what is known already.

    Attributes
    ----------
    queries : list of Query
        Those to improve the labels, and those to measure accuracy; without a row in common.
    likely : array of int, shape (n_rows, at most 9)
        For the rows of all queries the most probable classes, the likeliest first.
    known : array of int
        Rows whose labels `fit` was given.
    key : str
        Names this work, and no other, in the storage of a browser.
    """

    queries: list[Query]
    likely: IntArray
    known: IntArray
    key: str

    @property
    def rows(self) -> IntArray:
        """All rows to label, in the order of the queries."""
        return _together(self.queries)


def prepare(model: Any, suggest: int | None, audit: int | None) -> Labelling:
    """Choose rows of a fitted model for somebody to label, as many of each kind as is said, or as usual."""
    n_unknown = int((~model.known_).sum())
    check_counts(n_unknown, suggest, audit)
    queries = ask(model, *usual_counts(n_unknown, suggest, audit))
    rows = _together(queries)
    likely = np.searchsorted(model.classes_, model.ranked_classes(rows)[:, :KEYS])
    return Labelling(queries, likely, np.flatnonzero(model.known_), _key(model, rows))


def _together(queries: list[Query]) -> IntArray:
    return np.concatenate([np.empty(0, dtype=np.intp), *(query.rows for query in queries)])


def _key(model: Any, rows: IntArray) -> str:
    """The same for the same target, classes and rows: a report that is written again finds what was filled in."""
    digest = hashlib.blake2b(json.dumps([str(name) for name in model.classes_.tolist()]).encode(), digest_size=16)
    digest.update(rows.astype("<i8").tobytes())
    digest.update(np.ascontiguousarray(model.fit_record_.given.Xt).data)
    return digest.hexdigest()


def misfits(labels: IntArray, probability: FloatArray, known: BoolArray, n_classes: int) -> list[IntArray]:
    """Of each class the rows whose labels are least probable, but for known ones.

    Examples
    --------
    >>> import numpy as np
    >>> labels, probability = np.array([0, 1, 0, 0, 0]), np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    >>> [rows.tolist() for rows in misfits(labels, probability, np.zeros(5, dtype=bool), 2)]
    [[4, 3, 2], [1]]
    """
    order = np.argsort(probability, kind="stable")
    order = order[~known[order]]
    return [order[labels[order] == code][:MISFITS] for code in range(n_classes)]
