"""The arithmetic behind docs/KNOWN.md, on results that are made up."""

import pytest

from benchmarks.known_page import page
from benchmarks.known_runs import choices

LR = {"LR": 0.5, "LR-z": 0.6, "LR, balanced": 0.4, "LR-z, balanced": 0.55}


def result(accuracy, before=0.7, error=0.05, **changed):
    return {"accuracy": accuracy, "before": before, "estimate": 0.8, "error": error, "seconds": 1.0, **LR, **changed}


FOUND = [
    (
        "coil20",
        "COIL1 -> COIL2",
        {
            "nothing 0 0": result(0.7, error=0.1),
            "suggest 20 0": result(0.9, LR=0.52),
            "lowest 20 0": result(0.8),
            "random 20 0": result(0.85, error=0.02),
            "random 20 1": result(0.75, error=0.04),
        },
    ),
    (
        "coil20",
        "COIL2 -> COIL1",
        {
            "nothing 0 0": result(0.7, error=0.2),
            "suggest 20 0": result(0.68),
            "lowest 20 0": result(0.6),
            "random 20 0": result(0.74, error=0.03),
            "random 20 1": result(0.74, error=0.03),
        },
    ),
    (
        "digits",
        "printed -> handwritten",
        {
            "nothing 0 0": result(0.8, error=0.1),
            "suggest 20 0": result(0.95, before=0.8),
            "lowest 20 0": result(0.9, before=0.8),
            "random 20 0": result(0.85, before=0.8),
            "random 20 1": result(0.85, before=0.8),
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


def test_seeds_are_averaged_before_tasks_and_tasks_before_data_sets(text):
    assert row(text, "COIL20 (2)", "By data set")[1:4] == ["79.0", "77.0", "70.0"]
    assert row(text, "**mean**", "By data set")[1:4] == ["**87.0**", "**81.0**", "**80.0**"]
    assert row(text, "COIL20 (2)", "By data set")[-1] == "+2.0"


def test_the_row_of_no_label_is_the_model_that_knows_none(text):
    assert row(text, "0 ", "By number of labels")[:4] == ["0", "75.0", "75.0", "75.0"]
    assert row(text, "20 ", "By number of labels") == ["20", "87.0", "81.0", "80.0", "50.5", "60.0", "40.0", "55.0"]


def test_gains_compare_with_the_same_rows(text):
    assert row(text, "COIL20", "Gains")[1:] == ["+9.0", "+7.0", "+0.0"]


def test_errors_of_the_estimate_are_in_points(text):
    assert row(text, "0 ", "The estimated accuracy")[1] == "12.5"
    assert row(text, "20 ", "The estimated accuracy")[1:] == ["5.0", "4.0", "5.0"]


def test_the_worst_are_named(text):
    part = text.split("## The worst")[1]
    assert "furthest below *random* on: COIL20, COIL2 -> COIL1 (-6.0)." in part
    assert "below 0: COIL20, COIL2 -> COIL1 (-2.0)." in part


def test_only_rows_at_random_depend_on_a_seed_and_half_of_the_rows_stay_unknown():
    asked = list(map(str, choices(120, (20, 50, 100), seeds=2)))
    assert asked.count("suggest 20 0") == asked.count("random 20 1") == 1
    assert "suggest 20 1" not in asked
    assert "random 50 0" in asked
    assert not any(" 100 " in choice for choice in asked)
