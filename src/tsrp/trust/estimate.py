"""How many labels are right, without knowing one of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp.trust.signals import Logistic

FOLDS = 3
# How far the range goes beyond what was estimated.
SLACK = 0.05
# What is estimated without known labels counts as much as so many of them: it is about as far off as their mean is.
PRIOR = 30
# Of the known labels' mean: the truth is hardly ever further off.
STANDARD_ERRORS, SOME = 2.0, 10
EQUAL_ROWS = (
    "all rows of the target are equal, so that labels are guesses: each class is as probable as it is frequent in the "
    "source."
)


@dataclass(frozen=True)
class EstimatedAccuracy:
    """The share of target labels that are estimated to be right.

    Attributes
    ----------
    value : float
        The lower one of `reverse` and `atc`, of a panel the median of all parts; but no less than guessing would have.
    low, high : float
        A range; docs/TRUST.md says how often it holds the truth.
    reverse : float or None
        The share of source labels that come back when the method is fitted in the other direction, from the labelled
        target to the source; None if the method refuses that.
    atc : float
        The share of target labels whose probability reaches the threshold that as many held-out source labels reach
        as are right there (average thresholded confidence).
    votes, nearby : float or None
        Of a panel: the mean share of a label in the vote on its row, if each member votes for its label alone, and in
        those on neighbouring rows.
    home : float or None
        Of a panel that doubts adaptation: the share of the source's labels that those who decide give without having
        learnt from them.
    n_known : int
        Labels that were known; they are right, and what was estimated of the others is corrected by them.
    equal_rows : bool
        Whether all rows of the target are equal. Then nothing else is known than how frequent the classes are in the
        source, and the value is how often labels are right by chance.

    References
    ----------
    S. Garg, S. Balakrishnan, Z. Lipton, B. Neyshabur, H. Sedghi: Leveraging unlabeled data to predict
    out-of-distribution performance. ICLR 2022. There the largest probability counts, here that of the given label.

    Examples
    --------
    >>> str(EstimatedAccuracy(value=0.72, low=0.58, high=0.77, reverse=0.8, atc=0.72))
    'estimated accuracy 72 % (58 to 77)'
    """

    value: float
    low: float
    high: float
    reverse: float | None
    atc: float
    votes: float | None = None
    nearby: float | None = None
    home: float | None = None
    n_known: int = 0
    equal_rows: bool = False

    def __str__(self) -> str:
        low, value, high = (round(100 * share) for share in (self.low, self.value, self.high))
        return f"estimated accuracy {value} % ({low} to {high})"

    @property
    def parts(self) -> list[float]:
        """Those of `reverse`, `atc`, `votes`, `nearby` and `home` that there are."""
        return [part for part in (self.reverse, self.atc, self.votes, self.nearby, self.home) if part is not None]

    @property
    def lower_part(self) -> float:
        """The lower one of `reverse` and `atc`, even where guessing would have more."""
        return self.atc if self.reverse is None else min(self.reverse, self.atc)

    @property
    def combined(self) -> float:
        """What the parts come to, even where guessing would have more."""
        return self.lower_part if self.votes is None else float(np.median(self.parts))

    @property
    def sentence(self) -> str:
        """The estimate, and what it rests on."""
        if self.equal_rows:
            return f"{self}: {EQUAL_ROWS}"
        probable = f"{_percent(self.atc)} of the labels are as probable as the source's are where they are right"
        more = ""
        if self.votes is not None and self.nearby is not None:
            own, near = _percent(self.votes), _percent(self.nearby)
            more = f"; {own} of the votes on a row are for its label, {near} of those on neighbouring rows"
        if self.home is not None:
            more += f"; {_percent(self.home)} of the source's labels are right if they are not learnt from"
        if self.n_known:
            more += f"; corrected by {self.n_known} known label{'s' if self.n_known > 1 else ''}"
        if self.reverse is None:
            return f"{self}: {probable}; the method cannot be fitted backwards from these labels{more}."
        back = f"{_percent(self.reverse)} of the source's labels come back when the method is fitted backwards"
        return f"{self}: {back}, and {probable}{more}."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def atc(units: FloatArray, codes: IntArray, chances: FloatArray) -> float:
    """Average thresholded confidence.

    The threshold comes from logistic regressions that each learn from two thirds of the source and label the rest.

    Parameters
    ----------
    units : array of shape (n_source, k)
        The projected source, rows of unit length.
    codes : array of int, shape (n_source,)
    chances : array of shape (n_target,)
        The probability of each target label, by logistic regression on the whole source.
    """
    folds = _folds(codes)
    held = np.flatnonzero(folds >= 0)
    if len(held) == 0:
        # One sample of each class says nothing about probabilities: they are taken at their word.
        return float(chances.mean())
    right, largest = np.zeros(len(codes), dtype=bool), np.zeros(len(codes))
    for fold in np.unique(folds[held]):
        out = folds == fold
        support = Logistic.fit(units[~out], codes[~out]).support(units[out])
        right[out], largest[out] = support.argmax(axis=1) == codes[out], support.max(axis=1)
    threshold = np.quantile(largest[held], 1 - right[held].mean())
    return float(np.mean(chances >= threshold))


def _folds(codes: IntArray) -> IntArray:
    """A fold for each sample, class by class in turn; -1 for the only sample of a class, which is never held out."""
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    place = np.empty(len(codes), dtype=np.intp)
    place[order] = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.where(sizes[codes] > 1, place % FOLDS, -1)


def estimate(
    reverse: float | None,
    atc: float,
    propagated: float,
    unadapted: float,
    n_classes: int,
    *,
    votes: float | None = None,
    nearby: float | None = None,
    home: float | None = None,
) -> EstimatedAccuracy:
    """Put the parts together.

    Parameters
    ----------
    reverse : float or None
    atc : float
    propagated : float
        The mean share of the given label in what label propagation says of a target sample.
    unadapted : float
        The share of target labels that 1-nearest-neighbour gives too, without adaptation.
    n_classes : int
    votes, nearby, home : float or None
        As in `EstimatedAccuracy`.
    """
    found = EstimatedAccuracy(0.0, 0.0, 1.0, reverse, atc, votes, nearby, home)
    # A part below guessing is a reason for doubt, but no measure of how many labels are wrong.
    value = max(found.combined, 1 / n_classes)
    low = max(0.0, min(*found.parts, propagated, unadapted) - SLACK)
    # A single method's labels are hardly better than its lower part says; of a panel, any part may be right.
    highest = value if votes is None else max(value, *found.parts)
    return replace(found, value=value, low=low, high=min(1.0, highest + SLACK))


def by_chance(probability: FloatArray, n_known: int) -> EstimatedAccuracy:
    """The estimate for a target whose rows are all equal, from the probabilities of its labels.

    Examples
    --------
    >>> import numpy as np
    >>> str(by_chance(np.array([0.25, 0.25]), n_known=0))
    'estimated accuracy 25 % (0 to 100)'
    """
    value = float(probability.mean())
    return EstimatedAccuracy(value, 0.0, 1.0, None, value, n_known=n_known, equal_rows=True)


def corrected(blind: EstimatedAccuracy, right: BoolArray, expected: FloatArray, n_target: int) -> EstimatedAccuracy:
    """An estimate that was made without known labels, corrected by them.

    The range reaches as far as it moves along, but no further from the value than chance leaves room for the mean of as
    many known labels.

    Parameters
    ----------
    blind : EstimatedAccuracy
    right : array of bool, shape (n_known,)
        Whether the method is right on each known row, without having learnt from it.
    expected : array of shape (n_known,)
        The probability of that, by the estimate to correct.
    n_target : int
        Rows of the target: the known ones are right whatever the method says of them.

    Examples
    --------
    >>> import numpy as np
    >>> blind = EstimatedAccuracy(value=0.8, low=0.7, high=0.85, reverse=0.8, atc=0.9)
    >>> str(corrected(blind, np.zeros(10, bool), np.full(10, 0.8), 1000))
    'estimated accuracy 60 % (50 to 83)'
    """
    # A part below guessing is no measure of anything: known labels take its place.
    prior = PRIOR if blind.combined >= blind.value else 0
    missed, n = right - expected, len(right)
    shift = float(missed.sum()) / (n + prior)
    share = n / n_target
    # Few labels may all be right, and not vary at all: as if of some more, which vary as much as any can.
    variance = float(((missed - missed.mean()) ** 2).sum() + SOME / 4) / (n + SOME)
    margin = STANDARD_ERRORS * float(np.sqrt(variance / n))

    def of_all(others: float) -> float:
        return share + (1 - share) * min(1.0, max(0.0, others))

    value = blind.value + shift
    low = max(blind.low + min(shift, 0.0), value - margin)
    high = min(blind.high + max(shift, 0.0), value + margin)
    return replace(blind, value=of_all(value), low=of_all(low), high=of_all(high), n_known=n)
