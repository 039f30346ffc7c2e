"""How far a run is: counts, averages of finished tasks, and a guess at the time that is left."""

import pytest
from fakes import fake

from tsrp.bench import progress
from tsrp.bench.cells import grid
from tsrp.bench.progress import Standing

CELLS = grid(["coil20", "digits"], ["dicd", "jda"])


def test_it_begins_with_what_is_there():
    standing = Standing(CELLS, {CELLS[0]: fake(CELLS[0]), CELLS[1]: fake(CELLS[1], error="broken")})
    assert (standing.n_cells, standing.n_done, standing.n_failed) == (12, 2, 1)
    assert standing.seconds_left is None


def test_averages_are_over_finished_tasks_and_say_so():
    standing = Standing(CELLS, {})
    dicd = [cell for cell in CELLS if cell.method == "dicd"]
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
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    cells = grid(["coil20"], ["jda"], "without")
    standing = Standing(cells, {})
    clock[0] = 7.0
    standing.add(fake(cells[0]))
    assert standing.seconds_left == pytest.approx(7.0)
    standing.add(fake(cells[1]))
    assert standing.seconds_left == 0
