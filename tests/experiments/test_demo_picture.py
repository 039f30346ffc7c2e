"""The demo's picture: complete or absent, of one size, and nothing written over anything else."""

import os
from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from tsrp.exceptions import OutputError
from tsrp.experiments import demo_picture
from tsrp.experiments.demo_picture import draw_demo

pytestmark = pytest.mark.xdist_group("demo")


@pytest.fixture(scope="module")
def pair(demo):
    return demo.pair


@pytest.fixture(scope="module")
def rows(demo):
    return [row for row in demo.rows if row.base in ("NN", "DICD")]


def draw(pair, rows, path, **options):
    """Draw with few samples in the plane, and return the figure."""
    figures = []
    save = Figure.savefig

    def remember(figure, *args, **kwargs):
        figures.append(figure)
        save(figure, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", remember)
        patch.setattr(demo_picture, "IN_PLANE", 100)
        draw_demo(pair, rows, path, **options)
    (figure,) = figures
    return figure


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("picture") / "demo.png"


@pytest.fixture(scope="module")
def figure(pair, rows, path):
    """Drawn once, and saved to `path`."""
    return draw(pair, rows, path)


@pytest.fixture
def without_planes(monkeypatch):
    """They take most of the time."""
    monkeypatch.setattr(demo_picture, "_planes", lambda figure, pair, shown: None)


def texts(figure):
    return [text for holder in (figure, *figure.axes) for text in holder.texts]


def planes(figure):
    return [axes for axes in figure.axes if axes.collections]


def test_a_png_of_the_promised_size(figure, path):
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert path.stat().st_size < 2**20
    picture = imread(path)
    assert picture.shape[:2] == (1100, 1600)
    for edge in (picture[:20], picture[-20:], picture[:, :20], picture[:, -20:]):
        assert (edge == 1).all()


@pytest.mark.usefixtures("without_planes")
def test_the_suffix_says_the_format_and_the_path_may_be_a_string(pair, rows, tmp_path):
    draw_demo(pair, rows, str(tmp_path / "demo.SVG"))
    assert b"<svg" in (tmp_path / "demo.SVG").read_bytes()
    assert os.listdir(tmp_path) == ["demo.SVG"]


def test_figures_and_counts_are_those_of_the_rows(pair, rows, figure):
    words = [text.get_text() for text in texts(figure)]
    for row in rows:
        assert row.base in words
        assert f"{100 * row.accuracy:.1f}" in words
    last = rows[-1].model.history_[-1]
    mended = ((last.crude != pair.yt) & (last.labels == pair.yt)).sum()
    spoilt = ((last.crude == pair.yt) & (last.labels != pair.yt)).sum()
    assert any(word.startswith(f"{mended} mended") for word in words)
    assert any(word.startswith(f"{spoilt} spoilt") for word in words)
    assert any(word.startswith(f"{last.n_remedied} labels") for word in words)


def test_expected_and_true_accuracy_of_the_labels_taken_are_drawn(pair, rows, figure):
    expected, true = next(axes for axes in figure.axes if axes.get_legend()).get_lines()
    model = rows[-1].model
    assert expected.get_ydata()[-1] == pytest.approx(100 * model.probability_.mean())
    assert true.get_ydata()[-1] == pytest.approx(100 * rows[-1].accuracy)
    half = len(pair.yt) // 2
    most = sorted(range(len(pair.yt)), key=lambda i: -model.probability_[i])[:half]
    assert true.get_ydata()[half - 1] == pytest.approx(100 * (model.labels_ == pair.yt)[most].mean())
    assert f"{100 * rows[-1].half_accuracy:.1f} %" in figure.texts[1].get_text()


def check_texts(figure):
    """None may leave the picture or cover another."""
    boxes = {text: text.get_window_extent() for text in texts(figure)}
    for text, box in boxes.items():
        assert box.x0 > 20, text
        assert box.y0 > 20, text
        assert box.x1 < demo_picture.WIDTH - 20, text
        assert box.y1 < demo_picture.HEIGHT - 20, text
    # The numbers in a plane stand where the samples are.
    fixed = [box for text, box in boxes.items() if text.axes not in planes(figure)]
    assert not any(a.overlaps(b) for a, b in combinations(fixed, 2))


def test_texts_leave_each_other_room(figure):
    check_texts(figure)


def test_another_method_can_be_shown(pair, rows, tmp_path):
    figure = draw(pair, rows[:2], tmp_path / "demo.png", method="NN+TSRP")
    assert any("NN+TSRP" in text.get_text() for text in texts(figure))
    check_texts(figure)


def test_both_planes_show_samples_of_both_domains(figure):
    before, after = planes(figure)
    for plane in (before, after):
        assert [len(points.get_offsets()) for points in plane.collections] == [100, 100]
        assert {text.get_text() for text in plane.texts} == set("0123456789")
    assert not np.allclose(before.collections[0].get_offsets(), after.collections[0].get_offsets())


@pytest.mark.usefixtures("without_planes")
@pytest.mark.parametrize("failing", ["savefig", "replace"])
def test_a_failure_leaves_the_old_picture_and_nothing_else(pair, rows, tmp_path, monkeypatch, failing):
    old = tmp_path / "demo.png"
    old.write_bytes(b"the old one")

    def fail(*args, **kwargs):
        raise OSError("no space left")

    monkeypatch.setattr(Figure if failing == "savefig" else os, failing, fail)
    with pytest.raises(OutputError, match=r"demo\.png cannot be written \(no space left\)"):
        draw_demo(pair, rows, old)
    assert os.listdir(tmp_path) == ["demo.png"]
    assert old.read_bytes() == b"the old one"


@pytest.mark.parametrize("name", ["demo", "demo.txt"])
def test_an_unknown_format_is_refused_before_anything_is_drawn(pair, rows, tmp_path, name):
    with pytest.raises(ValueError, match=r"demo.* does not end in a picture format: use \.png"):
        draw_demo(pair, rows, tmp_path / name)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("method", ["DICD", "JDA+TSRP"])
def test_the_method_shown_must_be_among_the_rows_with_tsrp(pair, rows, tmp_path, method):
    with pytest.raises(ValueError, match=rf"\(NN\+TSRP, DICD\+TSRP\), but it is '{method.replace('+', '.')}'"):
        draw_demo(pair, rows, tmp_path / "demo.png", method=method)
