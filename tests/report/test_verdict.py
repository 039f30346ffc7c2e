"""The line on top of a report: good only if nothing speaks against it, and obedient to the truth."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.domains import make_domains
from tsrp import JDA
from tsrp.report import findings as module
from tsrp.report.findings import find
from tsrp.report.verdict import FEW_ROWS, HIGH, LOW, WIDE, beside_nothing, better_without, judge_all
from tsrp.trust.comparison import LINEAR
from tsrp.trust.estimate import EstimatedAccuracy

# What speaks for nothing and against nothing.
SOLID = EstimatedAccuracy(value=0.9, low=0.8, high=0.95, reverse=0.9, atc=0.92)


@pytest.fixture(scope="module")
def calm():
    """Findings without a warning: a hundred rows of four classes, an estimate of 90 %."""
    Xs, ys, Xt, yt = make_domains(n_source=100, n_target=100, shift=0.1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_tsne", lambda X: np.zeros((len(X), 2)))
        found = find(JDA(n_components=5).fit(Xs, ys, Xt), truth=yt)
    assert found.diagnostics == []
    assert found.comparison.helps
    return replace(found, estimated=SOLID)


def without_truth(calm, **changes):
    return replace(calm, truth=None, **changes)


def with_truth(calm, accuracy, n_known=100, alternative=0.3, **changes):
    codes = np.where(np.arange(100) < n_known, calm.truth.codes, -1)
    others = {way.name: alternative if LINEAR in way.command else 0.3 for way in calm.comparison.alternatives}
    truth = replace(calm.truth, codes=codes, accuracy=accuracy, accuracy_of_alternatives=others)
    return replace(calm, truth=truth, **changes)


def alarmed(calm):
    return replace(calm.comparison, better=calm.comparison.alternatives[1])


def test_a_high_estimate_that_nothing_speaks_against_is_good(calm):
    verdict = judge_all(without_truth(calm))
    assert (verdict.level, verdict.reasons, verdict.command) == ("good", (), "")
    assert verdict.headline == "By estimate 90 % of the labels are right (80 to 95 %)."


def test_an_estimate_that_is_not_high_is_not_good_and_a_low_one_is_bad(calm):
    for value, level in ((HIGH - 0.01, "unclear"), (LOW - 0.01, "bad")):
        lower = replace(SOLID, value=value, low=value - 0.05)
        assert judge_all(without_truth(calm, estimated=lower)).level == level


def test_a_wide_range_few_rows_and_warnings_speak_against_it(calm):
    wide = without_truth(calm, estimated=replace(SOLID, low=SOLID.high - WIDE - 0.01))
    assert judge_all(wide).level == "unclear"
    assert judge_all(wide).reasons == ("The estimate is doubtful: its range is wide",)
    assert "(59 to 95 %)" in judge_all(wide).headline
    few = slice(FEW_ROWS - 1)
    rows = {name: getattr(calm, name)[few] for name in ("labels", "unadapted", "probability")}
    verdict = judge_all(without_truth(calm, **rows))
    assert (verdict.level, verdict.reasons) == ("unclear", ("There are only 49 rows to judge by",))
    warned = without_truth(calm, probability=np.full(100, 0.5))
    assert judge_all(warned).reasons == ("Few labels can be trusted",)
    assert judge_all(warned).level == "unclear"


def test_an_alternative_that_looks_better_comes_first_with_its_command(calm):
    verdict = judge_all(without_truth(calm, comparison=alarmed(calm)))
    assert verdict.level == "bad"
    assert verdict.headline == "Logistic regression on z-scores without adaptation looks better than JDA."
    assert verdict.command == "--method nn --set classifier=logistic --preprocess zscore"
    assert verdict.reasons[0].startswith("By estimate 90 %")


def test_the_truth_is_obeyed(calm):
    low = replace(SOLID, value=0.3, low=0.2, high=0.9)
    assert judge_all(with_truth(calm, 0.95, estimated=low)).level == "good"
    assert judge_all(with_truth(calm, 0.95)).headline == "95 % of the labels are right."
    assert judge_all(with_truth(calm, 0.5)).level == "bad"
    assert judge_all(with_truth(calm, 0.7)).level == "unclear"


def test_a_few_true_labels_are_not_the_truth(calm):
    assert judge_all(with_truth(calm, 0.5, n_known=19)).level == "good"
    assert judge_all(with_truth(calm, 0.5, n_known=20)).level == "bad"
    assert judge_all(with_truth(calm, 0.95, n_known=20)).headline.startswith(
        "95 % of the 20 labels whose truth is known"
    )


def test_the_truth_decides_whether_the_alternative_is_better(calm):
    refuted = with_truth(calm, 0.9, alternative=0.85, comparison=alarmed(calm))
    assert judge_all(refuted).level == "good"
    assert better_without(refuted) is None
    # Whether it looks so or not.
    confirmed = with_truth(calm, 0.9, alternative=0.95)
    assert judge_all(confirmed).level == "bad"
    assert "is better than JDA" in judge_all(confirmed).headline
    assert [d.title for d in confirmed.diagnostics] == ["Worse than without adaptation"]


def test_beside_nothing_the_labels_look_better_worse_or_as_good(calm):
    adapted, others = calm.comparison.adapted, calm.comparison.alternatives
    most = max(other.information for other in others)
    for information, words in ((1.2 * most, "Looks better"), (most, "About as good")):
        compared = replace(calm.comparison, adapted=replace(adapted, information=information))
        assert beside_nothing(without_truth(calm, comparison=compared)) == words
    assert beside_nothing(without_truth(calm, comparison=alarmed(calm))) == "Looks worse"
    undecided = replace(calm.comparison, adaptation_decides=False)
    assert beside_nothing(without_truth(calm, comparison=undecided)) == "Adaptation is in doubt"
    assert beside_nothing(with_truth(calm, 0.9, alternative=0.85)) == "5.0 points more are right"
    assert beside_nothing(with_truth(calm, 0.9, alternative=0.95)) == "5.0 points fewer are right"
