"""A command as one would type it once more."""

import shlex
from pathlib import Path
from typing import Annotated

import typer
from typer.testing import CliRunner

from tsrp.cli.again import typed

app = typer.Typer()


@app.callback()
def main():
    pass


@app.command()
def paint(
    context: typer.Context,
    picture: Path,
    colours: Annotated[list[str], typer.Option("--colour", "-c")] = [],  # noqa: B006
    size: Annotated[tuple[int, str], typer.Option()] = (1, "m"),
    depth: float = 1.0,
    force: Annotated[bool, typer.Option("--force", "-f")] = False,
    quiet: Annotated[bool, typer.Option("--quiet")] = False,
):
    typer.echo(typed(context, without=("quiet",)))


def again(*arguments):
    result = CliRunner().invoke(app, ["paint", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout.strip()


def test_it_has_what_was_given_and_nothing_else():
    assert again("my picture.png") == "tsrp paint 'my picture.png'"
    given = ["a.png", "-c", "red", "--colour", "dark blue; rm *", "--size", "3", "km", "-f", "--depth=1.0", "--quiet"]
    words = shlex.split(again(*given))
    assert words[:3] == ["tsrp", "paint", "a.png"]
    assert words[3:7] == ["--colour", "red", "--colour", "dark blue; rm *"]
    assert words[7:] == ["--size", "3", "km", "--depth", "1.0", "--force"]


def test_run_again_it_says_the_same():
    first = again("a.png", "-c", "'", "--size", "2", "a b", "--force")
    assert again(*shlex.split(first)[2:]) == first
