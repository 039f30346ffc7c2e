"""Probabilities rise with trust, and their mean is the estimated accuracy."""

import numpy as np
import pytest

from tsrp.trust.calibration import Calibration


@pytest.mark.parametrize("accuracy", [0.02, 0.5, 0.72, 0.99])
def test_the_mean_probability_is_the_estimated_accuracy(accuracy):
    trust = np.linspace(0.01, 0.99, 200)
    p = Calibration.of(trust, accuracy).probability(trust)
    assert p.mean() == pytest.approx(accuracy, abs=1e-4)
    assert (np.diff(p) >= 0).all()


@pytest.mark.parametrize("accuracy", [0.0, 1.0])
@pytest.mark.parametrize("trust", [np.array([0.5]), np.array([0.001, 0.999]), np.full(5, 0.5)], ids=str)
def test_nothing_is_certain_and_nothing_is_excluded(accuracy, trust):
    p = Calibration.of(trust, accuracy).probability(trust)
    assert ((p > 0) & (p < 1)).all()
    assert abs(p.mean() - accuracy) <= 0.011


def test_it_is_a_logistic_curve_of_the_log_odds():
    trust = np.array([0.2, 0.5, 0.6, 0.9])
    p = Calibration.of(trust, 0.7).probability(trust)
    odds = np.log(p / (1 - p)) - 1.5 * np.log(trust / (1 - trust))
    np.testing.assert_allclose(odds, odds[0], atol=1e-4)
