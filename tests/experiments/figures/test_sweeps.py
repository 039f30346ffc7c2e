"""The sweeps are the paper's, on its five tasks; what is missing, and where the text differs, is said."""

import numpy as np
import pytest

from tests.support.fakes import fake
from tsrp.experiments.figures import sweeps
from tsrp.experiments.runs import make_run
from tsrp.experiments.scoring import score

TASK = ("digits", "printed -> handwritten")
pytestmark = pytest.mark.xdist_group("figures")


def legend_of(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_the_sweeps_are_those_of_the_paper(nowhere, drawn):
    left, right = drawn["sweeps"].axes
    inner, trust = left.get_lines()[0], right.get_lines()[0]
    np.testing.assert_array_equal(inner.get_xdata(), range(1, 11))
    np.testing.assert_allclose(trust.get_xdata(), np.arange(11) / 10)
    run = make_run(*TASK, "dicd+tsrp", {"trust": 0.9, "inner_iterations": 7})
    assert inner.get_ydata()[6] == fake(run).percent
    run = make_run(*TASK, "dicd+tsrp", {"trust": 0.3, "inner_iterations": 4})
    assert trust.get_ydata()[3] == fake(run).percent
    # Trust 0.9 with 4 inner iterations belongs to both.
    assert len(sweeps.runs(nowhere)) == 10 + 11 - 1


def test_there_is_a_line_for_each_of_the_papers_tasks(on_disk, nowhere):
    on_disk(lambda dataset, task: True)
    figure = sweeps.draw({run: fake(run) for run in sweeps.runs(nowhere)}, nowhere)
    assert legend_of(figure)[:5] == [
        "C27 → C29 (CMU-PIE)",
        "C → W (Office-Caltech, SURF)",
        "W → C (Office-Caltech, DeCAF6)",
        "COIL2 → COIL1 (COIL20)",
        "USPS → MNIST (MNIST-USPS)",
    ]
    for axes in figure.axes:
        assert len([line for line in axes.get_lines() if line.get_linestyle() != "None"]) == 5


def test_legend_and_caption_name_the_tasks_without_data(on_disk, nowhere):
    on_disk(lambda dataset, task: dataset != "office-caltech-decaf6")
    results = {run: fake(run) for run in sweeps.runs(nowhere)}
    assert "W → C (Office-Caltech, DeCAF6): no data" in legend_of(sweeps.draw(results, nowhere))
    assert "No data: W → C (Office-Caltech, DeCAF6)." in sweeps.caption(results, nowhere)


def test_the_highest_of_each_line_are_ringed(drawn):
    for axes in drawn["sweeps"].axes:
        line, rings = axes.get_lines()
        best = np.flatnonzero(line.get_ydata() == line.get_ydata().max())
        np.testing.assert_array_equal(rings.get_xdata(), np.asarray(line.get_xdata())[best])


@pytest.mark.parametrize(("best", "count"), [(0.8, "1 of 1"), (0.9, "0 of 1")])
def test_the_caption_says_whether_the_papers_trust_is_the_best(nowhere, best, count):
    results = {run: fake(run, 0.75 if run.spec.settings["trust"] == best else 0.5) for run in sweeps.runs(nowhere)}
    caption = sweeps.caption(results, nowhere)
    assert f"0.8 is the best on {count} tasks" in caption
    at_claimed = "75.00" if best == 0.8 else "50.00"
    assert f"| {best} | 75.00 | {at_claimed} |" in caption


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
