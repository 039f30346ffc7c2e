"""Target rows whose true class is known: they keep it, and classifiers learn from them beside the source."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tsrp._types import BoolArray, FloatArray, IntArray, LabelArray

# As many samples of the source does a known row count for, where a classifier takes weights: it is of the right domain.
# Chosen on digits, SURF and gas sensors; benchmarks/known.py measures it on the others.
WEIGHT = 20.0


@dataclass(frozen=True, eq=False)
class Known:
    """Rows of the target, ascending, and the codes of their classes.

    With no row at all everything here hands back what it was given.

    Attributes
    ----------
    rows, codes : arrays of int, shape (n_known,)

    Examples
    --------
    >>> import numpy as np
    >>> known = Known(np.array([1, 3]), np.array([0, 2]))
    >>> known.over(np.array([1, 1, 1, 1]))
    array([1, 0, 1, 2])
    """

    rows: IntArray
    codes: IntArray

    def __len__(self) -> int:
        return len(self.rows)

    def mask(self, n: int) -> BoolArray:
        """Which of n target rows are known."""
        mask = np.zeros(n, dtype=bool)
        mask[self.rows] = True
        return mask

    def over(self, codes: IntArray) -> IntArray:
        """Codes of the whole target, the known ones put over what a classifier says."""
        if len(self) == 0:
            return codes
        codes = codes.copy()
        codes[self.rows] = self.codes
        return codes

    def beside(self, Zs: FloatArray, ys: IntArray, Zt: FloatArray) -> tuple[FloatArray, IntArray]:
        """What classifiers learn from: the source, and the known rows of the target."""
        if len(self) == 0:
            return Zs, ys
        return np.vstack([Zs, Zt[self.rows]]), np.concatenate([ys, self.codes])

    def weights(self, n_before: int, n_after: int = 0) -> FloatArray | None:
        """What samples count of which so many come before the known ones, and after; None: as much as each other."""
        if len(self) == 0:
            return None
        return np.concatenate([np.ones(n_before), np.full(len(self), WEIGHT), np.ones(n_after)])

    def labels(self, classes: LabelArray, n: int) -> LabelArray:
        """The labels of n target rows as `fit` takes them, None where they are not known."""
        labels = np.full(n, None, dtype=object)
        labels[self.rows] = classes[self.codes]
        return labels

    def halves(self) -> list[tuple[Known, IntArray]]:
        """Twice: a half of them, and the rows of the other half. A single row is left out against nothing."""
        odd = np.arange(len(self)) % 2 == 1
        parts = [out for out in (odd, ~odd) if out.any()]
        return [(Known(self.rows[~out], self.codes[~out]), self.rows[out]) for out in parts]


NOTHING = Known(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp))
