"""The lines over the rounds are the results', averaged over tasks."""

import numpy as np
import pytest

from tests.support.fakes import fake
from tsrp.experiments.figures import rounds
from tsrp.experiments.figures.rounds import STRONG, TREES
from tsrp.experiments.runs import make_run

TASK = ("digits", "printed -> handwritten")
pytestmark = pytest.mark.xdist_group("figures")


@pytest.mark.parametrize("name", ["rounds", "rounds-tasks", "strong-classifier", "strong-classifier-tasks"])
def test_the_rounds_are_those_of_the_results(drawn, name):
    lines = (TREES if name.startswith("rounds") else STRONG).lines
    first = drawn[name].axes[0]
    assert [line.get_label() for line in first.get_lines()] == [line.name for line in lines]
    for drawn_line, line in zip(first.get_lines(), lines, strict=True):
        expected = [100 * r.accuracy for r in fake(make_run(*TASK, f"jda{line.end}")).rounds]
        np.testing.assert_allclose(drawn_line.get_ydata(), expected)


def test_labels_that_settled_stay_to_the_last_round():
    run = make_run(*TASK, "jda")
    result = fake(run, 0.8)
    short = type(result)(**{**vars(result), "rounds": result.rounds[:3]})
    drawn = rounds.average("digits", [TASK[1]], "jda", {run: short})
    np.testing.assert_allclose(drawn, [8, 16, 24, *[24] * 7])


def test_an_average_is_over_the_tasks():
    tasks = ["COIL1 -> COIL2", "COIL2 -> COIL1"]
    results = {
        make_run("coil20", task, "dicd"): fake(make_run("coil20", task, "dicd"), a)
        for task, a in zip(tasks, (0.4, 0.8), strict=True)
    }
    assert rounds.average("coil20", tasks, "dicd", results)[-1] == pytest.approx(60)


def test_the_caption_counts_wins_and_losses(nowhere):
    accuracy = {"": 0.5, "+tsrp_n": 0.9, "+tsrp": 0.7}
    results = {
        run: fake(run, accuracy[run.spec.name.removeprefix(run.spec.base)]) for run in rounds.runs(TREES, nowhere)
    }
    caption = rounds.caption(TREES, results, nowhere)
    assert "of 1 averages: against the method alone 1 and 0 with JDA, 1 and 0 with BDA, 1 and 0 with DICD;" in caption
    assert "against TSRP_N 0 and 1 with JDA, 0 and 1 with BDA, 0 and 1 with DICD." in caption


def test_cmu_pie_is_left_out(on_disk, nowhere):
    on_disk(lambda dataset, task: True)
    datasets = {run.dataset for run in rounds.runs(TREES, nowhere)}
    assert datasets == {"office-caltech-surf", "office-caltech-decaf6", "mnist-usps", "coil20"}
