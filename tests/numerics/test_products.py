"""Products in blocks of rows are the plain ones, to the same bit on one thread and on two."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tsrp.numerics import products
from tsrp.numerics.products import RunningGram, congruent, signed_gram, times, weighted_gram


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(params=[1, 7, 2048], autouse=True)
def block(request, monkeypatch):
    monkeypatch.setattr(products, "ROW_BLOCK", request.param)


def both(work):
    """What a function gives on one thread, if it gives the same on two."""
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(work())
    np.testing.assert_array_equal(*found)
    assert found[0].dtype == np.float64
    return found[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_product_with_a_tall_matrix(rng, dtype):
    X, W = rng.normal(size=(60, 5)).astype(dtype), rng.normal(size=(5, 3))
    np.testing.assert_allclose(both(lambda: times(X, W)), X.astype(float) @ W, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weights", ["none", "positive", "any sign", "zero"])
def test_a_weighted_gram_matrix(rng, dtype, weights):
    X = rng.normal(size=(60, 5)).astype(dtype)
    w = {"none": None, "positive": rng.random(60), "any sign": rng.normal(size=60), "zero": np.zeros(60)}[weights]
    plain = X.astype(float).T @ np.diag(np.ones(60) if w is None else w) @ X.astype(float)
    np.testing.assert_allclose(both(lambda: weighted_gram(X, w)), plain, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("width", [1, 4, 5, 256])
def test_a_congruent_matrix(rng, width, monkeypatch):
    monkeypatch.setattr(products, "COLUMN_BLOCK", width)
    A, W = rng.normal(size=(6, 6)), rng.normal(size=(6, 9))
    S = A + A.T
    np.testing.assert_allclose(both(lambda: congruent(S, W)), W.T @ S @ W, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(both(lambda: congruent(None, W)), W.T @ W, rtol=1e-11, atol=1e-12)
    np.testing.assert_array_equal(congruent(S, W), congruent(S, W).T)


@pytest.mark.parametrize("coefficients", [[1.0, 2.0, 0.5], [1.0, -2.0, 0.0], [-1.0, -3.0, -0.1], [0.0, 0.0, 0.0]])
def test_a_gram_matrix_of_few_signed_rows(rng, coefficients):
    G = rng.normal(size=(3, 5))
    plain = G.T @ np.diag(coefficients) @ G
    np.testing.assert_allclose(both(lambda: signed_gram(G, np.array(coefficients))), plain, rtol=1e-11, atol=1e-12)


def changing_weights(rng):
    """A common factor; some weights; a sign; the first one, which tells the factor; zero and back."""
    w = rng.normal(size=60) + 0.1
    yield w
    yield 0.3 * w
    for row in (7, 8, 0, 3):
        w = w * 1.7
        w[row] = -2 * w[row] if row == 7 else w[row] + 0.5
        yield w
    yield np.where(np.arange(60) == 0, 0.0, w)
    yield w


def test_a_running_gram_matrix_is_that_of_its_weights(rng):
    X = rng.normal(size=(60, 5))
    gram = RunningGram(X)
    for w in changing_weights(rng):
        np.testing.assert_allclose(both(lambda w=w: RunningGram(X)(w)), X.T @ np.diag(w) @ X, rtol=1e-11, atol=1e-12)
        found = gram(w)
        np.testing.assert_allclose(found, X.T @ np.diag(w) @ X, rtol=1e-11, atol=1e-12)
        # What is done with the answer does not change the next one.
        found[:] = 0


def test_only_rows_of_another_weight_are_multiplied_again(rng, monkeypatch):
    rows = []

    def count(X, weights=None):
        rows.append(len(X))
        return weighted_gram(X, weights)

    monkeypatch.setattr(products, "weighted_gram", count)
    X, w = rng.normal(size=(60, 5)), rng.random(60)
    gram = RunningGram(X)
    gram(w)
    changed = w / 3
    changed[[5, 9]] *= 2
    for weights in (w, w / 3, changed):
        gram(weights)
    assert sum(rows) == 60 + 2


def test_of_no_rows_there_are_zeros():
    assert not weighted_gram(np.empty((0, 3))).any()
    assert times(np.empty((0, 3)), np.ones((3, 2))).shape == (0, 2)
