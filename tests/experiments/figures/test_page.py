"""The page shows each figure with its caption and the time of its fits."""

from dataclasses import replace

from tests.support.fakes import fake
from tsrp.experiments.figures.page import page, section
from tsrp.experiments.runs import make_run

RESULT = fake(make_run("digits", "printed -> handwritten", "nn"))


def test_a_section_has_the_picture_the_caption_and_the_time():
    text = section("sweeps", "accuracy against trust", "Best at 0.9.", [RESULT] * 1200)
    assert text.startswith(
        "## sweeps\n\n![accuracy against trust](sweeps.png)\n\nAccuracy against trust. Best at 0.9.\n\n"
    )
    assert text.endswith("Fits: 1,200, of 2.0 minutes in all.\n")


def test_a_section_says_which_files_are_not_the_published_ones():
    result = replace(RESULT, notes=("data: rebuilt", "another note"))
    text = section("sweeps", "accuracy against trust", "Best at 0.9.", [result, result])
    assert text.count("Printed and handwritten digits: the files are rebuilt.") == 1
    assert "another note" not in text


def test_the_page_has_one_title_and_all_sections():
    text = page([section(name, "summary", "Caption.", []) for name in ("a", "b")])
    assert text.count("\n# ") + text.startswith("# ") == 1
    assert text.index("(a.png)") < text.index("(b.png)")
