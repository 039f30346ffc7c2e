"""Tables as Markdown, CSV and LaTeX say the same."""

import csv
import re

import pytest

from tests.support.fakes import fake
from tsrp.experiments.paper_tables import Figure, PaperTable, Row, tables
from tsrp.experiments.published import COMPARISON, IMPROVEMENT
from tsrp.experiments.runs import grid, make_run, paper_grid
from tsrp.experiments.table_formats import cell_texts, figures, short_texts, summary, to_csv, to_latex, to_markdown

COIL, TASK = "coil20", "COIL1 -> COIL2"


@pytest.fixture
def results():
    results = {run: fake(run) for run in paper_grid([COIL])}
    for method, accuracy in (("dicd+tsrp", 0.95694), ("jda", 1.0)):
        run = make_run(COIL, TASK, method)
        results[run] = fake(run, accuracy)
    return results


@pytest.fixture
def made(results):
    return tables([COIL, "cmu-pie"], results)


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (Figure(95.69, 95.69), "95.69 / 95.69 / 0.00"),
        (Figure(47.46, 39.72), "47.46 / 39.72 / +7.74"),
        (Figure(31.0, 32.5), "31.00 / 32.50 / -1.50"),
        (Figure(31.0), "31.00"),
        (Figure(None, 32.5, "no data"), "no data / 32.50"),
        (Figure(None, None, "failed"), "failed"),
        (Figure(None), "-"),
        # Averages are rounded as they are shown before they are compared.
        (Figure(96.0449, 96.0451), "96.04 / 96.05 / -0.01"),
        (Figure(96.0451, 96.0451), "96.05 / 96.05 / 0.00"),
    ],
)
def test_an_entry_is_measured_published_difference(entry, text):
    assert figures(entry) == text


def test_the_best_is_strong():
    row = Row("a", (Figure(1.0), Figure(2.0, 2.0), Figure(2.0, 1.0)), best=frozenset({1, 2}))
    assert cell_texts(row, "**{}**") == ["1.00", "**2.00** / 2.00 / 0.00", "**2.00** / 1.00 / +1.00"]
    assert short_texts(row) == ["1.00", "[bold]2.00 =[/]", "[bold]2.00 (1.00, +1.00)[/]"]


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
    assert "0 of 192 figures" in to_markdown(made, results)


def test_the_summary_counts_what_agrees(made):
    lines = summary(made, IMPROVEMENT).splitlines()
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


def test_where_nothing_was_compared_nothing_is_said_of_it():
    results = {run: fake(run, 0.5) for run in paper_grid(["digits"])}
    page = to_markdown(tables(["digits"], results), results)
    assert "What the paper compares with" not in page
    assert "| NN unit | 50.00 |" in page


def test_the_comparison_has_a_summary_by_data_set():
    names = ["office-caltech-surf", "mnist-usps", COIL]
    results = {run: fake(run, 0.5) for run in paper_grid(names)}
    lines = summary(tables(names, results), COMPARISON).splitlines()
    assert lines[0] == "| | Office-Caltech, SURF (12 of 12 tasks) | MNIST-USPS (2 of 2 tasks) | COIL20 (2 of 2 tasks) |"
    assert "| TCA | 50.00 / 43.61 (0 equal) | 50.00 / 53.66 (0 equal) | 50.00 / 87.15 (0 equal) |" in lines
    assert "| TSL | 50.00 | 50.00 | 50.00 |" in lines


def test_csv_has_a_line_for_every_figure(made):
    rows = list(csv.DictReader(to_csv(made).splitlines()))
    assert len(rows) == sum(len(table.rows) * len(table.columns) for table in made)
    [row] = [row for row in rows if (row["row"], row["column"]) == (TASK, "JDA")]
    assert (row["measured"], row["published"], row["difference"], row["best"]) == ("100.00", "93.75", "6.25", "yes")
    assert {row["why missing"] for row in rows if row["table"] == "cmu-pie"} == {"no data"}


def test_latex_is_complete_and_escaped(made):
    text = to_latex(made)
    assert text.count("\\begin{table}") == text.count("\\end{table}") == len(made)
    assert "COIL1 $\\rightarrow$ COIL2 & " in text
    assert "\\textbf{100.00} / 93.75 / +6.25" in text
    for line in text.splitlines():
        if line.endswith("\\\\"):
            assert line.count("&") in {len(table.columns) for table in made}
    odd = to_latex([PaperTable(IMPROVEMENT, "odd", "50% of a_b & {c}", ("A_1",), ())])
    assert "\\caption{50\\% of a\\_b \\& \\{c\\}." in odd
    assert "task & A\\_1 \\\\" in odd
