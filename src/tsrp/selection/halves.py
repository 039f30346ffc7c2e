"""Samples in two halves: classifiers learn from one of them, and are asked about the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold

from tsrp._types import FloatArray, IntArray

# At most so many samples of a domain are looked at where all of them would take long.
ENOUGH = 2000
# Of trees that are asked once, and that no saved model has.
N_TREES, MIN_SAMPLES_LEAF = 50, 3
N_HALVES = 2
# Fewer distinct samples say nothing.
FEWEST = 2 * N_HALVES * MIN_SAMPLES_LEAF


def some_rows(X: FloatArray, codes: IntArray | None = None) -> IntArray:
    """Rows of a domain, not all if they are many, and the same samples in whatever order they are.

    Examples
    --------
    >>> some_rows(np.array([[3.0], [1.0], [2.0]]))
    array([0, 1, 2])
    """
    if len(X) <= ENOUGH:
        return np.arange(len(X))
    keys = [] if codes is None else [codes]
    return np.lexsort([*keys, *X.T[::-1]])[:: -(-len(X) // ENOUGH)]


def within_reach(*domains: FloatArray) -> list[FloatArray]:
    """Every feature from 0 to 1 over all of these samples, for trees compare in single precision.

    Examples
    --------
    >>> within_reach(np.array([[1e300], [3e300]]), np.array([[5e300]]))
    [array([[0. ],
           [0.5]]), array([[1.]])]
    """
    halved = [X.astype(np.float64) / 2 for X in domains]
    low = np.min([X.min(axis=0) for X in halved], axis=0)
    # Of halves, for the range of very large values is no number.
    reach = np.max([X.max(axis=0) for X in halved], axis=0) - low
    return [(X - low) / np.where(reach > 0, reach, 1.0) for X in halved]


def copies_of(X: FloatArray) -> IntArray:
    """The number of each sample among the distinct ones.

    Examples
    --------
    >>> copies_of(np.array([[2.0], [1.0], [2.0]]))
    array([1, 0, 1])
    """
    _, copies = np.unique(X, axis=0, return_inverse=True)
    return copies.ravel()


def halves(copies: IntArray, codes: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Rows to learn from and rows to ask about, in turn, with about the same shares of the classes.

    Copies of a sample are in the same half, as they would tell its class; the order of the samples does not matter.

    Parameters
    ----------
    copies, codes : arrays of int, shape (n,)
        The number of each sample among the distinct ones, and its class.

    Examples
    --------
    >>> [learnt.tolist() for learnt, asked in halves(np.array([0, 1, 2, 3, 3]), np.array([0, 1, 0, 1, 1]))]
    [[0, 1], [2, 3, 4]]
    """
    order = np.lexsort([codes, copies])
    for learnt, asked in StratifiedGroupKFold(N_HALVES).split(order, codes[order], copies[order]):
        yield order[learnt], order[asked]
