"""TJM: every round is the dense version's, and the objective falls."""

import numpy as np
import pytest

from tests.support import textbook
from tests.support.domains import make_domains
from tsrp import TCA, TJM
from tsrp.numerics.eigenproblem import reduce_samples, smallest_eigenvectors_weighted
from tsrp.numerics.terms import marginal_mmd


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("m", [8, 150])
@pytest.mark.parametrize("reweighting", ["unit", "constrained"])
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_every_round_is_that_of_the_dense_version(kernel, m, reweighting, rounds):
    Xs, ys, Xt, _ = make_domains(m=m)
    model = TJM(4, ridge=0.1, kernel=kernel, gamma=0.7, reweighting=reweighting, max_steps=rounds).fit(Xs, ys, Xt)
    X = np.vstack([Xs, Xt])
    K = textbook.kernel_matrix(textbook.unit(X), kernel, 0.7)
    A = textbook.tjm(K, len(Xs), 0.1, 4, rounds, constrained=reweighting == "constrained")[-1]
    expected = K @ (A / np.linalg.norm(A, axis=0))
    projected = model.transform(X)
    signs = np.sign(np.sum(projected * expected, axis=0))
    np.testing.assert_allclose(projected * signs, expected, atol=1e-6 * np.abs(expected).max())
    weights = np.sqrt(np.sum(A[: len(Xs)] ** 2, axis=1) + np.finfo(float).eps)
    np.testing.assert_allclose(model.source_weights_, weights / weights.max(), atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_no_round_raises_the_objective_if_the_weights_are_those_of_the_constraint(seed, ridge):
    Xs, ys, Xt, _ = make_domains(seed)
    objective = TJM(4, ridge=ridge, reweighting="constrained", max_steps=30).fit(Xs, ys, Xt).objective_
    assert len(objective) == 30
    assert np.all(np.diff(objective) <= 1e-9 * objective[:-1])
    assert objective[-1] < objective[0]


def test_the_objective_is_the_one_of_the_docstring(domains):
    Xs, ys, Xt, _ = domains
    K = textbook.kernel_matrix(textbook.unit(np.vstack([Xs, Xt])), "linear")
    M = textbook.marginal_term(len(Xs), len(Xt))
    for constrained in (False, True):
        reweighting = "constrained" if constrained else "unit"
        objective = TJM(4, reweighting=reweighting, max_steps=3).fit(Xs, ys, Xt).objective_
        expected = [
            np.trace(A.T @ K @ M @ K @ A) + 2 * np.linalg.norm(A[: len(Xs)], axis=1).sum() + np.sum(A[len(Xs) :] ** 2)
            for A in textbook.tjm(K, len(Xs), 1.0, 4, 3, constrained=constrained)
        ]
        np.testing.assert_allclose(objective, expected, rtol=1e-5)


def test_the_eigen_residual_is_at_rounding_level_with_any_penalty():
    Xs, _, Xt, _ = make_domains()
    X = textbook.unit(np.vstack([Xs, Xt]))
    penalty = np.random.default_rng(0).uniform(0.01, 100, len(X))
    A = smallest_eigenvectors_weighted(
        reduce_samples(X, 1), marginal_mmd(len(Xs), len(Xt)).normalised(), 0.5, penalty, 6
    )
    K = X @ X.T
    left = K @ textbook.marginal_term(len(Xs), len(Xt)) @ K + 0.5 * np.diag(penalty)
    right = K @ (np.eye(len(K)) - 1 / len(K)) @ K
    assert textbook.eigen_residual(left, right, A) < 1e-12


def test_the_first_round_is_tca_on_unit_rows(domains):
    Xs, ys, Xt, _ = domains
    tca = TCA(4).fit(textbook.unit(Xs), ys, textbook.unit(Xt))
    tjm = TJM(4, max_steps=1).fit(Xs, ys, Xt)
    np.testing.assert_allclose(tjm.transform(Xt), tca.transform(textbook.unit(Xt)), atol=1e-9)


def test_source_samples_unlike_the_targets_lose_their_weight():
    Xs, ys, Xt, _ = make_domains()
    Xs[:15] = np.random.default_rng(0).normal(size=(15, Xs.shape[1])) - 5 * Xt.mean(axis=0)
    weights = TJM(4, ridge=0.1, max_steps=3).fit(Xs, ys, Xt).source_weights_
    assert np.median(weights[:15]) < np.median(weights[15:])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "primal"}, "kernel must be one of 'linear', 'rbf'"),
        ({"reweighting": "none"}, "reweighting must be one of 'unit', 'constrained'"),
        ({"max_steps": 0}, "max_steps must be a whole number of at least 1"),
    ],
)
def test_parameters_are_checked(domains, parameters, message):
    with pytest.raises(ValueError, match=message):
        TJM(3, **parameters).fit(*domains[:3])
