"""What reaches a terminal is printable, whatever the data hold."""

import io

import pytest
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from tsrp.cli.console import PrintableConsole, printable

HOSTILE = "a\x1b]0;title\x07b\x1b[2J\x9b1m\rc\u202ed\ud800"
SHOWN = r"a\x1b]0;title\x07b\x1b[2J\x9b1m\rc\u202ed\ud800"


@pytest.fixture
def terminal():
    """A console of a terminal, and what it got."""
    file = io.StringIO()
    return PrintableConsole(file=file, force_terminal=True, width=200, emoji=False), file


def test_control_characters_are_written_out_and_others_are_not():
    assert printable(HOSTILE) == SHOWN
    for text in ("plain, with\ttabs\nand lines", "\u00fc\u4e2d\u0645\u200c\u06cc", "\U0001f469\u200d\U0001f4bb"):
        assert printable(text) == text


def test_text_is_printable_with_markup_and_without(terminal):
    console, file = terminal
    console.print(f"[yellow]note:[/] {HOSTILE}", highlight=False, soft_wrap=True)
    console.print(HOSTILE, markup=False, highlight=False, soft_wrap=True)
    assert file.getvalue().splitlines() == [f"\x1b[33mnote:\x1b[0m {SHOWN}", SHOWN]


def test_cells_of_tables_are_printable_and_as_wide_as_they_look(terminal):
    console, file = terminal
    table = Table(HOSTILE)
    table.add_row(HOSTILE)
    console.print(table)
    lines = file.getvalue().splitlines()
    assert sum(SHOWN in line for line in lines) == 2
    assert len({Text.from_ansi(line).cell_len for line in lines}) == 1


def test_what_a_progress_bar_says_is_printable(terminal):
    console, file = terminal
    with Progress(TextColumn("{task.description}"), BarColumn(), console=console) as progress:
        progress.add_task(HOSTILE.replace("\r", ""), total=2)
    with Live(Text(HOSTILE), console=console):
        pass
    assert file.getvalue().count(r"a\x1b]0;title") >= 2
    for raw in ("\x1b]0", "\x07", "\x1b[2J", "\x9b", "\u202e", "\ud800"):
        assert raw not in file.getvalue()
