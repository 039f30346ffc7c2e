"""Progress within a round: heard by whoever listens, and by nobody else."""

import threading

import pytest

from tsrp.steps import Step, listening, report


def test_a_listener_hears_the_steps_of_its_body_only():
    seen = []
    report(1, 9, "x", 0.0)
    with listening(seen.append):
        report(2, 9, "residual", 0.5)
    report(3, 9, "x", 0.0)
    assert seen == [Step(2, 9, "residual", 0.5)]


def test_the_inner_listener_hears_and_the_outer_one_again_afterwards():
    outer, inner = [], []
    with listening(outer.append):
        with listening(inner.append):
            report(1, 1, "x", 1.0)
        report(2, 2, "x", 2.0)
    assert [step.number for step in inner] == [1]
    assert [step.number for step in outer] == [2]


def test_other_threads_are_not_heard():
    seen = []
    with listening(seen.append):
        thread = threading.Thread(target=report, args=(1, 1, "x", 1.0))
        thread.start()
        thread.join()
    assert seen == []


def test_what_a_listener_raises_ends_the_work_and_the_listening():
    def stop(step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), listening(stop):
        report(1, 1, "x", 1.0)
    report(1, 1, "x", 1.0)
