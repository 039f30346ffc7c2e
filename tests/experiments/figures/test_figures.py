"""Each figure is drawn from results, says what it shows, and is written whole, the same each time."""

from xml.etree import ElementTree

import pytest
from matplotlib.image import imread
from matplotlib.text import Text

from tests.support.fakes import fake
from tsrp.experiments import figures as module
from tsrp.experiments.figures import FIGURES, save

# Drawn once, by one worker.
pytestmark = pytest.mark.xdist_group("figures")
# Pixels.
PAGE_WIDTH = 736


def texts(figure):
    return [text for text in figure.findobj(Text) if text.get_text().strip()]


@pytest.mark.parametrize("name", FIGURES)
def test_it_has_a_title_and_every_text_is_inside(drawn, name):
    figure = drawn[name]
    assert figure.get_suptitle()
    whole = figure.bbox
    for text in texts(figure):
        if text.get_visible():
            box = text.get_window_extent()
            inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= whole.x1 + 1 and box.y1 <= whole.y1 + 1
            # Ticks outside the axes' limits exist, but are not drawn.
            assert inside or text.get_text().replace("−", "-").lstrip("-").replace(".", "").isdigit(), text


@pytest.mark.parametrize("name", FIGURES)
def test_it_is_written_as_svg_and_png_the_same_each_time(drawn, name, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "DPI", 50)
    first = {path.suffix: path.read_bytes() for path in save(drawn[name], tmp_path, name)}
    again = {path.suffix: path.read_bytes() for path in save(drawn[name], tmp_path, name)}
    assert set(first) == {".svg", ".png"}
    assert first == again
    assert imread(tmp_path / f"{name}.png").std() > 0.01
    assert ElementTree.fromstring(first[".svg"]).tag.endswith("svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{name}.png", f"{name}.svg"]


def test_a_failure_leaves_the_old_picture(drawn, tmp_path, monkeypatch):
    (tmp_path / "rounds.svg").write_text("old")

    def fail(path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "replacing", fail)
    with pytest.raises(OSError, match="No space"):
        save(drawn["rounds"], tmp_path, "rounds")
    assert (tmp_path / "rounds.svg").read_text() == "old"


@pytest.mark.parametrize("name", FIGURES)
def test_no_panel_is_empty(drawn, name):
    assert drawn[name].axes
    assert all(axes.lines or axes.collections for axes in drawn[name].axes)


@pytest.mark.parametrize("name", FIGURES)
def test_type_is_readable_at_the_width_of_the_documentation(drawn, name):
    figure = drawn[name]
    pixels_per_point = PAGE_WIDTH / figure.get_figwidth() / 72
    for text in texts(figure):
        if text.get_visible():
            assert text.get_fontsize() * pixels_per_point >= 11, text


@pytest.mark.parametrize("name", FIGURES)
def test_the_caption_is_a_sentence_or_more(nowhere, name):
    results = {run: fake(run) for run in FIGURES[name].runs(nowhere)}
    first, *_ = FIGURES[name].caption(results, nowhere).split("\n")
    assert first.endswith(".")
