"""Which rows a fit learns from, where a sample of them is enough.

The same rows are drawn each time: it depends on how many there are, on their classes, and on which labels are known.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tsrp._types import IntArray
from tsrp.known import Known
from tsrp.validation import Domains

# A class keeps at least one in so many rows of an equal part: few enough to leave the shares of the others as they are.
RARE = 10


def drawn(domains: Domains, limit: int | None) -> tuple[Domains, IntArray | None]:
    """The sample that a fit learns from, and its rows of the target; None if it has all of them."""
    n = len(domains.Xt)
    if limit is None or max(len(domains.Xs), n) <= limit:
        return domains, None
    rows, own = source_rows(domains.ys, limit), target_rows(n, limit, domains.known.rows)
    known = Known(np.searchsorted(own, domains.known.rows), domains.known.codes)
    sample = replace(domains, Xs=domains.Xs[rows], ys=domains.ys[rows], Xt=domains.Xt[own], known=known)
    return sample, None if len(own) == n else own


def source_rows(codes: IntArray, limit: int) -> IntArray:
    """Rows of the source to learn from. They keep the shares of the classes, and some rows of each rare class.

    Parameters
    ----------
    codes : array of int, shape (n_source,)
        The class of each row; every class 0..C-1 occurs.
    limit : int
        At most so many rows, but one of each class at least.

    Returns
    -------
    array of int
        Ascending; all rows if there are no more than `limit`.

    Examples
    --------
    >>> rows = source_rows(np.repeat([0, 1], [995, 5]), 100)
    >>> len(rows), int((rows >= 995).sum())
    (100, 5)
    """
    if len(codes) <= limit:
        return np.arange(len(codes))
    order = _shuffled(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    counts = np.bincount(codes)
    first = np.cumsum(counts) - counts
    places = np.arange(len(codes)) - np.repeat(first, counts)
    return np.sort(order[places < np.repeat(_quotas(counts, limit), counts)])


def target_rows(n: int, limit: int, known: IntArray) -> IntArray:
    """Rows of the target to learn from: all whose label is known, and others at random, half of `limit` at least.

    Parameters
    ----------
    n : int
        How many rows there are.
    limit : int
    known : array of int
        The rows whose label is known.

    Examples
    --------
    >>> rows = target_rows(1000, 10, known=np.array([7]))
    >>> len(rows), 7 in rows
    (10, True)
    """
    if n <= limit:
        return np.arange(n)
    others = np.setdiff1d(_shuffled(n), known, assume_unique=True)
    return np.sort(np.concatenate([known, others[: max(limit - len(known), -(-limit // 2))]]))


def _shuffled(n: int) -> IntArray:
    """All rows, in the order in which they are drawn."""
    return np.random.default_rng(0).permutation(n)


def _quotas(counts: IntArray, limit: int) -> IntArray:
    """How many rows of each class are drawn: in proportion, but no fewer of a rare class than the least number."""
    least = np.minimum(counts, max(1, limit // (RARE * len(counts))))
    rare = np.zeros(len(counts), dtype=bool)
    while True:
        left = limit - int(least[rare].sum())
        share = left * counts / max(1, int(counts[~rare].sum()))
        newly = ~rare & (share < least)
        if not newly.any():
            break
        rare |= newly
    return np.where(rare, least, share.astype(np.intp))
