"""The section on the stronger methods: averages, what TSRP brings, time, and tasks beside their references."""

from itertools import pairwise

import pytest

from tests.support.fakes import fake
from tsrp.experiments.averages import by_data_set
from tsrp.experiments.results_page import to_markdown
from tsrp.experiments.runs import paper_grid, strong_grid
from tsrp.experiments.strong_page import gain, strong_section
from tsrp.experiments.strong_tables import strong_tables

SURF, COIL = "office-caltech-surf", "coil20"


@pytest.fixture(scope="module")
def results():
    """TSRP brings MEDA ten points on COIL20, takes ten from it on SURF, and changes nothing else."""
    special = {(COIL, "meda+tsrp"): 0.6, (SURF, "meda+tsrp"): 0.4}
    return {run: fake(run, special.get((run.dataset, run.spec.name), 0.5)) for run in strong_grid([SURF, COIL])}


@pytest.fixture(scope="module")
def made(results):
    return strong_tables([SURF, COIL], results)


def line(parts, heading, label):
    [table] = [after for before, after in pairwise(parts) if before.startswith(heading)]
    [found] = [line for line in table.splitlines() if line.startswith(f"| {label} |")]
    return [cell.strip() for cell in found.split("|")[2:-1]]


def test_averages_stand_beside_those_of_the_references(made, results):
    parts = strong_section(made, results)
    assert line(parts, "Average accuracy", "AGE-CS") == ["50.00 / 56.27 (0 equal)", "50.00"]
    assert line(parts, "Average accuracy", "AGE-CS+TSRP") == ["50.00", "50.00"]


def test_it_says_where_tsrp_helps_and_where_not(made, results):
    parts = strong_section(made, results)
    assert line(parts, "What TSRP brings", "MEDA") == ["-10.00 (0 of 12)", "+10.00 (2 of 2)"]
    assert line(parts, "What TSRP brings", "SPL") == ["+0.00 (0 of 12)", "+0.00 (0 of 2)"]
    [sentence] = [part for part in parts if part.startswith("TSRP raises the average of KRR on 0 of 2, ")]
    assert "MEDA on 1 of 2" in sentence
    assert sentence.endswith("of 0 of 8 on Office-Caltech, SURF, of 1 of 8 on COIL20.")
    [coil] = [entries for heading, entries in by_data_set(made, "strong").items() if heading.startswith("COIL20")]
    assert gain(coil, "MEDA") == pytest.approx(10)
    assert gain(coil, "DICD") is None


def test_processor_time_has_a_line_for_each_column_that_was_measured(made, results):
    parts = strong_section(made, results)
    assert line(parts, "Processor time", "CMMS+TSRP") == ["0.2", "0.2"]
    assert "| DICD |" not in parts[parts.index(next(p for p in parts if p.startswith("Processor time"))) + 1]


def test_tasks_are_shown_one_by_one_where_there_are_references(made, results):
    parts = strong_section(made, results)
    assert "### Stronger methods: Office-Caltech, SURF" in parts
    beside = [parts[i + 1] for i, part in enumerate(parts) if part.startswith("Measured / reference")]
    assert "| task | KRR | DICD KRR | DICD GraphRidge | MEDA | ARTL | AGE-CS | SPL | CMMS |" in beside[0]
    assert "| C -> A | **50.00** / 53.97 / -3.97 |" in beside[0]
    assert "improvement" not in beside[0]
    assert "| task | DICD GraphRidge | DICD GraphRidge+TSRP | MEDA |" in beside[1]


def test_the_page_has_the_section_before_the_tables_if_there_is_anything_to_show(made, results):
    page = to_markdown([], results, made)
    assert "## Stronger methods\n" in page
    assert "## Stronger methods\n" not in to_markdown([], {run: fake(run) for run in paper_grid([COIL])})


def test_a_data_set_without_tsrp_is_not_counted(results):
    alone = {run: fake(run, 0.5) for run in strong_grid(["digits"], "without")}
    every = {run: result for run, result in results.items() if run.dataset == COIL} | alone
    parts = strong_section(strong_tables([COIL, "digits"], every), every)
    assert line(parts, "What TSRP brings", "MEDA") == ["+10.00 (2 of 2)", "-"]
    [sentence] = [part for part in parts if part.startswith("TSRP raises")]
    assert "MEDA on 1 of 1" in sentence
    assert sentence.endswith("of 1 of 8 on COIL20.")


def test_without_tsrp_nothing_is_said_of_what_it_brings():
    results = {run: fake(run) for run in strong_grid([COIL], "without")}
    parts = strong_section(strong_tables([COIL], results), results)
    assert not any(part.startswith("What TSRP brings") for part in parts)
