"""A search for neighbours in parts, which other machines do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.blocked.elsewhere import Sender

# References and queries of a part: no machine needs all rows.
PART = 1 << 14
# Of references, queries and noise: the first nearest reference of each query, and its squared distance.
Search: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray], tuple[IntArray, FloatArray]]


def search_elsewhere(
    send: Sender, search: Search, references: FloatArray, queries: FloatArray, noise: FloatArray, tie: float
) -> tuple[IntArray, FloatArray]:
    """The answer of a search, found in parts of the references for parts of the queries.

    Parameters
    ----------
    send : callable
    search : callable
        What is to be done elsewhere with a part, and here where parts cannot decide.
    references, queries, noise : arrays of shape (n, k), (q, k) and (q,)
    tie : float
        Squared distances that differ by less, relatively, or by less than the noise, are equal.

    Returns
    -------
    first, squares : arrays of shape (q,)
    """
    starts = range(0, len(references), PART)
    parts = [references[start : start + PART] for start in starts]
    blocks = [slice(start, start + PART) for start in range(0, len(queries), PART)]
    asked = [(queries[block], noise[block]) for block in blocks]
    found = send(search, [(part, *own) for own in asked for part in parts])
    first, squares = np.empty(len(queries), dtype=np.intp), np.empty(len(queries))
    for number, block in enumerate(blocks):
        own = found[number * len(parts) : (number + 1) * len(parts)]
        nearest = np.stack([start + indices for start, (indices, _) in zip(starts, own, strict=True)])
        distances = np.stack([distance for _, distance in own])
        smallest = distances.min(axis=0)
        # The first part that has the nearest reference, or one that ties with it.
        part = (distances <= smallest * (1 + tie) + noise[block]).argmax(axis=0)
        rows = np.arange(len(part))
        first[block], squares[block] = nearest[part, rows], smallest
        # Which of a part's references tie with the nearest of another part, only all of them can say.
        (doubtful,) = np.nonzero(distances[part, rows] > smallest)
        if len(doubtful):
            again = doubtful + block.start
            first[again] = search(references, queries[again], noise[again])[0]
    return first, squares
