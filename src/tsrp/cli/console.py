"""What all commands share: the two streams, exit codes, and one sentence for a user's mistake."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import IntEnum
from functools import wraps
from typing import IO, Annotated, Any, ClassVar, NoReturn, ParamSpec
from weakref import WeakSet

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from tsrp.exceptions import DownloadError, InputError, OutputError, ResultsError, TsrpError, UsageError, shortened

P = ParamSpec("P")


class Exit(IntEnum):
    """What the exit code says."""

    USAGE = 2
    INPUT = 3
    OUTPUT = 4
    FAILED_RUNS = 5
    DOWNLOAD = 6
    BUG = 70
    HUNG_UP = 129
    INTERRUPTED = 130
    TERMINATED = 143


EXIT_CODES = (
    "Exit codes: 0 done, 2 wrong usage, 3 input that cannot be used, 4 output that cannot be written, 5 some runs of "
    "the benchmark failed, 6 a file that cannot be downloaded, 70 a bug in tsrp, 130 interrupted, 129 and 143 ended "
    "by SIGHUP and SIGTERM."
)
CODE_OF = {
    DownloadError: Exit.DOWNLOAD,
    InputError: Exit.INPUT,
    OutputError: Exit.OUTPUT,
    ResultsError: Exit.OUTPUT,
    UsageError: Exit.USAGE,
}
# What Typer says itself, and the reader of a pipe that has read enough.
NOT_OURS = (typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError)
# What the library calls a parameter, and what it is here.
OPTIONS = {
    "NN": "--method nn",
    "address": "--dask",
    "audit": "--audit",
    "budget": "--budget",
    "categorical": "--categorical",
    "confident_at": "--confident-at",
    "data_dir": "--data-dir",
    "decimal": "--decimal",
    "drop": "--drop",
    "features_key": "--features-key",
    "id_column": "--id",
    "impute": "--impute",
    "known_column": "--known-column",
    "label": "--label",
    "labels_path": "--labels-file",
    "max_memory": "--max-memory",
    "mirror": "--mirror",
    "overwrite=True": "--force",
    "show": "--show",
    "sklearn.preprocessing.StandardScaler": "--preprocess zscore",
    "suggest": "--suggest",
    "tsrp": "--tsrp",
}
# The names of `tsrp.spec.PREPROCESSING`, which is not imported for --help.
PREPARED = "none, unit, zscore, rowsum, row-zscore, soft or rowsum-zscore"
DEBUG = "TSRP_DEBUG"
BUG = (
    "this is a bug in tsrp, not a mistake of yours: please report it with the lines below, the command, and what "
    "tsrp --version prints."
)
# Control characters but for tabs and line feeds, marks that turn the direction of writing, and surrogates.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Text whose control characters are written out, such as ``\x1b``.

    Examples
    --------
    >>> print(printable("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class PrintableConsole(Console):
    """A console that writes control characters out: those in data could rewrite the screen of a terminal."""

    def render_str(self, text: str, **options: Any) -> Text:
        """As `rich.console.Console.render_str`, where columns of tables get their width."""
        return super().render_str(printable(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """As `rich.console.Console.render`, which everything that is printed passes."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))


# Names from the data and of files may hold :x:, which must stay what it is.
out = PrintableConsole(emoji=False)
err = PrintableConsole(stderr=True, emoji=False)


class Command(TyperCommand):
    """A command whose help says nothing about the type of options that are there or not."""

    def get_params(self, ctx: Any) -> list[Any]:
        """As click has it."""
        return _without_types(super().get_params(ctx))


class Group(TyperGroup):
    """Commands under one name, whose help is as that of a `Command`."""

    def get_params(self, ctx: Any) -> list[Any]:
        """As click has it."""
        return _without_types(super().get_params(ctx))


def _without_types(params: list[Any]) -> list[Any]:
    """The parameters, flags without the type that newer versions of typer put behind them."""
    for param in params:
        if getattr(param, "is_bool_flag", False):
            param.metavar = ""
    return params


