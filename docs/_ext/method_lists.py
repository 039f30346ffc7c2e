"""The directives `method-table` and `method-classes`: the methods of the registry, on the pages that list them.

Both write Markdown that the page parses as its own; a new method needs no edit of these pages.
"""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from tsrp.classifiers.training import is_transductive
from tsrp.parameters import OneOf, constraints_of
from tsrp.registry import MethodInfo, methods

# Pages that change with the package and not only with their own text.
PAGES = ["api/tsrp", "methods/index"]
HEADINGS = ("", "what it does", "pseudo labels", "kernels", "cost", "reference")


def row(info: MethodInfo) -> tuple[str, ...]:
    """A method in the table."""
    kernel = constraints_of(info.kind).get("kernel")
    return (
        f"[{info.kind.__name__}]({info.name}.md)",
        info.summary,
        "yes" if info.kind.uses_target_labels or is_transductive(info.kind().final_classifier) else "no",
        ", ".join(kernel.choices) if isinstance(kernel, OneOf) else "",
        info.cost,
        info.reference,
    )


def table() -> list[str]:
    """The table of methods in Markdown."""
    rows = [HEADINGS, ("---",) * len(HEADINGS), *map(row, methods().values())]
    return [f"| {' | '.join(cells)} |" for cells in rows]


def classes() -> list[str]:
    """What documents the class of every method."""
    return ["```{eval-rst}", *(f".. autoclass:: tsrp.{info.kind.__name__}\n" for info in methods().values()), "```"]


class _Written(SphinxDirective):
    def parsed(self, lines: Iterable[str]) -> list[nodes.Node]:
        parent = nodes.Element()
        text = StringList("\n".join(lines).split("\n"), source=self.env.docname)
        self.state.nested_parse(text, self.content_offset, parent)
        return parent.children


class MethodTable(_Written):
    """A row for each method: what it does, what it uses, what it costs, who published it."""

    def run(self) -> list[nodes.Node]:
        return self.parsed(table())


class MethodClasses(_Written):
    """The class of each method, from its docstring."""

    def run(self) -> list[nodes.Node]:
        return self.parsed(classes())


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("method-table", MethodTable)
    app.add_directive("method-classes", MethodClasses)
    app.connect("env-get-outdated", lambda *_: PAGES)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
