"""The projection on the simplex is the nearest point of it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.support import textbook
from tsrp.numerics.simplex import project_on_simplex

rows = hnp.arrays(float, hnp.array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.floats(-1e3, 1e3))


@given(rows)
def test_the_result_is_on_the_simplex(Q):
    W = project_on_simplex(Q)
    assert np.all(W >= 0)
    np.testing.assert_allclose(W.sum(axis=1), 1, atol=1e-9)


@given(rows, st.integers(0, 100))
def test_no_other_point_is_nearer(Q, seed):
    """The direction to any other point leads away from the row: that makes the nearest point of a convex set."""
    W = project_on_simplex(Q)
    others = np.random.default_rng(seed).dirichlet(np.ones(Q.shape[1]), len(Q))
    corners = np.eye(Q.shape[1])[Q.argmax(axis=1)]
    for other in (others, corners):
        assert np.all(np.sum((Q - W) * (other - W), axis=1) <= 1e-8 * (1 + np.abs(Q).max()))


@given(rows)
def test_it_is_that_of_a_search_for_the_threshold(Q):
    np.testing.assert_allclose(project_on_simplex(Q), [textbook.on_simplex(q) for q in Q], atol=1e-7)


@given(rows, st.floats(-100, 100))
def test_a_constant_changes_nothing(Q, constant):
    np.testing.assert_allclose(project_on_simplex(Q + constant), project_on_simplex(Q), atol=1e-9)


@given(rows)
def test_points_of_the_simplex_stay(Q):
    W = project_on_simplex(Q)
    np.testing.assert_allclose(project_on_simplex(W), W, atol=1e-12)


def test_values_beyond_all_digits_of_one_are_no_obstacle():
    np.testing.assert_array_equal(project_on_simplex(np.array([[-1e30, 1e30, 1e30]])), [[0, 0.5, 0.5]])
