"""The averages ascend, the paper's eight methods by themselves, all others below."""

import pytest

from tests.support.fakes import fake
from tsrp.experiments.figures import averages
from tsrp.experiments.figures.averages import EIGHT
from tsrp.experiments.runs import paper_grid

pytestmark = pytest.mark.xdist_group("figures")


def methods_of(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def dots_of(axes):
    return [line.get_xdata()[0] for line in axes.get_lines() if line.get_marker() == "o"]


def test_averages_ascend(drawn):
    for axes in drawn["averages"].axes:
        assert dots_of(axes) == sorted(dots_of(axes))


def test_the_papers_eight_methods_have_panels_of_their_own_and_what_it_compares_with_stands_below(on_disk, nowhere):
    on_disk(lambda dataset, task: dataset in ("coil20", "mnist-usps"))
    results = {run: fake(run) for run in paper_grid(["coil20", "mnist-usps"])}
    figure = averages.draw(("coil20", "mnist-usps"), results, nowhere)
    assert len(figure.axes) == 4
    for axes in figure.axes[:2]:
        assert sorted(methods_of(axes)) == sorted(EIGHT)
    for axes in figure.axes[2:]:
        assert {"PCA", "GFK", "TCA", "TSL", "TJM", "DTSL", "CDML", "RTML", "BDA auto"} < set(methods_of(axes))
    assert "published, same tasks" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_where_nothing_was_published_bda_finds_mu_by_itself(drawn):
    eight, others = drawn["averages"].axes
    assert not {"BDA", "BDA+TSRP"} & set(methods_of(eight))
    assert sorted(methods_of(others)) == ["BDA auto", "BDA auto+TSRP", "NN unit", "NN unit+TSRP"]


def test_the_legend_is_silent_on_published_figures_where_there_are_none(drawn):
    names = [text.get_text() for text in drawn["averages-others"].legends[0].get_texts()]
    assert names == ["method alone", "with TSRP"]


def test_the_caption_counts_where_tsrp_raises_the_average(nowhere):
    better = {"jda+tsrp": 0.8, "dicd+tsrp": 0.4}
    results = {run: fake(run, better.get(run.spec.name, 0.6)) for run in averages.runs(("digits",), nowhere)}
    assert "of NN on 0 of 1, JDA on 1 of 1, DICD on 0 of 1 data sets." in averages.caption(
        ("digits",), results, nowhere
    )
