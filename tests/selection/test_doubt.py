"""Doubt in adaptation: four reasons, each tested beside its formula, as far as there are samples."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from tsrp.selection import doubt
from tsrp.selection.answers import UNKNOWN, Answers
from tsrp.selection.doubt import NO_SKILL, SAME_FEATURES, support
from tsrp.selection.movement import Movement

MUCH = 100.0
MOVED = Movement(0.0, 0.0)
STRANGERS = Answers(accuracy=0.8, skill=0.9, strangeness=0.6, consensus=0.4, merits=(1.0, 0.5))
AT_HOME = replace(STRANGERS, strangeness=0.1, consensus=0.9)
ONE, OTHER = np.repeat([0, 1], 10), np.tile([0, 1], 10)
# Two of them changed, one of each class: a kappa of 0.8.
MOSTLY = np.roll(ONE, 1)
# Classifiers of the source agree, and members that adapt do not; and the other way round.
DIVIDED, UNITED = [("a", ONE), ("b", OTHER)], [("a", ONE), ("b", ONE)]


def doubt_in_adaptation(*given):
    return doubt.doubt_in_adaptation(*given).share


def rise(value, low, high):
    return float(np.clip((value - low) / (high - low), 0, 1))


def alike(codes, share, rng):
    """Codes of which this share is the same, and the others are at random."""
    return np.where(rng.uniform(size=len(codes)) < share, codes, rng.integers(3, size=len(codes)))


@pytest.mark.parametrize(
    "answers",
    [
        STRANGERS,
        AT_HOME,
        replace(STRANGERS, skill=0.2, strangeness=0.2, consensus=0.7),
        replace(AT_HOME, strangeness=0.18),
        UNKNOWN,
    ],
)
@pytest.mark.parametrize(
    "movement", [MOVED, Movement(0.05, 0.2), Movement(0.3, 0.0), Movement(1.0, 0.5), Movement(0.0, 0.75)]
)
@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_best_of_four_reasons(seed, movement, answers):
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, size=200, p=[0.2, 0.3, 0.5])
    plain = [alike(truth, rng.uniform(0.85, 1), rng) for _ in range(2)]
    rescaled = [alike(plain[0], 0.8, rng) for _ in range(2)]
    adapted = [(family, alike(truth, rng.uniform(0.2, 0.95), rng)) for family in "aabc"]
    between = [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    agreement = cohen_kappa_score(*plain)
    ratio = agreement / np.mean([cohen_kappa_score(adapted[i][1], adapted[j][1]) for i, j in between])
    scaled = np.mean([cohen_kappa_score(own, other) for own in plain for other in rescaled])
    at_home = (1 - rise(answers.strangeness, 0.15, 0.25)) * rise(answers.consensus, 0.5, 0.8)
    reasons = [
        rise(ratio, 0.9, 1.2) * max(rise(movement.explained + movement.confused, 0.2, 0.4), at_home),
        rise(ratio, 2, 4) * max(rise(agreement, 0.85, 0.95), rise(scaled, 0.6, 0.8)),
        max(rise(movement.confused, 0.7, 0.9), at_home * rise(movement.confused, 0.4, 0.6)),
        1 - rise(answers.skill, 0.1, 0.3),
    ]
    found = doubt_in_adaptation(plain, rescaled, adapted, movement, answers, MUCH)
    assert found == pytest.approx(max(reasons))
    halfway = doubt_in_adaptation(plain, rescaled, adapted, movement, answers, 1.0)
    assert halfway == pytest.approx(max(reasons) / 2)


def test_classifiers_that_agree_are_doubted_unless_features_mean_the_same():
    assert doubt_in_adaptation([ONE, MOSTLY], [], DIVIDED, MOVED, STRANGERS, MUCH) == 0
    assert doubt_in_adaptation([ONE, MOSTLY], [], DIVIDED, Movement(0.5, 0.0), STRANGERS, MUCH) == 1
    assert doubt_in_adaptation([ONE, MOSTLY], [], DIVIDED, MOVED, AT_HOME, MUCH) == 1


def test_classifiers_that_agree_on_nearly_all_are_believed_where_others_hardly_agree():
    assert doubt_in_adaptation([ONE, ONE], [], DIVIDED, MOVED, STRANGERS, MUCH) == 1
    assert doubt_in_adaptation([ONE, ONE], [], UNITED, MOVED, STRANGERS, MUCH) == 0


def test_agreement_on_nearly_all_of_the_target_counts_by_how_nearly():
    one, other = np.repeat([0, 1], 20), np.tile([0, 1], 20)
    # Two of forty changed: a kappa of 0.9, half-way.
    found = doubt.doubt_in_adaptation([one, np.roll(one, 1)], [], [("a", one), ("b", other)], MOVED, STRANGERS, MUCH)
    assert found.share == pytest.approx(0.5)
    assert found.reason == SAME_FEATURES


def test_classifiers_that_agree_whatever_the_scaling_are_believed():
    assert doubt_in_adaptation([ONE, MOSTLY], [OTHER], DIVIDED, MOVED, STRANGERS, MUCH) == 0
    assert doubt_in_adaptation([ONE, MOSTLY], [ONE, MOSTLY], DIVIDED, MOVED, STRANGERS, MUCH) == 1
    assert doubt_in_adaptation([ONE, MOSTLY], [ONE, MOSTLY], UNITED, MOVED, STRANGERS, MUCH) == 0


def test_domains_that_are_the_same_are_reason_enough():
    def doubted(confused, answers):
        return doubt_in_adaptation([ONE, OTHER], [], UNITED, Movement(0.0, confused), answers, MUCH)

    assert doubted(0.6, STRANGERS) == 0
    assert doubted(0.95, STRANGERS) == doubted(0.65, AT_HOME) == 1


def test_features_that_tell_nothing_in_the_source_are_reason_enough():
    unskilled = replace(STRANGERS, skill=0.05)
    assert doubt_in_adaptation([ONE, OTHER], [], UNITED, MOVED, unskilled, MUCH) == 1


@pytest.mark.parametrize(("n_plain", "families"), [(0, "ab"), (1, "ab"), (2, ""), (2, "a"), (2, "aa")])
def test_nothing_is_doubted_without_two_classifiers_and_two_families(n_plain, families):
    adapted = [(family, OTHER) for family in families]
    assert doubt_in_adaptation([ONE] * n_plain, [ONE], adapted, Movement(1.0, 1.0), AT_HOME, MUCH) == 0


def test_two_that_know_one_class_only_do_not_agree():
    same = np.zeros(20, int)
    assert doubt_in_adaptation([same, same], [], DIVIDED, Movement(1.0, 0.0), STRANGERS, MUCH) == 0


def test_methods_that_agree_less_than_by_chance_are_no_reason_to_divide_by_nothing():
    adapted = [("a", OTHER), ("b", 1 - OTHER)]
    assert doubt_in_adaptation([ONE, ONE], [], adapted, Movement(1.0, 0.0), STRANGERS, MUCH) == 1


def test_few_samples_with_many_features_are_no_reason_to_doubt():
    few, many = support(np.zeros((20, 800)), 10), support(np.zeros((800, 20)), 2)
    assert doubt_in_adaptation([ONE, ONE], [ONE], DIVIDED, Movement(1.0, 1.0), AT_HOME, few) == 0
    assert doubt_in_adaptation([ONE, ONE], [ONE], DIVIDED, Movement(1.0, 1.0), AT_HOME, many) == 1


def test_the_best_reason_is_named():
    unskilled = replace(STRANGERS, skill=0.15)

    def reason(movement, answers):
        return doubt.doubt_in_adaptation([ONE, MOSTLY], [], DIVIDED, movement, answers, MUCH).reason

    assert reason(MOVED, unskilled) == NO_SKILL
    assert reason(Movement(0.5, 0.0), unskilled) == SAME_FEATURES
    assert reason(MOVED, STRANGERS) == ""
