"""Averages by column and data set, and the tasks that TSRP improves: measured beside published."""

import re

from tests.support.fakes import coil_results, fake
from tsrp.datasets.catalogue import DATASETS
from tsrp.experiments.averages import improved, summary
from tsrp.experiments.paper_tables import tables
from tsrp.experiments.published import COMPARISON, IMPROVEMENT, published
from tsrp.experiments.runs import grid, paper_grid

COIL, TASK = "coil20", "COIL1 -> COIL2"
SURF = "office-caltech-surf"
PIE_TASKS = DATASETS["cmu-pie"].task_names


def test_the_summary_counts_what_agrees():
    lines = summary(tables([COIL, "cmu-pie"], coil_results()), IMPROVEMENT).splitlines()
    assert lines[0] == "| | COIL20 (2 of 2 tasks) |"
    [line] = [line for line in lines if line.startswith("| DICD+TSRP")]
    assert re.fullmatch(r"\| DICD\+TSRP \| [\d.]+ / 96\.88 \(1 equal\) \|", line)


def test_the_summary_is_over_what_was_run():
    results = {run: fake(run, 0.5) for run in grid([COIL], ["nn"], tasks=[TASK])}
    assert summary(tables([COIL], results), IMPROVEMENT).splitlines() == [
        "| | COIL20 (1 of 2 tasks) |",
        "|---|---:|",
        "| NN | 50.00 / 84.72 (0 equal) |",
        "| NN unit | 50.00 |",
        "| NN+TSRP | 50.00 / 88.75 (0 equal) |",
        "| NN unit+TSRP | 50.00 |",
    ]


def test_the_comparison_has_a_summary_by_data_set():
    names = ["office-caltech-surf", "mnist-usps", COIL]
    results = {run: fake(run, 0.5) for run in paper_grid(names)}
    lines = summary(tables(names, results), COMPARISON).splitlines()
    assert lines[0] == "| | Office-Caltech, SURF (12 of 12 tasks) | MNIST-USPS (2 of 2 tasks) | COIL20 (2 of 2 tasks) |"
    assert "| TCA | 50.00 / 43.61 (0 equal) | 50.00 / 53.66 (0 equal) | 50.00 / 87.15 (0 equal) |" in lines
    assert "| TSL | 50.00 | 50.00 | 50.00 |" in lines


def counts(accuracies, dataset=SURF):
    """The lines of the count, from an accuracy for each method."""
    results = {run: fake(run, accuracies.get(run.spec.name, 0.5)) for run in paper_grid([dataset])}
    return improved(tables([dataset], results)).splitlines()


def test_it_counts_the_tasks_that_tsrp_improves_measured_and_published():
    heading, _, *lines = counts({"jda+tsrp": 0.6, "dicd+tsrp": 0.4})
    assert heading == "| | Office-Caltech, SURF (12 of 12 tasks) |"
    assert lines == [
        "| NN | 0 of 12 / 6 of 12 |",
        "| NN unit | 0 of 12 |",
        "| JDA | 12 of 12 / 7 of 12 |",
        # One figure of the paper is a misprint.
        "| BDA | 0 of 12 / 8 of 11 |",
        "| BDA auto | 0 of 12 |",
        "| DICD | 0 of 12 / 7 of 12 |",
    ]


def test_the_papers_counts_are_those_of_its_printed_figures():
    printed = published(IMPROVEMENT)
    lines = counts({}, "cmu-pie")
    for base in ("NN", "JDA", "BDA", "DICD"):
        pairs = [(printed["cmu-pie", t, base], printed["cmu-pie", t, f"{base}+TSRP"]) for t in PIE_TASKS]
        assert f"| {base} | 0 of 20 / {sum(after > before for before, after in pairs)} of 20 |" in lines


def test_a_method_that_was_not_run_with_tsrp_is_not_counted():
    results = {run: fake(run, 0.5) for run in grid([COIL], ["nn"], tasks=[TASK])}
    results |= {run: fake(run, 0.5) for run in grid([COIL], ["jda"], "without", tasks=[TASK])}
    lines = improved(tables([COIL], results)).splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| NN", "| NN unit"]
    assert improved(tables([COIL], {})) == ""


def test_an_average_with_a_misprint_has_no_published_one_beside_it():
    results = {run: fake(run, 0.4746) for run in paper_grid([SURF])}
    lines = summary(tables([SURF], results), IMPROVEMENT).splitlines()
    # C -> W is the task where the paper has the same figure.
    assert "| BDA+TSRP | 47.46 (1 equal) |" in lines
    assert "| BDA | 47.46 / 47.21 (0 equal) |" in lines
