"""The averages ascend, the paper's eight methods by themselves, others below, and last the stronger ones."""

import pytest

from tests.support.fakes import fake
from tsrp.experiments.figures import averages
from tsrp.experiments.figures.averages import EIGHT
from tsrp.experiments.paper_tables import column_label
from tsrp.experiments.runs import STRONG, paper_grid, strong_grid

pytestmark = pytest.mark.xdist_group("figures")


@pytest.fixture
def digits():
    """Results of all methods on the digits."""
    return {run: fake(run) for run in [*paper_grid(["digits"]), *strong_grid(["digits"])]}


@pytest.fixture
def with_stronger(digits, nowhere):
    """The figure where the stronger methods were run too."""
    return averages.draw(("digits",), digits, nowhere)


def methods_of(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def dots_of(axes):
    return [line.get_xdata()[0] for line in axes.get_lines() if line.get_marker() == "o"]


def test_averages_ascend(with_stronger):
    *single, strong = with_stronger.axes
    for axes in single:
        assert dots_of(axes) == sorted(dots_of(axes))
    higher = [max(pair) for pair in zip(dots_of(strong)[::2], dots_of(strong)[1::2], strict=True)]
    assert higher == sorted(higher)


def test_a_stronger_method_has_one_line_alone_and_with_tsrp_and_shows_the_higher_figure(with_stronger, digits):
    *_, axes = with_stronger.axes
    assert sorted(methods_of(axes)) == sorted(STRONG)
    results = {column_label(run): result for run, result in digits.items()}
    shown = [text.get_text() for text in axes.texts]
    assert shown == [f"{max(results[name].percent, results[name + '+TSRP'].percent):.1f}" for name in methods_of(axes)]
    filled = [line.get_markerfacecolor() != "white" for line in axes.get_lines() if line.get_marker() == "o"]
    assert sum(filled) == len(STRONG)


def test_the_papers_eight_methods_have_panels_of_their_own_and_what_it_compares_with_stands_below(on_disk, nowhere):
    on_disk(lambda dataset, task: dataset in ("coil20", "mnist-usps"))
    names = ["coil20", "mnist-usps"]
    results = {run: fake(run) for run in [*paper_grid(names), *strong_grid(names)]}
    figure = averages.draw(("coil20", "mnist-usps"), results, nowhere)
    assert len(figure.axes) == 6
    for axes in figure.axes[:2]:
        assert sorted(methods_of(axes)) == sorted(EIGHT)
    for axes in figure.axes[2:4]:
        assert {"PCA", "GFK", "TCA", "TSL", "TJM", "DTSL", "CDML", "RTML", "BDA auto"} < set(methods_of(axes))
    assert "published, same tasks" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_stronger_methods_that_were_run_on_fewer_tasks_say_so(on_disk, nowhere):
    on_disk(lambda dataset, task: dataset == "cmu-pie")
    results = {run: fake(run) for run in [*paper_grid(["cmu-pie"]), *strong_grid(["cmu-pie"])]}
    titles = [axes.get_title() for axes in averages.draw(("cmu-pie",), results, nowhere).axes]
    assert titles == ["CMU-PIE\n20 of 20 tasks", "", "5 of 20 tasks"]


def test_stronger_methods_that_were_not_run_have_no_panels(drawn, nowhere):
    assert len(drawn["averages"].axes) == 2
    assert not {run.spec.base for run in averages.runs(("digits",), nowhere)} & {"meda", "spl", "cmms"}


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


def test_the_caption_names_the_best_of_all(digits, nowhere):
    results = {run: fake(run, 0.8 if run.spec.name == "cmms" else 0.6) for run in digits}
    caption = averages.caption(("digits",), results, nowhere)
    assert caption.endswith("The highest averages: Printed and handwritten digits: CMMS (80.0).")
