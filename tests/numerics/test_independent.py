"""Without eigenvectors of X' X the solutions are the same; features that are not independent have a reduction."""

import numpy as np
import pytest
from scipy.sparse.linalg import ArpackNoConvergence

from tests.numerics.test_eigenproblem import assert_same_projection, problem, terms
from tests.support import textbook
from tests.support.domains import make_domains
from tsrp import DICD
from tsrp.numerics import independent
from tsrp.numerics.eigenproblem import Reduction, reduce_samples
from tsrp.numerics.independent import IndependentFeatures, reduce_for_any_term
from tsrp.numerics.sharing import SharedReductions, reduce_once_for_any_term


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(independent, "MANY_FEATURES", 3)


@pytest.mark.parametrize("kernel", ["primal", "linear"])
@pytest.mark.parametrize("repulsion", [None, 0.1, 1.0], ids=["of low rank", "definite", "indefinite"])
def test_the_projection_is_that_of_the_dense_problem(kernel, repulsion):
    X, ys, yt, C = problem(0, 140, 15)
    term, dense = terms(ys, yt, C, repulsion)
    F = textbook.kernel_matrix(X, kernel)
    power = 1 if kernel == "primal" else 2
    features, reduction = reduce_for_any_term(X, power), reduce_samples(X, power)
    assert isinstance(features, IndependentFeatures)
    assert features.rank == reduction.rank
    assert features.variance == pytest.approx(reduction.variance)
    Z, weights = features.project(features.solver(0.5, 6).smallest_eigenvectors(term))
    assert_same_projection(Z, F @ textbook.eigenvectors(F, dense, 0.5, 6))
    np.testing.assert_allclose(Z, X @ weights)


def dependent(case):
    X = problem(1, 140, 12)[0]
    if case == "a sum of features":
        return np.column_stack([X, X[:, 0] + X[:, 1]])
    if case == "nearly a sum of features":
        # Large enough for a Cholesky factor, and too small to count as a direction.
        X = np.linalg.qr(X)[0]
        X[:, 0] *= np.sqrt(3e-10)
        return X
    if case == "zeros":
        return np.column_stack([X, np.zeros(len(X))])
    # The mean lies in the span of the samples.
    X[:, 0] = 1 - X[:, 1:].sum(axis=1)
    return X


@pytest.mark.parametrize("case", ["a sum of features", "nearly a sum of features", "zeros", "a constant sum"])
@pytest.mark.parametrize("power", [1, 2])
def test_features_that_are_not_independent_are_reduced(case, power):
    X = dependent(case)
    found, expected = reduce_for_any_term(X, power), reduce_samples(X, power)
    assert isinstance(found, Reduction)
    np.testing.assert_array_equal(found.scale, expected.scale)
    np.testing.assert_array_equal(found.back, expected.back)


def test_so_are_few_samples_and_few_features(monkeypatch):
    X = problem(1, 140, 12)[0]
    assert isinstance(reduce_for_any_term(X[:90], 1), Reduction)
    monkeypatch.setattr(independent, "MANY_FEATURES", 13)
    assert isinstance(reduce_for_any_term(X, 1), Reduction)


def test_so_are_features_about_which_nothing_is_found_out(monkeypatch):
    def give_up(*args, **kwargs):
        raise ArpackNoConvergence("no", np.empty(0), np.empty((0, 0)))

    monkeypatch.setattr(independent, "eigsh", give_up)
    assert isinstance(reduce_for_any_term(problem(1, 140, 12)[0], 1), Reduction)


def test_a_shared_reduction_is_taken():
    X = problem(1, 140, 12)[0]
    with SharedReductions().shared():
        assert reduce_once_for_any_term(X, 1) is reduce_once_for_any_term(X, 1)
    assert isinstance(reduce_once_for_any_term(X, 1), IndependentFeatures)


@pytest.mark.parametrize("scale", ["absolute", "relative"])
@pytest.mark.parametrize("kernel", ["primal", "linear", "rbf"])
def test_dicd_labels_and_projects_as_it_does_with_a_reduction(kernel, scale, monkeypatch):
    Xs, ys, Xt, _ = make_domains(3, n_source=90, n_target=80)
    model = DICD(5, kernel=kernel, ridge_scale=scale, max_iter=3)
    found = [model.fit(Xs, ys, Xt).labels_, model.transform(Xt)]
    monkeypatch.setattr(independent, "MANY_FEATURES", np.inf)
    model.fit(Xs, ys, Xt)
    np.testing.assert_array_equal(found[0], model.labels_)
    np.testing.assert_allclose(found[1], model.transform(Xt), atol=1e-8)
