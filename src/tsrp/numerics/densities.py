"""The distance of two sample densities, and how it changes with the samples."""

from __future__ import annotations

import functools

import numpy as np

from tsrp._types import FloatArray
from tsrp.numerics.threads import parallel_map

# Samples of a block: the kernel values of two blocks stay in a core's cache.
BLOCK = 384
# Sums that are kept apart, whatever the number of threads, and added up in one order.
PARTS = 8
# Of the samples' whole variance, over all directions.
WIDTH_SHARE = 0.1


def bandwidth(Y: FloatArray) -> float:
    """Squared width of the Gaussian kernels of a density estimate: a share of the mean squared distance of samples.

    In two or three dimensions it is about that of Scott's rule. That rule shrinks with the variance of a single
    direction, while distances grow with the number of directions: in a hundred of them every sample is far from every
    kernel but its own, and nothing can be said of two densities.
    """
    return WIDTH_SHARE * float(Y.var(axis=0).sum())


def density_divergence(Ys: FloatArray, Yt: FloatArray, square: float) -> tuple[float, FloatArray, FloatArray]:
    """The integral of (p - q)^2 over two Gaussian density estimates p and q, and its gradient.

    It is divided by the integral of one kernel squared, so that it is 0 for equal densities, and free of scale. Both
    densities have kernels of one width: with two, the ratio of their heights, which grows with the power of the
    dimensions, would outweigh everything else.

    Parameters
    ----------
    Ys, Yt : arrays of shape (n, d) and (q, d)
    square : float
        Squared width of the kernels.

    Returns
    -------
    value : float
    gradient_s, gradient_t : arrays of shape (n, d) and (q, d)

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.array([[0.0], [1.0]])
    >>> density_divergence(Y, Y, 1.0)[0]
    0.0
    """
    Y = np.vstack([Ys, Yt])
    # The squared difference of two means is one sum over all pairs, in which source and target differ in sign.
    signs = np.r_[np.full(len(Ys), 1 / len(Ys)), np.full(len(Yt), -1 / len(Yt))]
    sums = _kernel_sums(Y, np.column_stack([signs[:, None] * Y, signs]), square)
    pulls, heights = sums[:, :-1], sums[:, -1]
    gradient = (signs / square)[:, None] * (pulls - heights[:, None] * Y)
    # Rounding may leave less than nothing.
    return max(float(signs @ heights), 0.0), gradient[: len(Ys)], gradient[len(Ys) :]


def _kernel_sums(Y: FloatArray, weights: FloatArray, square: float) -> FloatArray:
    """K @ weights of the symmetric matrix K of all pairs' kernel values, each of which is computed once."""
    # The product of two kernels of one width is a kernel of twice that squared width; a pair's squared distance over
    # that is one product of extended rows.
    below = np.einsum("ij,ij->i", Y, Y) / (-4 * square)
    ones = np.ones(len(Y))
    left, right = np.column_stack([Y / (2 * square), below, ones]), np.column_stack([Y, ones, below])
    blocks = [slice(start, start + BLOCK) for start in range(0, len(Y), BLOCK)]

    def part(first: int) -> FloatArray:
        sums = np.zeros_like(weights)
        for i in range(first, len(blocks), PARTS):
            rows = blocks[i]
            for columns in blocks[i:]:
                K = left[rows] @ right[columns].T
                np.exp(np.minimum(K, 0, out=K), out=K)
                sums[rows] += K @ weights[columns]
                if columns is not rows:
                    sums[columns] += K.T @ weights[rows]
        return sums

    parts = parallel_map(part, range(min(PARTS, len(blocks))))
    return functools.reduce(np.add, parts)
