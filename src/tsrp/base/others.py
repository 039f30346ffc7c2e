"""Target rows that a fit did not learn from, because a sample was enough: the fitted model labels them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tsrp._types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Others:
    """The labels of the rows that a fit did not learn from.

    Attributes
    ----------
    fitted : array of int, ascending
        The rows of the target that it learned from.
    codes : array of int, shape (n_others,)
        The classes of all others, in their order.
    share : array of shape (n_others,), or None
        Of a panel: the share of these labels in the members' votes.
    trust : array of shape (n_others,), or None
        How far to trust these labels, once it was asked for.
    """

    fitted: IntArray
    codes: IntArray
    share: FloatArray | None = None
    trust: FloatArray | None = None

    def of(self, part: slice) -> tuple[IntArray, FloatArray | None]:
        """Codes and shares of some of them."""
        return self.codes[part], None if self.share is None else self.share[part]

    def beside(self, values: npt.NDArray[Any], others: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Values of the rows of the fit and of the others, in the order of the target.

        Examples
        --------
        >>> Others(np.array([1]), np.array([0, 2])).beside(np.array([7]), np.array([5, 6])).tolist()
        [5, 7, 6]
        """
        every = np.empty(len(values) + len(others), dtype=np.result_type(values, others))
        every[self.fitted] = values
        every[others_of(self.fitted, len(every))] = others
        return every


def others_of(rows: IntArray, n: int) -> IntArray:
    """All rows but these, of n."""
    return np.delete(np.arange(n), rows)
