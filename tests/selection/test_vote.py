"""What a member's vote counts."""

import numpy as np

from tsrp.known import Known
from tsrp.selection.vote import Weights, target_neighbours, vote
from tsrp.trust.information import neighbour_information

# Two groups of four rows that are neighbours of each other.
NEAR = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2], [5, 6, 7], [4, 6, 7], [4, 5, 7], [4, 5, 6]])
GROUPS, MIXED = [0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 0, 1, 0, 1]


def weights(labellings, families, near=(NEAR,)):
    return Weights.of([np.array(own) for own in labellings], list(families), 2, list(near))


def test_agreement_is_the_mean_share_of_the_other_families():
    weighed = weights([GROUPS, GROUPS, MIXED], "abc")
    np.testing.assert_allclose(weighed.agreement, [(1 + 0.5) / 2, (1 + 0.5) / 2, 0.5])


def test_a_family_counts_once_in_the_agreement_of_others():
    weighed = weights([GROUPS, MIXED, MIXED, MIXED], "abbc")
    np.testing.assert_allclose(weighed.agreement, [0.5, 0.75, 0.75, 0.75])


def test_information_is_the_mean_over_the_spaces():
    other = np.roll(NEAR, 1, axis=0)
    weighed = weights([GROUPS, MIXED], "ab", (NEAR, other))
    expected = [np.mean([neighbour_information(np.array(y), near) for near in (NEAR, other)]) for y in (GROUPS, MIXED)]
    np.testing.assert_allclose(weighed.information, expected)


def test_members_of_a_family_count_less_than_others():
    together = weights([GROUPS, GROUPS, GROUPS], "abb")
    np.testing.assert_allclose(together.weight, np.array([1, 0.5**0.5, 0.5**0.5]) / (1 + 2**0.5))
    np.testing.assert_allclose(together.merit, [1, 1, 1])


def test_labels_that_neighbours_do_not_share_count_nothing():
    weighed = weights([GROUPS, [0] * 8], "ab")
    np.testing.assert_allclose(weighed.weight, [1, 0], atol=1e-12)


def test_where_nothing_can_be_said_all_count_the_same():
    weighed = weights([[0], [1]], "ab", [np.empty((1, 0), dtype=int)])
    np.testing.assert_allclose(weighed.weight, [0.5, 0.5])


def test_a_vote_is_a_weighted_mean():
    rng = np.random.default_rng(0)
    codes, counted = rng.integers(3, size=(4, 5)), rng.uniform(size=4)
    shares = np.einsum("m,mnc->nc", counted, np.eye(3)[codes]) / counted.sum()
    np.testing.assert_allclose(vote(list(codes), counted, 3), shares)


def test_neighbours_do_not_depend_on_the_unit_of_the_features(domains):
    Xt = domains[2]
    for near, same in zip(target_neighbours(Xt), target_neighbours(1000 * Xt), strict=True):
        np.testing.assert_array_equal(near, same)


def test_who_is_right_on_known_rows_counts_more():
    labellings = [GROUPS, [1 - code for code in GROUPS]]
    blind = weights(labellings, "ab")
    np.testing.assert_allclose(blind.weight, [0.5, 0.5])
    assert np.isnan(blind.right).all()
    told = Weights.of(
        [np.array(own) for own in labellings], ["a", "b"], 2, [NEAR], Known(np.array([0, 5]), np.array([0, 1]))
    )
    np.testing.assert_allclose(told.right, [1, 0])
    # Two known labels against ten that count for members being equal: 7 / 12 and 5 / 12.
    np.testing.assert_allclose(told.merit, [1, (5 / 7) ** 4])


def test_where_nobody_is_right_all_count_as_before():
    told = Weights.of([np.array(GROUPS)] * 2, ["a", "b"], 2, [NEAR], Known(np.array([0]), np.array([1])))
    np.testing.assert_allclose(told.weight, [0.5, 0.5])
