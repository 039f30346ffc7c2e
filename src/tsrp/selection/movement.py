"""Whether features have moved from one domain to the other, as far as can be said without target labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import lsq_linear
from sklearn.metrics import roc_auc_score

from tsrp._types import FloatArray, IntArray
from tsrp.selection.halves import ENOUGH, FEWEST, SMALLEST, copies_of, few_trees, halves, some_rows, within_reach

# A value that is further from the source's mean, in deviations, is an outlier.
FARTHEST = 10.0


@dataclass(frozen=True)
class Movement:
    """How far features have moved, from 0 to 1 each.

    Attributes
    ----------
    explained : float
        How much of the movement other shares of the classes explain.
    confused : float
        How far trees confuse the domains.
    """

    explained: float
    confused: float

    @classmethod
    def of(cls, Xs: FloatArray, ys: IntArray, Xt: FloatArray) -> Movement:
        """Between these domains.

        Examples
        --------
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> Movement.of(X, np.arange(60) % 2, X + 9)
        Movement(explained=0.0, confused=0.0)
        """
        return cls(explained_by_shares(Xs, ys, Xt), confusion(Xs, Xt))


def explained_by_shares(Xs: FloatArray, ys: IntArray, Xt: FloatArray) -> float:
    """The part of the way from the source's mean to the target's that other shares of the classes explain.

    If features mean the same and only the shares differ, the target's mean is a mixture of the source's class means.
    How much nearer the nearest such mixture is, beyond what as many directions at random would explain; 1 if the means
    are no further apart than those of two draws with the same shares.

    Parameters
    ----------
    Xs : array of shape (n_source, m)
    ys : array of int, shape (n_source,)
        Codes of the classes; every class 0..C-1 occurs.
    Xt : array of shape (n_target, m)

    References
    ----------
    K. Zhang, B. Schoelkopf, K. Muandet, Z. Wang: Domain adaptation under target and conditional shift. ICML 2013. (Of
    means of kernels; there the shares are what is sought.)

    Examples
    --------
    >>> Xs, ys = np.array([[0.0, 0.0], [0.1, 1.0], [2.0, 0.1], [2.1, 1.1]]), np.array([0, 0, 1, 1])
    >>> explained_by_shares(Xs, ys, np.repeat(Xs[:3], 50, axis=0)) > 0.9
    True
    """
    source, target = _scaled(Xs, Xt)
    if source.shape[1] == 0:
        return 0.0
    sizes = np.bincount(ys)
    means = np.array([source[ys == code].mean(axis=0) for code in range(len(sizes))])
    within = source - means[ys]
    noise = float(within.var(axis=0).sum()) * (1 / len(source) + 1 / len(target))
    way = target.mean(axis=0)
    apart = float(way @ way) - noise
    if apart <= 0:
        return 1.0
    left = way - nearest_shares(means, way) @ means
    explained = 1 - max(0.0, float(left @ left) - noise) / apart
    chance = _chance(within, len(sizes))
    return max(0.0, (explained - chance) / (1 - chance)) if chance < 1 else 0.0


def _scaled(Xs: FloatArray, Xt: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both domains by the source's means and deviations, without features that do not vary there, and outliers cut."""
    # Squares of very large or very small values are no numbers.
    largest = np.abs(Xs).max(axis=0).astype(np.float64)
    with np.errstate(over="ignore"):
        source, target = (X / np.where(largest > 0, largest, 1.0) for X in (Xs, Xt))
        deviation = source.std(axis=0)
        varies = deviation > SMALLEST
        mean = source.mean(axis=0)[varies]
        source, target = ((X[:, varies] - mean) / deviation[varies] for X in (source, target))
    source, target = (np.clip(X, -FARTHEST, FARTHEST) for X in (source, target))
    centre = source.mean(axis=0)
    return source - centre, target - centre


def nearest_shares(means: FloatArray, mean: FloatArray) -> FloatArray:
    """The shares of the classes whose mixture of class means is nearest to a mean."""
    # A row that counts far more than all others makes them sum to 1.
    heavy = 1e3 * max(1.0, float(np.abs(means).max()))
    # scipy multiplies an infinite step by nothing on its way.
    with np.errstate(invalid="ignore"):
        found = lsq_linear(np.vstack([means.T, np.full(len(means), heavy)]), np.append(mean, heavy), (0, np.inf))
    return found.x / found.x.sum()


def _chance(within: FloatArray, n_classes: int) -> float:
    """What class means would explain of a way that has nothing to do with them.

    As many directions as they span, among those in which samples of a class vary (the participation ratio).
    """
    few = within[:: -(-len(within) // ENOUGH)]
    gram = few @ few.T if len(few) < few.shape[1] else few.T @ few
    squares = float((gram**2).sum())
    n_directions = float(np.trace(gram)) ** 2 / squares if squares > 0 else 0.0
    return (n_classes - 1) / (n_directions + n_classes - 1)


def confusion(Xs: FloatArray, Xt: FloatArray) -> float:
    """How far trees confuse the domains, from 0 (they never do) to 1 (they guess): twice the area above the ROC curve.

    They learn from a half of the samples, and are asked about the other one; copies of a sample are in the same half,
    as they would tell its domain. Of a few samples nothing can be said: 0.

    References
    ----------
    D. Lopez-Paz, M. Oquab: Revisiting classifier two-sample tests. ICLR 2017.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> confusion(X[:100], X[100:]) > 0.8, confusion(X[:100], X[100:] + 9)
    (True, 0.0)
    """
    source, target = Xs[some_rows(Xs)], Xt[some_rows(Xt)]
    X, is_target = np.vstack([source, target]), np.repeat([0, 1], [len(source), len(target)])
    X = within_reach(X, of=X)
    copies = copies_of(X)
    if min(len(np.unique(copies[is_target == domain])) for domain in (0, 1)) < FEWEST:
        return 0.0
    said = np.empty(len(X))
    for learnt, asked in halves(copies, is_target, keep_copies_together=True):
        said[asked] = few_trees().fit(X[learnt], is_target[learnt]).predict_proba(X[asked])[:, -1]
    return min(1.0, 2 * (1 - float(roc_auc_score(is_target, said))))
