"""The rbf kernel in blocks of rows, and its approximation from a few landmarks (Nystroem's method)."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from sklearn.metrics.pairwise import rbf_kernel

from tsrp._types import FloatArray
from tsrp.numerics.threads import parallel_map

# Rows whose kernel values are held at a time, on each thread.
BLOCK = 1024
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
        np.matmul(rbf_kernel(queries[part], samples, gamma=gamma), weights, out=sums[part])

    parallel_map(fill, range(0, len(queries), BLOCK))
    return sums


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
