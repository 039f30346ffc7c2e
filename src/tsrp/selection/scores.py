"""Scores of a fitted method that need no target labels; higher is better.

None of them measures accuracy. docs/SELECTION.md shows how well each ranks methods on tasks whose labels are known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import entropy
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from tsrp._types import FloatArray, IntArray
from tsrp._utsp import DEFAULT_TRUST
from tsrp.classifiers.training import is_transductive, trainer
from tsrp.numerics.rows import unit_rows
from tsrp.picking import INNER_ITERATIONS
from tsrp.remedy import remedy
from tsrp.selection.views import density_ratios, probabilities, unit_views
from tsrp.trust.information import neighbour_information as information_among
from tsrp.trust.information import original_neighbours
from tsrp.trust.reverse import reverse_validation as reverse_validation

# Of SND, as published.
TEMPERATURE = 0.05
ROW_BLOCK = 1024
FOLDS = 5


def soft_neighbourhood_density(model: Any, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike) -> float:
    """SND: how many other target samples each has near it, counted softly.

    Class probabilities, by logistic regression on the projected source, are scaled to unit length. Their products
    with those of all others, divided by the published temperature 0.05, become a distribution over the others; the
    mean entropy is the score. It is high where samples lie in dense groups, also if the groups are wrong or one.

    Parameters
    ----------
    model, Xs, ys, Xt
        As for `reverse_validation`.

    Returns
    -------
    float in [0, log(n_target - 1)]

    References
    ----------
    K. Saito, D. Kim, P. Teterwak, S. Sclaroff, T. Darrell, K. Saenko: Tune it the right way: unsupervised validation
    of domain adaptation via soft neighborhood density. ICCV 2021.

    Examples
    --------
    >>> from tsrp import NN
    >>> Xs, ys, Xt = [[1.0, 0.0], [0.0, 1.0]], ["flat", "steep"], [[1.0, 0.1], [1.0, 0.1], [0.1, 1.0]]
    >>> round(soft_neighbourhood_density(NN().fit(Xs, ys, Xt), Xs, ys, Xt), 2)
    0.23
    """
    Zs, Zt = unit_views(model, Xs, Xt)
    rows = unit_rows(probabilities(Zs, np.asarray(ys), Zt))
    if len(rows) == 1:
        return 0.0
    total = 0.0
    for start in range(0, len(rows), ROW_BLOCK):
        block = rows[start : start + ROW_BLOCK]
        logits = block @ rows.T / TEMPERATURE
        own = np.arange(len(block))
        logits[own, start + own] = -np.inf
        P = np.exp(logits - logits.max(axis=1, keepdims=True))
        total += float(entropy(P, axis=1).sum())
    return total / len(rows)


def certainty(model: Any, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike) -> float:
    """Minus the mean entropy of the target's class probabilities.

    The probabilities are those of a logistic regression on the projected source. A method that puts all samples into
    one class is very certain: `information` asks for both.

    Parameters
    ----------
    model, Xs, ys, Xt
        As for `reverse_validation`.

    Returns
    -------
    float in [-log(n_classes), 0]

    References
    ----------
    P. Morerio, J. Cavazza, V. Murino: Minimal-entropy correlation alignment for unsupervised deep domain adaptation.
    ICLR 2018.

    Examples
    --------
    >>> from tsrp import NN
    >>> Xs, ys = [[1.0, 0.0], [0.0, 1.0]], ["flat", "steep"]
    >>> near, between = [[1.0, 0.1], [0.1, 1.0]], [[1.0, 0.9], [0.9, 1.0]]
    >>> certainty(NN().fit(Xs, ys, near), Xs, ys, near) > certainty(NN().fit(Xs, ys, between), Xs, ys, between)
    True
    """
    Zs, Zt = unit_views(model, Xs, Xt)
    return -float(entropy(probabilities(Zs, np.asarray(ys), Zt), axis=1).mean())


def information(model: Any, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike) -> float:
    """Mutual information of target samples and their classes: each certain, all classes in use.

    The entropy of the mean class probabilities minus the mean of their entropies, with the probabilities of
    `certainty`.

    Parameters
    ----------
    model, Xs, ys, Xt
        As for `reverse_validation`.

    Returns
    -------
    float in [0, log(n_classes)]

    References
    ----------
    Y. Shi, F. Sha: Information-theoretical learning of discriminative clusters for unsupervised domain adaptation.
    ICML 2012.

    Examples
    --------
    >>> from tsrp import NN
    >>> Xs, ys = [[1.0, 0.0], [0.0, 1.0]], ["flat", "steep"]
    >>> both, one = [[1.0, 0.1], [0.1, 1.0]], [[1.0, 0.1], [1.0, 0.1]]
    >>> information(NN().fit(Xs, ys, both), Xs, ys, both) > information(NN().fit(Xs, ys, one), Xs, ys, one)
    True
    """
    Zs, Zt = unit_views(model, Xs, Xt)
    P = probabilities(Zs, np.asarray(ys), Zt)
    return float(entropy(P.mean(axis=0)) - entropy(P, axis=1).mean())


def importance_weighted(model: Any, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike) -> float:
    """Deep embedded validation: minus the error on held-out source samples, weighted by how target-like they are.

    A copy of the method is fitted without a fifth of the source, which its classifier then labels in the projection.
    The weights are density ratios by a logistic regression that tells the projected domains apart; their known mean
    of 1 serves as the control variate that steadies the estimate.

    Parameters
    ----------
    model, Xs, ys, Xt
        As for `reverse_validation`.

    Returns
    -------
    float

    References
    ----------
    M. Sugiyama, M. Krauledat, K.-R. Mueller: Covariate shift adaptation by importance weighted cross validation. JMLR
    2007. K. You, X. Wang, M. Long, M. Jordan: Towards accurate model selection in deep unsupervised domain
    adaptation. ICML 2019.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import NN
    >>> X, y = make_blobs(60, random_state=0, cluster_std=0.1)
    >>> importance_weighted(NN().fit(X[:40], y[:40], X[40:]), X[:40], y[:40], X[40:]) == 0
    True
    """
    y = np.asarray(ys)
    rare = np.unique(y, return_counts=True)[1].min() < FOLDS
    folds = (KFold if rare else StratifiedKFold)(min(FOLDS, len(y)), shuffle=True, random_state=0)
    learnt, held = next(folds.split(y, y))
    seen = _rows(Xs, learnt)
    fresh = clone(model).fit(seen, y[learnt], Xt)
    Zh = fresh.project_source(_rows(Xs, held))
    wrong = (fresh.classifier_.predict(Zh) != y[held]).astype(np.float64)
    weights = density_ratios(*unit_views(fresh, seen, Xt), unit_rows(Zh))
    return -controlled_mean(weights * wrong, weights)


def _rows(X: Any, chosen: IntArray) -> Any:
    """Some rows of an array or of a data frame, whose names a transformer may ask for."""
    return X.iloc[chosen] if hasattr(X, "iloc") else np.asarray(X)[chosen]


def controlled_mean(values: FloatArray, weights: FloatArray) -> float:
    """The mean of weighted values, steadied by the weights, whose true mean is 1.

    Examples
    --------
    >>> import numpy as np
    >>> controlled_mean(np.array([2.0, 0.0]), np.array([2.0, 0.0]))
    1.0
    """
    spread = float(np.mean((weights - weights.mean()) ** 2))
    if spread == 0:
        return float(values.mean())
    slope = float(np.mean((values - values.mean()) * (weights - weights.mean()))) / spread
    return float(values.mean() - slope * (weights.mean() - 1))


def round_trip(model: Any, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike) -> float:
    """The share of source labels that come back within the projection, without another fit.

    A classifier like the method's own learns from the projected target with the labels that it was given, and labels
    the projected source. Unlike in `reverse_validation` the projection stays: it has seen the source's labels, and a
    return is easier.

    Parameters
    ----------
    model, Xs, ys, Xt
        As for `reverse_validation`.

    Returns
    -------
    float in [0, 1]

    References
    ----------
    Of this package.

    Examples
    --------
    >>> from tsrp import NN
    >>> Xs, ys, Xt = [[0.0], [1.0], [2.0]], ["low", "low", "high"], [[0.1], [1.4]]
    >>> round(round_trip(NN().fit(Xs, ys, Xt), Xs, ys, Xt), 2)
    0.67
    """
    truth = np.asarray(ys)
    if len(np.unique(model.labels_)) == 1:
        return float(np.mean(truth == model.labels_[0]))
    Zs, Zt = model.project_source(Xs), np.asarray(model.transform(Xt))
    codes = np.searchsorted(model.classes_, model.labels_)
    back = trainer(model.classifier_, Zt, codes, model.classes_, Zs)(None)
    return float(np.mean(back.predict(Zs) == truth))


def agreement(model: Any, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike) -> float:
    """The share of the target that TSRP picks, and whose crude label its remedy keeps.

    High where the samples of a class are similar, and where a classifier that has learnt from the confident ones finds
    little to correct. TSRP's own last round is taken; the labels of another method are remedied with TSRP's defaults.

    Parameters
    ----------
    model, Xs, ys, Xt
        As for `reverse_validation`.

    Returns
    -------
    float in [0, 1]

    References
    ----------
    Of this package.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import NN
    >>> X, y = make_blobs(60, random_state=0, cluster_std=0.1)
    >>> agreement(NN().fit(X[:40], y[:40], X[40:]), X[:40], y[:40], X[40:]) > 0.5
    True
    """
    if hasattr(model, "picked_"):
        crude, kept, picked = model.history_[-1].crude, model.labels_, model.picked_
    else:
        codes, crude = (np.searchsorted(model.classes_, labels) for labels in (np.asarray(ys), model.labels_))
        outcome = remedy(
            model.project_source(Xs),
            codes,
            np.asarray(model.transform(Xt)),
            crude,
            model.classes_,
            trust=DEFAULT_TRUST,
            inner_iterations=INNER_ITERATIONS["tree"],
            strong_classifier=None if is_transductive(model.classifier_) else model.classifier_,
        )
        assert outcome.picked is not None
        kept, picked = outcome.codes, outcome.picked
    return float(np.mean((picked > 0) & (crude == kept)))


def neighbour_information(model: Any, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike) -> float:
    """Mutual information of a target sample's label and those of its neighbours, in a space that no method made.

    The neighbours are the five of largest cosine among the target's z-scores. Labels that follow the target's groups
    are high; labels at random, and one label for all, are 0. Classes that are exchanged as a whole are not noticed.

    Parameters
    ----------
    model, Xs, ys, Xt
        As for `reverse_validation`.

    Returns
    -------
    float in [0, log(n_classes)]

    References
    ----------
    Of this package.

    Examples
    --------
    >>> from tsrp import NN
    >>> Xs, ys, Xt = [[0.0], [5.0]], ["low", "high"], [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> neighbour_information(NN().fit(Xs, ys, Xt), Xs, ys, Xt) >= 0
    True
    """
    codes = np.unique(model.labels_, return_inverse=True)[1]
    return information_among(codes, original_neighbours(np.asarray(Xt, dtype=np.float64)))


def consensus(labels: npt.ArrayLike, weights: npt.ArrayLike) -> FloatArray:
    """How far each candidate agrees with the weighted majority of all.

    Candidates that are right agree with each other, for there is one way to be right; the more so, the more they
    differ in how they go wrong. A set in which most are wrong in the same way misleads it.

    Parameters
    ----------
    labels : array of shape (n_candidates, n_target)
    weights : array of shape (n_candidates,)
        Of each candidate's vote, at least 0; if all are 0, every vote counts the same.

    Returns
    -------
    array of shape (n_candidates,)
        Shares, in [0, 1].

    References
    ----------
    Of this package.

    Examples
    --------
    >>> consensus([["a", "b"], ["a", "b"], ["b", "b"]], [1, 1, 1]).tolist()
    [1.0, 1.0, 0.5]
    """
    given = np.asarray(labels)
    classes, flat = np.unique(given, return_inverse=True)
    codes = flat.reshape(given.shape)
    votes = np.zeros((given.shape[1], len(classes)))
    counted = np.asarray(weights, dtype=np.float64)
    for own, weight in zip(codes, counted if counted.any() else np.ones(len(counted)), strict=True):
        votes[np.arange(len(votes)), own] += weight
    return np.mean(codes == votes.argmax(axis=1), axis=1)
