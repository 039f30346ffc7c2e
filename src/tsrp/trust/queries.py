"""Which rows somebody should label next: those that say most about others, or some at random to measure accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp.exceptions import UsageError
from tsrp.numerics.cosines import nearest_cosines
from tsrp.numerics.graphs import symmetric_graph
from tsrp.parameters import Number

# How far a label reaches: to so many similar rows at most, and in cosine as far as the usual row's tenth neighbour.
REACH, USUAL_REACH = 60, 10
# The usual row may have neighbours that equal it.
SMALLEST_WIDTH = 1e-6
# Rows of each kind, unless somebody asks for another number.
USUAL = 20
IMPROVE = "to improve the labels: doubtful, typical of other doubtful rows, and unlike the rows before it"
MEASURE = "to measure accuracy: drawn at random"


@dataclass(frozen=True, eq=False)
class Query:
    """Rows of the target that somebody should label.

    Attributes
    ----------
    rows : array of int, shape (n,)
        In the order in which to label them: the first k are the best k.
    purpose : str
        What their labels are good for.
    """

    rows: IntArray
    purpose: str


def suggested(units: FloatArray, doubt: FloatArray, n: int, taken: BoolArray) -> Query:
    """Rows whose labels would say most about doubtful ones.

    A label says something about a row as far as both are similar: about itself everything, about neighbours less, by
    the cosine. Rows are chosen one by one, each time the one that adds most to what is said about all rows, a row
    counting by how doubtful its label is (the greedy solution of a facility location problem, whose value is at least
    63 % of the best one).

    Parameters
    ----------
    units : array of shape (n_target, k)
        Rows of unit length, in a space in which similar ones are of the same class.
    doubt : array of shape (n_target,)
        The probability of each label to be wrong.
    n : int
    taken : array of bool, shape (n_target,)
        Rows that are labelled already.

    References
    ----------
    G. Nemhauser, L. Wolsey, M. Fisher: An analysis of approximations for maximizing submodular set functions. 1978.

    K. Wei, R. Iyer, J. Bilmes: Submodularity in data subset selection and active learning. ICML 2015.

    Examples
    --------
    >>> import numpy as np
    >>> angle = np.array([0.0, 0.1, 0.2, 1.4, 1.5])
    >>> units = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> suggested(units, np.full(5, 0.5), 2, np.zeros(5, dtype=bool)).rows
    array([2, 3])
    """
    check_count(n, taken)
    single = units.astype(np.float32)
    indices, cosines = nearest_cosines(single, single, REACH, others=True)
    near = np.sort(cosines, axis=1)[:, -USUAL_REACH:].min(axis=1, initial=1.0)
    width = max(float(np.median(1.0 - near)), SMALLEST_WIDTH)
    graph = symmetric_graph(indices, np.exp((cosines.astype(np.float64) - 1.0) / width))
    said = np.zeros(len(units))
    found: list[int] = []

    def reach(row: int) -> tuple[IntArray, FloatArray]:
        part = slice(graph.indptr[row], graph.indptr[row + 1])
        return graph.indices[part], graph.data[part]

    def take(row: int) -> None:
        others, closeness = reach(row)
        said[others] = np.maximum(said[others], closeness)
        said[row] = 1.0

    for row in np.flatnonzero(taken).tolist():
        take(row)
    owner = np.repeat(np.arange(len(units)), np.diff(graph.indptr))
    free = ~taken
    for _ in range(n):
        more = np.maximum(graph.data - said[graph.indices], 0.0) * doubt[graph.indices]
        gain = np.bincount(owner, more, len(units)) + (1.0 - said) * doubt
        row = int(np.where(free, gain, -1.0).argmax())
        found.append(row)
        free[row] = False
        take(row)
    return Query(np.array(found, dtype=np.intp), IMPROVE)


def audited(n: int, taken: BoolArray, seed: int) -> Query:
    """Rows at random: the share of right labels among them is that of all rows that are not `taken`, but for chance.

    Examples
    --------
    >>> import numpy as np
    >>> len(set(audited(3, np.zeros(10, dtype=bool), seed=0).rows.tolist()))
    3
    """
    check_count(n, taken)
    Number(low=0, whole=True).check("seed", seed)
    return Query(np.random.default_rng(seed).permutation(np.flatnonzero(~taken))[:n], MEASURE)


def ask(model: Any, suggest: int, audit: int) -> list[Query]:
    """Both kinds of rows to label: those at random come from all rows, and the suggested ones are others.

    Parameters
    ----------
    model : estimator of this package
    suggest, audit : int
        How many of each; 0 for none.

    Examples
    --------
    >>> from tsrp import NN
    >>> model = NN().fit([[0.0], [1.0]], ["low", "high"], [[0.2], [0.9], [0.3]])
    >>> [len(query.rows) for query in ask(model, suggest=1, audit=2)]
    [1, 2]
    """
    drawn = [model.audit(audit)] if audit else []
    besides = [row for query in drawn for row in query.rows.tolist()]
    return [*([model.suggest(suggest, besides=besides)] if suggest else []), *drawn]


def check_counts(n_unknown: int, suggest: int | None, audit: int | None) -> None:
    """Refuse to look for more rows to label than there are, before a long computation."""
    for name, n in (("suggest", suggest), ("audit", audit)):
        if n is not None:
            Number(low=0, whole=True).check(name, n)
    wanted = sum(n or 0 for n in (suggest, audit))
    if wanted > n_unknown:
        raise UsageError(
            f"`suggest` and `audit` ask for {wanted:,} rows, but the label of only {n_unknown:,} target rows is not "
            "known."
        )


def usual_counts(n_unknown: int, suggest: int | None, audit: int | None) -> tuple[int, int]:
    """How many rows of each kind, where it is not said: twenty, or as many as there are.

    Examples
    --------
    >>> usual_counts(1_000, None, 5), usual_counts(30, None, None)
    ((20, 5), (15, 15))
    """
    said = [n for n in (suggest, audit) if n is not None]
    left = max(0, n_unknown - sum(said)) // max(1, 2 - len(said))
    usual = min(USUAL, left)
    return usual if suggest is None else suggest, usual if audit is None else audit


def check_count(n: int, taken: BoolArray) -> None:
    """Refuse a number of rows that is none, or more than there are."""
    Number(low=1, whole=True).check("n", n)
    there = int((~taken).sum())
    if n > there:
        raise UsageError(f"`n` asks for {n} rows to label, but the label of only {there} target rows is not known.")
