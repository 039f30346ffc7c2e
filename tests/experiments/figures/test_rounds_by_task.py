"""Every task of Office-Caltech that is on the disk has its row of panels."""

import pytest

from tests.support.fakes import fake
from tsrp.experiments.figures import rounds_by_task
from tsrp.experiments.figures.rounds import STRONG, TREES

TASKS = [("office-caltech-surf", "C -> A"), ("office-caltech-surf", "W -> D"), ("office-caltech-decaf6", "D -> W")]


@pytest.mark.parametrize("ablation", [TREES, STRONG], ids=["trees", "strong"])
def test_each_task_has_a_panel_for_each_method(on_disk, nowhere, ablation):
    on_disk(lambda dataset, task: (dataset, task) in TASKS)
    figure = rounds_by_task.draw(ablation, {run: fake(run) for run in rounds_by_task.runs(ablation, nowhere)}, nowhere)
    names = [axes.get_ylabel() for axes in figure.axes if axes.get_ylabel()]
    assert names == ["SURF\nC → A", "SURF\nW → D", "DeCAF6\nD → W"]
    # Of the row with one task only, the other half is not there.
    assert len(figure.axes) == 3 * len(TASKS)
    assert all(len(axes.lines) == len(ablation.lines) for axes in figure.axes)


def test_the_caption_counts_the_tasks(on_disk, nowhere):
    on_disk(lambda dataset, task: (dataset, task) in TASKS)
    results = {run: fake(run, 0.7 if run.spec.is_wrapped else 0.5) for run in rounds_by_task.runs(TREES, nowhere)}
    caption = rounds_by_task.caption(TREES, results, nowhere)
    assert "of 3 tasks: against the method alone 3 and 0 with JDA," in caption
