"""The demo: its figures are those of its models, and it tells of every round."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.base import clone

from tsrp.datasets.digits import DigitPair
from tsrp.experiments import demo as module
from tsrp.experiments.demo import demo_methods, run_demo

# With those of its picture on one worker: the demo runs once.
pytestmark = pytest.mark.xdist_group("demo")


@pytest.fixture
def pair(demo):
    return demo.pair


@pytest.fixture
def rows(demo):
    return demo.rows


def test_every_base_comes_alone_and_then_with_tsrp(rows):
    assert [row.method for row in rows] == list(demo_methods())
    for alone, remedied in zip(rows[::2], rows[1::2], strict=True):
        assert alone.method == alone.base == remedied.base
        assert remedied.method == f"{alone.base}+TSRP"
        assert remedied.model.base_.get_params() == alone.model.get_params()


def test_figures_follow_from_the_labels(pair, rows):
    for row in rows:
        right, trusted = row.model.labels_ == pair.yt, row.model.confident_
        assert row.accuracy == pytest.approx(right.mean())
        assert row.confident_share == pytest.approx(trusted.sum() / len(pair.yt))
        assert row.confident_accuracy == pytest.approx(right[trusted].sum() / trusted.sum())
        assert row.estimated_accuracy == row.model.estimated_accuracy_.value
        half = sorted(range(len(right)), key=lambda i: -row.model.trust_[i])[: len(right) // 2]
        assert row.half_accuracy == pytest.approx(sum(right[half]) / len(half))
        assert row.seconds >= sum(round_.seconds for round_ in row.model.history_)


def test_every_round_is_told_in_order(demo):
    expected = [(row.method, round_) for row in demo.rows for round_ in row.model.history_]
    assert len(demo.told) == len(expected)
    assert all(name == method and a is b for (name, a), (method, b) in zip(demo.told, expected, strict=True))


def test_tsrp_helps_every_base_and_trust_means_something(rows):
    for alone, remedied in zip(rows[::2], rows[1::2], strict=True):
        assert remedied.accuracy > alone.accuracy
    for row in rows:
        assert row.half_accuracy > row.accuracy
        assert row.confident_accuracy > row.accuracy
        assert 0.1 < row.confident_share < 1


def test_methods_are_new_and_unfitted_each_time():
    for first, second in zip(demo_methods().values(), demo_methods().values(), strict=True):
        assert first is not second
        assert not hasattr(first, "labels_")


def test_it_is_silent_and_repeatable(pair, capsys, monkeypatch):
    thin = DigitPair(pair.Xs[::7], pair.ys[::7], pair.Xt[::7], pair.yt[::7])
    chosen = {name: method for name, method in demo_methods().items() if name.startswith("DICD")}
    monkeypatch.setattr(module, "demo_methods", lambda: {name: clone(method) for name, method in chosen.items()})
    first, second = run_demo(thin), run_demo(thin)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.model.labels_, b.model.labels_)
        np.testing.assert_array_equal(a.model.confident_, b.model.confident_)
    assert capsys.readouterr() == ("", "")


def test_what_the_listener_raises_ends_the_demo(pair):
    def interrupt(name, round_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_demo(pair, interrupt)


def test_rows_cannot_be_changed(rows):
    with pytest.raises(FrozenInstanceError):
        rows[0].accuracy = 1.0
