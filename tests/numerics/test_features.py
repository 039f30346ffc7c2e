"""In the features' own coordinates the problem has the solutions of the dense one."""

import numpy as np
import pytest

from tests.numerics.test_eigenproblem import assert_same_projection, problem, terms
from tests.support import textbook
from tsrp.numerics.eigenproblem import reduce_samples, smallest_eigenvectors
from tsrp.numerics.features import FeatureProblem


@pytest.fixture
def solved(monkeypatch):
    """How many problems were solved in these coordinates."""
    calls = []
    original = FeatureProblem.solve

    def solve(self, form, ridge, k):
        calls.append(k)
        return original(self, form, ridge, k)

    monkeypatch.setattr(FeatureProblem, "solve", solve)
    return calls


def projections(X, ys, yt, C, *, repulsion, kernel, k, ridge=1.0):
    """Ours, and the textbook's, of one term."""
    term, dense = terms(ys, yt, C, repulsion)
    reduction = reduce_samples(X, 1 if kernel == "primal" else 2)
    F = textbook.kernel_matrix(X, kernel)
    ours = reduction.project(smallest_eigenvectors(reduction, term, ridge, k))[0]
    return ours, F @ textbook.eigenvectors(F, dense, ridge, k)


@pytest.mark.parametrize("kernel", ["primal", "linear"])
@pytest.mark.parametrize("repulsion", [0.1, 1.0], ids=["definite", "indefinite"])
@pytest.mark.parametrize("k", [3, 10])
def test_the_projection_is_that_of_the_dense_problem(kernel, repulsion, k, solved):
    ours, expected = projections(*problem(0, 140, 15), repulsion=repulsion, kernel=kernel, k=k, ridge=0.5)
    assert solved == [k]
    assert_same_projection(ours, expected)


@pytest.mark.parametrize("case", ["dependent features", "the mean in the span of the samples"])
@pytest.mark.parametrize("kernel", ["primal", "linear"])
def test_features_that_do_not_allow_it_are_left_to_the_reduced_problem(case, kernel, solved):
    X, ys, yt, C = problem(1, 140, 12)
    if case == "dependent features":
        X = textbook.unit(np.column_stack([X, X[:, 0] + X[:, 1]]))
    else:
        # A weighted sum of the features is the same for all samples.
        X[:, 0] = 1 - X[:, 1:].sum(axis=1)
    ours, expected = projections(X, ys, yt, C, repulsion=0.1, kernel=kernel, k=4)
    assert solved == []
    assert_same_projection(ours, expected)


def test_a_right_side_that_is_not_definite_is_no_problem_of_features():
    assert FeatureProblem.of(np.eye(2), np.ones(2), np.array([0.8, 0.8])) is None
