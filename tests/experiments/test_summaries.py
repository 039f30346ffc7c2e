"""Averages and what TSRP gains on them."""

import pytest

from tsrp.experiments.summaries import base_of, gain, relative_gain, summarise


def test_gains_are_in_points_and_in_shares_of_the_error():
    assert gain(60, 70) == 10
    assert relative_gain(60, 70) == 25
    assert relative_gain(50, 40) == -20
    assert relative_gain(100, 100) is None


def test_only_a_column_with_tsrp_has_a_base():
    assert base_of("NN unit+TSRP") == "NN unit"
    assert base_of("NN unit") is None
    assert base_of("JDA+TSRP_N") is None


def test_a_column_is_averaged_and_compared_with_its_base():
    assert summarise({"NN": [40, 60], "NN+TSRP": [45, 65], "DICD": [70, 80]}) == {
        ("Average accuracy", "NN"): 50,
        ("Average accuracy", "NN+TSRP"): 55,
        ("Average accuracy", "DICD"): 75,
        ("Average improvement", "NN+TSRP"): 5,
        ("Relative improvement", "NN+TSRP"): pytest.approx(10),
    }


def test_what_lacks_a_figure_has_no_average_and_no_gain():
    found = summarise({"NN": [40, None], "NN+TSRP": [45, 65], "JDA+TSRP": [1, 2]})
    assert found == {("Average accuracy", "NN+TSRP"): 55, ("Average accuracy", "JDA+TSRP"): 1.5}


def test_without_error_before_there_is_no_relative_gain():
    found = summarise({"NN": [100], "NN+TSRP": [99]})
    assert found["Average improvement", "NN+TSRP"] == -1
    assert ("Relative improvement", "NN+TSRP") not in found