def reporting_errors(command: Callable[P, None]) -> Callable[P, None]:
    """A command whose user's mistakes are one sentence and an exit code; only a bug is a traceback."""

    @wraps(command)
    def run(*arguments: P.args, **options: P.kwargs) -> None:
        try:
            with if_interrupted("nothing was written"):
                command(*arguments, **options)
        except NOT_OURS:
            raise
        except TsrpError as error:
            _show_traceback_if_asked()
            codes = (code for kind, code in CODE_OF.items() if isinstance(error, kind))
            fail(with_options(error), next(codes, Exit.USAGE))
        except MemoryError:
            _show_traceback_if_asked()
            fail(
                "there is not enough memory for this method on so many samples; the rbf kernel needs most.", Exit.INPUT
            )
        except Exception as error:
            if is_full(error):
                raise
            _say(BUG)
            err.print(traceback.format_exc(), highlight=False, markup=False, soft_wrap=True)
            sys.exit(Exit.BUG)

    return run


def with_options(error: TsrpError) -> str:
    """The sentence of an error on one line, with options where the library names parameters."""
    sentence = " ".join(str(error).split())
    return shortened(re.sub(r"`([\w=.]+)`", lambda found: OPTIONS.get(found[1], found[1]), sentence))


def _show_traceback_if_asked() -> None:
    if os.environ.get(DEBUG, "0") not in ("", "0"):
        err.print(traceback.format_exc(), highlight=False, markup=False, soft_wrap=True)


def _say(sentence: str) -> None:
    err.print(f"[bold red]tsrp:[/] {escape(sentence)}", soft_wrap=True, highlight=False)


def fail(sentence: str, code: Exit) -> NoReturn:
    """Say why, and end the program."""
    _say(sentence)
    sys.exit(code)


@contextmanager
def if_interrupted(kept: str) -> Iterator[None]:
    """Say what remains if the body is interrupted, and end the program."""
    try:
        yield
    except (KeyboardInterrupt, Interrupted):
        _end(kept)
    except NOT_OURS:
        raise
    except Exception:
        # Modules in C turn an interruption into an error of their own, such as an import that failed.
        if not _signals:
            raise
        _end(kept)


class Interrupted(BaseException):
    """A signal asks to end: what is half done is removed.

    No KeyboardInterrupt, which Typer ends with an exit code of its own while it reads the arguments, and Python as if
    killed by SIGINT if it passed through `exec`.
    """

    raised: ClassVar[WeakSet[Interrupted]] = WeakSet()

    def __init__(self) -> None:
        self.raised.add(self)


# Those that asked this process to end.
_signals: list[int] = []


def handle_signals() -> None:
    """Be interrupted by SIGINT, SIGTERM and SIGHUP, unless the caller ignores them, as nohup does."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)


def _interrupt(number: int, frame: object) -> None:
    """Whoever presses Ctrl-C twice does not want to wait for the removal; other signals must not disturb it.

    But Python drops what is raised in a finaliser, and then another one counts.
    """
    _signals.append(number)
    if number == signal.SIGINT or not Interrupted.raised:
        raise Interrupted


def _end(kept: str) -> NoReturn:
    number = _signals[-1] if _signals else signal.SIGINT
    said = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
    fail(f"{said}; {kept}.", Exit(128 + number))


class Forgiving:
    """The error stream: what it has no room for is lost, and neither the labels nor the exit code are."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """As `io.TextIOBase.write`."""
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """As `io.TextIOBase.flush`."""
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def is_full(error: BaseException) -> bool:
    """Whether a stream has no room: files have errors of their own."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


AsJson = Annotated[
    bool, typer.Option("--json", help="Print a summary as one line of JSON, and nothing else, on the standard output.")
]


def print_json(summary: Mapping[str, Any]) -> None:
    """A summary for programs: one line."""
    out.file.write(json.dumps(summary, default=str, allow_nan=False) + "\n")
    out.file.flush()


def note(sentence: str) -> None:
    """Something the user should know, on the error stream."""
    err.print(f"[yellow]note:[/] {escape(sentence)}", soft_wrap=True, highlight=False)


@contextmanager
def notes(quiet: bool, without: tuple[type[Warning], ...] = ()) -> Iterator[None]:
    """Warnings as notes, but for some kinds of them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in caught:
        if not quiet and issubclass(warning.category, UserWarning) and not issubclass(warning.category, without):
            note(" ".join(str(warning.message).split()))


def progress_bar(quiet: bool = False, columns: Sequence[ProgressColumn] | None = None) -> Progress:
    """A bar on the error stream that leaves nothing behind, and is silent where nobody watches."""
    usual = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    hidden = quiet or not err.is_terminal
    # Before rich 14.3 a bar that is not shown leaves an empty line behind.
    console = Console(quiet=True) if hidden else err
    return Progress(*(columns or usual), console=console, transient=True, disable=hidden)
