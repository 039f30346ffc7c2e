"""The stronger methods' tables: which columns there are, what stands beside them, what their notes say."""

from dataclasses import replace

import pytest

from tests.support.fakes import fake
from tsrp.datasets.catalogue import DATASETS
from tsrp.experiments.averages import summary
from tsrp.experiments.paper_tables import by_column
from tsrp.experiments.runs import STRONG, STRONG_TASKS, grid, paper_grid, strong_grid
from tsrp.experiments.strong_tables import cpu_seconds, references, strong_tables

SURF, COIL, PIE = "office-caltech-surf", "coil20", "cmu-pie"


def results_of(*datasets, **given):
    return {run: fake(run, **given) for run in strong_grid(datasets)}


def test_every_reference_is_of_a_task_and_a_column_that_there_are():
    for dataset, task, column in references():
        assert task in DATASETS[dataset].task_names
        assert column.removesuffix("+TSRP") in STRONG
    surf = [key for key in references() if key[0] == SURF]
    assert len(surf) == 12 * len(STRONG)


def test_columns_are_dicd_and_the_stronger_methods_with_and_without_tsrp():
    [table] = strong_tables([COIL], results_of(COIL))
    assert table.columns == ("DICD", "DICD+TSRP", *(name + end for name in STRONG for end in ("", "+TSRP")))
    assert (table.kind, table.name, table.source) == ("strong", "strong-coil20", "reference")


def test_a_measured_figure_stands_beside_its_reference():
    [table] = strong_tables([SURF], results_of(SURF, accuracy=0.6054))
    entry = table.rows[0].entries[table.columns.index("AGE-CS")]
    assert (entry.measured, entry.published, entry.difference) == (60.54, 60.54, 0)
    assert table.rows[0].entries[table.columns.index("AGE-CS+TSRP")].published is None


def test_data_sets_without_any_result_have_no_table():
    assert strong_tables([COIL, "digits"], {run: fake(run) for run in paper_grid([COIL])}) == []
    [table] = strong_tables([COIL, "digits"], results_of("digits"))
    assert table.name == "strong-digits"


def test_runs_on_other_data_sets_are_left_alone():
    [table] = strong_tables([COIL], results_of(COIL, "digits"), runs=strong_grid([COIL, "digits"]))
    assert table.name == "strong-coil20"


def test_dicd_is_that_of_the_paper_and_stands_beside_if_it_was_run():
    results = results_of(COIL) | {run: fake(run, 0.9) for run in grid([COIL], ["dicd"], "without")}
    [table] = strong_tables([COIL], results)
    assert [row.entries[0].measured for row in table.rows[:2]] == [90, 90]


def test_on_pie_tsrp_is_left_out_where_it_takes_long_and_a_note_says_so():
    [table] = strong_tables([PIE], results_of(PIE))
    assert {"KRR+TSRP", "MEDA+TSRP", "SPL+TSRP", "DICD z-scores"} <= set(table.columns)
    assert "CMMS+TSRP" not in table.columns
    assert table.notes == (
        "CMU-PIE: DICD KRR and DICD GraphRidge with preprocessing rowsum-zscore, the others with unit.",
        "CMU-PIE: only on C05 -> C07, C07 -> C09, C09 -> C27, C27 -> C29 and C29 -> C05, where each domain is source "
        "and target once; all would take long.",
        "CMU-PIE: TSRP was not run around DICD KRR, DICD GraphRidge, ARTL, AGE-CS and CMMS, which would take long.",
    )


def test_averages_on_pie_are_over_the_tasks_that_were_run_for_dicd_too():
    results = results_of(PIE, accuracy=0.6) | {
        run: fake(run, 0.5 if run.task in STRONG_TASKS[PIE] else 0.9) for run in grid([PIE], ["dicd"])
    }
    [table] = strong_tables([PIE], results)
    [average] = [row for row in table.rows if row.label == "Average of 5 of 20 tasks"]
    assert [average.entries[table.columns.index(column)].measured for column in ("DICD", "CMMS")] == [50, 60]
    assert "CMU-PIE (5 of 20 tasks)" in summary([table], "strong")


def test_other_files_are_noted():
    results = {run: replace(result, notes=("data: rebuilt",)) for run, result in results_of(COIL).items()}
    [table] = strong_tables([COIL], results)
    assert "COIL20: the files are rebuilt." in table.notes
    assert table.other_files == {COIL}


def test_processor_time_is_the_mean_over_tasks_that_were_measured():
    runs = strong_grid([COIL], "without")
    results = {run: replace(fake(run), cpu_seconds=2.0 * i) for i, run in enumerate(runs)}
    times = cpu_seconds(by_column(runs), results)
    # A task's runs come one after another.
    assert times[COIL, "KRR"] == (results[runs[0]].cpu_seconds + results[runs[len(STRONG)]].cpu_seconds) / 2
    unmeasured = {run: replace(result, cpu_seconds=None) for run, result in results.items()}
    assert cpu_seconds(by_column(runs), unmeasured) == {}


@pytest.mark.parametrize("dataset", [COIL, "mnist-usps"])
def test_pixels_of_images_are_scaled_by_themselves_for_meda(dataset):
    [table] = strong_tables([dataset], results_of(dataset))
    assert table.notes == (f"{DATASETS[dataset].title}: MEDA with preprocessing row-zscore, the others with none.",)
