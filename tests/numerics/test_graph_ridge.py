"""The factorisation that is kept, and the one of landmarks, give the dense solution."""

import numpy as np
import pytest

from tests.support import textbook
from tests.support.domains import make_domains
from tsrp.numerics.graph_ridge import ExactProblem, LandmarkProblem, cosine_graph
from tsrp.numerics.kernels import expansion

WEIGHTS = {"gamma": 0.5, "ridge": 0.1, "smoothness": 1.0}


@pytest.fixture
def problem():
    """Unit rows, classes of the first, their graph, and the columns of a penalty."""
    Xs, ys, Xt, yt = make_domains()
    U = textbook.unit(np.vstack([Xs, Xt]))
    M = textbook.mmd_matrix(ys, yt, len(yt), 4, 2.0, 0.5)
    values, vectors = np.linalg.eigh(10 * M / np.linalg.norm(M))
    Q = vectors[:, values > 1e-9] * np.sqrt(values[values > 1e-9])
    return U, ys, yt, cosine_graph(U, 10), Q


def test_the_graph_is_the_dense_one(problem):
    U, *_, graph, _ = problem
    U[5] = 0
    for n, p in ((110, 10), (8, 3), (4, 10), (1, 10)):
        expected = np.eye(n) - textbook.cosine_laplacian(U[:n], p)
        np.testing.assert_allclose(cosine_graph(U[:n], p).toarray(), expected, atol=1e-12)
    assert graph.nnz <= 110 * 21


def test_updates_of_the_exact_factorisation_are_solutions(problem):
    U, ys, yt, graph, Q = problem
    exact = ExactProblem(U, np.eye(4)[ys], graph, **WEIGHTS)
    unaligned = exact.solve(None)[1].copy()
    samples, weights = exact.solve(Q)
    expected = textbook.graph_ridge(U[:60], ys, U[60:], yt)
    np.testing.assert_allclose(expansion(U, samples, weights, 0.5), expected, atol=1e-9)
    np.testing.assert_array_equal(exact.solve(None)[1], unaligned)
    np.testing.assert_allclose(exact.solve(np.zeros((110, 2)))[1], unaligned, atol=1e-12)


def test_with_every_sample_a_landmark_the_solution_is_the_exact_one(problem):
    U, ys, yt, graph, Q = problem
    rank = LandmarkProblem(U, np.eye(4)[ys], graph, **WEIGHTS, n_landmarks=110, seed=0)
    scores = expansion(U, *rank.solve(Q), 0.5)
    np.testing.assert_allclose(scores, textbook.graph_ridge(U[:60], ys, U[60:], yt), atol=1e-6)


def test_landmarks_solve_with_the_approximated_kernel(problem):
    U, ys, _, graph, Q = problem
    rank = LandmarkProblem(U, np.eye(4)[ys], graph, **WEIGHTS, n_landmarks=30, seed=5)
    L = U[np.sort(np.random.default_rng(5).choice(110, 30, replace=False))]
    whole = textbook.kernel_matrix(np.vstack([U, L]), "rbf", 0.5)
    K = whole[:110, 110:] @ np.linalg.pinv(whole[110:, 110:], rcond=1e-10) @ whole[110:, :110]
    E = np.diag(np.arange(110) < 60).astype(float)
    Y = np.vstack([np.eye(4)[ys], np.zeros((50, 4))])
    penalty = E + Q @ Q.T + np.eye(110) - graph.toarray()
    expected = K @ np.linalg.solve(penalty @ K + 0.1 * np.eye(110), Y)
    np.testing.assert_allclose(expansion(U, *rank.solve(Q), 0.5), expected, atol=1e-6)
