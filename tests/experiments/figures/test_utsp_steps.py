"""UTSP's steps leave fewer and better labels."""

import re

import pytest

pytestmark = pytest.mark.xdist_group("figures")


def test_utsps_steps_leave_fewer_and_better_labels(drawn):
    first, _, last = (axes.get_title() for axes in drawn["utsp"].axes)
    (right, n), (still_right, left) = (
        map(int, re.search(r"(\d+) of (\d+) labels right", title).groups()) for title in (first, last)
    )
    assert left < n
    assert still_right / left > right / n
