"""How far two labellings agree beyond chance."""

from __future__ import annotations

import numpy as np

from tsrp._types import IntArray

# What is divided by a kappa is divided by this at least.
LEAST_KAPPA = 0.05


def kappa(one: IntArray, other: IntArray, least_chance: float = 0.0) -> float:
    """Cohen's kappa of two labellings; 0 if both know one class only, for that much is chance.

    Parameters
    ----------
    one, other : arrays of int, shape (n,)
        Codes of the classes.
    least_chance : float, default 0
        How often labels agree by chance at least. (scikit-learn's `cohen_kappa_score` has no such thing, and no number
        for one class.)

    References
    ----------
    J. Cohen: A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20, 1960.

    Examples
    --------
    >>> kappa(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]))
    0.5
    """
    n_classes = 1 + int(max(one.max(), other.max()))
    by_one, by_other = (np.bincount(codes, minlength=n_classes) / len(codes) for codes in (one, other))
    chance = max(least_chance, float((by_one * by_other).sum()))
    return (float(np.mean(one == other)) - chance) / (1 - chance) if chance < 1 else 0.0
