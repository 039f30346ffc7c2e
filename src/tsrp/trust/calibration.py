"""From ranks to probabilities whose mean is the estimated accuracy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from tsrp._types import FloatArray

# How fast the probability rises with the rank.
SLOPE = 1.5
# Ranks nearer to 0 and 1 say no more than these.
LOWEST_RANK, HIGHEST_RANK = 0.01, 0.99
LOWEST_MEAN, HIGHEST_MEAN = 0.01, 0.995
# Nothing is excluded, and nothing is certain.
LOWEST, HIGHEST = 0.0001, 0.9999
# Beyond the offset that any ranks and any mean ask for.
FAR = 30.0
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
