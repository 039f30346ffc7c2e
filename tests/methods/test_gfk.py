"""GFK: the kernel is the integral of the geodesic flow."""

import numpy as np
import pytest
from scipy import linalg
from scipy.integrate import quad_vec

from tests.support.projections import linear_weights
from tsrp import GFK
from tsrp.methods.gfk import disagreement_dimension, flow_kernel_root


def basis(rng, m, d):
    return np.linalg.qr(rng.normal(size=(m, d)))[0]


def geodesic(Ps, Pt, t):
    """Phi(t) by the exponential of a skew-symmetric matrix, which knows nothing of sines and cosines."""
    full = np.linalg.qr(np.hstack([Ps, np.random.default_rng(0).normal(size=(len(Ps), len(Ps) - Ps.shape[1]))]))[0]
    full[:, : Ps.shape[1]] = Ps
    d = Ps.shape[1]
    X, Y = Ps.T @ Pt, full[:, d:].T @ Pt
    # The tangent at Ps that leads to the span of Pt: arctan of Y X^-1.
    U, s, Vt = np.linalg.svd(Y @ np.linalg.inv(X), full_matrices=False)
    tangent = (U * np.arctan(s)) @ Vt
    generator = np.block([[np.zeros((d, d)), -tangent.T], [tangent, np.zeros((len(Ps) - d, len(Ps) - d))]])
    return full @ linalg.expm(t * generator)[:, :d]


@pytest.mark.parametrize(("m", "d"), [(10, 3), (7, 1), (9, 4), (6, 5)])
def test_the_kernel_is_the_integral_of_the_flow(m, d):
    rng = np.random.default_rng(m)
    Ps, Pt = basis(rng, m, d), basis(rng, m, d)
    root, angles = flow_kernel_root(Ps, Pt)
    integral, _ = quad_vec(lambda t: geodesic(Ps, Pt, t) @ geodesic(Ps, Pt, t).T, 0, 1, epsabs=1e-11)
    np.testing.assert_allclose(root @ root.T, integral, atol=1e-9)
    np.testing.assert_allclose(np.sort(angles), np.sort(linalg.subspace_angles(Ps, Pt)), atol=1e-9)


def test_the_kernel_is_symmetric_and_positive_semi_definite_of_rank_2d(domains):
    Xs, ys, Xt, _ = domains
    root = linear_weights(GFK(n_components=4).fit(Xs, ys, Xt))
    assert root.shape == (12, 8)
    source, target = (np.linalg.svd(X - X.mean(axis=0))[2][:4].T for X in (Xs, Xt))
    # As the paper writes it: three blocks between the angles' two bases, symmetric whichever way it is multiplied.
    U, cosines, Vt = np.linalg.svd(source.T @ target)
    angles = np.arccos(cosines)
    ends = (target @ Vt.T - source @ U * cosines) / np.sin(angles)
    bases = np.hstack([source @ U, ends])
    blocks = [np.diag(0.5 * (1 + sign * np.sin(2 * angles) / (2 * angles))) for sign in (1, -1)]
    across = np.diag(0.5 * (1 - np.cos(2 * angles)) / (2 * angles))
    kernel = bases @ np.block([[blocks[0], across], [across, blocks[1]]]) @ bases.T
    np.testing.assert_allclose(root @ root.T, kernel, atol=1e-10)
    np.testing.assert_allclose(kernel, kernel.T, atol=1e-12)
    values = np.linalg.eigvalsh(kernel)
    assert values[0] > -1e-12
    assert np.sum(values > 1e-9) == 8


def test_equal_subspaces_give_their_projection():
    P = basis(np.random.default_rng(0), 8, 3)
    root, angles = flow_kernel_root(P, P[:, ::-1])
    np.testing.assert_allclose(root @ root.T, P @ P.T, atol=1e-12)
    np.testing.assert_allclose(angles, 0, atol=1e-7)


def test_subspaces_at_right_angles_are_met_half_way():
    root, angles = flow_kernel_root(np.eye(4)[:, :1], np.eye(4)[:, 1:2])
    np.testing.assert_allclose(angles, np.pi / 2)
    expected = np.zeros((4, 4))
    expected[:2, :2] = [[0.5, 1 / np.pi], [1 / np.pi, 0.5]]
    np.testing.assert_allclose(root @ root.T, expected, atol=1e-12)


def test_automatic_dimensions_are_the_first_with_a_right_angle_in_both_domains():
    whole = np.eye(10)
    # Three directions in common, the fourth at a right angle to all four of the union.
    own = np.eye(10)[:, [0, 1, 2, 7, 8, 9]]
    assert disagreement_dimension(own, own, whole) == 4
    assert disagreement_dimension(whole, whole, whole) == 5
    # In one domain only: not before the other has one, too.
    late = np.eye(10)[:, [0, 1, 2, 3, 7, 8]]
    assert disagreement_dimension(own, late, whole) == 5
    first = np.eye(10)[:, [7, 8, 9, 0]]
    assert disagreement_dimension(first, first, whole) == 1
    assert disagreement_dimension(whole[:, :3], whole, whole) == 3


def test_the_dimensions_are_told(domains):
    Xs, ys, Xt, _ = domains
    model = GFK().fit(Xs, ys, Xt)
    assert model.transform(Xt).shape == (50, 2 * model.n_components_)
    assert np.all(np.diff(model.angles_) >= 0)
    with pytest.warns(UserWarning, match="n_components=30 is more than the 12 directions in which each domain varies"):
        assert GFK(30).fit(Xs, ys, Xt).n_components_ == 12


@pytest.mark.parametrize("wrong", ["all", 0, 2.5])
def test_a_bad_dimension_is_named(domains, wrong):
    Xs, ys, Xt, _ = domains
    with pytest.raises(ValueError, match="n_components must be a whole number of at least 1"):
        GFK(wrong).fit(Xs, ys, Xt)
