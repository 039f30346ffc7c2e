"""The distance of two sample densities, and how it changes with the samples."""

from __future__ import annotations

import numpy as np

from tsrp._types import FloatArray
from tsrp.numerics.threads import parallel_map

# Pairs of samples whose kernel values are held at a time, by each thread.
BLOCK_PAIRS = 1 << 20


def bandwidth(Y: FloatArray) -> float:
    """Squared width of the Gaussian kernels of a density estimate: Scott's rule, the same in all directions."""
    n, d = Y.shape
    return float(n ** (-2 / (d + 4)) * Y.var(axis=0).mean())


def density_divergence(
    Ys: FloatArray, Yt: FloatArray, widths: tuple[float, float]
) -> tuple[float, FloatArray, FloatArray]:
    """The integral of (p - q)^2 over two Gaussian density estimates p and q, and its gradient.

    It is divided by the integral of one of p's kernels squared, so that it is 0 for equal densities, and free of
    scale.

    Parameters
    ----------
    Ys, Yt : arrays of shape (n, d) and (q, d)
    widths : pair of float
        Squared widths of the kernels of p and q.

    Returns
    -------
    value : float
    gradient_s, gradient_t : arrays of shape (n, d) and (q, d)

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.array([[0.0], [1.0]])
    >>> density_divergence(Y, Y, (1.0, 1.0))[0]
    0.0
    """
    d = Ys.shape[1]
    hs, ht = widths
    ss, *within_s = _pairs(Ys, Ys, 2 * hs)
    tt, *within_t = _pairs(Yt, Yt, 2 * ht)
    st, across_s, across_t = _pairs(Ys, Yt, hs + ht)
    of_tt, of_st = (hs / ht) ** (d / 2), 2 * (2 * hs / (hs + ht)) ** (d / 2)
    value = ss + of_tt * tt - of_st * st
    return value, within_s[0] + within_s[1] - of_st * across_s, of_tt * (within_t[0] + within_t[1]) - of_st * across_t


def _pairs(A: FloatArray, B: FloatArray, square: float) -> tuple[float, FloatArray, FloatArray]:
    """The mean of exp(-|a - b|^2 / (2 square)) over all pairs, and its gradients with respect to A and B."""
    rows = max(1, BLOCK_PAIRS // len(B))
    lengths = np.einsum("ij,ij->i", B, B)

    def block(start: int) -> tuple[float, FloatArray, FloatArray]:
        part = A[start : start + rows]
        K = part @ (2 * B.T)
        K -= np.einsum("ij,ij->i", part, part)[:, None]
        K -= lengths
        K /= 2 * square
        np.exp(np.minimum(K, 0, out=K), out=K)
        by_row, by_column = K.sum(axis=1), K.sum(axis=0)
        return by_row.sum(), K @ B - by_row[:, None] * part, K.T @ part - by_column[:, None] * B

    parts = parallel_map(block, range(0, len(A), rows))
    pairs = len(A) * len(B)
    value = sum(part[0] for part in parts) / pairs
    gradient_A = np.vstack([part[1] for part in parts]) / (square * pairs)
    gradient_B = np.sum([part[2] for part in parts], axis=0) / (square * pairs)
    return float(value), gradient_A, gradient_B
