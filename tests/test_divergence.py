import multiprocessing
import os
import threading
import warnings

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from tsrp import divergence
from tsrp.divergence import a_distance, mmd


def test_equal_sets_cannot_be_told_apart_and_far_ones_can():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 400, 3))
    assert a_distance(A, B) < 0.4
    assert a_distance(A, B + 20) == 2


def test_the_distance_grows_with_the_shift():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 400, 3))
    distances = [a_distance(A, B + shift) for shift in (0, 1, 3)]
    assert distances == sorted(distances)


def test_what_fits_its_own_training_samples_is_judged_on_others():
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=(2, 150, 400))
    assert a_distance(A, B) == 2
    assert a_distance(A, B, held_out=True) < 0.4
    assert a_distance(A, B + 20, held_out=True) == 2


def test_a_set_of_few_samples_counts_as_much_as_one_of_many():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(900, 3)), rng.normal(size=(30, 3))
    assert a_distance(A, B) > 1.8
    assert a_distance(A, B, held_out=True) < 0.8


def plain_mmd(A, B, gamma=None):
    X = np.vstack([A, B])
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    K = np.exp(-squares * (1 / np.median(squares[np.triu_indices(len(X), 1)]) if gamma is None else gamma))
    n, q = len(A), len(B)
    within = [(K[:n, :n].sum() - n) / (n * (n - 1)), (K[n:, n:].sum() - q) / (q * (q - 1))]
    return sum(within) - 2 * K[:n, n:].mean()


@pytest.mark.parametrize("gamma", [None, 0.01, 2.0])
def test_mmd_in_blocks_is_mmd_of_the_whole_kernel_matrix(gamma):
    rng = np.random.default_rng(0)
    # More rows than a block holds, far from the origin, of very different scale.
    A, B = rng.normal(size=(300, 4)) + 1000, rng.normal(size=(280, 4)) * 1.3 + 1000
    assert mmd(A, B, gamma=gamma) == pytest.approx(plain_mmd(A, B, gamma), abs=1e-6)


def test_mmd_does_not_depend_on_the_unit_and_grows_with_the_shift():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 300, 3))
    values = [mmd(A, B + shift) for shift in (0, 1, 3, 100)]
    assert values == sorted(values)
    assert abs(values[0]) < 0.01
    assert mmd(1e8 * A, 1e8 * (B + 1)) == pytest.approx(values[1], abs=1e-6)


@pytest.mark.parametrize("value", [1e6, 1e20, 1e80])
def test_mmd_with_a_value_far_out_is_that_of_one_at_no_similarity(value):
    A, B = np.random.default_rng(0).normal(size=(2, 50, 3))
    A[0, 0] = value
    B[1, 1] = -value
    clipped = np.clip(A, -100, 100), np.clip(B, -100, 100)
    assert mmd(A, B, gamma=0.2) == pytest.approx(plain_mmd(*clipped, gamma=0.2), abs=1e-4)
    assert np.isfinite(mmd(A, B))


def test_mmd_of_samples_that_do_not_vary_is_a_number():
    assert mmd(np.ones((3, 2)), np.ones((4, 2))) == 0
    assert mmd(np.zeros((3, 2)), np.ones((4, 2))) > 0


@pytest.mark.parametrize("distance", [mmd, lambda A, B: a_distance(A, B, held_out=True)])
def test_a_single_sample_is_refused(distance):
    with pytest.raises(ValueError, match="at least two samples each"):
        distance(np.ones((1, 2)), np.ones((4, 2)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_forked_child_measures_though_another_thread_does_in_the_parent(monkeypatch):
    asked, may_end = threading.Event(), threading.Event()

    class Slow(LinearSVC):
        def fit(self, X, y):
            if threading.current_thread() is not threading.main_thread():
                asked.set()
                assert may_end.wait(60)
            return super().fit(X, y)

    monkeypatch.setattr(divergence, "LinearSVC", Slow)
    sets = np.array([[0.0], [0.1]]), np.array([[5.0], [5.1]])
    thread = threading.Thread(target=a_distance, args=sets)
    thread.start()
    assert asked.wait(60)
    with warnings.catch_warnings():
        # What Python says of all forks beside threads.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = multiprocessing.get_context("fork").Process(target=a_distance, args=sets)
        child.start()
    child.join(20)
    if child.is_alive():
        child.kill()
        child.join()
    may_end.set()
    thread.join()
    assert child.exitcode == 0
