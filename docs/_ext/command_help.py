"""The directive `command-help`: a section for every command of `tsrp`, with what its ``--help`` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from typer.main import get_command
from typer.testing import CliRunner

from tsrp.cli import app as tsrp_app

# Wide enough for the tables of options, narrow enough for a page.
ENVIRONMENT = {"COLUMNS": "88", "TERM": "dumb", "NO_COLOR": "1"}


def commands(command: Any, *path: str) -> Iterator[tuple[str, ...]]:
    """The names of a command and of all below it."""
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, *path, name)


def help_text(*path: str) -> str:
    """What ``tsrp ... --help`` prints."""
    result = CliRunner().invoke(tsrp_app, [*path, "--help"], env=ENVIRONMENT)
    if result.exit_code:
        raise RuntimeError(f"tsrp {' '.join(path)} --help failed: {result.output}")
    return "\n".join(line.rstrip() for line in result.stdout.strip("\n").splitlines())


class CommandHelp(SphinxDirective):
    """Sections for all commands, in the order in which ``tsrp --help`` lists them."""

    def run(self) -> list[nodes.Node]:
        sections: list[nodes.Node] = []
        for path in commands(get_command(tsrp_app)):
            title = " ".join(["tsrp", *path])
            text = help_text(*path)
            section = nodes.section(ids=[nodes.make_id(title)], names=[title])
            section += [nodes.title(text=title), nodes.literal_block(text, text, language="text")]
            sections.append(section)
        return sections


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("command-help", CommandHelp)
    # Help texts come from the installed package, whose changes Sphinx does not see.
    app.connect("env-get-outdated", lambda *_: ["cli"])
    return {"parallel_read_safe": True, "parallel_write_safe": True}
