"""A forged model with right checksums is refused when it is loaded, or it serves; none takes the process with it."""

from benchmarks.attack import models


def test_a_forged_model_never_crashes_takes_memory_or_loads_and_then_fails(tmp_path):
    found = models.forge(tmp_path, 150)
    assert set(found) == {"refused", "serves"}


def test_a_crash_is_counted_and_the_forgeries_behind_it_are_tried(tmp_path, monkeypatch):
    ends = {0: (["refused", "serves"], "exit code -11"), 3: (["refused"] * 2, "exit code 0")}
    monkeypatch.setattr(models, "_worker", lambda folder, begin, end, seed: ends[begin])
    found = models.forge(tmp_path, 5)
    assert found == {"refused": 3, "serves": 1, "the process ended with exit code -11 (forgery 0, 2)": 1}
