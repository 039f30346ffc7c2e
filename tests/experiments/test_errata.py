"""Errata of the paper are found from its own figures, and only they."""

import math
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

import pytest

from tsrp.datasets import DATASETS
from tsrp.experiments.errata import comparable, is_accuracy, misprints, sentences, summary_errata
from tsrp.experiments.published import COMPARISON, COMPARISONS, IMPROVEMENT, published, published_by_task

PIE, SURF = "cmu-pie", "office-caltech-surf"
PAPER = (SURF, "office-caltech-decaf6", PIE, "mnist-usps", "coil20")


@pytest.mark.parametrize("n_samples", [7, 157, 295, 1632, 3329])
def test_an_accuracy_is_what_some_number_of_right_labels_gives(n_samples):
    exact = [Decimal(100 * n_right) / n_samples for n_right in range(n_samples + 1)]
    possible = {
        share.quantize(Decimal("0.01"), rounding) for share in exact for rounding in (ROUND_HALF_UP, ROUND_DOWN)
    }
    every = [Decimal(hundredths) / 100 for hundredths in range(10_001)]
    assert {figure for figure in every if is_accuracy(float(figure), n_samples)} == possible


def test_misprints_are_those_that_the_samples_rule_out():
    assert {key: (wrong.printed, wrong.instead) for key, wrong in misprints(IMPROVEMENT).items()} == {
        (SURF, "A -> W", "BDA+TSRP"): (39.72, None)
    }
    assert {key: (wrong.printed, wrong.instead) for key, wrong in misprints(COMPARISON).items()} == {
        (PIE, "C07 -> C29", "DICD"): (48.31, 48.71),
        (PIE, "C29 -> C27", "DICD+TSRP"): (77.84, 83.81),
    }


def test_a_misprint_is_compared_with_what_another_table_has_or_not_at_all():
    sound, printed = comparable(COMPARISON), published_by_task(COMPARISON)
    assert {key: sound[key] for key in printed if sound[key] != printed[key]} == {
        key: wrong.instead for key, wrong in misprints(COMPARISON).items()
    }
    assert set(published(IMPROVEMENT)) - set(comparable(IMPROVEMENT)) == {(SURF, "A -> W", "BDA+TSRP")}


def test_columns_that_name_the_domains_otherwise_are_compared_under_the_right_tasks():
    printed, sound = published(COMPARISON), comparable(COMPARISON)
    first, second = DATASETS["coil20"].task_names
    assert printed["coil20", first, "TCA"] != printed["coil20", second, "TCA"]
    assert sound["coil20", first, "TCA"] == printed["coil20", second, "TCA"]
    assert sound["coil20", first, "DICD"] == printed["coil20", first, "DICD"]


def test_averages_and_improvements_that_the_tasks_do_not_give_are_errata():
    wrong = {
        (name, *place): None if erratum.instead is None else round(erratum.instead, 2)
        for name in (*PAPER, *COMPARISONS)
        for place, erratum in summary_errata(name).items()
        if not erratum.is_rounding
    }
    assert wrong == {
        (SURF, "Average accuracy", "BDA+TSRP"): None,
        (SURF, "Average improvement", "BDA+TSRP"): None,
        (SURF, "Relative improvement", "BDA+TSRP"): None,
        (PIE, "Average accuracy", "NN"): 34.76,
        (PIE, "Average improvement", "NN+TSRP"): -2.28,
    }


def test_averages_that_are_off_by_rounding_are_noted_as_such():
    rounded = {column: wrong for (_, column), wrong in summary_errata("mnist-usps").items() if wrong.is_rounding}
    assert rounded["NN"].printed == 50.15
    assert math.isclose(rounded["NN"].instead, 50.145)
    for name in (*PAPER, *COMPARISONS):
        for (row, _), wrong in summary_errata(name).items():
            if wrong.is_rounding:
                assert row == "Average accuracy"
                assert abs(wrong.printed - wrong.instead) < 0.0101


def test_a_printed_average_with_the_right_figures_of_misprints_is_right():
    assert "DICD" not in {column for _, column in summary_errata("comparison-pie")}
    tasks = DATASETS[PIE].task_names
    mean = sum(comparable(COMPARISON)[PIE, task, "DICD"] for task in tasks) / len(tasks)
    assert round(mean, 2) == 73.09


def test_a_table_that_is_not_the_papers_has_no_errata():
    assert summary_errata("digits") == {}
    assert (
        list(sentences(IMPROVEMENT, "digits", [("digits", "printed -> handwritten", "printed -> handwritten")], {}))
        == []
    )


def listed(kind, name):
    places = [
        (dataset, task, task) for dataset in COMPARISONS.get(name, (name,)) for task in DATASETS[dataset].task_names
    ]
    return list(sentences(kind, name, places, summary_errata(name)))


def test_the_list_says_what_is_printed_and_what_the_tasks_give():
    assert listed(IMPROVEMENT, PIE) == [
        "Average accuracy of NN: printed 35.46, but the printed tasks give 34.76.",
        "Average improvement of NN+TSRP: printed -2.98, but the printed tasks give -2.28.",
    ]
    assert listed(IMPROVEMENT, SURF) == [
        "BDA+TSRP on A -> W: printed 39.72, which no number of right labels among 295 gives; it is also printed for "
        "A -> C.",
        "Average accuracy of BDA+TSRP: printed 48.07, with the misprint; the other 11 tasks give 48.83.",
        "Average improvement of BDA+TSRP: printed 0.86, which follows from the misprint.",
        "Relative improvement of BDA+TSRP: printed 1.63, which follows from the misprint.",
    ]
    assert (
        "Average accuracy of NN: printed 50.15; the mean of the printed tasks, which are rounded, is 50.145."
        in listed(IMPROVEMENT, "mnist-usps")
    )
    names, *misprinted = listed(COMPARISON, "comparison-pie")
    assert "it is C29 -> C27" in names
    assert misprinted == [
        "DICD on C07 -> C29: printed 48.31, which no number of right labels among 1,632 gives; another table of the "
        "paper has 48.71.",
        "DICD+TSRP on C29 -> C27: printed 77.84, which no number of right labels among 3,329 gives; it is also printed "
        "as the average; another table of the paper has 83.81.",
    ]
