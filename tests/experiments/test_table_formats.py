"""Tables as Markdown, CSV and LaTeX say the same."""

import csv

import pytest

from tests.support.fakes import coil_results, fake
from tsrp.experiments.paper_tables import Figure, PaperTable, Row, tables
from tsrp.experiments.published import IMPROVEMENT
from tsrp.experiments.runs import paper_grid
from tsrp.experiments.table_formats import (
    LATEX,
    MARKDOWN,
    cell_texts,
    figures,
    markdown_table,
    short_texts,
    to_csv,
    to_latex,
)

COIL, TASK = "coil20", "COIL1 -> COIL2"


@pytest.fixture
def results():
    return coil_results()


@pytest.fixture
def made(results, monkeypatch, tmp_path):
    monkeypatch.setenv("TSRP_DATA", str(tmp_path))
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
        # Errata: with what was meant, or without anything to compare with.
        (Figure(34.7, 34.76, printed=35.46), "34.70 / 34.76† / -0.06"),
        (Figure(47.46, None, printed=39.72), "47.46 / 39.72†"),
        (Figure(None, None, "no data", 39.72), "no data / 39.72†"),
        # Averages are rounded as they are shown before they are compared.
        (Figure(96.0449, 96.0451), "96.04 / 96.05 / -0.01"),
        (Figure(96.0451, 96.0451), "96.05 / 96.05 / 0.00"),
    ],
)
def test_an_entry_is_measured_published_difference(entry, text):
    assert figures(entry) == text


@pytest.fixture
def row():
    entries = (Figure(1.0), Figure(2.0, 2.0), Figure(2.0, 1.0), Figure(1.5, 1.5), Figure(0.5, None, printed=0.7))
    return Row("a", entries, best=frozenset({1, 2}), second=frozenset({3}))


def test_the_best_is_bold_and_the_runner_up_underlined(row):
    assert cell_texts(row, MARKDOWN) == [
        *("1.00", "**2.00** / 2.00 / 0.00", "**2.00** / 1.00 / +1.00", "<u>1.50</u> / 1.50 / 0.00", "0.50 / 0.70†")
    ]
    assert cell_texts(row, LATEX)[2:] == [
        *("\\textbf{2.00} / 1.00 / +1.00", "\\underline{1.50} / 1.50 / 0.00", "0.50 / 0.70$^\\dagger$")
    ]
    assert short_texts(row) == [
        *("1.00", "[bold]2.00 =[/]", "[bold]2.00 (1.00, +1.00)[/]", "[underline]1.50 =[/]", "0.50 (0.70†)")
    ]


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (Figure(83.81, 83.81, printed=77.84), "83.81 =†"),
        (Figure(83.0, 83.81, printed=77.84), "83.00 (83.81†, -0.81)"),
        (Figure(None, 83.81, "no data", 77.84), "no data / 83.81†"),
    ],
)
def test_where_there_is_little_room_errata_have_their_sign_too(entry, text):
    assert short_texts(Row("a", (entry,))) == [text]


def test_markdown_marks_the_errata_of_a_whole_table(results):
    surf = "office-caltech-surf"
    [table, *_] = tables([surf], {run: fake(run, 0.5) for run in paper_grid([surf])})
    lines = {line.split(" | ")[0]: line for line in markdown_table(table).splitlines()}
    assert " **50.00** / 39.72† |" in lines["| A -> W"]
    assert " **50.00** / 48.07† |" in lines["| *Average accuracy*"]
    assert "†" not in lines["| A -> C"]


def test_csv_has_a_line_for_every_figure(made):
    rows = list(csv.DictReader(to_csv(made).splitlines()))
    assert len(rows) == sum(len(table.rows) * len(table.columns) for table in made)
    [row] = [row for row in rows if (row["row"], row["column"]) == (TASK, "JDA")]
    assert (row["measured"], row["published"], row["difference"], row["best"]) == ("100.00", "93.75", "6.25", "yes")
    assert {row["why missing"] for row in rows if row["table"] == "cmu-pie"} == {"no data"}
    wrong = {(row["row"], row["column"]): (row["published"], row["erratum"]) for row in rows if row["erratum"]}
    assert wrong["C29 -> C27", "DICD+TSRP"] == ("83.81", "77.84")
    assert ("C05 -> C07", "DICD") not in wrong


def test_latex_is_complete_and_escaped(made):
    text = to_latex(made)
    assert text.count("\\begin{table}") == text.count("\\end{table}") == len(made)
    assert "COIL1 $\\rightarrow$ COIL2 & " in text
    assert "\\textbf{100.00} / 93.75 / +6.25" in text
    for line in text.splitlines():
        if line.endswith("\\\\"):
            assert line.count("&") in {len(table.columns) for table in made}
    assert "Errata of the paper: The last row is printed as C29 $\\rightarrow$ C29;" in text
    assert "†" not in text
    odd = to_latex([PaperTable(IMPROVEMENT, "odd", "50% of a_b & {c}", ("A_1",), ())])
    assert "\\caption{50\\% of a\\_b \\& \\{c\\}." in odd
    assert "task & A\\_1 \\\\" in odd


def test_a_caption_speaks_of_published_figures_where_there_are_some(made):
    own = tables(["mushrooms"], {run: fake(run) for run in paper_grid(["mushrooms"])})
    assert "measured / published / difference" in to_latex(made)
    assert "measured / published" not in to_latex(own)
    assert "nothing was published for these tasks" in to_latex(own)
