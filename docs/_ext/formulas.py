"""Formulas as SVG, drawn when the site is built: the pages need no script, no font and no network to show them."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from ziamath import Latex, config

# In pixels; the text beside them has 16.
SIZE = 18
# Every formula with its own outlines: symbols would be defined again and again in one page.
config.svg2 = False


def drawn(tex: str, *, inline: bool) -> str:
    """An SVG of a formula, in the colour of the text around it and with its source for those who cannot see it."""
    formula = Latex(tex, size=SIZE, inline=inline, color="currentColor")
    picture = formula.svgxml()
    picture.set("style", f"vertical-align: {formula.getyofst():.2f}px")
    picture.set("role", "img")
    picture.set("aria-label", " ".join(tex.split()))
    return ElementTree.tostring(picture, encoding="unicode")


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(drawn(node.astext(), inline=True))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{drawn(node.astext(), inline=False)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer `svg`."""
    app.add_html_math_renderer("svg", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
