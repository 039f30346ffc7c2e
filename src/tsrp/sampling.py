"""Which rows a fit learns from, where a sample of them is enough.

The numbers of the rows decide, and nothing else: the same rows are drawn from arrays in memory, from files that are
read in pieces, and by the workers of a cluster.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tsrp._types import IntArray
from tsrp.known import Known
from tsrp.validation import Domains

# A class has at least one in so many of the rows that it would have if all classes had the same number.
RARE = 10
# Constants of SplitMix64: numbers in a row become numbers that look random.
STEP, FIRST, SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def drawn(domains: Domains, limit: int | None) -> tuple[Domains, IntArray | None]:
    """What a fit to at most so many rows of each domain learns from, and these rows of the target; None: all rows."""
    n = len(domains.Xt)
    if limit is None or max(len(domains.Xs), n) <= limit:
        return domains, None
    rows, own = source_rows(domains.ys, limit), target_rows(n, limit, domains.known.rows)
    known = Known(np.searchsorted(own, domains.known.rows), domains.known.codes)
    sample = replace(domains, Xs=domains.Xs[rows], ys=domains.ys[rows], Xt=domains.Xt[own], known=known)
    return sample, None if len(own) == n else own


def source_rows(codes: IntArray, limit: int) -> IntArray:
    """Rows of the source to learn from: the classes have their shares, and no rare class is lost.

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
    order = np.lexsort([_priority(len(codes)), codes])
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
    priority = _priority(n)
    others = np.delete(np.arange(n), known)
    drawn = others[np.argsort(priority[others], kind="stable")[: max(limit - len(known), -(-limit // 2))]]
    return np.sort(np.concatenate([known, drawn]))


def _priority(n: int) -> npt.NDArray[np.uint64]:
    """A number for each row: rows are drawn in the order of these."""
    mixed = np.arange(1, n + 1, dtype=np.uint64) * STEP
    mixed = (mixed ^ (mixed >> np.uint64(30))) * FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * SECOND
    return mixed ^ (mixed >> np.uint64(31))


def _quotas(counts: IntArray, limit: int) -> IntArray:
    """How many rows of each class are drawn: in proportion, but for rare classes, which have their least number."""
    least = np.minimum(counts, max(1, limit // (RARE * len(counts))))
    rare = np.zeros(len(counts), dtype=bool)
    while True:
        left = limit - int(least[rare].sum())
        share = left * counts / max(1, int(counts[~rare].sum()))
        newly = ~rare & (share < least)
        if not newly.any():
            break
        rare |= newly
    quotas = np.where(rare, least, np.floor(share).astype(np.intp))
    # What rounding down has left goes to the largest remainders.
    missing = limit - int(quotas.sum())
    order = np.argsort(-np.where(rare, -1.0, share - quotas), kind="stable")
    quotas[order[: max(0, missing)]] += 1
    return quotas
