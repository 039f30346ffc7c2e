"""Doubt in adaptation: by two classifiers without it that agree with each other, and not with the vote."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from tsrp.selection.doubt import doubt_in_adaptation


@pytest.mark.parametrize("seed", range(20))
def test_it_rises_with_kappa_and_with_the_difference_of_shares(seed):
    rng = np.random.default_rng(seed)
    one = rng.choice(3, size=200, p=[0.2, 0.3, 0.5])
    other = np.where(rng.uniform(size=200) < 0.85, one, rng.integers(3, size=200))
    voted = np.where(rng.uniform(size=200) < 0.8, one, 0)
    shares = [np.bincount(codes, minlength=3) / 200 for codes in (one, other, voted)]
    difference = np.abs(np.mean(shares[:2], axis=0) - shares[2]).sum()
    by_kappa = np.clip((cohen_kappa_score(one, other) - 0.75) / 0.1, 0, 1)
    by_difference = np.clip((difference - 0.15) / 0.15, 0, 1)
    assert doubt_in_adaptation(one, other, voted) == pytest.approx(by_kappa * by_difference)


def test_two_that_know_one_class_only_say_nothing():
    assert doubt_in_adaptation(np.zeros(10, int), np.zeros(10, int), np.repeat([0, 1], 5)) == 0


def test_other_labels_of_the_same_frequency_are_no_reason():
    codes = np.repeat([0, 1], [80, 20])
    assert doubt_in_adaptation(codes, codes, codes[::-1]) == 0
