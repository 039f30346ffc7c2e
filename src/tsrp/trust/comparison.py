"""Does adaptation help at all? Its labels beside those of what one would do without it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from tsrp._types import FloatArray, IntArray, LabelArray
from tsrp.classifiers.nearest_neighbour import NearestNeighbour
from tsrp.trust.estimate import EQUAL_ROWS, EstimatedAccuracy, atc
from tsrp.trust.evidence import Evidence
from tsrp.trust.information import neighbour_information, original_neighbours
from tsrp.trust.original import Scaling
from tsrp.trust.signals import Linear, Logistic, of_label
from tsrp.validation import Domains

if TYPE_CHECKING:
    import pandas as pd

# Predictions change little after that.
LOGISTIC_STEPS, LOGISTIC_TOLERANCE = 100, 1e-3
# By how much an alternative must be ahead; chosen on tasks whose labels are known, docs/TRUST.md says on which.
MORE_INFORMATION, MORE_SURROUNDINGS, DOUBTFUL = 1.1, 0.03, 0.75
# Known labels decide if there are so many; by which share of them an alternative must be ahead then.
ENOUGH_KNOWN, MORE_RIGHT = 10, 0.1


@dataclass(frozen=True, eq=False)
class Labelling:
    """One way to label the target, by what can be said of it without a true label.

    Attributes
    ----------
    name : str
    command : str
        The options of `tsrp adapt` that give these labels; empty for those of the fit itself.
    labels : array of shape (n_target,)
    estimated_accuracy : float
        The share of labels that are estimated to be right. For the alternatives the way back is a ridge regression, and
        both it and the probabilities are of the original features.
    information : float
        Mutual information of the label of a sample and those of its neighbours in the original features.
    surroundings : float
        The mean share of a sample's label among the source labels that are spread to it in the original features.
    same : float
        The share of labels that adaptation gives too.
    """

    name: str
    command: str
    labels: LabelArray
    estimated_accuracy: float
    information: float
    surroundings: float
    same: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """The labels of a fit beside those of classifiers that know the source alone.

    Attributes
    ----------
    adapted : Labelling
    alternatives : tuple of Labelling
        Logistic regression, the same on z-scores of each domain, and 1-nearest-neighbour.
    better : Labelling or None
        The alternative that looks better than adaptation, if one does.
    sentence : str
        What was found, in plain words.
    adaptation_decides : bool
        Whether the labels are by adaptation; False where a panel has it in doubt.
    """

    adapted: Labelling
    alternatives: tuple[Labelling, ...]
    better: Labelling | None
    sentence: str
    adaptation_decides: bool = True

    @property
    def helps(self) -> bool:
        """Whether no alternative looks better."""
        return self.better is None

    def to_frame(self) -> pd.DataFrame:
        """A row for each way to label the target, adaptation first, without the labels."""
        import pandas as pd

        ways = [self.adapted, *self.alternatives]
        return pd.DataFrame([vars(way) for way in ways]).set_index("name").drop(columns="labels")


def compare(
    domains: Domains,
    codes: IntArray,
    held_out: IntArray,
    name: str,
    evidence: Evidence,
    estimated: EstimatedAccuracy,
    *,
    adaptation_decides: bool = True,
) -> Comparison:
    """Compare the labels of a fit with alternatives.

    Parameters
    ----------
    domains : Domains
        As the user passed them.
    codes : array of int, shape (n_target,)
        The labels of the fit.
    held_out : array of int, shape (n_target,)
        The same, those of known rows as if these were not known.
    name : str
        What people call the method.
    evidence : Evidence
    estimated : EstimatedAccuracy
    adaptation_decides : bool
        False if classifiers without adaptation have given most of the labels anyway. Then only known labels speak for
        an alternative: groups of the target and rows that are similar do not.
    """
    Xs, ys, Xt = domains.Xs, domains.ys, domains.Xt
    near = original_neighbours(Xt)
    scaled = evidence.scaling.rows(Xt)
    spread = evidence.surroundings.support(evidence.principal.units(scaled))[:, evidence.class_order]
    rows = Scaling.of(Xs).rows(Xs)
    units = evidence.principal.units(rows)
    chances = Logistic.fit(units, ys).support(evidence.principal.units(scaled))

    def judge(way: str, command: str, labels: IntArray, accuracy: float) -> Labelling:
        information = neighbour_information(labels, near)
        surroundings = float(of_label(spread, labels).mean())
        same = float(np.mean(labels == codes))
        return Labelling(way, command, domains.classes[labels], accuracy, information, surroundings, same)

    alternatives = []
    for way, command, classifier, prepare in ALTERNATIVES:
        labels = _learn(classifier(), prepare(Xs), ys, prepare(Xt))
        back = Linear.fit(scaled, labels, len(domains.classes)).support(rows).argmax(axis=1)
        accuracy = min(float(np.mean(back == ys)), atc(units, ys, of_label(chances, labels)))
        alternatives.append(judge(way, command, labels, accuracy))
    adapted = judge(name, "", codes, estimated.value)
    below_chance = estimated.lower_part < 1 / len(domains.classes)
    if len(domains.known) >= ENOUGH_KNOWN:
        known = domains.known
        right = [int(np.sum(way.labels[known.rows] == domains.classes[known.codes])) for way in alternatives]
        told = int(np.sum(held_out[known.rows] == known.codes))
        better, sentence = _verdict_by_known(adapted, alternatives, told, right, len(known))
    elif not adaptation_decides:
        better, sentence = None, f"Nothing speaks against {name}: adaptation is in doubt, and does not decide."
    elif estimated.equal_rows:
        better, sentence = None, f"Nothing speaks against {name}, nor for it: {EQUAL_ROWS}"
    else:
        better, sentence = _verdict(adapted, alternatives, below_chance)
    return Comparison(adapted, tuple(alternatives), better, sentence, adaptation_decides)


def _learn(classifier: Any, X: FloatArray, codes: IntArray, new: FloatArray) -> IntArray:
    with warnings.catch_warnings():
        # Without scaling some features need thousands of steps; nobody takes them.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return classifier.fit(X, codes).predict(new)


def _as_given(X: FloatArray) -> FloatArray:
    return X


def _z_scores(X: FloatArray) -> FloatArray:
    return StandardScaler().fit_transform(X)


def _logistic() -> LogisticRegression:
    return LogisticRegression(max_iter=LOGISTIC_STEPS, tol=LOGISTIC_TOLERANCE)


LINEAR = "--method nn --set classifier=logistic"
ALTERNATIVES: tuple[tuple[str, str, Callable[[], Any], Callable[[FloatArray], FloatArray]], ...] = (
    ("logistic regression", LINEAR, _logistic, _as_given),
    ("logistic regression on z-scores", f"{LINEAR} --preprocess zscore", _logistic, _z_scores),
    ("1-nearest-neighbour", "--method nn", NearestNeighbour, _as_given),
)


def _verdict(adapted: Labelling, alternatives: list[Labelling], below_chance: bool) -> tuple[Labelling | None, str]:
    """Which alternative looks better, and why."""
    linear = [way for way in alternatives if LINEAR in way.command]
    most = max(linear, key=lambda way: way.information)
    if most.information > MORE_INFORMATION * adapted.information:
        why = (
            "neighbouring rows agree more on its labels (mutual information "
            f"{most.information:.2f}, with adaptation {adapted.information:.2f})"
        )
        return most, _sentence(most, adapted, why)
    close = max(linear, key=lambda way: way.surroundings)
    if close.surroundings > adapted.surroundings + MORE_SURROUNDINGS and adapted.estimated_accuracy < DOUBTFUL:
        why = (
            "its labels are more often those of similar source rows "
            f"({100 * close.surroundings:.0f} %, with adaptation {100 * adapted.surroundings:.0f} %)"
        )
        return close, _sentence(close, adapted, why)
    if below_chance:
        return most, _sentence(
            most, adapted, "what speaks for the labels of adaptation is less than would speak for guessing"
        )
    return None, f"Nothing speaks against {adapted.name}: no linear model without adaptation looks better."


def _verdict_by_known(
    adapted: Labelling, alternatives: list[Labelling], told: int, right: list[int], n_known: int
) -> tuple[Labelling | None, str]:
    """Which alternative is right on more known rows; both label them without having learnt from them."""
    most, way = max(
        ((count, way) for count, way in zip(right, alternatives, strict=True) if LINEAR in way.command),
        key=lambda pair: pair[0],
    )
    why = f"of {n_known} known labels it gives {most}, {adapted.name} {told} without having been told them"
    if most - told > MORE_RIGHT * n_known:
        return way, _sentence(way, adapted, why)
    return None, (
        f"Nothing speaks against {adapted.name}: of {n_known} known labels it gives {told} without having been told "
        f"them, {way.name} without adaptation {most}."
    )


def _sentence(better: Labelling, adapted: Labelling, why: str) -> str:
    return (
        f"{better.name[0].upper()}{better.name[1:]} without adaptation looks better than {adapted.name}: {why}. "
        f"Try {better.command}."
    )
