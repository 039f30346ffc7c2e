"""Where a value lies among those of the fitted target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from tsrp._types import FloatArray

# Values that differ by less are the same: products of equal samples differ in the last bits.
DECIMALS = 9


@dataclass(frozen=True, eq=False)
class Ranks:
    """Fractional mid-ranks, in (0, 1), and what lies between them for values to come.

    Attributes
    ----------
    values, ranks : arrays
        The distinct values, ascending, and the rank of each.

    Examples
    --------
    >>> import numpy as np
    >>> ranks = Ranks.among(np.array([3.0, 1.0, 3.0, 7.0]))
    >>> ranks.of(np.array([1.0, 3.0, 5.0, 9.0])).tolist()
    [0.125, 0.5, 0.6875, 0.875]
    """

    values: FloatArray
    ranks: FloatArray

    @classmethod
    def among(cls, values: FloatArray) -> Ranks:
        """The ranks of these values among each other."""
        rounded = np.round(values, DECIMALS)
        distinct, first = np.unique(rounded, return_index=True)
        return cls(distinct, ((rankdata(rounded) - 0.5) / len(values))[first])

    def of(self, values: FloatArray) -> FloatArray:
        """The ranks of other values.

        Between two known values the rank rises evenly: what differs in the last bit, as products do that are computed
        alone and in a batch, has the same rank but for the last bits.
        """
        return np.interp(values, self.values, self.ranks)
