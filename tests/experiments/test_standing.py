"""How far a run is: counts, averages of finished tasks, and a guess at the time that is left."""

import pytest

from tests.support.fakes import fake
from tsrp.experiments.runs import grid
from tsrp.experiments.standing import Standing

RUNS = grid(["coil20", "digits"], ["dicd", "jda"])


def test_it_begins_with_what_is_there():
    standing = Standing(RUNS, {RUNS[0]: fake(RUNS[0]), RUNS[1]: fake(RUNS[1], error="broken")})
    assert (standing.n_runs, standing.n_done, standing.n_failed) == (12, 2, 1)
    assert standing.seconds_left is None


def test_averages_are_over_finished_tasks_and_say_so():
    standing = Standing(RUNS, {})
    dicd = [run for run in RUNS if run.spec.name == "dicd"]
    standing.add(fake(dicd[0], 0.5))
    datasets, rows = standing.averages()
    assert datasets == ["COIL20", "Printed and handwritten digits"]
    assert dict(rows)["DICD"] == ["50.00 (1 of 2)", "- (0 of 1)"]
    standing.add(fake(dicd[1], 0.6))
    standing.add(fake(dicd[2], error="broken"))
    assert dict(standing.averages()[1])["DICD"] == ["55.00", "- (1 failed)"]
    assert (standing.n_done, standing.n_failed) == (3, 1)


def test_the_time_left_is_by_the_work_that_is_left(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("tsrp.experiments.standing.time.monotonic", lambda: clock[0])
    runs = grid(["coil20"], ["jda"], "without")
    standing = Standing(runs, {})
    clock[0] = 7.0
    standing.add(fake(runs[0]))
    assert standing.seconds_left == pytest.approx(7.0)
    standing.add(fake(runs[1]))
    assert standing.seconds_left == 0
