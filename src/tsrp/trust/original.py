"""The original features, as the signals that see no projection take them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA

from tsrp._types import FloatArray
from tsrp.numerics.rows import unit_rows

# More make neighbours no better, and cost more to find and to keep for samples to come.
N_COMPONENTS = 50
# Of scaled rows, whose length is 1: what varies less is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Scaling:
    """The z-scores of a domain, rows scaled to unit length.

    Attributes
    ----------
    centre, scale : arrays of shape (m,)

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 5.0], [3.0, 5.0]])
    >>> Scaling.of(X).rows(X)
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    centre: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, X: FloatArray) -> Scaling:
        """The mean and the standard deviation of each feature; 1 for one that does not vary."""
        centre = X.mean(axis=0, dtype=np.float64)
        reach = np.abs(X - centre).max(axis=0)
        varies = reach > 10 * np.finfo(X.dtype).eps * np.abs(X).max(axis=0)
        # In a unit in which squares stay in range.
        unit = np.where(varies, reach, 1.0)
        deviation = unit * np.sqrt(np.mean(((X - centre) / unit) ** 2, axis=0))
        # The deviation of denormal numbers may be too small to be one.
        return cls(centre, np.where(varies & (deviation > 0), deviation, 1.0))

    def rows(self, X: FloatArray) -> FloatArray:
        """Samples of the domain, scaled."""
        with np.errstate(over="ignore"):
            scaled = (X - self.centre) / self.scale
        # Where a feature has hardly varied, other samples are as far away as numbers go.
        largest = np.finfo(scaled.dtype).max
        return unit_rows(np.clip(scaled, -largest, largest, out=scaled))


@dataclass(frozen=True, eq=False)
class Principal:
    """The directions in which the scaled samples of both domains vary most.

    Attributes
    ----------
    mean : array of shape (m,)
    directions : array of shape (m, k)
    """

    mean: FloatArray
    directions: FloatArray

    @classmethod
    def of(cls, rows: FloatArray) -> Principal:
        """Find them."""
        with np.errstate(invalid="ignore", divide="ignore"):
            # Rows that do not vary have no share of variance to divide by.
            found = PCA(min(N_COMPONENTS, *rows.shape), random_state=0).fit(rows)
        varies = found.singular_values_ > ROUNDING * np.sqrt(len(rows))
        return cls(found.mean_, found.components_[varies].T)

    def units(self, rows: FloatArray) -> FloatArray:
        """Scaled samples in these directions, of unit length."""
        return unit_rows((rows - self.mean) @ self.directions)
