"""The rbf kernel in blocks of rows, and its approximation from a few landmarks (Nystroem's method)."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

from tsrp._types import FloatArray
from tsrp.numerics.threads import parallel_map

# Rows whose kernel values are held at a time, on each thread.
BLOCK = 1024
# A squared distance that is this much smaller than the squares it is computed from has lost half of its digits.
CANCELLED = 1e-8
# Pairs of so many numbers have their differences computed at a time.
DIFFERENCES = 1 << 20
# Eigenvalues of the landmarks' kernel matrix below this share of the largest are rounding.
ROUNDING = 1e-10
# Up to so many samples a classifier solves with all of them, beyond with so many landmarks.
EXACT_SAMPLES = 5000
DEFAULT_LANDMARKS = 1000


def expansion(queries: FloatArray, samples: FloatArray, weights: FloatArray, gamma: float) -> FloatArray:
    """Weighted sums of the kernel ``exp(-gamma |x - y|^2)``: kernel(queries, samples) @ weights, in float64.

    Parameters
    ----------
    queries, samples : arrays of shape (q, m) and (n, m)
    weights : array of shape (n, p)
    gamma : float

    Returns
    -------
    array of shape (q, p)

    Examples
    --------
    >>> import numpy as np
    >>> expansion(np.array([[0.0], [1.0]]), np.array([[0.0]]), np.array([[2.0]]), gamma=1.0).round(3)
    array([[2.   ],
           [0.736]])
    """
    # Differences of large values are lost in single precision.
    queries, samples = (X.astype(np.float64, copy=False) for X in (queries, samples))
    sums = np.empty((len(queries), weights.shape[1]))

    def fill(start: int) -> None:
        part = slice(start, start + BLOCK)
        distances = squared_distances(queries[part], samples)
        distances *= -gamma
        np.matmul(np.exp(distances, out=distances), weights, out=sums[part])

    parallel_map(fill, range(0, len(queries), BLOCK))
    return sums


def squared_distances(X: FloatArray, Y: FloatArray) -> FloatArray:
    """All squared Euclidean distances, of samples far from 0 too.

    The fast formula, ``|x|^2 + |y|^2 - 2 x'y``, serves where it does not cancel; the other pairs are subtracted.

    Parameters
    ----------
    X, Y : arrays of float64, shapes (n, m) and (q, m)

    Returns
    -------
    array of shape (n, q)

    Examples
    --------
    >>> import numpy as np
    >>> squared_distances(np.array([[1e8]]), np.array([[1e8 + 1.0], [1e8 + 2.0]]))
    array([[1., 4.]])
    """
    squares_x, squares_y = (np.einsum("ij,ij->i", Z, Z) for Z in (X, Y))
    distances = euclidean_distances(
        X, Y, squared=True, X_norm_squared=squares_x[:, None], Y_norm_squared=squares_y[None, :]
    )
    rows, columns = np.nonzero(distances <= CANCELLED * (squares_x[:, None] + squares_y))
    step = max(1, DIFFERENCES // X.shape[1])
    for start in range(0, len(rows), step):
        i, j = rows[start : start + step], columns[start : start + step]
        difference = X[i] - Y[j]
        distances[i, j] = np.einsum("ij,ij->i", difference, difference)
    return distances


def n_landmarks(wanted: int | str, n_samples: int) -> int | None:
    """How many landmarks are taken of so many samples; None if all samples are used as they are.

    Examples
    --------
    >>> n_landmarks("auto", 5000), n_landmarks("auto", 5001), n_landmarks(400, 300)
    (None, 1000, None)
    """
    if isinstance(wanted, str):
        return None if n_samples <= EXACT_SAMPLES else DEFAULT_LANDMARKS
    return None if wanted >= n_samples else wanted


def landmarks(samples: FloatArray, n: int, gamma: float, seed: int) -> tuple[FloatArray, FloatArray]:
    """Samples L chosen at random, and a root R of their inverse kernel matrix: kernel(X, L) @ R are features of X.

    Inner products of the features are the kernel among the landmarks, and approximate it elsewhere.

    Parameters
    ----------
    samples : array of shape (q, m)
    n : int
        At most q.
    gamma : float
    seed : int

    Returns
    -------
    chosen : array of shape (n, m)
        In the order of the samples.
    root : array of shape (n, r)
        r is smaller than n where landmarks say the same.

    References
    ----------
    C. Williams, M. Seeger: Using the Nystroem method to speed up kernel machines. NIPS 2000.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [1.0]])
    >>> chosen, root = landmarks(X, 3, 1.0, seed=0)
    >>> root.shape
    (3, 2)
    """
    chosen = samples[np.sort(np.random.default_rng(seed).choice(len(samples), n, replace=False))]
    values, vectors = linalg.eigh(rbf_kernel(chosen.astype(np.float64, copy=False), gamma=gamma))
    kept = values > ROUNDING * values[-1]
    return chosen, vectors[:, kept] / np.sqrt(values[kept])
