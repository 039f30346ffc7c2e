"""Whether to believe the labels, in a line that needs no terms of the field.

The limits were set by looking at the tasks of docs/TRUST.md with DICD+TSRP, so that none with less than four fifths of
right labels is called good.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tsrp.report.diagnostics import better_in_truth
from tsrp.trust.comparison import MORE_INFORMATION, Labelling

if TYPE_CHECKING:
    from tsrp.report.findings import Findings

Level = Literal["good", "unclear", "bad"]
# Accuracies from which labels are good, and below which they are bad.
HIGH, LOW = 0.8, 0.6
# A wider range of the estimate says little.
WIDE = 0.35
# An estimate from fewer rows says little.
FEW_ROWS = 50


@dataclass(frozen=True)
class Verdict:
    """What to think of the labels as a whole.

    Attributes
    ----------
    level : "good", "unclear" or "bad"
    headline : str
        The one line to read.
    command : str
        The options of `tsrp adapt` that promise better labels; empty if none do.
    reasons : tuple of str
        What speaks against the labels.
    """

    level: Level
    headline: str
    command: str
    reasons: tuple[str, ...]


def judge_all(findings: Findings) -> Verdict:
    """Judge by the truth where enough of it is known, else by the estimate and what speaks against it.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import NN
    >>> from tsrp.report.findings import find
    >>> X, y = make_blobs(200, n_features=5, random_state=0)
    >>> judge_all(find(NN().fit(X[:100], y[:100], X[100:]), truth=y[100:])).headline
    '100 % of the labels are right.'
    """
    better = better_without(findings)
    warnings = tuple(diagnostic.title for diagnostic in findings.diagnostics)
    truth = findings.truth
    is_known = truth is not None and truth.is_enough
    if truth is not None and is_known:
        of = "" if truth.n_known == len(truth.codes) else f" of the {truth.n_known:,} labels whose truth is known"
        accuracy, words = truth.accuracy, f"{_percent(truth.accuracy)}{of or ' of the labels'} are right."
        reasons = warnings
    else:
        accuracy = findings.estimated.value
        low, high = findings.estimated.low, findings.estimated.high
        words = f"By estimate {_percent(accuracy)} of the labels are right ({100 * low:.0f} to {_percent(high)})."
        reasons = (*_doubts(findings), *warnings)
    if better is not None:
        is_ = "is" if is_known else "looks"
        headline = f"{_capital(better.name)} without adaptation {is_} better than {findings.method}."
        return Verdict("bad", headline, better.command, (words, *reasons))
    if accuracy < LOW:
        return Verdict("bad", words, "", reasons)
    return Verdict("good" if accuracy >= HIGH and not reasons else "unclear", words, "", reasons)


def better_without(findings: Findings) -> Labelling | None:
    """What would be better than adaptation: true labels say so, or it looks so."""
    if findings.truth is not None and findings.truth.is_enough:
        return better_in_truth(findings)
    return findings.comparison.better


def beside_nothing(findings: Findings) -> str:
    """How much better or worse than without adaptation the labels are, in a word or two."""
    truth = findings.truth
    if truth is not None and truth.is_enough:
        points = 100 * (truth.accuracy - max(truth.accuracy_of_alternatives.values()))
        return f"{abs(points):.1f} points {'more' if points >= 0 else 'fewer'} are right"
    if findings.comparison.better is not None:
        return "Looks worse"
    if not findings.comparison.adaptation_decides:
        return "Adaptation is in doubt"
    adapted, others = findings.comparison.adapted, findings.comparison.alternatives
    ahead = adapted.information > MORE_INFORMATION * max(other.information for other in others)
    return "Looks better" if ahead else "About as good"


def _doubts(findings: Findings) -> list[str]:
    estimated, n = findings.estimated, len(findings.labels)
    doubts = []
    if estimated.high - estimated.low > WIDE:
        doubts.append("The estimate is doubtful: its range is wide")
    if n < FEW_ROWS:
        doubts.append(f"There {'is only one row' if n == 1 else f'are only {n} rows'} to judge by")
    return doubts


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
