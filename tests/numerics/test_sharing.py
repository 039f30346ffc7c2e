"""Fits to equal samples share one reduction where that was asked for, and only there."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tsrp import BDA, DICD, JDA, TSRP
from tsrp.numerics import eigenproblem, sharing
from tsrp.numerics.eigenproblem import decompose_samples, reduce_samples
from tsrp.numerics.sharing import SharedReductions, reduce_once


@pytest.fixture
def reductions(monkeypatch):
    """The shapes of the samples that are decomposed."""
    computed = []

    def count(X):
        computed.append(X.shape)
        return decompose_samples(X)

    for module in (sharing, eigenproblem):
        monkeypatch.setattr(module, "decompose_samples", count)
    return computed


def test_nothing_is_shared_unless_asked_for(reductions):
    X = np.eye(4)
    assert reduce_once(X, 1) is not reduce_once(X, 1)
    with SharedReductions().shared():
        reduce_once(X, 1)
    reduce_once(X, 1)
    assert len(reductions) == 4


def test_other_samples_or_precision_are_decomposed_anew(reductions):
    X = np.random.default_rng(0).normal(size=(6, 4))
    changed = X.copy()
    changed[-1, -1] += 1e-15
    with SharedReductions().shared():
        for samples, power in ((X, 1), (X, 2), (changed, 1), (X.astype(np.float32), 1), (X[:-1], 1)):
            reduce_once(samples, power)
    assert len(reductions) == 4


@pytest.mark.parametrize("shape", [(9, 4), (4, 9)])
def test_both_kernels_share_what_they_have_in_common(reductions, shape):
    X = np.random.default_rng(0).normal(size=shape)
    with SharedReductions().shared():
        together = [reduce_once(X, power) for power in (2, 1)]
    assert len(reductions) == 1
    for ours, power in zip(together, (2, 1), strict=True):
        alone = reduce_samples(X, power)
        for name in ("scale", "mean", "back"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(alone, name))


def test_threads_wait_for_each_other(reductions):
    X, shared = np.random.default_rng(0).normal(size=(300, 200)), SharedReductions()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda power: shared.reduce(X.copy(), power), [1, 2] * 8))
    assert len(reductions) == 1
    assert len({id(reduction) for reduction in found}) == 2


def test_no_more_than_a_few_are_kept(reductions):
    shared, rng = SharedReductions(), np.random.default_rng(0)
    samples = rng.normal(size=(sharing.KEPT + 1, 6, 4))
    with shared.shared():
        for X in (*samples, samples[0]):
            reduce_once(X, 1)
    assert len(reductions) == len(samples) + 1


def test_fits_that_share_give_what_they_give_alone(reductions):
    rng = np.random.default_rng(0)
    Xs, Xt = rng.normal(size=(40, 8)), rng.normal(size=(30, 8)) + 0.5
    ys = np.arange(40) % 3
    models = [JDA(4), BDA(4, mu=0.2), TSRP(BDA(4, mu=0.8)), DICD(4), TSRP(DICD(4))]
    alone = [model.fit(Xs, ys, Xt).transform(Xt) for model in models]
    del reductions[:]
    with SharedReductions().shared():
        together = [model.fit(Xs, ys, Xt).transform(Xt) for model in models]
    assert len(reductions) == 1
    np.testing.assert_array_equal(together, alone)
