"""From ranks to probabilities whose mean is the estimated accuracy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from tsrp._types import FloatArray, IntArray

# How fast the probability rises with the rank.
SLOPE = 1.5
# Ranks nearer to 0 and 1 say no more than these.
LOWEST_RANK, HIGHEST_RANK = 0.01, 0.99
LOWEST_MEAN, HIGHEST_MEAN = 0.01, 0.995
# Nothing is excluded, and nothing is certain.
LOWEST, HIGHEST = 0.0001, 0.9999
# Beyond the offset that any ranks and any mean ask for.
FAR = 30.0
# By which the probability of a label is more than any other.
LEAD = 1e-6
# Enough for any use, and the same for a sample alone and in a batch.
DECIMALS = 6


@dataclass(frozen=True)
class Calibration:
    """Probabilities that rise with trust: a logistic curve, whose offset the estimated accuracy sets.

    Examples
    --------
    >>> import numpy as np
    >>> trust = np.array([0.2, 0.5, 0.8])
    >>> round(float(Calibration.of(trust, 0.9).probability(trust).mean()), 4)
    0.9
    """

    offset: float

    @classmethod
    def of(cls, trust: FloatArray, accuracy: float) -> Calibration:
        """The curve by which the labels of the target are right with this probability on average."""
        mean = float(np.clip(accuracy, LOWEST_MEAN, HIGHEST_MEAN))
        steep = _steep(trust)
        return cls(float(brentq(lambda offset: float(expit(steep + offset).mean()) - mean, -FAR, FAR)))

    def probability(self, trust: FloatArray) -> FloatArray:
        """The probability that a label is right."""
        return np.round(np.clip(expit(_steep(trust) + self.offset), LOWEST, HIGHEST), DECIMALS)


def _steep(trust: FloatArray) -> FloatArray:
    return SLOPE * logit(np.clip(trust, LOWEST_RANK, HIGHEST_RANK))


def share_out(codes: IntArray, probability: FloatArray, chances: FloatArray) -> FloatArray:
    """Probabilities of all classes: that of the label, and the rest shared out in proportion to `chances`.

    Examples
    --------
    >>> share_out(np.array([0]), np.array([0.6]), np.array([[0.5, 0.375, 0.125]]))
    array([[0.6, 0.3, 0.1]])
    """
    rows = np.arange(len(codes))
    others = chances.copy()
    others[rows, codes] = 0.0
    total = others.sum(axis=1, keepdims=True)
    equal = np.full_like(others, 1 / max(1, others.shape[1] - 1))
    shared = (1 - probability)[:, None] * np.where(total > 0, others / np.where(total > 0, total, 1.0), equal)
    shared[rows, codes] = probability
    return shared


def share_out_below(codes: IntArray, probability: FloatArray, chances: FloatArray) -> FloatArray:
    """As `share_out`, with no class as probable as the label.

    Where one would be, the others' shares come as near to each other as it takes. A label that is less probable than by
    chance leaves more to the others than they can hold: it counts as chance does, and nothing is known of the row.

    Examples
    --------
    >>> share_out_below(np.array([0, 0]), np.array([0.4, 0.2]), np.array([[0.3, 0.6, 0.1], [0.1, 0.8, 0.1]])).round(3)
    array([[0.4  , 0.4  , 0.2  ],
           [0.333, 0.333, 0.333]])
    """
    n_classes = chances.shape[1]
    probability = np.maximum(probability, 1 / n_classes + LEAD)
    shared = share_out(codes, probability, chances)
    is_label = np.arange(n_classes) == codes[:, None]
    most = np.where(is_label, 0.0, shared).max(axis=1)
    limit, even = probability - LEAD, (1 - probability) / (n_classes - 1)
    kept = np.divide(limit - even, most - even, out=np.ones_like(most), where=most > limit)[:, None]
    evened = kept * shared + (1 - kept) * even[:, None]
    return np.where(is_label | (kept == 1), shared, evened)
