"""Runs the code of a page, block by block, as a reader would: the tests do, and so does `make_pictures.py`.

- ``python``: run; blocks of one page share their names. Where a block starts with ``>>>``, what it shows is compared.
- ``console``: lines ``$ tsrp ...``, which may go on after a backslash in a line ``> ...``, are run and must succeed;
  what is shown below one is compared. One that ends in ``|| echo $?`` must fail instead: its errors and its exit code
  are compared. Others are not run.
- ``sh``: too long, or in need of a network; the arguments of each ``tsrp ...`` are parsed, and that is all.

In what is compared, ``...`` stands for anything, white space for white space, and a percentage may be two points off:
the digits of most pages are drawn by matplotlib, and from one of its versions to the next a few of their pixels change.
"""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command
from typer.testing import CliRunner

from tsrp.cli import app

FAILS = " || echo $?"
FENCED = re.compile(r"^```(python|console|sh)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
PERCENTAGE = re.compile(r"(\d+)%")
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
POINTS = 2


class Checker(doctest.OutputChecker):
    """Compares what a page shows with what its code prints."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        shown, printed = (PERCENTAGE.findall(text) for text in (want, got))
        pairs = zip(map(int, shown), map(int, printed), strict=False)
        if len(shown) == len(printed) and all(abs(a - b) <= POINTS for a, b in pairs):
            want, got = (PERCENTAGE.sub("%", text) for text in (want, got))
        return super().check_output(want, got, optionflags)


def blocks(page: Path) -> Iterator[tuple[str, str, int]]:
    """Language, code and line of each block that is run or checked."""
    text = page.read_text(encoding="utf-8")
    for found in FENCED.finditer(text):
        yield found[1], found[2], text.count("\n", 0, found.start(2))


def run(page: Path) -> None:
    """Run all blocks of a page in the current folder."""
    names: dict[str, Any] = {"__name__": page.stem}
    for language, code, line in blocks(page):
        if language == "console":
            _run_commands(code, f"{page}:{line}")
        elif language == "sh":
            _parse_commands(code)
        elif code.startswith(">>>"):
            _compare(code, names, page, line)
        else:
            # Empty lines above it: a traceback then names the line of the page.
            exec(compile("\n" * line + code, str(page), "exec"), names)


def _compare(code: str, names: dict[str, Any], page: Path, line: int) -> None:
    test = doctest.DocTestParser().get_doctest(code, {}, page.stem, str(page), line)
    test.globs = names
    found: list[str] = []
    runner = doctest.DocTestRunner(checker=Checker(), optionflags=LENIENT)
    if runner.run(test, out=found.append, clear_globs=False).failed:
        raise AssertionError("".join(found))


def _run_commands(code: str, where: str) -> None:
    code = code.replace("\\\n> ", "")
    for command in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
        line, _, shown = command.partition("\n")
        fails = line.endswith(FAILS)
        program, *arguments = shlex.split(line.removesuffix(FAILS))
        if program != "tsrp":
            continue
        result = CliRunner().invoke(app, arguments, env={"TERM": "dumb"})
        if bool(result.exit_code) != fails:
            raise AssertionError(
                f"{where}: {line}: exit code {result.exit_code}\n{result.output}"
            ) from result.exception
        printed = f"{result.stderr}{result.exit_code}\n" if fails else result.stdout
        if shown.strip() and not Checker().check_output(shown, printed, LENIENT):
            raise AssertionError(f"{where}: {line} printed\n{printed}\ninstead of\n{shown}")


def _parse_commands(code: str) -> None:
    for line in code.splitlines():
        program, *arguments = shlex.split(line, comments=True) or [""]
        if program == "tsrp":
            command: Any = get_command(app)
            while arguments and arguments[0] in getattr(command, "commands", {}):
                command = command.commands[arguments.pop(0)]
            command.make_context(line, arguments)
