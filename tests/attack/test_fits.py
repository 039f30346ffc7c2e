"""Fits to odd data are refused in a sentence, or everything that is said of their labels holds."""

from benchmarks.attack.fits import fit_odd_data


def test_odd_data_are_refused_or_everything_that_is_said_holds():
    found = fit_odd_data(40, seed=1)
    assert set(found) == {"refused", "sound"}


def test_everything_that_is_said_holds_of_panels():
    assert set(fit_odd_data(8, panels=1.0)) <= {"refused", "sound"}
