"""Which rows somebody should label next: those that say most about others, or some at random to measure accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp.exceptions import UsageError
from tsrp.numerics.cosines import nearest_cosines
from tsrp.parameters import Number

# Of a large target so many rows at random are looked at: all pairs of them are compared.
ENOUGH = 2_000
# Gains that differ by less than this share of all weights are equal.
TIE = 1e-9
# Rows of each kind, unless somebody asks for another number.
USUAL = 20
IMPROVE = "to improve the labels: typical of many rows, doubtful ones above all, and unlike the rows before it"
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
    """Rows whose labels would say most about the others.

    A label says something about a row as far as both are similar: the cosine, and nothing if that is negative. Rows
    are chosen one by one, each time the one that adds most to what is said about all rows (the greedy solution of a
    facility location problem, whose value is at least 63 % of the best one). A row counts by how doubtful its label is,
    and by as much again as all rows are on average: whole groups may be wrong whose labels look sure.

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
    free = np.flatnonzero(~taken)
    some = np.sort(np.random.default_rng(0).permutation(free)[:ENOUGH])
    weight = doubt[some] + doubt[free].mean()
    looked_at = units[some].astype(np.float64, copy=False)
    closeness = np.maximum(looked_at @ looked_at.T, 0.0)
    # Of itself a label says everything, even of a row of zeros.
    np.fill_diagonal(closeness, 1.0)
    said = np.zeros(len(some))
    if taken.any():
        said = np.maximum(nearest_cosines(units[taken], looked_at, 1)[1].ravel(), 0.0)
    found: list[int] = []
    for _ in range(min(n, len(some))):
        gain = np.maximum(closeness - said, 0.0) @ weight
        gain[found] = -1.0
        # The first of equals: sums of equal rows differ in the last bits.
        found.append(int(np.argmax(gain >= gain.max() - TIE * weight.sum())))
        said = np.maximum(said, closeness[found[-1]])
    # So many that everything has been said: the most doubtful of the others.
    rest = np.setdiff1d(free, some)
    rest = rest[np.argsort(-doubt[rest], kind="stable")]
    return Query(np.concatenate([some[found], rest])[:n], IMPROVE)


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


def row_numbers(name: str, rows: npt.ArrayLike, n_target: int) -> IntArray:
    """Rows of the target that the caller names, checked.

    Examples
    --------
    >>> row_numbers("rows", [2, 0], 3)
    array([2, 0])
    """
    numbers = np.asarray(rows)
    if numbers.size == 0:
        return np.empty(0, dtype=np.intp)
    is_whole = numbers.ndim == 1 and numbers.dtype.kind in "iu"
    if not is_whole or numbers.min() < 0 or numbers.max() >= n_target:
        raise UsageError(f"`{name}` must be a list of whole numbers from 0 to {n_target - 1:,}, of rows of Xt.")
    return numbers.astype(np.intp)
