"""A process that is ended while it writes leaves nothing behind."""

from benchmarks.attack.signals import end_writers


def test_sigterm_while_writing_leaves_no_file(tmp_path):
    assert end_writers(tmp_path, 30) == {"ended": 30, "files left": 0}
