"""How far apart two sets of samples are."""

from __future__ import annotations

import os
import threading
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from tsrp._types import FloatArray, IntArray
from tsrp.exceptions import InputError
from tsrp.numerics.rows import with_squares
from tsrp.numerics.threads import one_blas_thread, parallel_map

# Python's warning filters belong to the process: two threads that change them at once leave them changed.
_filters = threading.Lock()
# The median distance is that of so many rows of each set at most.
MEDIAN_ROWS = 1000
# Rows whose kernel values are held at a time, on each thread.
KERNEL_ROWS = 256
FURTHEST = 1e12


def _renew_lock() -> None:
    """In a forked child, which does not have the thread that may hold the parent's."""
    global _filters
    _filters = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def a_distance(Xs: FloatArray, Xt: FloatArray, *, held_out: bool = False) -> float:
    """Proxy A-distance: 2 (1 - 2 err), err the error of a linear SVM that tells the two sets apart.

    Parameters
    ----------
    Xs, Xt : arrays of shape (n, m) and (q, m)
        Neither empty.
    held_out : bool, default False
        False: err is the training error, as in the literature; with fewer samples than features it is nearly always
        0. True: each half of the samples is judged by an SVM trained on the other half, features are scaled to unit
        variance, and both sets count the same however many samples they have. Needs two samples of each.

    Returns
    -------
    float
        2 if the sets can be told apart without error, about 0 if not at all.

    Examples
    --------
    >>> import numpy as np
    >>> a_distance(np.array([[0.0], [0.1]]), np.array([[5.0], [5.1]]))
    2.0
    """
    X = np.vstack([Xs, Xt])
    side = np.repeat([0, 1], [len(Xs), len(Xt)])
    if not held_out:
        error = float(np.mean(_svm(X, side, X) != side))
        return 2 * (1 - 2 * error)
    if min(len(Xs), len(Xt)) < 2:
        raise InputError("Xs and Xt must hold at least two samples each: one half is trained on, the other judged.")
    # Shuffled within each set, as files are often sorted; every second sample is in the first half.
    rng = np.random.default_rng(0)
    half = np.concatenate([rng.permutation(n) % 2 for n in (len(Xs), len(Xt))])
    wrong = np.empty(len(X), dtype=bool)
    with one_blas_thread():
        for part in (0, 1):
            own, other = half == part, half != part
            scaler = StandardScaler().fit(X[other])
            guess = _svm(scaler.transform(X[other]), side[other], scaler.transform(X[own]), class_weight="balanced")
            wrong[own] = guess != side[own]
    balanced = (wrong[side == 0].mean() + wrong[side == 1].mean()) / 2
    # An error above a half is chance: nothing was learnt.
    return float(max(0.0, 2 * (1 - 2 * balanced)))


def _svm(X: FloatArray, side: IntArray, judged: FloatArray, class_weight: str | None = None) -> IntArray:
    with _filters, warnings.catch_warnings():
        # An SVM that stops early still gives an error rate, which is all that is asked of it.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LinearSVC(random_state=0, class_weight=class_weight).fit(with_squares(X), side).predict(judged)


def class_share(Xs: FloatArray, ys: IntArray, Xt: FloatArray, yt: IntArray) -> float:
    """The share of the classes in how far apart two domains are: the weight mu of BDA and MEDA, estimated.

    The mean A-distance of the classes, over itself plus that of the domains. Classes that are empty on one side have
    no distance and are left out.

    Parameters
    ----------
    Xs, Xt : arrays of shape (n, m) and (q, m)
    ys, yt : arrays of int
        Their classes; at least one in common.

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> import numpy as np
    >>> Xs, Xt = np.array([[0.0], [5.0]]), np.array([[1.0], [6.0]])
    >>> class_share(Xs, np.array([0, 1]), Xt, np.array([0, 1])) > 0.5
    True
    """
    shared = np.intersect1d(ys, yt)
    classes = float(np.mean([a_distance(Xs[ys == c], Xt[yt == c]) for c in shared]))
    domains = a_distance(Xs, Xt)
    if classes + domains <= 0:
        return 0.5
    mu = min(max(classes / (classes + domains), 0.0), 1.0)
    return 0.0 if mu < 1e-3 else mu


