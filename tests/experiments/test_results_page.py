"""The page of results: summary, counts, every table, what differs and what computed it."""

import re
from dataclasses import replace

import pytest

from tests.support.fakes import coil_results, fake
from tsrp.datasets.catalogue import DATASETS, PAPER
from tsrp.experiments.errata import comparable
from tsrp.experiments.paper_tables import tables
from tsrp.experiments.published import COMPARISON, IMPROVEMENT, INEXACT
from tsrp.experiments.results_page import to_markdown
from tsrp.experiments.runs import paper_grid

COIL = "coil20"
SURF = "office-caltech-surf"


@pytest.fixture
def results():
    return coil_results()


@pytest.fixture
def made(results):
    return tables([COIL, "cmu-pie"], results)


def test_markdown_has_every_table_with_as_many_cells_in_each_line(made, results):
    page = to_markdown(made, results)
    assert page.startswith("# Results\n")
    for table in made:
        section = page.split(f"## {table.title}\n")[1].split("\n## ")[0]
        lines = [line for line in section.splitlines() if line.startswith("|")]
        assert len(lines) == 2 + len(table.rows)
        assert {line.count("|") for line in lines} == {len(table.columns) + 2}
    assert "| **100.00** / 93.75 / +6.25 |" in page


def test_markdown_lists_what_differs_and_says_what_computed_it(made, results):
    page = to_markdown(made, results)
    assert "- COIL20, COIL1 -> COIL2, JDA: measured 100.00, published 93.75." in page
    assert "COIL20, COIL1 -> COIL2, DICD+TSRP" not in page
    [equal] = re.findall(r"(\d+) of (\d+) figures of single tasks are the published ones", page)
    # Sixteen of the first table, eight more of the comparison: PCA, GFK, TCA and TJM.
    assert equal == ("1", "24")
    assert "CDML: measured" not in page
    assert f"{len(results)} with tsrp 1, python 3" in page
    failed = next(iter(results))
    assert f"failed: {failed}: broken" in to_markdown(made, {**results, failed: fake(failed, error="broken")})


def test_a_figure_that_two_tables_show_is_counted_once():
    runs = paper_grid(["office-caltech-surf", "mnist-usps", COIL])
    results = {run: fake(run, 0.5) for run in runs}
    made = tables(["office-caltech-surf", "mnist-usps", COIL], results)
    assert len(made) == 4
    # 192, less a misprint.
    assert "0 of 191 figures" in to_markdown(made, results)


def test_where_nothing_was_compared_nothing_is_said_of_it():
    results = {run: fake(run, 0.5) for run in paper_grid(["digits"])}
    page = to_markdown(tables(["digits"], results), results)
    assert "What the paper compares with" not in page
    assert "| NN unit | 50.00 |" in page


def test_the_data_sets_are_listed_with_their_type(made, results):
    page = to_markdown(made, results)
    assert "| COIL20 | object | 1,440 | 1,024 | 20 | COIL1, COIL2 | 2 |" in page
    assert "| CMU-PIE | face | 11,554 | 1,024 | 68 | C05, C07, C09, C27, C29 | 20 |" in page
    assert "| MNIST-USPS |" not in page


def test_errata_stand_under_their_table(made, results):
    section = to_markdown(made, results).split("## CMU-PIE\n")[1].split("\n## ")[0]
    assert "Errata of the paper:\n\n- Average accuracy of NN: printed 35.46, but the printed tasks" in section


def test_a_misprint_is_no_difference():
    results = {run: fake(run, 0.4746) for run in paper_grid([SURF])}
    page = to_markdown(tables([SURF], results), results)
    assert "SURF, C -> A, BDA+TSRP: measured 47.46, published 48.33." in page
    assert "SURF, A -> W, BDA+TSRP: measured" not in page


@pytest.mark.parametrize("dataset", [name for name in DATASETS if name not in PAPER])
def test_data_sets_of_our_own_have_measured_figures_alone(dataset):
    results = {run: fake(run, 0.5) for run in paper_grid([dataset])}
    [table] = tables([dataset], results)
    page = to_markdown([table], results)
    assert "published ones" not in page
    assert "Errata" not in page
    cells = {cell.strip() for line in page.split(f"## {table.title}")[1].splitlines() for cell in line.split("|")[2:-1]}
    assert cells - {"", "---:", *table.columns} == {"**50.00**", "-", "0.00"}


def test_figures_of_other_files_are_not_expected_to_be_the_published_ones():
    runs = paper_grid([COIL, "cmu-pie"])
    results = {run: fake(run, 0.5) for run in runs}
    results |= {run: replace(results[run], notes=("data: rebuilt",)) for run in runs if run.dataset == "cmu-pie"}
    made = tables([COIL, "cmu-pie"], results)
    page = to_markdown(made, results)
    assert "0 of 24 figures of single tasks are the published ones" in page
    assert "- CMU-PIE, " not in page
    assert "CMU-PIE (20 of 20 tasks, other files)" in page
    assert "CMU-PIE: the files are rebuilt." in page
    sound = {**comparable(COMPARISON), **comparable(IMPROVEMENT)}
    far = {key: abs(50 - f) for key, f in sound.items() if key[0] == "cmu-pie" and key[2] not in INEXACT}
    farthest = max(far, key=far.get)
    [(count, mean, most, column, task)] = re.findall(
        r"its (\d+) figures of single tasks differ .* by ([\d.]+) on average, and by ([\d.]+) at most \((.+) on (.+)\)",
        page,
    )
    assert int(count) == len(far)
    assert float(mean) == pytest.approx(sum(far.values()) / len(far), abs=0.0051)
    assert (float(most), column, task) == (round(far[farthest], 2), farthest[2], farthest[1])
