"""Each figure is drawn from results, says what it shows, and is written whole, the same each time."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import imread

from tests.support.domains import load_thin_task
from tests.support.fakes import fake
from tsrp.datasets.catalogue import PAPER
from tsrp.experiments import figures as module
from tsrp.experiments.figures import FIGURES, planes, rounds, save, sweeps, utsp_steps
from tsrp.experiments.figures.choice import datasets_on_disk, first_on_disk
from tsrp.experiments.runs import make_run
from tsrp.experiments.scoring import score

TASK = ("digits", "printed -> handwritten")
# Drawn once, by one worker.
pytestmark = pytest.mark.xdist_group("figures")


@pytest.fixture(scope="module")
def nowhere(tmp_path_factory):
    """A folder without data: the embedded digits stand in."""
    return tmp_path_factory.mktemp("nowhere")


@pytest.fixture(scope="module")
def drawn(nowhere):
    """Each figure once, of few samples."""
    made = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planes, "IN_PLANE", 60)
        patch.setattr(planes, "load_task", load_thin_task)
        patch.setattr(utsp_steps, "load_task", load_thin_task)
        for name, drawing in FIGURES.items():
            figure = drawing.draw({run: fake(run) for run in drawing.runs(nowhere)}, nowhere)
            FigureCanvasAgg(figure).draw()
            made[name] = figure
    return made


def texts(figure):
    return [text for text in figure.findobj(lambda artist: hasattr(artist, "get_text")) if text.get_text().strip()]


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


@pytest.mark.parametrize("name", ["rounds", "strong-classifier"])
def test_the_rounds_are_those_of_the_results(nowhere, drawn, name):
    lines = {"rounds": rounds.TREES, "strong-classifier": rounds.STRONG}[name]
    first = drawn[name].axes[0]
    assert [line.get_label() for line in first.get_lines()] == [label for _, label, *_ in lines]
    for line, (end, *_) in zip(first.get_lines(), lines, strict=True):
        expected = [100 * r.accuracy for r in fake(make_run(*TASK, f"jda{end}")).rounds]
        np.testing.assert_allclose(line.get_ydata(), expected)


def test_labels_that_settled_stay_to_the_last_round():
    run = make_run(*TASK, "jda")
    result = fake(run, 0.8)
    short = type(result)(**{**vars(result), "rounds": result.rounds[:3]})
    drawn = rounds._best_rounds([run], {run: short})
    np.testing.assert_allclose(drawn, [8, 16, 24, *[24] * 7])


def test_the_sweeps_are_those_of_the_paper(nowhere, drawn):
    left, right = drawn["sweeps"].axes[:2]
    trust, inner = left.get_lines()[1], right.get_lines()[1]
    np.testing.assert_allclose(trust.get_xdata(), np.arange(11) / 10)
    np.testing.assert_array_equal(inner.get_xdata(), range(1, 11))
    run = make_run(*TASK, "dicd+tsrp", {"trust": 0.3, "inner_iterations": 4})
    assert trust.get_ydata()[3] == fake(run).percent
    run = make_run(*TASK, "dicd+tsrp", {"trust": 0.9, "inner_iterations": 7})
    assert inner.get_ydata()[6] == fake(run).percent
    assert len(sweeps.runs(nowhere)) == 22


@pytest.mark.parametrize("trust", [0, 1])
def test_the_ends_of_the_sweep_mean_what_is_documented(trust):
    """Trust 0 trusts every sample, so TSRP changes nothing; trust 1 keeps the most similar pair of each class."""
    result = score(make_run(*TASK, "jda+tsrp", {"trust": trust, "inner_iterations": 1, "max_iter": 2}))
    assert result.error is None
    if trust == 0:
        alone = score(make_run(*TASK, "jda", {"max_iter": 2}))
        assert [r.accuracy for r in result.rounds] == [r.accuracy for r in alone.rounds]
        assert result.confident_share == 1
    else:
        assert result.confident_share <= 2 * 10 / 1797


def test_averages_ascend(drawn):
    axes = drawn["averages"].axes[0]
    dots = [line.get_xdata()[0] for line in axes.get_lines() if line.get_marker() == "o"]
    assert dots == sorted(dots)
    assert len(dots) == 12


def test_the_planes_show_both_domains_of_every_method(drawn):
    titles = [axes.get_title() for axes in drawn["planes"].axes]
    assert [title.split(":")[0] for title in titles] == ["JDA", "JDA+TSRP", "DICD", "DICD+TSRP"]
    for axes in drawn["planes"].axes:
        assert [len(points.get_offsets()) for points in axes.collections] == [60, 60]


def test_utsps_steps_leave_fewer_and_better_labels(drawn):
    first, _, last = (axes.get_title() for axes in drawn["utsp"].axes)
    (right, n), (still_right, left) = (
        map(int, re.search(r"(\d+) of (\d+) labels right", title).groups()) for title in (first, last)
    )
    assert left < n
    assert still_right / left > right / n


def test_the_papers_data_are_shown_if_they_are_there(data_dir, nowhere):
    surf, decaf6, pie, digits, coil = PAPER
    assert datasets_on_disk(data_dir) == [surf, decaf6, pie, digits, coil]
    assert datasets_on_disk(nowhere) == ["digits"]
    assert first_on_disk([(decaf6, "C -> A"), (coil, "COIL1 -> COIL2")], data_dir)[0] == coil
