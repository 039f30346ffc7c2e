"""Fits to odd data are refused in a sentence, or everything that is said of their labels holds."""

import numpy as np

from benchmarks.attack.fits import draw_reports, fit_odd_data
from benchmarks.attack.statements import broken
from tsrp import NN, TSRP, Panel


def test_odd_data_are_refused_or_everything_that_is_said_holds():
    found = fit_odd_data(40, seed=1)
    assert set(found) == {"refused", "sound"}


def test_everything_that_is_said_holds_of_panels():
    assert set(fit_odd_data(8, panels=1.0)) <= {"refused", "sound"}


def test_reports_of_odd_data_are_drawn_and_end_no_process():
    """The third has a large column that does not vary."""
    assert set(draw_reports(3, seed=104)) == {"drawn"}


def test_of_equal_rows_nothing_is_said_but_how_frequent_classes_are():
    Xs, ys, Xt = np.eye(4), [0, 0, 0, 1], np.ones((5, 4))
    for model in (TSRP(NN()), Panel("quick", n_jobs=1)):
        assert broken(model.fit(Xs, ys, Xt), Xs, Xt) is None
