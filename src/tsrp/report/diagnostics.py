"""Signs that adaptation did harm, in plain words.

Each check is a function from findings to a `Diagnostic` or None. The limits were set by looking at tasks where
adaptation helps (digits, COIL20, MobileNetV2 features), on which no check may speak, and at the gas sensors, where it
harms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tsrp._types import FloatArray
from tsrp.columns import sentences
from tsrp.report.findings import Findings
from tsrp.report.truth import FEWEST_TRUE
from tsrp.trust.comparison import Labelling

# Labels are spread over fewer classes than this part of the source's, counted by how evenly they are used.
COLLAPSED = 0.6
FEW_CONFIDENT = 0.4
# The strong classifier overrules the weak one more often than at first: by so much of all rows, and of the first share.
GROWTH, GROWTH_SHARE, WORTH_A_WORD = 0.02, 0.2, 0.05
# Slack before the domains count as further apart.
A_SLACK, MMD_SLACK = 0.1, 0.01
UNSETTLED = 0.05
# The part of the target whose class would have to change for both domains to have the same shares, beyond chance.
OTHER_SHARES = 0.2
LESS_ACCURATE = 0.01
# Of what the largest class leaves to be found, features tell less than this.
TELLING = 0.1
# The classes of fewer rows than this say nothing about shares.
FEWEST_ROWS = 20


@dataclass(frozen=True)
class Diagnostic:
    """What was seen, what it may mean, and what to try."""

    title: str
    seen: str
    meaning: str
    advice: str

    def __str__(self) -> str:
        return f"{self.title}: {self.seen} {self.meaning} {self.advice}"


def diagnose(findings: Findings) -> list[Diagnostic]:
    """The warnings that a fit deserves, the gravest first; none is not a proof that all is well.

    Parameters
    ----------
    findings : Findings
        From `tsrp.report.findings.find`.

    Returns
    -------
    list of Diagnostic

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import NN, TSRP
    >>> from tsrp.report.findings import find
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> diagnose(find(TSRP(NN()).fit(X[:60], y[:60], X[60:])))
    []
    """
    if findings.estimated.equal_rows:
        # What else is odd about such labels follows from it.
        return [equal_rows(findings)]
    return [found for check in CHECKS if (found := check(findings)) is not None]


def better_in_truth(findings: Findings) -> Labelling | None:
    """The best alternative, if it is right more often than adaptation as far as the truth is known."""
    truth = findings.truth
    if truth is None or not truth.is_enough:
        return None
    best = max(findings.comparison.alternatives, key=lambda way: truth.accuracy_of_alternatives[way.name])
    return best if truth.accuracy_of_alternatives[best.name] > truth.accuracy + LESS_ACCURATE else None


def less_accurate(findings: Findings) -> Diagnostic | None:
    """With true labels there is no need to guess."""
    truth, better = findings.truth, better_in_truth(findings)
    if truth is None or better is None:
        return None
    return Diagnostic(
        "Worse than without adaptation",
        f"{_percent(truth.accuracy)} of the {truth.n_known:,} labels with a known truth are right; "
        f"{better.name} without adaptation has {_percent(truth.accuracy_of_alternatives[better.name])}.",
        "For this pair of domains the method does harm.",
        f"Use {better.command}, preprocess each domain (z-scores), or let `tsrp tune` compare.",
    )


def misplaced_trust(findings: Findings) -> Diagnostic | None:
    """Confident labels ought to be right more often than the others."""
    truth = findings.truth
    if truth is None or truth.accuracy_confident is None or truth.accuracy_uncertain is None:
        return None
    known = truth.codes >= 0
    fewest = min(int((known & chosen).sum()) for chosen in (findings.confident, ~findings.confident))
    if fewest < FEWEST_TRUE or truth.accuracy_confident >= truth.accuracy_uncertain - LESS_ACCURATE:
        return None
    return Diagnostic(
        "Confident labels are worse than uncertain ones",
        f"{_percent(truth.accuracy_confident)} of the confident labels with a known truth are right, and "
        f"{_percent(truth.accuracy_uncertain)} of the uncertain ones.",
        "Rows that resemble each other were given a wrong class together; here confidence says nothing about truth.",
        "Do not select rows by their confidence; see which classes are confused, and let `tsrp tune` compare.",
    )


def untold(findings: Findings) -> Diagnostic | None:
    """Nothing that is learnt from the source finds classes that its features do not tell apart."""
    home, largest = findings.estimated.home, float(findings.shares(findings.source).max())
    if home is None or home - largest >= TELLING * (1 - largest):
        return None
    return Diagnostic(
        "Features tell little about the classes",
        f"Logistic regression and trees have {_percent(home)} of the source's own labels right if they do not learn "
        f"from them; the largest class alone is {_percent(largest)}.",
        "Groups of rows in the target are hardly classes then, and adaptation finds groups.",
        "Look for features that tell the classes apart, and make sure that the source's labels belong to its rows.",
    )


def collapsed(findings: Findings) -> Diagnostic | None:
    """Labels of few classes only."""
    given, expected = (_used(findings.shares(codes)) for codes in (findings.labels, findings.source))
    # A few rows cannot fill many classes: a sample looks less mixed than what it comes from (Miller and Madow).
    seen = expected * np.exp(-(len(findings.classes) - 1) / (2 * len(findings.labels)))
    if len(findings.labels) < FEWEST_ROWS or given >= COLLAPSED * seen:
        return None
    empty = int((findings.shares(findings.labels) == 0).sum())
    none = f"; {empty} of {len(findings.classes)} classes have no row at all" if empty else ""
    return Diagnostic(
        "Labels collapse to few classes",
        f"The target's labels are spread as if there were {given:.1f} equally large classes; the source has "
        f"{expected:.1f}{none}.",
        "Either the target really lacks classes, or the projection has pulled most rows to a few of them.",
        "Look at the plane after adaptation; try a larger ridge, more components, or +tsrp with a higher trust.",
    )


def few_confident(findings: Findings) -> Diagnostic | None:
    """Most labels are uncertain."""
    share = float(findings.confident.mean())
    if share >= FEW_CONFIDENT:
        return None
    return Diagnostic(
        "Few labels can be trusted",
        f"Only {_percent(share)} of the labels are right with a probability of at least {findings.confident_at:g}.",
        "Either many labels are wrong, or what speaks for them is too mixed to tell which are.",
        "Have some of the other rows labelled by a person, preprocess each domain (z-scores), or let `tsrp tune` "
        "compare.",
    )


def growing_disagreement(findings: Findings) -> Diagnostic | None:
    """The remedy has more to do in each round, not less."""
    if not findings.remedied or len(findings.rounds) < 3:
        return None
    first, last = (r.n_remedied / len(findings.labels) for r in (findings.rounds[0], findings.rounds[-1]))
    if last < WORTH_A_WORD or last <= first + GROWTH or last <= first * (1 + GROWTH_SHARE):
        return None
    return Diagnostic(
        "The two classifiers disagree more and more",
        f"The strong classifier overruled the weak one on {_percent(first)} of the rows in the first round, and on "
        f"{_percent(last)} in the last.",
        "The rounds should bring both together; errors may be feeding on themselves.",
        "Use fewer rounds (max_iter=3), a higher trust, or a method that does not learn from target labels "
        "(tca+tsrp, nn+tsrp).",
    )


def further_apart(findings: Findings) -> Diagnostic | None:
    """The opposite of what adaptation is for."""
    d = findings.distances
    if d is None:
        return None
    seen = []
    if d.a_after > d.a_before + A_SLACK:
        seen.append(f"the A-distance rose from {d.a_before:.2f} to {d.a_after:.2f}")
    if d.mmd_after > d.mmd_before + MMD_SLACK:
        seen.append(f"the squared MMD rose from {d.mmd_before:.3f} to {d.mmd_after:.3f}")
    if not seen:
        return None
    sentence = " and ".join(seen)
    return Diagnostic(
        "The domains are further apart than before",
        f"{sentence[0].upper()}{sentence[1:]}.",
        "The projection keeps what tells the domains apart and drops what they share.",
        "Try another kernel or ridge, fewer components, or preprocess each domain (z-scores).",
    )


def other_shares(findings: Findings) -> Diagnostic | None:
    """Methods that align the domains take it that classes are as frequent in both."""
    source = findings.shares(findings.source)
    limit = OTHER_SHARES + _chance(source, len(findings.source), len(findings.labels))
    with_, without = (_difference(source, findings.shares(codes)) for codes in (findings.labels, findings.unadapted))
    if len(findings.labels) < FEWEST_ROWS or max(with_, without) <= limit:
        return None
    after = findings.shares(findings.labels)
    odd = int(np.abs(after - source).argmax())
    return Diagnostic(
        "Other shares of the classes than in the source",
        f"To have the source's shares, {_percent(with_)} of the target rows would need another label "
        f"({_percent(without)} of those that 1-nearest-neighbour gives without adaptation); most of all "
        f"{findings.classes[odd]!r}, which is {_percent(float(source[odd]))} of the source and "
        f"{_percent(float(after[odd]))} of the target's labels.",
        "Methods that align the domains expect similar shares. If the target's really are different, or classes are "
        "absent from it, they relabel right rows to make up for it.",
        "If you know the target's shares, draw a source with the same; else compare with nn+tsrp: it aligns nothing.",
    )


def unsettled(findings: Findings) -> Diagnostic | None:
    """The labels of the last round are one state of many."""
    last = findings.rounds[-1]
    share = last.n_moved / len(findings.labels)
    if last.limit == 1 or last.number < last.limit or share <= UNSETTLED:
        return None
    return Diagnostic(
        "The labels did not settle",
        f"{_percent(share)} of the labels still changed in the last of {last.limit} rounds.",
        "Another number of rounds would give other labels.",
        "Allow more rounds (max_iter=30), or use a larger ridge or fewer components.",
    )


def not_features(findings: Findings) -> Diagnostic | None:
    """Columns of another kind than features."""
    if not findings.columns:
        return None
    seen = " ".join(sentence[0].upper() + sentence[1:] for sentence in sentences(findings.columns).values())
    return Diagnostic(
        "Columns that may not be features",
        seen,
        "Most methods compare rows by all of their columns, and such a one may decide which rows are similar.",
        "Compare with a run without the column, or with each domain scaled (z-scores).",
    )


def equal_rows(findings: Findings) -> Diagnostic:
    """Rows that are all the same have no labels of their own."""
    return Diagnostic(
        "All rows of the target are equal",
        f"Each of the {len(findings.labels):,} rows has the same values in all columns.",
        "The labels are guesses: a sensor may be dead, or the target may have none of the source's categories.",
        "Look at how the target's features were recorded and read. Until then each class is as probable as it is "
        "frequent in the source.",
    )


CHECKS: tuple[Callable[[Findings], Diagnostic | None], ...] = (
    less_accurate,
    misplaced_trust,
    not_features,
    untold,
    collapsed,
    further_apart,
    few_confident,
    growing_disagreement,
    unsettled,
    other_shares,
)


def _used(shares: FloatArray) -> float:
    """How many classes of equal size would be as mixed: the exponential of the entropy."""
    present = shares[shares > 0]
    return float(np.exp(-(present * np.log(present)).sum()))


def _difference(source: FloatArray, target: FloatArray) -> float:
    """The part of one that must change to become the other (total variation)."""
    return float(np.abs(source - target).sum() / 2)


def _chance(shares: FloatArray, n_source: int, n_target: int) -> float:
    """How different two samples of these shares are by chance alone, about: half the mean absolute error of each."""
    spread = np.sqrt(shares * (1 - shares) * (1 / n_source + 1 / n_target))
    return float(np.sqrt(2 / np.pi) * spread.sum() / 2)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share == 0 or share >= 0.1 else f"{100 * share:.1f} %"
