"""The distance of two sample densities, and how it changes with the samples."""

from __future__ import annotations

import numpy as np

from tsrp._types import FloatArray
from tsrp.numerics.threads import parallel_map

# Pairs of samples whose kernel values are held at a time, by each thread.
BLOCK_PAIRS = 1 << 20
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
    lengths = np.einsum("ij,ij->i", Y, Y)
    weighted = signs[:, None] * Y
    rows = max(1, BLOCK_PAIRS // len(Y))

    def block(start: int) -> tuple[FloatArray, FloatArray]:
        part = slice(start, start + rows)
        # The product of two kernels of one width is a kernel of twice that squared width.
        K = Y[part] @ (Y.T / (2 * square))
        K -= lengths[part, None] / (4 * square)
        K -= lengths / (4 * square)
        np.exp(np.minimum(K, 0, out=K), out=K)
        return K @ signs, K @ weighted

    found = parallel_map(block, range(0, len(Y), rows))
    heights, pulls = (np.concatenate(parts) for parts in zip(*found, strict=True))
    gradient = (signs / square)[:, None] * (pulls - heights[:, None] * Y)
    # Rounding may leave less than nothing.
    return max(float(signs @ heights), 0.0), gradient[: len(Ys)], gradient[len(Ys) :]
