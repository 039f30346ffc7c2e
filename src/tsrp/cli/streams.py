"""Standard input and output in the place of files."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from tsrp.cli.console import out
from tsrp.exceptions import InputError, OutputError, TsrpError, UsageError

STANDARD = Path("-")
# What the files are called that stand in for the streams.
INPUT, OUTPUT = "standard-input.csv", "standard-output.csv"


def through_pipes(*inputs: str, labels: bool = True) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command that takes - for one of its inputs, and for its output.

    Readers go through a file more than once, and an output is there as a whole or not at all. So standard input is
    kept in a temporary file first, and what the command has written goes to standard output in the end; what it
    prints goes to the error stream then.

    Parameters
    ----------
    *inputs : str
        The parameters that name files to read. There are others called `output` and `as_json`.
    labels : bool, default True
        Whether the output is labels of the last input: if that is -, so is the output, unless another one is given.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: Any) -> None:
            piped = [name for name in inputs if given[name] == STANDARD]
            to_output = given["output"] == STANDARD or (labels and given["output"] is None and inputs[-1] in piped)
            if not piped and not to_output:
                return command(**given)
            if len(piped) > 1:
                raise UsageError("standard input can be read only once: name a file instead of one of the two -.")
            if to_output and given["as_json"]:
                what = "labels" if labels else "ranking"
                raise UsageError(
                    f"--json and the {what} would both be on standard output: write the {what} to a file with --output."
                )
            if piped and sys.stdin is None:
                raise InputError("standard input is closed: name a file instead of -.")
            if to_output and sys.stdout is None:
                raise OutputError("standard output is closed: name a file with --output.")
            with tempfile.TemporaryDirectory(prefix="tsrp-") as folder:
                place, written = Path(folder, INPUT), Path(folder, OUTPUT)
                if piped:
                    _keep_input(place)
                    given[piped[0]] = place
                if not to_output:
                    with _naming_streams(place):
                        return command(**given)
                with _naming_streams(place), _printing_to_error_stream():
                    command(**given | {"output": written})
                with open(written, "rb") as file:
                    shutil.copyfileobj(file, sys.stdout.buffer)
                sys.stdout.flush()

        return run

    return decorate


def shown(path: Path) -> str:
    """What a file is called, or the stream that it stands in for."""
    return {INPUT: "standard input", OUTPUT: "standard output"}.get(path.name, str(path))


def named(path: Path) -> str:
    """What a command calls a file in its arguments."""
    return str(STANDARD if path.name == INPUT else path)


def _keep_input(place: Path) -> None:
    try:
        with open(place, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
    except OSError as error:
        raise InputError(f"standard input cannot be kept in {place.parent} ({error.strerror}): use a file.") from error


@contextmanager
def _naming_streams(place: Path) -> Iterator[None]:
    """Errors that speak of the temporary file speak of standard input."""
    try:
        yield
    except TsrpError as error:
        raise type(error)(str(error).replace(str(place), shown(place))) from error


@contextmanager
def _printing_to_error_stream() -> Iterator[None]:
    out.stderr = True
    try:
        yield
    finally:
        out.stderr = False
