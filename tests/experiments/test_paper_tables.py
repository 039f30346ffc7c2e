"""Tables: the right figure in the right place, averages over what all columns have, and why a figure is missing."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.support.fakes import fake
from tsrp.datasets.catalogue import DATASETS, PAPER
from tsrp.experiments.paper_tables import FAILED, NO_DATA, NOT_RUN, Figure, best_of, column_label, tables
from tsrp.experiments.published import COMPARISONS, published
from tsrp.experiments.runs import IMPROVED, grid, make_run, paper_grid

COIL = "coil20"
FIRST, SECOND = DATASETS[COIL].task_names


@pytest.fixture
def here(tmp_path):
    """A folder in which the file of COIL20 seems to be."""
    (tmp_path / COIL).mkdir()
    (tmp_path / COIL / "COIL_2.mat").touch()
    return tmp_path


def every(dataset=COIL, **given):
    return {run: fake(run, **given) for run in paper_grid([dataset])}


def entry(table, row, column):
    [found] = [r for r in table.rows if r.label == row]
    return found.entries[table.columns.index(column)]


def test_a_column_is_a_method_and_its_variants_have_their_own():
    labels = [column_label(run) for run in grid([COIL], IMPROVED, tasks=[FIRST])]
    assert list(dict.fromkeys(labels)) == [
        *("NN", "NN unit", "NN+TSRP", "NN unit+TSRP", "JDA", "JDA+TSRP"),
        *("BDA", "BDA auto", "BDA+TSRP", "BDA auto+TSRP", "DICD", "DICD+TSRP"),
    ]
    assert labels.count("BDA") == 10
    assert column_label(make_run(COIL, FIRST, "jda+tsrp_n")) == "JDA+TSRP_N"


def test_measured_and_published_stand_beside_each_other(here):
    results = every()
    run = make_run(COIL, FIRST, "dicd+tsrp")
    results[run] = fake(run, 0.95694)
    table, *_ = tables([COIL], results, here)
    found = entry(table, FIRST, "DICD+TSRP")
    assert (found.measured, found.published, found.difference) == (95.69, 95.69, 0.0)
    results[run] = fake(run, 0.96)
    table, *_ = tables([COIL], results, here)
    assert entry(table, FIRST, "DICD+TSRP").difference == 0.31
    assert entry(table, FIRST, "BDA auto").published is None


def test_bda_is_the_best_of_the_oracles_choices_and_auto_is_not_among_them(here):
    results = every(accuracy=0.5)
    for choice, accuracy in ((0.3, 0.7), ("auto", 0.9)):
        run = make_run(COIL, FIRST, "bda", {"mu": choice})
        results[run] = fake(run, accuracy)
    table, *_ = tables([COIL], results, here)
    assert entry(table, FIRST, "BDA").measured == 70
    assert entry(table, FIRST, "BDA auto").measured == 90


def test_averages_and_improvements_are_those_of_the_figures(here):
    results = every()
    table, *_ = tables([COIL], results, here)
    columns = np.array([[e.measured for e in row.entries] for row in table.rows[:2]])
    averages = [e.measured for e in table.rows[2].entries]
    np.testing.assert_allclose(averages, columns.mean(axis=0))
    assert [row.label for row in table.rows[2:]] == [
        *("Average accuracy", "Average improvement", "Relative improvement")
    ]
    before, after = (averages[table.columns.index(name)] for name in ("JDA", "JDA+TSRP"))
    assert entry(table, "Average improvement", "JDA+TSRP").measured == pytest.approx(after - before)
    relative = 100 * (after - before) / (100 - before)
    assert entry(table, "Relative improvement", "JDA+TSRP").measured == pytest.approx(relative)
    assert entry(table, "Average improvement", "JDA") == Figure(None)
    paper = np.mean([published("improvement")[COIL, task, "JDA"] for task in (FIRST, SECOND)])
    assert entry(table, "Average accuracy", "JDA").published == pytest.approx(paper)


def test_the_best_of_a_row_may_be_several(here):
    table, *_ = tables([COIL], every(accuracy=0.5), here)
    assert all(row.best == frozenset(range(len(table.columns))) for row in table.rows[:3])
    results = every(accuracy=0.5)
    run = make_run(COIL, FIRST, "nn")
    results[run] = fake(run, 0.6)
    table, *_ = tables([COIL], results, here)
    assert table.rows[0].best == {table.columns.index("NN")}


def test_the_runner_up_is_whoever_comes_next(here):
    results = every(accuracy=0.5)
    for method, accuracy in (("nn", 0.7), ("jda", 0.7), ("dicd", 0.600001), ("dicd+tsrp", 0.6)):
        run = make_run(COIL, FIRST, method)
        results[run] = fake(run, accuracy)
    table, *_ = tables([COIL], results, here)
    first, second = table.rows[:2]
    # As they are shown, to the hundredth.
    assert first.second == {table.columns.index(column) for column in ("DICD", "DICD+TSRP")}
    assert second.second == frozenset()


def test_a_missing_figure_says_why(here, tmp_path):
    results = every()
    del results[make_run(COIL, FIRST, "nn")]
    failed = make_run(COIL, FIRST, "jda")
    results[failed] = fake(failed, error="broken")
    table, *_ = tables([COIL], results, here)
    assert entry(table, FIRST, "NN").why == NOT_RUN
    assert entry(table, FIRST, "JDA").why == FAILED
    table, *_ = tables([COIL], {}, tmp_path / "elsewhere")
    assert {e.why for row in table.rows for e in row.entries} == {NO_DATA}
    assert all(not row.is_summary for row in table.rows)


def test_results_count_though_the_data_are_gone(tmp_path):
    table, *_ = tables([COIL], every(accuracy=0.5), tmp_path)
    assert {e.measured for e in table.rows[0].entries} == {50}


def test_averages_are_over_the_tasks_that_every_column_has(here):
    results = every()
    del results[make_run(COIL, FIRST, "nn")]
    table, *_ = tables([COIL], results, here)
    average = entry(table, "Average of 1 of 2 tasks", "JDA")
    assert average.measured == entry(table, SECOND, "JDA").measured
    assert average.published == published("improvement")[COIL, SECOND, "JDA"]


def test_an_average_that_is_there_gives_no_reason_for_missing(here):
    results = {run: fake(run) for run in grid([COIL], ["nn"], tasks=[SECOND])}
    table, *_ = tables([COIL], results, here)
    assert entry(table, "Average of 1 of 2 tasks", "NN").why == ""
    assert entry(table, "Average of 1 of 2 tasks", "JDA") == Figure(
        None, published("improvement")[COIL, SECOND, "JDA"], NOT_RUN
    )


def test_one_of_several_choices_missing_is_a_figure_missing():
    runs = [make_run(COIL, FIRST, "bda", {"mu": mu}) for mu in (0.1, 0.2)]
    assert best_of(runs, {runs[0]: fake(runs[0])}).why == NOT_RUN
    assert best_of(runs, {runs[0]: fake(runs[0]), runs[1]: fake(runs[1], error="x")}).why == FAILED
    assert best_of(runs, {run: fake(run, 0.5) for run in runs}).measured == 50


@cache
def empty():
    """All tables, without results."""
    return tables(DATASETS, {})


def test_the_papers_eight_tables_are_there():
    names = [table.name for table in empty()]
    assert names == [*DATASETS, "comparison-surf-digits-coil", "comparison-decaf6", "comparison-pie"]


def test_a_comparison_has_the_papers_rows_and_columns():
    table = tables(DATASETS, every())[-3]
    tasks = [row.label for row in table.rows if not row.is_summary]
    assert len(tasks) == 16
    assert (tasks[0], tasks[-1]) == ("C -> A (SURF)", "COIL2 -> COIL1")
    assert table.columns == (
        *("NN unit", "PCA", "GFK", "TCA", "TSL", "TJM", "DTSL", "CDML", "RTML", "DICD", "DICD+TSRP"),
    )
    assert entry(table, "C -> A (SURF)", "TJM").published == 46.76
    assert entry(table, "C -> A (SURF)", "TSL").published is None
    assert all(e.measured is not None for row in table.rows if row.label == FIRST for e in row.entries)


def test_columns_that_name_the_domains_otherwise_stand_beside_the_right_tasks():
    table = empty()[-3]
    printed = published("comparison")
    for column in ("PCA", "TCA", "TJM"):
        assert entry(table, FIRST, column).published == printed[COIL, SECOND, column]
        assert entry(table, SECOND, column).published == printed[COIL, FIRST, column]
    assert entry(table, FIRST, "DICD").published == printed[COIL, FIRST, "DICD"]


def test_a_comparison_says_what_is_a_reconstruction():
    for table in empty()[-3:]:
        assert any("CDML and RTML are reconstructions" in note for note in table.notes)


def test_errata_of_the_paper_are_listed():
    errata = {table.name: " ".join(table.errata) for table in empty()}
    assert "39.72" in errata["office-caltech-surf"]
    assert "35.46" in errata["cmu-pie"]
    assert "C29 -> C27" in errata["comparison-pie"]
    assert {name for name in errata if not errata[name]} == {*DATASETS, "comparison-decaf6"} - set(PAPER)


def test_every_figure_with_a_sign_is_in_the_list():
    names = ["office-caltech-surf", "cmu-pie", "mnist-usps", COIL]
    results = {run: fake(run, 0.5) for run in paper_grid(names)}
    for table in tables(names, results):
        marked = [
            (row.label, column, entry.printed)
            for row in table.rows
            for column, entry in zip(table.columns, row.entries, strict=True)
            if entry.printed is not None
        ]
        assert marked
        for row, column, printed in marked:
            assert any(f"{column}" in s and row in s and f"printed {printed:.2f}" in s for s in table.errata)


def test_a_misprint_takes_no_part_in_differences_and_averages():
    surf = "office-caltech-surf"
    table, *_ = tables([surf], {run: fake(run, 0.5) for run in paper_grid([surf])})
    for row, printed in (("A -> W", 39.72), ("Average accuracy", 48.07), ("Average improvement", 0.86)):
        found = entry(table, row, "BDA+TSRP")
        assert (found.published, found.difference, found.printed) == (None, None, printed)


def test_a_misprint_that_another_table_corrects_is_compared_with_that():
    results = {run: fake(run, 0.8381) for run in paper_grid(["cmu-pie"])}
    table = tables(["cmu-pie"], results)[-1]
    found = entry(table, "C29 -> C27", "DICD+TSRP")
    assert (found.published, found.difference, found.printed) == (83.81, 0, 77.84)
    assert entry(table, "Average accuracy", "DICD").published == pytest.approx(73.09, abs=0.005)


def test_a_printed_average_that_is_wrong_is_compared_with_the_mean_of_the_tasks():
    table, *_ = tables(["cmu-pie"], {run: fake(run, 0.3) for run in paper_grid(["cmu-pie"])})
    found = entry(table, "Average accuracy", "NN")
    assert (found.printed, found.difference) == (35.46, -4.76)


def test_printed_averages_are_those_of_whole_tables():
    """COIL20 is a part of its comparison, and two tasks are a part of SURF."""
    comparison = tables([COIL], every())[-1]
    assert all(e.printed is None for row in comparison.rows for e in row.entries)
    surf = "office-caltech-surf"
    table, *_ = tables([surf], {run: fake(run) for run in grid([surf], IMPROVED, tasks=["C -> A", "A -> C"])})
    average = next(row for row in table.rows if row.is_summary)
    assert average.label == "Average of 2 of 12 tasks"
    assert all(e.printed is None for e in average.entries)


def test_a_table_says_where_trust_is_not_that_of_the_papers_text():
    notes = {table.name: [note for note in table.notes if "text says" in note] for table in empty()}
    assert notes["office-caltech-surf"] == [
        "Office-Caltech, SURF: the trust of JDA+TSRP and BDA+TSRP is 0.85, chosen to fit the published figures; the "
        "paper's text says 0.9."
    ]
    assert "of NN+TSRP is 0.9" in notes["mnist-usps"][0]
    assert "of NN+TSRP, JDA+TSRP, BDA+TSRP and DICD+TSRP is 0.9" in notes[COIL][0]
    assert "of DICD+TSRP is 0.9" in notes["comparison-surf-digits-coil"][0]
    for name in ("office-caltech-decaf6", "comparison-pie", "gas-drift", "digits"):
        assert notes[name] == []


def test_figures_of_rebuilt_files_are_noted():
    results = {run: replace(fake(run), notes=("data: rebuilt from JPEG images",)) for run in paper_grid(["cmu-pie"])}
    for table in tables(["cmu-pie"], results):
        assert table.notes[0] == "CMU-PIE: the files are rebuilt from JPEG images."
        assert len([row for row in table.rows if not row.is_summary]) == 20


def test_data_sets_without_published_figures_have_none():
    assert {table.name for table in empty() if table.is_published} == {*PAPER, *COMPARISONS}
