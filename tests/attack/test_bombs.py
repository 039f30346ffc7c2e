"""Files of at most 10 MB that would fill the memory are refused in a sentence, and in less than 1 GB."""

from benchmarks.attack.bombs import BOMBS, outcomes


def test_every_bomb_is_refused_in_little_memory():
    found = outcomes()
    assert [outcome.bomb for outcome in found] == [bomb.__name__ for bomb in BOMBS]
    assert [outcome for outcome in found if not outcome.refused] == []
