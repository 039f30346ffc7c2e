"""The divergence of two densities: pair by pair, as an integral, and its gradient."""

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.neighbors import KernelDensity
from threadpoolctl import threadpool_limits

from tests.support import textbook
from tsrp.numerics import densities
from tsrp.numerics.densities import bandwidth, density_divergence


@pytest.fixture
def samples():
    rng = np.random.default_rng(0)
    return rng.normal(size=(20, 3)), rng.normal(size=(15, 3)) + 0.5


@pytest.mark.parametrize("block", [1, 4, 20, 1000])
def test_it_is_the_sum_over_all_pairs_in_blocks_of_any_size(samples, block, monkeypatch):
    Ys, Yt = samples
    whole = density_divergence(Ys, Yt, 0.5)
    monkeypatch.setattr(densities, "BLOCK", block)
    value, *gradient = density_divergence(Ys, Yt, 0.5)
    assert value == pytest.approx(textbook.density_divergence(Ys, Yt, 0.5), rel=1e-12)
    for part, expected in zip(gradient, whole[1:], strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-10, atol=1e-15)


def test_it_is_the_same_to_the_last_bit_on_one_thread_and_on_two(samples, monkeypatch):
    monkeypatch.setattr(densities, "BLOCK", 3)
    Ys, Yt = samples
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(density_divergence(Ys, Yt, 0.5))
    assert found[0][0] == found[1][0]
    for one, two in zip(found[0][1:], found[1][1:], strict=True):
        np.testing.assert_array_equal(one, two)


def test_it_is_the_integral_of_the_squared_difference():
    rng = np.random.default_rng(1)
    Ys, Yt = rng.normal(size=(12, 1)), rng.normal(size=(9, 1)) + 1
    p, q = (KernelDensity(bandwidth=np.sqrt(0.3)).fit(Y) for Y in (Ys, Yt))

    def difference(x):
        return (np.exp(p.score_samples([[x]])[0]) - np.exp(q.score_samples([[x]])[0])) ** 2

    integral = quad(difference, -8, 9, epsabs=1e-12, limit=200)[0]
    one_kernel = 1 / np.sqrt(4 * np.pi * 0.3)
    assert density_divergence(Ys, Yt, 0.3)[0] == pytest.approx(integral / one_kernel, rel=1e-8)


def test_the_gradient_is_that_of_finite_differences(samples):
    Ys, Yt = samples
    _, gradient_s, gradient_t = density_divergence(Ys, Yt, 0.5)
    step = 1e-5
    for Y, gradient in ((Ys, gradient_s), (Yt, gradient_t)):
        for place in ((0, 0), (7, 2), (14, 1)):
            values = []
            for sign in (1, -1):
                Y[place] += sign * step
                values.append(density_divergence(Ys, Yt, 0.5)[0])
                Y[place] -= sign * step
            assert gradient[place] == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-10)


def test_equal_densities_have_no_divergence_and_distant_ones_the_most(samples):
    Ys, _ = samples
    assert density_divergence(Ys, Ys.copy(), 0.5)[0] == pytest.approx(0, abs=1e-12)
    near, far = (density_divergence(Ys, Ys + shift, 0.5)[0] for shift in (0.5, 50))
    alone = textbook.density_divergence(Ys, Ys + 1e9, 0.5)
    assert near < far == pytest.approx(alone)


def test_the_bandwidth_follows_the_distances_in_any_number_of_dimensions():
    rng = np.random.default_rng(0)
    for d in (1, 2, 100):
        Y = rng.normal(size=(300, d)) * np.linspace(1, 3, d)
        squares = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)
        assert bandwidth(Y) == pytest.approx(0.1 * squares.mean() / 2)


@pytest.mark.parametrize("d", [2, 100])
def test_a_shift_is_seen_beside_the_samples_own_kernels(d):
    """In many directions kernels of Scott's width see each sample alone: the value is 1 / n + 1 / q, shift or none."""
    Ys, Yt = np.random.default_rng(0).normal(size=(2, 200, d))
    near, far = (density_divergence(Ys, Y, bandwidth(np.vstack([Ys, Y])))[0] for Y in (Yt, Yt + 1))
    assert far > 3 * near
