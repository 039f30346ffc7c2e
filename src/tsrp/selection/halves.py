"""Samples in two halves: classifiers learn from one of them, and are asked about the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold

from tsrp._types import FloatArray, IntArray
from tsrp.classifiers.forest import Forest

# At most so many samples of a domain are looked at where all of them would take long.
ENOUGH = 2000
# Of trees that are asked once, and that no saved model has.
N_TREES, MIN_SAMPLES_LEAF = 50, 3
N_HALVES = 2
# In ranges of what classifiers learn from.
FARTHEST = 1e6
# A range that is smaller, as a share of the largest value, is rounding.
SMALLEST = 1e-9
# Fewer distinct samples say nothing.
FEWEST = 2 * N_HALVES * MIN_SAMPLES_LEAF


def few_trees() -> Forest:
    """Trees to be asked once.

    Examples
    --------
    >>> few_trees()
    Forest(min_samples_leaf=3, n_trees=50)
    """
    return Forest(N_TREES, min_samples_leaf=MIN_SAMPLES_LEAF)


def some_rows(X: FloatArray, codes: IntArray | None = None) -> IntArray:
    """Rows of a domain, not all if they are many, and the same samples in whatever order they are.

    Examples
    --------
    >>> some_rows(np.array([[3.0], [1.0], [2.0]]))
    array([0, 1, 2])
    """
    if len(X) <= ENOUGH:
        return np.arange(len(X))
    return in_order(X, codes)[:: -(-len(X) // ENOUGH)]


def in_order(X: FloatArray, codes: IntArray | None = None) -> IntArray:
    """The rows by their first column; those that are equal there by the next, and so on, and at last by their codes.

    Examples
    --------
    >>> in_order(np.array([[2.0, 5.0], [1.0, 7.0], [1.0, 6.0]]))
    array([2, 1, 0])
    """
    order = np.argsort(X[:, 0], kind="stable")
    # Where another row than the one before begins: as soon as all differ, the other columns need no look.
    begins = np.ones(len(X), dtype=bool)
    begins[1:] = X[order[1:], 0] != X[order[:-1], 0]
    for column in [*X.T[1:], *([] if codes is None else [codes])]:
        tied = np.flatnonzero(~begins | ~np.append(begins[1:], True))
        if len(tied) == 0:
            break
        rows, groups = order[tied], np.cumsum(begins)[tied]
        order[tied] = rows[np.lexsort([column[rows], groups])]
        values = column[order[tied]]
        begins[tied[1:]] |= values[1:] != values[:-1]
    return order


def within_reach(X: FloatArray, of: FloatArray) -> FloatArray:
    """Samples in units in which every feature of others is from 0 to 1: trees compare in single precision.

    Features that do not vary there are 0. What is very far from these samples is not quite as far then.

    Examples
    --------
    >>> within_reach(np.array([[1e300], [2e300], [5e300]]), of=np.array([[1e300], [3e300]])).ravel()
    array([0. , 0.5, 2. ])
    """
    # Of halves, for the range of very large values is no number.
    low, high = of.min(axis=0).astype(np.float64) / 2, of.max(axis=0).astype(np.float64) / 2
    reach = high - low
    # What varies by rounding only tells nothing, and would put other samples very far away.
    varies = reach > SMALLEST * np.maximum(np.abs(low), np.abs(high))
    with np.errstate(over="ignore"):
        scaled = (X / 2 - low) / np.where(varies, reach, 1.0)
    return np.where(varies, np.clip(scaled, -FARTHEST, FARTHEST), 0.0)


def copies_of(X: FloatArray) -> IntArray:
    """The number of each sample among the distinct ones.

    Examples
    --------
    >>> copies_of(np.array([[2.0], [1.0], [2.0]]))
    array([1, 0, 1])
    """
    _, copies = np.unique(X, axis=0, return_inverse=True)
    return copies.ravel()


def halves(copies: IntArray, codes: IntArray, *, keep_copies_together: bool) -> Iterator[tuple[IntArray, IntArray]]:
    """Rows to learn from and rows to ask about, in turn, with about the same shares of the classes.

    The order of the samples does not matter.

    Parameters
    ----------
    copies, codes : arrays of int, shape (n,)
        The number of each sample among the distinct ones, and its class.
    keep_copies_together : bool
        Whether copies of a sample are in the same half, where they would tell its class. In a table of a few categories
        they are what classifiers will be asked about, too.

    Examples
    --------
    >>> copies, codes = np.array([0, 1, 2, 3, 3]), np.array([0, 1, 0, 1, 1])
    >>> [learnt.tolist() for learnt, asked in halves(copies, codes, keep_copies_together=True)]
    [[0, 1], [2, 3, 4]]
    """
    order = np.lexsort([codes, copies])
    groups = copies[order] if keep_copies_together else np.arange(len(order))
    for learnt, asked in StratifiedGroupKFold(N_HALVES).split(order, codes[order], groups):
        yield order[learnt], order[asked]
