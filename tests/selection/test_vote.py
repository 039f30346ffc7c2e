"""What a member's vote counts."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from tsrp.known import NOTHING, Known
from tsrp.selection.vote import (
    AGREEMENT_POWER,
    Weights,
    assortativities,
    class_factors,
    label_assortativity,
    target_neighbours,
    vote,
)

# Two groups of four rows that are neighbours of each other.
NEAR = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2], [5, 6, 7], [4, 6, 7], [4, 5, 7], [4, 5, 6]])
GROUPS, MIXED = [0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 0, 1, 0, 1]
NOBODY = np.empty((8, 0), dtype=int)
# How far members of two camps agree with their own.
CLOSE = (0.9, 0.5, 0.5, 0.9, 0.5, 0.5, 0.5)


def weights(labellings, families, near=(NEAR,), known=NOTHING):
    own = [np.array(codes) for codes in labellings]
    return Weights.of(own, list(families), assortativities(own, near), known)


def test_members_that_agree_with_those_that_count_count_more():
    weighed = weights([GROUPS, GROUPS, MIXED], "abc", [NOBODY])
    assert weighed.weight[0] == weighed.weight[1] > 0.49
    np.testing.assert_allclose(weighed.agreement[2], 0.5)
    assert 0.75 < weighed.agreement[0] <= 1


def test_a_weight_is_a_power_of_the_agreement_where_neighbours_say_nothing():
    weighed = weights([GROUPS, GROUPS, MIXED], "abc", [NOBODY])
    expected = weighed.agreement**AGREEMENT_POWER
    np.testing.assert_allclose(weighed.weight, expected / expected.sum())


@pytest.mark.parametrize("seed", [*range(30), 1230])
def test_weights_settle_where_two_members_agree_with_nobody_but_each_other(monkeypatch, seed):
    """Each counted in every second round, and which one did in the end was up to the number of rounds."""
    rng = np.random.default_rng(seed)
    ours, theirs = rng.integers(5, size=(2, 100))

    def noisy(codes, share):
        return np.where(rng.uniform(size=100) < share, codes, rng.integers(5, size=100))

    labellings = [
        noisy(codes, share) for codes, share in zip([ours, *2 * [theirs], ours, *3 * [theirs]], CLOSE, strict=True)
    ]
    assortativity = rng.uniform(0.3, 0.7, size=7)
    weighed = [Weights.of(labellings, list("aaabccd"), assortativity)]
    monkeypatch.setattr("tsrp.selection.vote.ROUNDS", 6)
    weighed.append(Weights.of(labellings, list("aaabccd"), assortativity))
    np.testing.assert_allclose(weighed[0].weight, weighed[1].weight, atol=0.05)


@pytest.mark.parametrize(
    ("labellings", "families", "assortativity"),
    [
        ([[2, 1, 1, 2], [2, 0, 0, 1], [1, 1, 1, 2], [0, 0, 0, 0]], "bbca", [0.5, 1, 1, 0.5]),
        ([[0, 0, 0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0, 0, 0], [0] * 8], "abc", [1, 1, 0]),
    ],
)
def test_members_that_agree_on_no_row_have_weights_too(labellings, families, assortativity):
    weighed = Weights.of([np.array(codes) for codes in labellings], list(families), np.array(assortativity, float))
    assert (weighed.weight >= 0).all()
    assert weighed.weight.sum() == pytest.approx(1)


def test_a_family_does_not_confirm_itself():
    weighed = weights([GROUPS, MIXED, MIXED, MIXED], "abbb", [NOBODY])
    np.testing.assert_allclose(weighed.agreement, 0.5)


def test_one_family_agrees_with_itself():
    np.testing.assert_allclose(weights([GROUPS, MIXED], "aa", [NOBODY]).agreement, 1)


def test_assortativity_is_the_mean_over_the_spaces():
    other = np.roll(NEAR, 1, axis=0)
    weighed = weights([GROUPS, MIXED], "ab", (NEAR, other))
    expected = [np.mean([label_assortativity(np.array(y), near) for near in (NEAR, other)]) for y in (GROUPS, MIXED)]
    np.testing.assert_allclose(weighed.assortativity, expected)


@pytest.mark.parametrize("seed", range(5))
def test_assortativity_is_cohens_kappa_of_rows_and_neighbours(seed):
    rng = np.random.default_rng(seed)
    codes, near = np.sort(rng.integers(3, size=30)), rng.integers(30, size=(30, 4))
    near[:20] = np.clip(np.arange(20)[:, np.newaxis] + [1, 2, 3, 4], 0, 29)
    expected = cohen_kappa_score(np.repeat(codes, 4), codes[near].ravel())
    assert label_assortativity(codes, near) == pytest.approx(expected)


def test_assortativity_does_not_reward_more_classes():
    """As mutual information does, by which a target that lacks classes would be given all of them."""
    four = np.repeat([0, 1, 2, 3], 2)
    assert label_assortativity(np.array(GROUPS), NEAR) == 1
    assert label_assortativity(four, NEAR) < 0.2


@pytest.mark.parametrize("codes", [[0] * 8, MIXED])
def test_assortativity_is_never_below_zero(codes):
    assert label_assortativity(np.array(codes), NEAR) == 0


def test_groups_of_equal_size_are_no_sign_where_nearly_all_of_the_source_is_of_one_class():
    """A member that gives the rare class to a few rows counts more than one that halves the target."""
    few, half = np.array([0, 0, 0, 0, 0, 0, 1, 1]), np.array(GROUPS)
    pairs = np.array([[1], [0], [3], [2], [5], [4], [7], [6]])
    assert assortativities([few, half], [NEAR])[0] < assortativities([few, half], [NEAR])[1] == 1
    rare, uneven = np.array([0.97, 0.03]), np.array([0.7, 0.3])
    mixed = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    assert assortativities([few, mixed], [pairs], rare).tolist() == [1, 0]
    # By chance more often than with the source's shares: the labels' own shares count.
    np.testing.assert_array_equal(assortativities([few], [NEAR], uneven), assortativities([few], [NEAR]))


def test_labels_that_neighbours_do_not_share_count_nothing():
    weighed = weights([GROUPS, [0] * 8], "ab")
    np.testing.assert_allclose(weighed.weight, [1, 0], atol=1e-12)


def test_where_nothing_can_be_said_all_count_the_same():
    weighed = weights([[0], [1]], "ab", [np.empty((1, 0), dtype=int)])
    np.testing.assert_allclose(weighed.weight, [0.5, 0.5])


class TestDoubt:
    """Two members that see features as they are, in front."""

    AS_THEY_ARE = (True, True, False)

    def test_gives_its_share_of_the_vote_to_members_without_adaptation(self):
        before = weights([GROUPS, GROUPS, MIXED], "abc")
        after, share = before.doubted(0.25, self.AS_THEY_ARE, (1.0, 1.0))
        assert share == 0.25
        np.testing.assert_allclose(after.weight, 0.75 * before.weight + [0.125, 0.125, 0])
        np.testing.assert_array_equal(after.agreement, before.agreement)

    def test_that_is_complete_leaves_nothing_to_the_others(self):
        after, _ = weights([MIXED, MIXED, GROUPS], "abc").doubted(1.0, self.AS_THEY_ARE, (1.0, 1.0))
        np.testing.assert_allclose(after.weight, [0.5, 0.5, 0])

    def test_is_shared_out_by_merits(self):
        after, share = weights([GROUPS, GROUPS, MIXED], "abc").doubted(1.0, self.AS_THEY_ARE, (0.25, 1.0))
        assert share == 1.0
        np.testing.assert_allclose(after.weight, [0.2, 0.8, 0])

    def test_counts_less_for_who_is_wrong_about_known_labels(self):
        before = weights([1 - np.array(GROUPS), GROUPS, GROUPS], "abc", known=Known(np.arange(4), np.array(GROUPS)[:4]))
        after, share = before.doubted(1.0, self.AS_THEY_ARE, (1.0, 1.0))
        # Ten rows more, of which two thirds are right by the mean of all, than the four of which none is, or each.
        merit = (10 * 2 / 3 / (4 + 10 * 2 / 3)) ** 4
        assert share == pytest.approx((1 + merit) / 2)
        by_doubt = after.weight - (1 - share) * before.weight
        np.testing.assert_allclose(by_doubt, share * np.array([merit, 1, 0]) / (1 + merit), atol=1e-12)

    def test_changes_nothing_without_such_members(self):
        before = weights([GROUPS, MIXED], "ab")
        assert before.doubted(1.0, (False, False), (1.0, 1.0)) == (before, 0.0)

    def test_is_less_where_they_are_wrong_about_known_labels(self):
        rows = np.arange(4)
        before = weights(
            [1 - np.array(GROUPS), 1 - np.array(GROUPS), GROUPS], "abc", known=Known(rows, np.zeros(4, int))
        )
        _, share = before.doubted(1.0, self.AS_THEY_ARE, (1.0, 1.0))
        # Ten rows more, of which a third is right by the mean of all, than the four of which none is, or each.
        assert share == pytest.approx((10 / 3 / (4 + 10 / 3)) ** 4)


def test_a_vote_is_a_weighted_mean():
    rng = np.random.default_rng(0)
    codes, counted = rng.integers(3, size=(4, 5)), rng.uniform(size=4)
    shares = np.einsum("m,mnc->nc", counted, np.eye(3)[codes]) / counted.sum()
    np.testing.assert_allclose(vote(list(codes), counted, 5, np.ones(3)), shares)


def test_a_vote_can_be_divided_among_classes():
    rng = np.random.default_rng(0)
    ballots, counted = rng.dirichlet(np.ones(3), size=(4, 5)), rng.dirichlet(np.ones(4))
    np.testing.assert_allclose(vote(list(ballots), counted, 5, np.ones(3)), np.tensordot(counted, ballots, 1))
    codes = ballots.argmax(axis=2)
    np.testing.assert_array_equal(
        vote(list(np.eye(3)[codes]), counted, 5, np.ones(3)), vote(list(codes), counted, 5, np.ones(3))
    )


def test_votes_count_by_the_factor_of_their_class():
    codes, counted = [np.array([0, 1]), np.array([1, 1])], [0.6, 0.4]
    np.testing.assert_allclose(vote(codes, counted, 2, np.array([1.0, 3.0])), [[1 / 3, 2 / 3], [0.0, 1.0]])


def test_shares_as_in_the_source_change_nothing():
    votes = np.tile([[0.9, 0.1], [0.5, 0.5]], (50, 1))
    np.testing.assert_allclose(class_factors(votes, np.array([0.7, 0.3])), 1, rtol=1e-12)


def test_votes_for_classes_that_seem_to_be_missing_count_less():
    votes, shares = np.tile([0.56, 0.4, 0.03, 0.01], (1000, 1)), np.full(4, 0.25)
    # The shares are so different that the power is nearly 1.
    expected = [1, 1, 0.03 / 0.25 / (0.96 / 0.5), 0.01 / 0.25 / (0.96 / 0.5)]
    np.testing.assert_allclose(class_factors(votes, shares), expected, atol=0.04)
    nearly = class_factors(np.tile([0.3, 0.25, 0.25, 0.2], (1000, 1)), shares)
    np.testing.assert_allclose(nearly, 1, atol=0.01)
    assert nearly[0] == nearly[1] == 1 > nearly[-1]


def test_a_few_rows_say_little_about_shares():
    votes, shares = np.tile([0.9, 0.1], (200, 1)), np.array([0.2, 0.8])
    one, few, many = (np.ptp(np.log(class_factors(votes[:n], shares))) for n in (1, 5, 200))
    assert 0 < one < few < many


def test_neighbours_do_not_depend_on_the_unit_of_the_features(domains):
    Xt = domains[2]
    for near, same in zip(target_neighbours(Xt), target_neighbours(1000 * Xt), strict=True):
        np.testing.assert_array_equal(near, same)


def test_copies_of_rows_are_not_their_neighbours(domains):
    Xt = domains[2]
    n = len(Xt)
    for near, once in zip(target_neighbours(np.tile(Xt, (3, 1))), target_neighbours(Xt), strict=True):
        np.testing.assert_array_equal(near % n, np.tile(once, (3, 1)))


def test_who_is_right_on_known_rows_counts_more():
    labellings = [GROUPS, [1 - code for code in GROUPS]]
    blind = weights(labellings, "ab")
    np.testing.assert_allclose(blind.weight, [0.5, 0.5])
    assert np.isnan(blind.right).all()
    told = weights(labellings, "ab", known=Known(np.array([0, 5]), np.array([0, 1])))
    np.testing.assert_allclose(told.right, [1, 0])
    # Two known labels against ten that count for members being equal: 7 / 12 and 5 / 12.
    np.testing.assert_allclose(told.weight[1] / told.weight[0], (5 / 7) ** 4)


def test_where_nobody_is_right_all_count_as_before():
    told = weights([GROUPS, GROUPS], "ab", known=Known(np.array([0]), np.array([1])))
    np.testing.assert_allclose(told.weight, [0.5, 0.5])