def mmd(Xs: FloatArray, Xt: FloatArray, *, gamma: float | None = None) -> float:
    """Maximum mean discrepancy, squared, of the kernel ``exp(-gamma |x - y|^2)``: the unbiased estimate.

    It works on blocks of rows: memory grows with the number of samples, not with its square.

    Parameters
    ----------
    Xs, Xt : arrays of shape (n, m) and (q, m)
        At least two samples each.
    gamma : float, optional
        None: 1 / median of the squared distances between the samples, so that the unit of the features does not
        matter; of at most 1,000 samples of each set, taken at equal steps.

    Returns
    -------
    float
        About 0 if the sets come from one distribution (a little below it is possible), at most 2.

    References
    ----------
    Gretton et al.: A kernel two-sample test. JMLR 13, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> A, B = rng.normal(size=(2, 200, 3))
    >>> abs(mmd(A, B)) < 0.01 < mmd(A, B + 1)
    True
    """
    if min(len(Xs), len(Xt)) < 2:
        raise InputError("Xs and Xt must hold at least two samples each: similarity within a set is that of pairs.")
    # Near the origin, squared distances from products lose fewest digits; a few values far out must not move it.
    centre = np.median(np.vstack([Xs, Xt]), axis=0)
    source, target = (np.asarray(X, dtype=np.float64) - centre for X in (Xs, Xt))
    if gamma is None:
        typical = _median_square(source, target)
        gamma = 1 / typical if typical > 0 else 1.0
    # Scaled so that the exponent is near 1, float32 is exact enough for a mean, and its exponentials are much faster.
    # Beyond FURTHEST all is equally far; the squares of what lies further out would leave the range of float32.
    scaled = (np.clip(np.sqrt(gamma) * X, -FURTHEST, FURTHEST) for X in (source, target))
    source, target = (X.astype(np.float32) for X in scaled)
    with one_blas_thread():
        return _mean_within(source) + _mean_within(target) - 2 * _mean_across(source, target)


def _median_square(source: FloatArray, target: FloatArray) -> float:
    """The median of the squared distances between some samples; if most are equal, the mean."""
    steps = [np.linspace(0, len(X) - 1, min(len(X), MEDIAN_ROWS)).astype(int) for X in (source, target)]
    some = np.vstack([source[steps[0]], target[steps[1]]])
    with one_blas_thread():
        squares = _squares(some, some)[np.triu_indices(len(some), 1)]
    median = float(np.median(squares))
    return median if median > 0 else float(squares.mean())


def _squares(A: FloatArray, B: FloatArray) -> FloatArray:
    squares = -2 * (A @ B.T)
    squares += np.einsum("ij,ij->i", A, A)[:, None]
    squares += np.einsum("ij,ij->i", B, B)
    return np.maximum(squares, 0, out=squares)


def _kernel_sum(A: FloatArray, B: FloatArray, *, own: bool = True) -> float:
    values = np.negative(_squares(A, B))
    if not own:
        np.fill_diagonal(values, -np.inf)
    return float(np.exp(values, out=values).sum(dtype=np.float64))


def _mean_within(X: FloatArray) -> float:
    """The mean over all pairs of different samples."""
    n = len(X)

    def part(start: int) -> float:
        rows, later = X[start : start + KERNEL_ROWS], X[start + KERNEL_ROWS :]
        # The kernel of a sample with itself does not count.
        return _kernel_sum(rows, rows, own=False) + 2 * _kernel_sum(rows, later)

    return sum(parallel_map(part, range(0, n, KERNEL_ROWS), light=n <= KERNEL_ROWS)) / (n * (n - 1))


def _mean_across(source: FloatArray, target: FloatArray) -> float:
    def part(start: int) -> float:
        return _kernel_sum(source[start : start + KERNEL_ROWS], target)

    starts = range(0, len(source), KERNEL_ROWS)
    return sum(parallel_map(part, starts, light=len(starts) == 1)) / (len(source) * len(target))
