"""Principal directions: the leading coordinates of the reduction that every method starts from."""

from __future__ import annotations

import numpy as np

from tsrp._types import FloatArray
from tsrp.numerics.eigenproblem import Reduction, reduce_samples

# Variation below this share of the samples' own size is the rounding of their mean.
ROUNDING = 1e-12


def principal_directions(X: FloatArray, n_components: int | None = None) -> tuple[FloatArray, FloatArray]:
    """The mean of some samples and the orthonormal directions of their largest variance.

    Parameters
    ----------
    X : array of shape (n, m)
    n_components : int, optional
        At most so many directions; None: all in which the samples vary.

    Returns
    -------
    mean : array of shape (m,)
    directions : array of shape (m, k)
        Largest variance first; none if all samples are equal.

    Examples
    --------
    >>> import numpy as np
    >>> mean, directions = principal_directions(np.array([[0.0, 1.0], [4.0, 1.0]]))
    >>> mean, directions
    (array([2., 1.]), array([[1.],
           [0.]]))
    """
    mean = X.mean(axis=0, dtype=np.float64)
    reduction = reduce_samples((X - mean).astype(X.dtype, copy=False), power=1)
    return mean, leading_directions(reduction, len(X), mean, n_components)


def leading_directions(reduction: Reduction, n: int, mean: FloatArray, n_components: int | None) -> FloatArray:
    """The directions of largest variance, from the reduction of n samples without their mean."""
    varies = reduction.scale > ROUNDING * np.sqrt(n) * np.linalg.norm(mean)
    directions = reduction.back[:, varies][:, :n_components]
    return directions * signs(directions)


def signs(vectors: FloatArray) -> FloatArray:
    """Signs that make the largest entry of each column positive: an eigenvector has no sign of its own."""
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0)[0]
    return np.where(largest < 0, -1.0, 1.0)
