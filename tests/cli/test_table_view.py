"""A table in the terminal: what it says of published figures, notes and errata."""

import pytest

from tsrp.cli.table_view import print_table
from tsrp.experiments.paper_tables import Figure, PaperTable, Row
from tsrp.experiments.published import IMPROVEMENT


def table(*entries, **given):
    columns = tuple(f"M{i}" for i in range(len(entries)))
    return PaperTable(IMPROVEMENT, "toy", "Toy", columns, (Row("a -> b", entries, ("toy", "a -> b")),), **given)


def test_errata_are_listed_below(capsys):
    print_table(table(Figure(47.46, printed=39.72), Figure(1.0, 1.0), notes=("a note.",), errata=("first.", "second.")))
    said = capsys.readouterr().out
    assert said.startswith("Toy: measured, then = or (published, difference)")
    assert "47.46 (39.72†)" in said
    assert said.endswith("Note: a note.\n† Errata of the paper:\n- first.\n- second.\n")


@pytest.mark.parametrize("entry", [Figure(47.46), Figure(None, why="failed")])
def test_where_nothing_was_published_nothing_is_said_of_it(capsys, entry):
    print_table(table(entry))
    said = capsys.readouterr().out
    assert said.splitlines()[0] == "Toy: measured"
    assert "rrata" not in said
