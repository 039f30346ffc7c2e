"""Agreement of labellings beyond chance."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from tsrp.selection.agreement import kappa


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    one = rng.choice(3, size=50, p=[0.2, 0.3, 0.5])
    other = np.where(rng.uniform(size=50) < 0.5, one, rng.integers(4, size=50))
    assert kappa(one, other) == pytest.approx(cohen_kappa_score(one, other))


def test_two_that_know_one_class_only_agree_by_chance():
    assert kappa(np.zeros(10, int), np.zeros(10, int)) == 0


def test_chance_can_be_taken_to_be_more_but_not_less():
    one, other = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0])
    assert kappa(one, other, 0.6) == pytest.approx((0.75 - 0.6) / 0.4)
    assert kappa(one, other, 0.1) == kappa(one, other)
