"""What a ridge means: in absolute terms, or relative to the variance of what is projected."""

import numpy as np
import pytest

from tests.support import textbook
from tsrp import BDA, DICD, JDA, TCA

METHODS = (TCA, JDA, BDA, DICD)
KERNELS = ("primal", "linear", "rbf")


def variance(kind, kernel, Xs, Xt):
    """trace(F' H F), by building F and H."""
    X = np.vstack([Xs, Xt])
    F = textbook.kernel_matrix(X if kind is TCA else textbook.unit(X), kernel)
    H = np.eye(len(X)) - 1 / len(X)
    return np.trace(F.T @ H @ F)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("kind", METHODS)
def test_a_relative_ridge_is_that_share_of_the_variance(kind, kernel, domains):
    Xs, ys, Xt, _ = domains
    n, options = len(Xs) + len(Xt), {"kernel": kernel, "gamma": 1.0}
    relative = kind(5, ridge=1e-3, ridge_scale="relative", **options)
    absolute = kind(5, ridge=1e-3 * variance(kind, kernel, Xs, Xt), **options)
    if kind is DICD:
        absolute.discrimination = np.sqrt(n / 2000)
    np.testing.assert_allclose(
        relative.fit(Xs, ys, Xt).transform(Xt), absolute.fit(Xs, ys, Xt).transform(Xt), rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("kernel", ["primal", "linear"])
@pytest.mark.parametrize("kind", [TCA, JDA, BDA])
def test_samples_that_are_repeated_do_not_change_what_a_relative_ridge_means(kind, kernel, domains):
    Xs, ys, Xt, _ = domains
    model = kind(5, ridge=1e-3, ridge_scale="relative", kernel=kernel)
    once = model.fit(Xs, ys, Xt)
    labels, Z = once.labels_, unit_directions(once.transform(Xt))
    often = model.fit(np.tile(Xs, (4, 1)), np.tile(ys, 4), np.tile(Xt, (4, 1)))
    np.testing.assert_array_equal(often.labels_, np.tile(labels, 4))
    np.testing.assert_allclose(unit_directions(often.transform(Xt)), Z, rtol=1e-5, atol=1e-7)


def unit_directions(Z):
    """A projection, whose directions are known up to their length."""
    return Z / np.linalg.norm(Z, axis=0) * np.sign(Z[0])


def test_repeated_samples_hardly_change_what_a_relative_ridge_means_to_dicd(domains):
    """A sample does not attract itself, but its copies: the terms differ in the share of a sample in its class."""
    Xs, ys, Xt, _ = domains
    model = DICD(5, ridge=1e-3, ridge_scale="relative")
    labels = model.fit(Xs, ys, Xt).labels_
    often = model.fit(np.tile(Xs, (8, 1)), np.tile(ys, 8), np.tile(Xt, (8, 1))).labels_
    assert np.mean(often == np.tile(labels, 8)) >= 0.95


def test_an_absolute_ridge_fades_as_samples_are_repeated(domains):
    """Why there is a relative one."""
    Xs, ys, Xt, _ = domains
    model = JDA(5, ridge=30.0)
    Z = unit_directions(model.fit(Xs, ys, Xt).transform(Xt))
    often = model.fit(np.tile(Xs, (8, 1)), np.tile(ys, 8), np.tile(Xt, (8, 1))).transform(Xt)
    assert not np.allclose(unit_directions(often), Z, atol=1e-2)
