"""The command line, run in this process."""

from typer.testing import CliRunner

from tsrp.cli import app


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200", "TERM": "dumb"})
