"""Progress of a fit: its callback hears rounds and steps, and nobody else does."""

import threading

import pytest

from tsrp import DTSL, NN, TSRP, Round
from tsrp.progress import Event, Step, listening, report


def test_a_listener_hears_the_steps_of_its_body_only():
    seen: list[Event] = []
    report(Step(1, 9, "x", 0.0))
    with listening(seen.append):
        report(Step(2, 9, "residual", 0.5))
    report(Step(3, 9, "x", 0.0))
    assert seen == [Step(2, 9, "residual", 0.5)]


def test_the_inner_listener_hears_and_the_outer_one_again_afterwards():
    outer: list[Event] = []
    inner: list[Event] = []
    with listening(outer.append):
        with listening(inner.append):
            report(Step(1, 1, "x", 1.0))
        report(Step(2, 2, "x", 2.0))
    assert [step.number for step in inner] == [1]
    assert [step.number for step in outer] == [2]


def test_other_threads_are_not_heard():
    seen: list[Event] = []
    with listening(seen.append):
        thread = threading.Thread(target=report, args=(Step(1, 1, "x", 1.0),))
        thread.start()
        thread.join()
    assert seen == []


def test_what_a_listener_raises_ends_the_work_and_the_listening():
    def stop(step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), listening(stop):
        report(Step(1, 1, "x", 1.0))
    report(Step(1, 1, "x", 1.0))


def test_a_fit_within_a_callback_is_another_fit(domains):
    Xs, ys, Xt, _ = domains
    seen: list[Event] = []

    def refit(event):
        seen.append(event)
        NN().fit(Xs, ys, Xt)

    NN().fit(Xs, ys, Xt, callback=refit)
    assert len(seen) == 1


def test_steps_and_rounds_come_through_one_callback(domains):
    Xs, ys, Xt, _ = domains
    seen: list[Event] = []
    model = TSRP(DTSL()).fit(Xs, ys, Xt, callback=seen.append)
    steps, rounds = ([event for event in seen if isinstance(event, kind)] for kind in (Step, Round))
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert len(steps) == len(model.base_.residuals_)
    assert rounds == model.history_
