"""Whether adaptation helps at all, by classifiers that do not adapt."""

from __future__ import annotations

import numpy as np

from tsrp._types import IntArray

# Between these kappas of two classifiers without adaptation, and between these differences of their shares of the
# classes from those of the vote, doubt rises from 0 to 1.
KAPPAS, DIFFERENCES = (0.75, 0.85), (0.15, 0.3)


def doubt_in_adaptation(one: IntArray, other: IntArray, voted: IntArray) -> float:
    """How far it is in doubt that adaptation helps, from 0 to 1.

    Methods of adaptation, and scaling each domain by itself, take it that classes are about as frequent in the target
    as in the source. If they are not, but features mean the same in both domains, all of these go wrong in the same
    way, and agree. Then two classifiers of different kinds that learned from the source alone, on features as they are,
    agree with each other on the target (Cohen's kappa), and differ from the vote in how frequent classes are. If
    features have moved, such classifiers mostly go wrong in different ways.

    Parameters
    ----------
    one, other : arrays of int, shape (n_target,)
        The codes that the two classifiers give.
    voted : array of int, shape (n_target,)
        The codes of a vote in which members that adapt take part.

    References
    ----------
    J. Cohen: A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20, 1960.

    Examples
    --------
    >>> rare, frequent = np.array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1]), np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    >>> doubt_in_adaptation(rare, rare, frequent)
    1.0
    """
    n_classes = 1 + int(max(codes.max() for codes in (one, other, voted)))
    by_one, by_other, by_vote = (np.bincount(codes, minlength=n_classes) / len(codes) for codes in (one, other, voted))
    chance = float(by_one @ by_other)
    # Two that know one class only agree as far as by chance.
    kappa = (float(np.mean(one == other)) - chance) / (1 - chance) if chance < 1 else 0.0
    difference = float(np.abs((by_one + by_other) / 2 - by_vote).sum())
    return _rise(kappa, *KAPPAS) * _rise(difference, *DIFFERENCES)


def _rise(value: float, low: float, high: float) -> float:
    """From 0 at `low` to 1 at `high`."""
    return min(1.0, max(0.0, (value - low) / (high - low)))
