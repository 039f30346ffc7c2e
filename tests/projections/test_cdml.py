"""CDML: the metric is the minimiser of its objective, by dense matrices."""

import numpy as np
import pytest
import textbook
from conftest import make_domains
from scipy import linalg

from tsrp import CDML
from tsrp.projections.cdml import diffusion_form, exponential, label_form, neighbour_graph


def test_the_source_form_is_that_of_the_ideal_kernel(domains):
    Xs, ys, _, _ = domains
    Y = np.eye(4)[ys]
    kernel = (Y @ Y.T + 0.7 * np.eye(60)) / 1.7
    np.testing.assert_allclose(label_form(Xs, ys, 0.7), Xs.T @ np.linalg.inv(kernel) @ Xs, atol=1e-8)


@pytest.mark.parametrize("diffusion", [0.0, 1.0, 3.5])
def test_the_target_form_is_that_of_the_diffusion_kernel(domains, diffusion):
    Xt = domains[2]
    kernel = linalg.expm(diffusion * neighbour_graph(Xt, 5).toarray())
    np.testing.assert_allclose(diffusion_form(Xt, 5, diffusion), Xt.T @ np.linalg.inv(kernel) @ Xt, atol=1e-8)


def test_the_graph_is_symmetric_and_joins_neighbours(domains):
    Xt = domains[2]
    graph = neighbour_graph(Xt, 4).toarray()
    np.testing.assert_allclose(graph, graph.T)
    assert np.all(graph >= 0)
    assert np.all((graph > 0).sum(axis=1) >= 4)
    assert np.all(np.diag(graph) == 0)
    # Normalised: its largest eigenvalue is 1.
    assert np.linalg.eigvalsh(graph)[-1] == pytest.approx(1)


def test_the_exponential_leaves_random_numbers_alone(domains):
    Xt = domains[2]
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    exponential(-neighbour_graph(Xt, 4), Xt)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


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
    A = model.mapping_.weights @ model.mapping_.weights.T

    def objective(A):
        return np.trace(A @ Q) - np.linalg.slogdet(A)[1]

    np.testing.assert_allclose(A, np.linalg.inv(Q), atol=1e-8 * np.abs(A).max())
    rng = np.random.default_rng(0)
    for _ in range(20):
        nudge = rng.normal(size=A.shape)
        assert objective(A + 1e-3 * np.abs(A).min() * (nudge + nudge.T)) > objective(A)


def test_it_agrees_at_whatever_number_of_features():
    for m in (5, 200):
        Xs, ys, Xt, yt = make_domains(m=m)
        model = CDML(n_components=5).fit(Xs, ys, Xt)
        assert np.mean(model.labels_ == yt) > 0.5
        assert not model.uses_target_labels


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
