"""The arithmetic behind docs/SELECTION.md, on results that are made up."""

import pandas as pd
import pytest

from benchmarks import selection_page
from tsrp.selection import SCORES


@pytest.fixture
def program(monkeypatch):
    monkeypatch.setattr(selection_page, "SIZES", (1, 3))
    monkeypatch.setattr(selection_page, "DRAWS", 2)
    return selection_page


@pytest.fixture
def results():
    """Two data sets of one and two tasks; `reverse` is always right, `snd` always wrong, the others never move."""
    tables = []
    for dataset, task, accuracies in (("A", "1", (50, 70, 90)), ("B", "1", (60, 80, 70)), ("B", "2", (60, 50, 55))):
        table = pd.DataFrame({"candidate": ["nn", "dicd+tsrp", "jda"], "accuracy": accuracies})
        for name in SCORES:
            table[name] = {"reverse": table["accuracy"], "snd": -table["accuracy"]}.get(name, 0.0)
        # All the same labels: no candidate agrees more than another.
        tables.append(table.assign(dataset=dataset, kind=dataset, panel=85.0, task=task, labels=[[0, 1]] * 3))
    return pd.concat(tables, ignore_index=True)


def test_each_data_set_counts_once(program, results):
    table = program.summary(program.choices(results))
    assert table.index[0] == "reverse"
    assert table.loc["reverse"].tolist() == [0, 0, 1, (20 + (0 + 10) / 2) / 2, 0, (40 + (20 + 0) / 2) / 2, 0]
    # On A it takes 50 of 90, on B 60 of 80 and 50 of 60.
    assert table.loc["snd", "regret"] == (40 + (20 + 10) / 2) / 2
    assert table.loc["snd", "worst regret"] == 40
    assert table.loc["snd", "rank correlation"] == -1
    # Where all are equal, the first candidate is taken: NN.
    assert table.loc["consensus", "regret"] == (40 + (20 + 0) / 2) / 2
    assert table.loc["consensus", "rank correlation"] == 0


def test_choices_without_a_score(program, results):
    table = program.fixed(results)
    default, best, nn, random = table.to_numpy()
    assert default.tolist() == [(20 + (0 + 10) / 2) / 2, 20]
    # On A it is the best, on B it takes 70 of 80 and 55 of 60.
    assert "jda" in table.index[1]
    assert best.tolist() == [(0 + (10 + 5) / 2) / 2, 10]
    assert nn.tolist() == [(40 + (20 + 0) / 2) / 2, 40]
    assert random == pytest.approx([(20 + (10 + 5) / 2) / 2, 20])


def test_the_score_is_also_chosen_without_the_kind_of_data_that_it_is_judged_on(program, results):
    results.loc[results["dataset"] == "A", "snd"] *= -2
    left = program.left_out(program.choices(results))
    assert left.loc["B"].tolist() == ["reverse", 0]
    results.loc[results["dataset"] == "A", "reverse"] *= -1
    left = program.left_out(program.choices(results))
    # `snd` is the best on A alone, and the worst on B.
    assert left.loc["B"].tolist() == ["snd", 15]


def test_the_panel_is_run_where_the_choice_is_not_sure(program, results):
    """The default score is the same for all here: on no task is it sure."""
    table = program.beside_the_panel(program.choices(results))
    what_tune_says = table.index[3]
    assert table.loc[what_tune_says].tolist() == table.loc["the panel"].tolist() == [85, 0]
    assert program.tied(pd.Series([1.0, 0.99, 0.0]))
    assert not program.tied(pd.Series([1.0, 0.9, 0.0]))


def test_fewer_candidates_are_judged_against_their_own_best(program, results):
    table = program.fewer(results)
    assert (table["of 1"] == 0).all()
    assert table.loc["reverse", "of 3"] == 0
    assert table.loc["snd", "of 3"] == (40 + (20 + 10) / 2) / 2
    assert table.loc["at random", "of 3"] == pytest.approx((20 + (10 + 5) / 2) / 2)


def test_the_consensus_is_that_of_the_candidates_of_a_task(program, results):
    task = results.head(3).assign(labels=[[0, 0], [0, 1], [0, 1]])
    assert program.score_together(task)["consensus"].tolist() == [0.5, 1, 1]


def test_the_page_says_what_is_missing_and_who_does_better(program, results):
    page = program.page(results, n_tasks=5)
    assert "**2 more tasks are on the disk but not in these tables.**" in page
    assert f"1 of {len(SCORES)} scores do better: `reverse`." in page
    assert "better on 2 tasks, worse on 0 and equal on 1" in page
    assert "more tasks are on the disk" not in program.page(results, n_tasks=3)


def test_the_page_says_so_if_no_score_is_better_than_the_default(program, results):
    for name in SCORES:
        results[name] = -results["accuracy"]
    assert "No score does better: keep the defaults." in program.page(results, n_tasks=3)
