"""The arithmetic behind docs/KNOWN.md, on results that are made up."""

import numpy as np
import pytest

from benchmarks import known_runs
from benchmarks.known_page import page
from benchmarks.known_runs import Draw, choices, measure, some_rows
from tests.support.domains import make_domains
from tsrp import NN

RANGE = {"held": True, "width": 0.2}
LR = {"LR": 0.5, "LR-z": 0.6, "LR, balanced": 0.4, "LR-z, balanced": 0.55}


def result(accuracy, before=0.7, error=0.05, **changed):
    return {
        "accuracy": accuracy,
        "before": before,
        "estimate": 0.8,
        "error": error,
        "seconds": 1.0,
        **RANGE,
        **LR,
        **changed,
    }


FOUND = [
    (
        "coil20",
        0,
        "COIL1 -> COIL2",
        {
            "nothing 0": result(0.7, error=0.1),
            "suggest 20": result(0.9, LR=0.52),
            "random 20": result(0.8, error=0.03, seconds=2.0),
            "lowest 20": result(0.8),
        },
    ),
    (
        "coil20",
        1,
        "COIL2 -> COIL1",
        {
            "nothing 0": result(0.7, error=0.2),
            "suggest 20": result(0.68),
            "random 20": result(0.74, error=0.03, held=0.0, width=0.1),
            "lowest 20": result(0.6),
        },
    ),
    # Stopped before all rules were measured.
    ("coil20", 2, "COIL1 -> COIL2", {"nothing 0": result(0.7, error=0.15), "suggest 20": result(0.1)}),
    (
        "phishing",
        0,
        "named -> numbered",
        {
            "nothing 0": result(0.8, error=0.1),
            "suggest 20": result(0.95, before=0.8),
            "random 20": result(0.85, before=0.8, error=0.04),
            "lowest 20": result(0.9, before=0.8),
        },
    ),
]


@pytest.fixture(scope="module")
def text():
    return page(FOUND, "normal")


def row(text, start, section):
    part = text.split(f"## {section}")[1].split("\n## ")[0]
    [found] = [line for line in part.splitlines() if line.startswith(f"| {start}")]
    return [cell.strip() for cell in found.strip("|").split("|")]


def test_draws_are_averaged_before_data_sets_and_unfinished_ones_left_out(text):
    assert row(text, "COIL20 (2)", "By data set")[1:4] == ["79.0", "77.0", "70.0"]
    assert row(text, "**mean**", "By data set")[1:4] == ["**87.0**", "**81.0**", "**80.0**"]
    assert row(text, "COIL20 (2)", "By data set")[-1] == "+2.0"


def test_the_first_words_are_the_means(text):
    assert "over the 2 data sets: *suggest* 87.0, *random* 81.0, LR-z 60.0, the best of its four ways." in text
    assert "half a point below *random* on no data set." in text
    assert "On the 1 data sets that no choice looked at: *suggest* 95.0, *random* 85.0." in text


def test_data_sets_on_which_suggestions_are_worse_are_named():
    task, results = FOUND[1][2:]
    assert "half a point below *random* on COIL20." in page([("coil20", 0, task, results)], "normal")


def test_the_row_of_no_label_is_the_model_that_knows_none(text):
    assert row(text, "0 ", "By number of labels")[:4] == ["0", "75.0", "75.0", "75.0"]
    assert row(text, "20 ", "By number of labels") == ["20", "87.0", "81.0", "80.0", "50.5", "60.0", "40.0", "55.0"]


def test_gains_compare_with_the_same_rows(text):
    assert row(text, "COIL20", "Gains")[1:] == ["+9.0", "+7.0", "+0.0"]


def test_errors_of_the_estimate_are_in_points(text):
    assert row(text, "0 ", "The estimated accuracy")[1] == "12.5"
    assert row(text, "20 ", "The estimated accuracy")[1:] == ["5.0", "3.5", "5.0"]


def test_ranges_are_counted_by_draw(text):
    part = text.split("## Its range")[1]
    assert "| 0 | 100.0 | 100.0 | 100.0 | 20.0 | 20.0 | 20.0 |" in part
    assert "| 20 | 100.0 | 66.7 | 100.0 | 20.0 | 16.7 | 20.0 |" in part


def test_the_worst_are_named(text):
    part = text.split("## The worst")[1]
    assert "furthest below *random* on: COIL20, COIL2 -> COIL1 (-6.0)." in part
    assert "below 0: COIL20, COIL2 -> COIL1 (-2.0)." in part


def test_a_rule_that_was_not_measured_everywhere_has_no_mean():
    dataset, draw, task, results = FOUND[3]
    without = {choice: values for choice, values in results.items() if choice != "lowest 20"}
    text = page([FOUND[0], (dataset, draw, task, without)], "normal")
    assert row(text, "**mean**", "By data set")[1:4] == ["**92.5**", "**82.5**", "**–**"]
    assert row(text, "Phishing websites (1)", "By data set")[1:4] == ["95.0", "85.0", "–"]


def test_the_cost_is_that_of_known_labels_beside_none(text):
    assert "takes 1.0 times the CPU time" in text


def test_half_of_the_rows_stay_unknown():
    asked = list(map(str, choices(120, (20, 50, 100))))
    assert asked[:4] == ["nothing 0", "suggest 20", "random 20", "lowest 20"]
    assert "random 50" in asked
    assert not any(choice.endswith(" 100") for choice in asked)


def test_some_rows_have_every_class_and_depend_on_the_seed_alone():
    y = np.repeat([0, 1, 2], [500, 3, 1])
    first, again, other = (some_rows(y, 50, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert len(np.unique(first)) == 50
    assert set(y[first]) == {0, 1, 2}
    np.testing.assert_array_equal(first, again)
    assert first.tolist() != other.tolist()
    assert len(some_rows(y[-10:], 50, np.random.default_rng(0))) == 8


def test_draws_take_the_tasks_in_turn(monkeypatch):
    monkeypatch.setattr(known_runs, "tasks", lambda: [("coil20", "a"), ("digits", "d"), ("coil20", "b")])
    assert [Draw("coil20", number).task for number in range(3)] == ["a", "b", "a"]


def test_a_run_that_was_stopped_goes_on(monkeypatch, tmp_path):
    monkeypatch.setattr(known_runs, "FOLDER", tmp_path)
    monkeypatch.setattr(known_runs, "tasks", lambda: [("coil20", "a")])
    monkeypatch.setattr(known_runs, "load", lambda dataset, task: make_domains(n_source=60, n_target=60))
    fits = []

    def panel(budget, *, n_jobs):
        model = NN()
        fit = model.fit

        def counted(Xs, ys, Xt, yt=None):
            fits.append(0 if yt is None else sum(label is not None for label in yt))
            return fit(Xs, ys, Xt, yt)

        # Of this model alone: its copies, which are fitted to halves, are not counted.
        model.__dict__["fit"] = counted
        return model

    monkeypatch.setattr(known_runs, "Panel", panel)
    draw = Draw("coil20", 0)
    assert measure("normal", draw, (20,))
    assert fits == [0, 20, 20, 20]
    assert not measure("normal", draw, (20,))
    assert measure("normal", draw, (20, 10))
    assert fits == [0, 20, 20, 20, 10, 10, 10]
    found = draw.done("normal")
    assert list(found["results"]) == [str(choice) for choice in choices(48, (20, 10))]
    assert found["rows"]["suggest"] != found["rows"]["random"]
