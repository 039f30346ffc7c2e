"""The arithmetic behind docs/DEFAULT.md, on results that are made up."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.default_divided import divide
from benchmarks.default_natural import divide as natural_division
from benchmarks.default_page import page, table
from benchmarks.default_series import of_another_make, parse
from benchmarks.default_tables import KINDS


def result(dataset, task, panel, plain, scaled, case="", **changed):
    return {
        "dataset": dataset,
        "task": task,
        "case": case,
        "panel": panel,
        "dicd+tsrp": 0.5,
        "members": {"logistic regression": plain, "logistic regression, z-scores": scaled, "trees": 0.4},
        "others": {} if case else {"CORAL": 0.6, "linear OT": None},
        "estimate": 0.8,
        "range": [0.7, 0.9],
        "auroc": None,
        "seconds": {"panel": 6.0, "panel, wall": 4.0, "dicd+tsrp": 2.0},
        **changed,
    }


RESULTS = [
    result("coil20", "COIL1 -> COIL2", 0.9, 0.8, 0.7, auroc=0.75),
    result("coil20", "COIL2 -> COIL1", 0.7, 0.6, 0.75),
    result("digits", "printed -> handwritten", 0.6, 0.3, 0.3),
    result("digits", "printed -> handwritten", 0.5, 0.55, 0.3, case="50 source rows"),
]


def row(text, start):
    [found] = [line for line in text.splitlines() if line.startswith(f"| {start}")]
    return [cell.strip() for cell in found.strip("|").split("|")]


def test_each_data_set_counts_once():
    text = page(RESULTS, {})
    assert row(text, "COIL20 (2)")[1:5] == ["80.0", "50.0", "70.0", "72.5"]
    assert row(text, "**mean** | **70.0**")[1] == "**70.0**"


def test_what_is_not_there_is_a_dash():
    assert row(page(RESULTS, {}), "COIL20 (2)")[6:8] == ["60.0", "–"]


def test_harm_is_counted_against_the_better_classifier_without_adaptation():
    text = page(RESULTS, {})
    assert row(text, "more than 3 below") == ["more than 3 below", "1", "2"]
    assert row(text, "more than 8 below") == ["more than 8 below", "0", "2"]
    assert "COIL20, COIL2 -> COIL1 (-5.0)." in text


def test_the_error_of_the_estimate_is_in_points():
    found = table(RESULTS[:3])
    assert found["error"].tolist() == pytest.approx([10, 10, 20])
    assert found["held"].tolist() == [100, 100, 0]
    assert row(page(RESULTS, {}), "COIL20 | 80.0") == ["COIL20", "80.0", "80.0", "10.0", "100", "0.750"]


def test_a_case_stands_beside_the_task_as_it_is():
    cells = row(page(RESULTS, {}), "50 source rows")
    assert cells[2:] == ["60.0", "50.0", "50.0", "55.0", "30.0", "-5.0"]


def test_a_part_of_the_tasks_is_said_to_be_one():
    assert "COIL20 (1 of 2)" in page(RESULTS[1:], {})


def test_the_cost_is_a_ratio_of_sums():
    assert "3.0 times the processor time of dicd+tsrp" in page(RESULTS, {})


def test_other_budgets_stand_beside_the_default():
    found = [
        {
            **{"dataset": dataset, "task": task, "seconds before": 4.0},
            "quick": {"panel": quick, "auroc": auroc, "seconds": 6.0},
            "thorough": {"panel": 0.95, "auroc": 0.9, "seconds": 20.0},
        }
        for dataset, task, quick, auroc in (
            ("coil20", "COIL1 -> COIL2", 0.7, 0.6),
            ("coil20", "COIL2 -> COIL1", 0.8, None),
            ("digits", "printed -> handwritten", 0.5, 0.8),
        )
    ]
    text = page(RESULTS, {}, other_budgets=found)
    assert "on 3 of these tasks" in text
    assert row(text, "COIL20 | 75.0") == ["COIL20", "75.0", "80.0", "95.0"]
    assert row(text, "**mean** | **62.5**") == ["**mean**", "**62.5**", "**70.0**", "**95.0**"]
    assert row(text, "tasks more than 3 below")[1:] == ["1", "1", "0"]
    # Of the only task that has one of every budget.
    assert row(text, "AUROC of trust")[1:] == ["0.600", "0.750", "0.900"]
    assert row(text, "cost")[1:] == ["1.5", "3.0", "5.0"]


def test_divided_tables_are_shown_by_table():
    shares = {"dicd+tsrp": 0.2, "logistic regression": 0.9, "logistic regression, z-scores": 0.4, "trees": 0.8}
    tables = [
        {"table": "Wine", "how": 1, "panel": 0.88, "doubt": 0.3, **shares},
        {"table": "Wine", "how": 0, "panel": 0.8, "doubt": 0.0, **shares},
        {"table": "Iris", "how": 0, "panel": 1.0, "doubt": 1.0, **shares},
    ]
    text = page(RESULTS, {}, [], tables)
    assert row(text, "Wine (2)")[1:] == ["84.0", "20.0", "90.0", "40.0", "80.0", "1", "0"]
    assert row(text, "Iris (1)")[1:] == ["100.0", "20.0", "90.0", "40.0", "80.0", "0", "1"]


def test_other_tables_are_shown_by_what_was_done_to_them():
    shares = {"dicd+tsrp": 0.2, "logistic regression": 0.9, "logistic regression, z-scores": 0.4, "trees": 0.8}
    others = [
        {"table": "heart", "how": "two halves at random", "panel": 0.88, "doubt": 0.3, **shares},
        {"table": "pima", "how": "two halves at random", "panel": 0.8, "doubt": 0.5, **shares},
    ]
    text = page(RESULTS, {}, [], [], others)
    expected = ["84.0", "20.0", "90.0", "40.0", "80.0", "1", "1", "1"]
    assert row(text, "two halves at random (2)")[1:] == expected
    assert "2 tables of [KEEL]" in text
    assert "LR alone is more than 3 points below the better of the two on 0 of 2, LR-z alone on 2." in text
    assert "furthest below: pima, two halves at random (-10.0)." in text


@pytest.mark.parametrize("kind", KINDS)
def test_other_tables_are_divided_so_that_the_source_has_all_classes(kind):
    rng = np.random.RandomState(0)
    Xs, ys, Xt, yt = KINDS[kind](rng.normal(size=(200, 4)), rng.permutation(np.repeat(["a", "b"], 100)), rng)
    assert set(yt) <= set(ys) == {"a", "b"}
    assert (len(Xs), len(Xt)) == (len(ys), len(yt))
    assert Xs.shape[1] == Xt.shape[1] == (3 if kind.startswith("divided") else 4)


def test_tables_with_domains_of_their_own_are_shown_by_what_features_tell():
    shares = {"dicd+tsrp": 0.2, "logistic regression": 0.9, "logistic regression, z-scores": 0.4, "trees": 0.8}
    tables = [
        {"table": "AER Affairs", "how": "by a column", "panel": 0.88, "doubt": 0.3, "skill": 0.7, **shares},
        {"table": "MASS crabs", "how": "by a column", "panel": 0.8, "doubt": 0.5, "skill": 0.1, **shares},
    ]
    text = page(RESULTS, {}, [], [], [], tables)
    assert row(text, "features tell the label (1)")[1:] == ["88.0", "20.0", "90.0", "40.0", "80.0", "0", "0", "0"]
    assert row(text, "they hardly do (1)")[1:] == ["80.0", "20.0", "90.0", "40.0", "80.0", "1", "1", "1"]
    assert row(text, "all (2)")[1:] == ["84.0", "20.0", "90.0", "40.0", "80.0", "1", "1", "1"]


def test_a_table_is_divided_by_a_column_of_few_values_and_labelled_by_another():
    rng = np.random.default_rng(0)
    kinds, places, numbers = rng.choice(["a", "b"], 400), rng.choice(["here", "there"], 400), rng.normal(size=(400, 3))
    columns = {"id": range(400), "kind": kinds, "place": places, "gaps": [None] * 400}
    Xs, ys, Xt, yt = natural_division(pd.DataFrame(columns | {f"f{i}": numbers[:, i] for i in range(3)}), seed=0)
    assert Xs.shape[1] == Xt.shape[1] == 3
    assert set(ys) == set(yt)
    assert set(ys) in ({"a", "b"}, {"here", "there"})
    np.testing.assert_array_equal(np.sort(np.vstack([Xs, Xt]), axis=0), np.sort(numbers, axis=0))


def test_a_table_without_two_columns_of_few_values_is_no_task():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 5))).assign(kind=rng.choice(["a", "b"], 300))
    assert natural_division(frame, seed=0) is None


def test_recordings_of_sensors_are_shown_as_they_are_and_by_sensors_of_another_make():
    shares = {"dicd+tsrp": 0.2, "logistic regression": 0.9, "logistic regression, z-scores": 0.4, "trees": 0.8}
    recordings = [
        {"table": "PLAID", "how": "as recorded", "panel": 0.95, "doubt": 1.0, **shares},
        {"table": "PLAID", "how": "sensors of another make", "panel": 0.85, "doubt": 0.0, **shares},
    ]
    text = page(RESULTS, {}, recordings=recordings)
    assert row(text, "as recorded (1)")[1:] == ["95.0", "20.0", "90.0", "40.0", "80.0", "0", "0", "1"]
    assert row(text, "sensors of another make (1)")[1:] == ["85.0", "20.0", "90.0", "40.0", "80.0", "1", "0", "0"]


def test_series_of_any_length_have_as_many_features():
    text = "# of two channels\n@classLabel true a b\n@data\n0,1:4,4,4:a\n0,1,2,3:5,5:b\n"
    series, labels = parse(text)
    assert labels.tolist() == ["a", "b"]
    np.testing.assert_allclose(series[:, 0], [np.linspace(0, 1, 50), np.linspace(0, 3, 50)])
    np.testing.assert_allclose(series[:, 1], [np.full(50, 4.0), np.full(50, 5.0)])


def test_sensors_of_another_make_have_a_gain_and_an_offset_of_each_channel():
    rng = np.random.RandomState(0)
    series = rng.normal(size=(5, 3, 50))
    other = of_another_make(series, rng)
    for channel in range(3):
        gain, offset = np.polyfit(series[:, channel].ravel(), other[:, channel].ravel(), 1)
        assert 0.5 <= gain <= 2
        assert abs(offset) <= series[:, channel].std()
        np.testing.assert_allclose(other[:, channel], gain * series[:, channel] + offset)
    assert not np.allclose(series, other)


def test_a_table_is_divided_at_the_median_of_a_feature_that_is_left_out():
    X, y = np.arange(12.0).reshape(4, 3), np.array([0, 1, 0, 1])
    Xs, ys, Xt, yt = divide(X, y, 1)
    np.testing.assert_array_equal(Xs, X[:2, [0, 2]])
    np.testing.assert_array_equal(Xt, X[2:, [0, 2]])
    assert (ys.tolist(), yt.tolist()) == ([0, 1], [0, 1])


def test_many_rows_are_shown_beside_logistic_regression():
    many = {
        **result("made up", "", 0.9, 0.8, 0.7),
        **{"size": "20000x256", "failed": [], "seconds": 61.0, "cpu": 110.0, "peak": 3210.0},
    }
    text = page(RESULTS, {}, [many])
    assert row(text, "20,000 + 20,000 x 256")[1:] == ["90.0", "50.0", "80.0", "70.0", "61.0", "110.0", "3,210"]
