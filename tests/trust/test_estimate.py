"""The estimate of the accuracy, and its parts."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from tests.support.domains import make_domains
from tsrp.trust.estimate import atc, corrected, estimate


def textbook_atc(units, codes, chances):
    """One sample and one fold at a time."""
    seen = dict.fromkeys(set(codes.tolist()), 0)
    folds = []
    for code in codes.tolist():
        folds.append(seen[code] % 3)
        seen[code] += 1
    right, largest = [], []
    for fold in range(3):
        learnt = [i for i, own in enumerate(folds) if own != fold]
        model = LogisticRegression(C=10, tol=1e-12, max_iter=10_000).fit(units[learnt], codes[learnt])
        for i in [i for i, own in enumerate(folds) if own == fold]:
            [p] = model.predict_proba(units[i : i + 1])
            right.append(model.classes_[p.argmax()] == codes[i])
            largest.append(p.max())
    threshold = np.quantile(largest, 1 - np.mean(right))
    return np.mean([chance >= threshold for chance in chances])


@pytest.mark.parametrize("n_classes", [2, 4])
def test_atc_counts_the_labels_above_the_sources_threshold(n_classes):
    Xs, ys, _, _ = make_domains(n_classes=n_classes, shift=2.0)
    units = normalize(Xs + 4 * np.random.default_rng(0).normal(size=Xs.shape))
    chances = np.linspace(0, 1, 101)
    assert 0 < atc(units, ys, chances) == textbook_atc(units, ys, chances) < 1


def test_the_only_sample_of_a_class_is_never_held_out():
    units = normalize(np.random.default_rng(0).normal(size=(9, 3)))
    codes = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2])
    assert 0 <= atc(units, codes, np.array([0.2, 0.9])) <= 1
    # Nothing can be held out: probabilities are taken at their word.
    assert atc(units[[0, 4, 8]], codes[[0, 4, 8]], np.array([0.2, 0.9])) == pytest.approx(0.55)


def test_the_estimate_is_the_lower_part_and_its_range_holds_it():
    found = estimate(0.8, 0.72, propagated=0.63, unadapted=0.7, n_classes=2)
    assert (found.value, found.reverse, found.atc) == (0.72, 0.8, 0.72)
    assert (found.low, found.high) == pytest.approx((0.58, 0.77))
    assert str(found) == "estimated accuracy 72 % (58 to 77)"
    assert found.sentence == (
        "estimated accuracy 72 % (58 to 77): 80 % of the source's labels come back when the method is fitted "
        "backwards, and 72 % of the labels are as probable as the source's are where they are right."
    )


def test_without_a_way_back_it_rests_on_the_probabilities_alone():
    found = estimate(None, 0.99, propagated=1.0, unadapted=1.0, n_classes=2)
    assert (found.value, found.high) == (0.99, 1.0)
    assert "cannot be fitted backwards" in found.sentence


def test_no_estimate_is_below_guessing_but_its_parts_and_range_may_be():
    found = estimate(0.08, 0.9, propagated=0.6, unadapted=0.7, n_classes=2)
    assert (found.value, found.reverse, found.lower_part) == (0.5, 0.08, 0.08)
    assert (found.low, found.high) == pytest.approx((0.03, 0.55))


def test_of_a_panel_it_is_the_median_of_four_parts_and_its_range_holds_all():
    found = estimate(0.4, 0.9, propagated=0.6, unadapted=0.7, n_classes=2, votes=0.84, nearby=0.7)
    assert (found.value, found.low, found.high) == pytest.approx((0.77, 0.35, 0.95))
    assert (found.votes, found.nearby) == (0.84, 0.7)
    assert found.sentence.endswith("84 % of the votes on a row are for its label, 70 % of those on neighbouring rows.")


def test_of_a_panel_that_doubts_adaptation_what_is_right_in_the_source_is_a_fifth_part():
    parts = {"votes": 0.84, "nearby": 0.7, "home": 0.8}
    found = estimate(0.4, 0.9, propagated=0.6, unadapted=0.7, n_classes=2, **parts)
    assert (found.value, found.home) == (0.8, 0.8)
    assert found.sentence.endswith("; 80 % of the source's labels are right if they are not learnt from.")


def test_of_a_panel_without_a_way_back_it_is_the_median_of_three():
    assert estimate(None, 0.9, propagated=0.6, unadapted=0.7, n_classes=2, votes=0.84, nearby=0.7).value == 0.84


class TestCorrectedByKnownLabels:
    BLIND = estimate(0.8, 0.7, propagated=0.6, unadapted=0.7, n_classes=2)

    def test_what_is_known_to_be_wrong_lowers_it(self):
        found = corrected(self.BLIND, np.zeros(10, dtype=bool), np.full(10, 0.7), n_target=10**9)
        assert found.value == pytest.approx(0.7 - 7 / 40)
        # Ten labels that do not vary, and ten more that vary as much as any can: two standard errors.
        highest = found.value + 2 * np.sqrt(0.125 / 10)
        assert (found.low, found.high) == pytest.approx((self.BLIND.low - 7 / 40, highest))
        assert found.n_known == 10

    def test_as_many_right_as_expected_change_nothing_of_the_others(self):
        right = np.arange(10) < 7
        found = corrected(self.BLIND, right, np.full(10, 0.7), n_target=20)
        assert found.value == pytest.approx((10 + 10 * 0.7) / 20)

    def test_many_known_labels_count_more_than_what_was_estimated(self):
        found = corrected(self.BLIND, np.arange(10_000) < 2_000, np.full(10_000, 0.7), n_target=10**9)
        assert found.value == pytest.approx(0.2, abs=0.002)

    def test_the_range_becomes_as_narrow_as_chance_allows(self):
        widths = []
        for n in (10, 50, 200, 800):
            right = np.arange(n) % 10 < 7
            found = corrected(self.BLIND, right, np.full(n, 0.7), n_target=10**12)
            widths.append(found.high - found.low)
            assert found.low <= found.value <= found.high
        assert widths[0] == pytest.approx(self.BLIND.high - self.BLIND.low)
        # Two standard errors of a share of 0.7 on each side.
        assert widths[-1] == pytest.approx(4 * np.sqrt(0.21 / 800), rel=0.01)
        assert sorted(widths, reverse=True) == widths

    def test_it_stays_a_share_and_all_known_is_certain(self):
        found = corrected(self.BLIND, np.zeros(400, dtype=bool), np.full(400, 0.99), n_target=1000)
        assert 0.4 == found.low == found.value <= found.high <= 1
        assert corrected(self.BLIND, np.ones(5, dtype=bool), np.full(5, 0.7), n_target=5).value == 1

    def test_what_is_below_guessing_counts_nothing_beside_them(self):
        blind = estimate(0.1, 0.9, propagated=0.6, unadapted=0.7, n_classes=4)
        found = corrected(blind, np.arange(20) < 18, np.full(20, 0.25), n_target=10**9)
        assert found.value == pytest.approx(0.9)

    def test_a_panel_of_which_one_part_is_low_still_counts(self):
        blind = estimate(0.3, 0.9, propagated=0.6, unadapted=0.7, n_classes=2, votes=0.7, nearby=0.7)
        found = corrected(blind, np.zeros(10, dtype=bool), np.full(10, 0.7), n_target=10**9)
        assert found.value == pytest.approx(0.7 - 7 / 40)

    def test_the_sentence_says_so(self):
        assert self.BLIND.sentence.endswith("where they are right.")
        found = corrected(self.BLIND, np.zeros(10, dtype=bool), np.full(10, 0.7), n_target=100)
        assert found.sentence.endswith("; corrected by 10 known labels.")
