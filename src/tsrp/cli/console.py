"""What all commands share: the two streams, exit codes, and one sentence for a user's mistake."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class Exit(IntEnum):
    """What the exit code says."""

    USAGE = 2
    INPUT = 3
    OUTPUT = 4
    FAILED_CELLS = 5
    DOWNLOAD = 6
    INTERRUPTED = 130


EXIT_CODES = (
    "Exit codes: 0 done, 2 wrong usage, 3 input that cannot be used, 4 output that cannot be written, 5 some cells of "
    "the benchmark failed, 6 a file that cannot be downloaded, 130 interrupted."
)
# Names from the data and of files may hold :x:, which must stay what it is.
out = Console(emoji=False)
err = Console(stderr=True, emoji=False)


def fail(sentence: str, code: Exit) -> NoReturn:
    """Say why, and end the program."""
    err.print(f"[bold red]tsrp:[/] {escape(sentence)}", soft_wrap=True, highlight=False)
    sys.exit(code)


@contextmanager
def failing_with(code: Exit, kept: str = "nothing was written") -> Iterator[None]:
    """A user's mistake is one sentence and an exit code, never a traceback."""
    try:
        yield
    except (ValueError, TypeError, OverflowError, OSError) as error:
        fail(" ".join(str(error).split()), code)
    except KeyboardInterrupt:
        fail(f"interrupted; {kept}.", Exit.INTERRUPTED)
    except MemoryError:
        fail("there is not enough memory for this method on so many samples; the rbf kernel needs most.", code)


def note(sentence: str) -> None:
    """Something the user should know, on the error stream."""
    err.print(f"[yellow]note:[/] {escape(sentence)}", soft_wrap=True, highlight=False)


@contextmanager
def notes(quiet: bool) -> Iterator[None]:
    """Warnings as notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in caught:
        if not quiet and issubclass(warning.category, UserWarning):
            note(" ".join(str(warning.message).split()))


def progress_bar(quiet: bool = False) -> Progress:
    """A bar on the error stream that leaves nothing behind, and is silent where nobody watches."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal)
