"""Whether adaptation helps at all, by members that do not adapt."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from tsrp._types import IntArray
from tsrp.selection.agreement import kappa

# Between these, doubt rises from 0 to 1: how well members without adaptation agree beside members with it, as a ratio
# of kappas; how far features mean the same in both domains; and how far the domains are the same.
RATIOS, UNMOVED, CONFUSED = (0.9, 1.2), (0.2, 0.4), (0.7, 0.9)
# Below this, kappas of members that adapt are equal to it.
LEAST_KAPPA = 0.05


def doubt_in_adaptation(
    as_they_are: Sequence[IntArray], adapted: Sequence[tuple[str, IntArray]], explained: float, confused: float
) -> float:
    """How far it is in doubt that adaptation helps, from 0 to 1.

    Methods of adaptation, and scaling each domain by itself, take it that features have moved, and that classes are
    about as frequent in the target as in the source. Where that is not so they go wrong, and each in its own way:
    methods of different families agree less with each other than classifiers of different kinds do that learned from
    the source alone, on features as they are. But these may agree on what is wrong, if features have moved: that is
    asked too, and both are multiplied. Where the domains are hardly to be told apart that is reason enough.

    Parameters
    ----------
    as_they_are : sequence of arrays of int, shape (n_target,)
        The codes by classifiers of the source alone; nothing is doubted without two.
    adapted : sequence of tuples (family, array of int, shape (n_target,))
        The codes by members that adapt; nothing is doubted without two families.
    explained, confused : float
        How much of what moved other shares of the classes explain, and how far trees confuse the domains
        (`tsrp.selection.movement`); together, how far features mean the same.

    Examples
    --------
    >>> a, b, c = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1, 1]), np.array([1, 1, 0, 1, 0, 1])
    >>> doubt_in_adaptation([a, a], [("one", b), ("other", c)], explained=0.8, confused=0.1)
    1.0
    """
    without = [kappa(one, other) for one, other in combinations(as_they_are, 2)]
    between = [kappa(one, other) for (own, one), (family, other) in combinations(adapted, 2) if own != family]
    if not without or not between:
        return 0.0
    ratio = float(np.mean(without)) / max(LEAST_KAPPA, float(np.mean(between)))
    return max(_rise(ratio, *RATIOS) * _rise(explained + confused, *UNMOVED), _rise(confused, *CONFUSED))


def _rise(value: float, low: float, high: float) -> float:
    """From 0 at `low` to 1 at `high`."""
    return min(1.0, max(0.0, (value - low) / (high - low)))
