"""What does not fit is refused in a sentence."""

import os

import pytest

from tsrp.numerics.memory import check_memory


def test_more_than_there_is_is_refused():
    with pytest.raises(ValueError, match=r"this needs about 1000000000 GB, and this machine has \d+ GB; use less\."):
        check_memory("this", 1e18, "use less")
    check_memory("this", 1e3, "use less")


def test_a_machine_that_does_not_say_is_believed(monkeypatch):
    monkeypatch.setattr(os, "sysconf_names", {})
    check_memory("this", 1e18, "use less")
