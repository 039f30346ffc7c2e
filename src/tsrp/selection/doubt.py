"""Whether adaptation helps at all, by members that do not adapt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from tsrp._types import IntArray

# Between these, doubt rises from 0 to 1: how much more members without adaptation agree than members with it do, as a
# ratio of kappas, and how far features mean the same in both domains.
RATIOS, UNMOVED = (0.9, 1.2), (0.2, 0.4)
# Below this, kappas of members that adapt are equal to it.
LEAST_KAPPA = 0.05


def doubt_in_adaptation(
    as_they_are: Sequence[IntArray], adapted: Sequence[tuple[str, IntArray]], unmoved: Callable[[], float]
) -> float:
    """How far it is in doubt that adaptation helps, from 0 to 1.

    Methods of adaptation, and scaling each domain by itself, take it that features have moved, and that classes are
    about as frequent in the target as in the source. Where that is not so they go wrong, and each in its own way:
    methods of different families agree less with each other than classifiers of different kinds do that learned from
    the source alone, on features as they are. But these may agree on what is wrong, if features have moved: doubt asks
    for both, and is the product.

    Parameters
    ----------
    as_they_are : sequence of arrays of int, shape (n_target,)
        The codes by classifiers of the source alone; nothing is doubted without two.
    adapted : sequence of tuples (family, array of int, shape (n_target,))
        The codes by members that adapt; nothing is doubted without two families.
    unmoved : callable
        Says how far features mean the same, from 0 to 1; called only where it matters.

    References
    ----------
    J. Cohen: A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20, 1960.

    Examples
    --------
    >>> a, b, c = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1, 1]), np.array([1, 1, 0, 1, 0, 1])
    >>> doubt_in_adaptation([a, a], [("one", b), ("other", c)], lambda: 1.0)
    1.0
    """
    without = [kappa(one, other) for one, other in combinations(as_they_are, 2)]
    between = [kappa(one, other) for (own, one), (family, other) in combinations(adapted, 2) if own != family]
    if not without or not between:
        return 0.0
    by_agreement = _rise(float(np.mean(without)) / max(LEAST_KAPPA, float(np.mean(between))), *RATIOS)
    return by_agreement * _rise(unmoved(), *UNMOVED) if by_agreement else 0.0


def kappa(one: IntArray, other: IntArray) -> float:
    """Cohen's kappa of two labellings; 0 if both know one class only, for that much is chance.

    Examples
    --------
    >>> kappa(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]))
    0.5
    """
    n_classes = 1 + int(max(one.max(), other.max()))
    by_one, by_other = (np.bincount(codes, minlength=n_classes) / len(codes) for codes in (one, other))
    chance = float(by_one @ by_other)
    return (float(np.mean(one == other)) - chance) / (1 - chance) if chance < 1 else 0.0


def _rise(value: float, low: float, high: float) -> float:
    """From 0 at `low` to 1 at `high`."""
    return min(1.0, max(0.0, (value - low) / (high - low)))
