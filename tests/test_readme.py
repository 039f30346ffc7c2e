"""README.md is short, its links lead somewhere, and its figures are those of the pages that it links."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def plain(text):
    """A text without line breaks and marks."""
    return " ".join(re.sub(r"[*`|]", " ", text).split())


def test_is_short():
    assert len(README.splitlines()) <= 130


def test_the_files_that_it_names_exist():
    links = re.findall(r"\]\(([\w./-]+)\)", README)
    assert len(links) > 15
    assert [path for path in links if not (ROOT / path).exists()] == []


def test_its_figures_are_those_of_the_pages_that_it_links():
    section = README.split("## How right, how fast\n")[1].split("\n## ")[0]
    pages = plain(" ".join((ROOT / path).read_text() for path in re.findall(r"\]\((docs/[\w./-]+)\)", section)))
    sentence = "212 of 215 figures of single tasks are the published ones to the hundredth, DTSL, CDML and RTML not"
    assert sentence in plain(section)
    assert sentence in pages
    figures = re.findall(r"\d[\d.,]*\d (?:s|MB)\b|100,000 \+ 100,000|\d\.\d\d\b(?= points| below)|\d+ tasks", section)
    assert len(figures) == 9
    assert [figure for figure in figures if figure.removesuffix(" s") not in pages] == []
