"""Doubt in adaptation: classifiers without it agree more than methods with it, and features mean the same."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from tsrp.selection.doubt import doubt_in_adaptation


def alike(codes, share, rng):
    """Codes of which this share is the same, and the others are at random."""
    return np.where(rng.uniform(size=len(codes)) < share, codes, rng.integers(3, size=len(codes)))


@pytest.mark.parametrize(("explained", "confused"), [(0.0, 0.0), (0.05, 0.2), (0.3, 0.0), (1.0, 0.6), (0.0, 0.75)])
@pytest.mark.parametrize("seed", range(10))
def test_it_is_the_product_of_a_ratio_of_kappas_and_of_how_far_features_mean_the_same(seed, explained, confused):
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, size=200, p=[0.2, 0.3, 0.5])
    plain = [alike(truth, 0.9, rng) for _ in range(2)]
    adapted = [(family, alike(truth, 0.9, rng)) for family in "aabc"]
    between = [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    ratio = cohen_kappa_score(*plain) / np.mean([cohen_kappa_score(adapted[i][1], adapted[j][1]) for i, j in between])
    by_ratio, by_features = np.clip((ratio - 0.9) / 0.3, 0, 1), np.clip((explained + confused - 0.2) / 0.2, 0, 1)
    expected = max(by_ratio * by_features, np.clip((confused - 0.7) / 0.2, 0, 1))
    assert doubt_in_adaptation(plain, adapted, explained, confused) == pytest.approx(expected)


def test_domains_that_are_the_same_are_reason_enough():
    codes, others = np.repeat([0, 1], 5), np.tile([0, 1], 5)
    agreed = [("a", codes), ("b", codes)]
    assert doubt_in_adaptation([codes, others], agreed, explained=1.0, confused=0.6) == 0
    assert doubt_in_adaptation([codes, others], agreed, explained=0.0, confused=0.95) == 1


@pytest.mark.parametrize(("n_plain", "families"), [(0, "ab"), (1, "ab"), (2, ""), (2, "a"), (2, "aa")])
def test_nothing_is_doubted_without_two_classifiers_and_two_families(n_plain, families):
    codes = np.repeat([0, 1], 5)
    adapted = [(family, np.tile([0, 1], 5)) for family in families]
    assert doubt_in_adaptation([codes] * n_plain, adapted, explained=1.0, confused=1.0) == 0


def test_two_that_know_one_class_only_say_nothing():
    codes, others = np.zeros(10, int), np.repeat([0, 1], 5)
    assert doubt_in_adaptation([codes, codes], [("a", others), ("b", others[::-1])], explained=1.0, confused=0.0) == 0


def test_methods_that_agree_less_than_by_chance_are_no_reason_to_divide_by_nothing():
    codes, others = np.repeat([0, 1], 5), np.tile([0, 1], 5)
    adapted = [("a", others), ("b", 1 - others)]
    assert doubt_in_adaptation([codes, codes], adapted, explained=1.0, confused=0.0) == 1
