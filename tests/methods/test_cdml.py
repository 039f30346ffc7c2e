"""CDML: the metric is the minimiser of its objective, by dense matrices."""

import numpy as np
import pytest
from scipy import linalg
from scipy.spatial.distance import cdist

from tests.support import textbook
from tests.support.domains import make_domains
from tests.support.projections import linear_weights
from tsrp import CDML
from tsrp.methods.cdml import diffusion_form, diffusion_graph, label_form


def test_the_source_form_is_that_of_the_ideal_kernel(domains):
    Xs, ys, _, _ = domains
    Y = np.eye(4)[ys]
    kernel = (Y @ Y.T + 0.7 * np.eye(60)) / 1.7
    np.testing.assert_allclose(label_form(Xs, ys, 0.7), Xs.T @ np.linalg.inv(kernel) @ Xs, atol=1e-8)


@pytest.mark.parametrize("diffusion", [0.0, 1.0, 3.5])
def test_the_target_form_is_that_of_the_diffusion_kernel(domains, diffusion):
    Xt = domains[2]
    kernel = linalg.expm(diffusion * diffusion_graph(Xt, 5).toarray())
    np.testing.assert_allclose(diffusion_form(Xt, 5, diffusion), Xt.T @ np.linalg.inv(kernel) @ Xt, atol=1e-8)


def test_the_graph_is_symmetric_and_joins_neighbours(domains):
    Xt = domains[2]
    graph = diffusion_graph(Xt, 4).toarray()
    np.testing.assert_allclose(graph, graph.T)
    assert np.all(graph >= 0)
    assert np.all((graph > 0).sum(axis=1) >= 4)
    assert np.all(np.diag(graph) == 0)
    # Normalised: its largest eigenvalue is 1.
    assert np.linalg.eigvalsh(graph)[-1] == pytest.approx(1)


def test_the_metric_minimises_the_objective(domains):
    """The map is a root of A, so that distances are (x - z)' A (x - z); A is the best for Q."""
    Xs, ys, Xt, _ = domains
    model = CDML(n_components=12, ridge=0.5, alignment=3.0).fit(Xs, ys, Xt)
    X = textbook.unit(np.vstack([Xs, Xt]))
    X = X - X.mean(axis=0)
    source, target = X[:60], X[60:]
    Q = label_form(source, ys, 1.0) / 60 + diffusion_form(target, 10, 1.0) / 50
    gap = source.mean(axis=0) - target.mean(axis=0)
    Q = Q + 0.5 * np.trace(Q) / 12 * np.eye(12) + 3.0 * np.outer(gap, gap)
    root = linear_weights(model)
    A = root @ root.T

    def objective(A):
        return np.trace(A @ Q) - np.linalg.slogdet(A)[1]

    np.testing.assert_allclose(A, np.linalg.inv(Q), atol=1e-8 * np.abs(A).max())
    rng = np.random.default_rng(0)
    for _ in range(20):
        nudge = rng.normal(size=A.shape)
        assert objective(A + 1e-3 * np.abs(A).min() * (nudge + nudge.T)) > objective(A)


@pytest.mark.parametrize("m", [8, 150])
def test_the_projection_is_that_of_dense_matrices(m):
    Xs, ys, Xt, _ = make_domains(m=m)
    model = CDML(n_components=5, n_neighbors=4).fit(Xs, ys, Xt)
    X = textbook.unit(np.vstack([Xs, Xt]))
    X = X - X.mean(axis=0)
    X = X @ np.linalg.svd(X)[2][:5].T
    source, target = X[:60], X[60:]
    Y = np.eye(4)[ys]
    squares = cdist(target, target, "sqeuclidean")
    nearest = np.argsort(squares + np.diag(np.full(50, np.inf)), axis=1)[:, :4]
    joined = np.zeros((50, 50), bool)
    np.put_along_axis(joined, nearest, True, axis=1)
    weights = np.where(joined | joined.T, np.exp(-squares / np.median(squares[joined])), 0)
    roots = np.sqrt(weights.sum(axis=1))
    Q = source.T @ np.linalg.inv((Y @ Y.T + np.eye(60)) / 2) @ source / 60
    Q += target.T @ linalg.expm(-weights / np.outer(roots, roots)) @ target / 50
    gap = source.mean(axis=0) - target.mean(axis=0)
    Q = Q + np.trace(Q) / 5 * np.eye(5) + np.outer(gap, gap)
    expected = textbook.unit(X @ linalg.sqrtm(np.linalg.inv(Q)))
    projected = model.transform(np.vstack([Xs, Xt]))
    # A root of the metric is one of many: distances are what they share.
    np.testing.assert_allclose(cdist(projected, projected), cdist(expected, expected), atol=1e-7)


def test_a_sample_far_from_all_others_is_no_obstacle():
    rng = np.random.default_rng(0)
    Xt = np.vstack([0.001 * rng.normal(size=(40, 5)) + 3, np.zeros((1, 5)), -np.ones((1, 5))])
    with np.errstate(all="raise", under="ignore"):
        model = CDML(3).fit(rng.normal(size=(20, 5)), np.arange(20) % 2, Xt)
    assert np.isfinite(model.transform(Xt)).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be a whole number of at least 1"),
        ({"label_noise": 0}, "label_noise must be a number greater than 0"),
        ({"ridge": 0}, "ridge must be a number greater than 0"),
        ({"diffusion": 1e6}, "diffusion must be a number of at least 0 and at most 100"),
        ({"alignment": -1}, "alignment must be a number of at least 0"),
    ],
)
def test_parameters_are_checked(domains, parameters, message):
    with pytest.raises(ValueError, match=message):
        CDML(5, **parameters).fit(*domains[:3])
