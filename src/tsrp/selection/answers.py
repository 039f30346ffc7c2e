"""What classifiers of the source say of the target, beside what they say of samples of the source they did not see."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import clone

from tsrp._types import FloatArray, IntArray
from tsrp.classifiers.training import predict_shares
from tsrp.selection.agreement import LEAST_KAPPA, kappa
from tsrp.selection.halves import FEWEST, N_HALVES, copies_of, few_trees, halves, some_rows, within_reach
from tsrp.selection.members import plain_logistic
from tsrp.selection.movement import nearest_shares

# Answers for a class are told apart by how sure they are, in so many parts.
N_PARTS = 4
# How much it counts to be less often wrong in the source; and so often anyone might be, so that chance decides little.
ERROR_POWER, LEAST_ERROR = 2, 0.02


@dataclass(frozen=True)
class Answers:
    """How good classifiers of the source are there, and how far they are at home in the target.

    Attributes
    ----------
    accuracy : float
        How many samples of the source are labelled rightly, by all of them together and counted by their merits, if
        they did not see them; NaN if unknown.
    skill : float
        How far they are right there beyond chance: the mean of their kappas.
    strangeness : float
        How far their answers on the target are from what other shares of the classes make of their answers in the
        source, from 0 to 1: the largest total variation.
    consensus : float
        How far they agree with each other on the target, as a ratio of how far they do in the source; of kappas.
    merits : tuple of floats
        What each of them counts: 1, or less if it is more often wrong in the source than the best.
    """

    accuracy: float
    skill: float
    strangeness: float
    consensus: float
    merits: tuple[float, ...]

    @classmethod
    def of(cls, Xs: FloatArray, ys: IntArray, Xt: FloatArray) -> Answers:
        """Of the two members of a panel that see features as they are, between these domains.

        Examples
        --------
        >>> Answers.of(np.zeros((2, 1)), np.array([0, 1]), np.zeros((5, 1)))
        Answers(accuracy=nan, skill=1.0, strangeness=1.0, consensus=0.0, merits=(1.0, 1.0))
        """
        return ask((plain_logistic(), few_trees()), Xs, ys, Xt)


# Too few samples to ask about: nothing that is so is a reason to doubt anything.
UNKNOWN = Answers(accuracy=np.nan, skill=1.0, strangeness=1.0, consensus=0.0, merits=(1.0, 1.0))


def ask(classifiers: Sequence[Any], Xs: FloatArray, ys: IntArray, Xt: FloatArray) -> Answers:
    """Let classifiers learn from each half of the source, and ask them about the other one and about the target.

    Where features mean the same in the target, what they say of it is distributed as what they say of the source, but
    for the shares of the classes; and they agree with each other as far as they do there.

    Parameters
    ----------
    classifiers : sequence of scikit-learn classifiers
        Two or more that give probabilities.
    Xs : array of shape (n_source, m)
    ys : array of int, shape (n_source,)
        Codes of the classes; every class 0..C-1 occurs.
    Xt : array of shape (n_target, m)

    References
    ----------
    Z. Lipton, Y.-X. Wang, A. Smola: Detecting and correcting for label shift with black box predictors. ICML 2018. (Of
    shares that explain a classifier's answers.)
    C. Baek, Y. Jiang, A. Raghunathan, Z. Kolter: Agreement-on-the-line: predicting the performance of neural networks
    under distribution shift. NeurIPS 2022. (Of agreement in both domains.)

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> ys = np.arange(200) % 2
    >>> X = ys[:, np.newaxis] + 0.5 * np.random.default_rng(0).normal(size=(200, 3))
    >>> answers = ask([LogisticRegression(), GaussianNB()], X[:100], ys[:100], X[100:])
    >>> answers.skill > 0.7, answers.strangeness < 0.2, answers.consensus > 0.8
    (True, True, True)
    """
    rows = some_rows(Xs, ys)
    source, target = (within_reach(X, of=Xs[rows]) for X in (Xs[rows], Xt[some_rows(Xt)]))
    # Not all classes, if they are many.
    _, codes = np.unique(ys[rows], return_inverse=True)
    if len(source) < FEWEST or np.bincount(codes).max() < N_HALVES:
        return UNKNOWN
    with warnings.catch_warnings():
        # Of a class that one half lacks, and of classifiers that would learn a little more in more steps.
        warnings.simplefilter("ignore")
        parts = list(halves(copies_of(source), codes, keep_copies_together=False))
        if any(len(np.unique(codes[learnt])) < 2 for learnt, _ in parts):
            return UNKNOWN
        asked = [_answers(own, source, codes, target, parts) for own in classifiers]
    said, said_abroad = ([own.argmax(axis=1) for own in shares] for shares in zip(*asked, strict=True))
    merits = merits_by_errors(np.array([np.mean(own != codes) for own in said]))
    together = np.tensordot(merits, [own for own, _ in asked], axes=1)
    return Answers(
        accuracy=float(np.mean(together.argmax(axis=1) == codes)),
        skill=float(np.mean([kappa(own, codes) for own in said])),
        strangeness=max(_strangeness(own, codes, other) for own, other in asked),
        consensus=_consensus(said_abroad) / max(LEAST_KAPPA, _consensus(said)),
        merits=tuple(merits.tolist()),
    )


def merits_by_errors(errors: FloatArray) -> FloatArray:
    """What classifiers count that are wrong on such shares of samples, beside the best of them.

    Examples
    --------
    >>> merits_by_errors(np.array([0.38, 0.18, 0.18])).round(2)
    array([0.25, 1.  , 1.  ])
    """
    return ((errors.min() + LEAST_ERROR) / (errors + LEAST_ERROR)) ** ERROR_POWER


def _answers(
    classifier: Any, source: FloatArray, codes: IntArray, target: FloatArray, parts: Sequence[tuple[IntArray, IntArray]]
) -> tuple[FloatArray, FloatArray]:
    """What a classifier says of the source, each half by the other one, and of the target, by both."""
    classes = np.arange(int(codes.max()) + 1)
    home, abroad = np.zeros((len(source), len(classes))), np.zeros((len(parts), len(target), len(classes)))
    for half, (learnt, asked) in enumerate(parts):
        trained = clone(classifier).fit(source[learnt], codes[learnt])
        home[asked] = predict_shares(trained, source[asked], classes)
        abroad[half] = predict_shares(trained, target, classes)
    return home, abroad.reshape(-1, len(classes))


def _consensus(labellings: Sequence[IntArray]) -> float:
    return float(np.mean([kappa(one, other) for one, other in combinations(labellings, 2)]))


def _strangeness(home: FloatArray, codes: IntArray, abroad: FloatArray) -> float:
    """The total variation between a classifier's answers on the target and the nearest mixture of those on classes."""
    n_classes = home.shape[1]
    kinds, kinds_abroad = _kinds(home, home), _kinds(abroad, home)
    n_kinds = n_classes * N_PARTS
    by_class = np.array([np.bincount(kinds[codes == code], minlength=n_kinds) for code in range(n_classes)])
    by_class = by_class / by_class.sum(axis=1, keepdims=True)
    found = np.bincount(kinds_abroad, minlength=n_kinds) / len(kinds_abroad)
    return float(np.abs(found - nearest_shares(by_class, found) @ by_class).sum()) / 2


def _kinds(shares: FloatArray, home: FloatArray) -> IntArray:
    """The kind of each answer: the class that it is for, and how sure it is, by quantiles of such answers at home."""
    codes, codes_at_home = shares.argmax(axis=1), home.argmax(axis=1)
    sure, sure_at_home = shares.max(axis=1), home.max(axis=1)
    kinds = N_PARTS * codes
    for code in np.intersect1d(codes, codes_at_home):
        bounds = np.quantile(sure_at_home[codes_at_home == code], np.arange(1, N_PARTS) / N_PARTS)
        own = codes == code
        kinds[own] += np.searchsorted(bounds, sure[own])
    return kinds
