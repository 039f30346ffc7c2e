"""Terms equal the n x n matrices of the formulas, entry by entry."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.support import textbook
from tsrp.numerics.terms import Term, mmd, scatter


def dense(term: Term) -> np.ndarray:
    columns = term.columns.toarray()
    return np.diag(term.diagonal) + (columns * term.coefficients) @ columns.T


@st.composite
def labelled(draw):
    """Source codes with every class present, target codes (some classes may be missing) or None."""
    n_classes = draw(st.integers(1, 4))
    extra = draw(hnp.arrays(int, st.integers(0, 12), elements=st.integers(0, n_classes - 1)))
    ys = np.concatenate([np.arange(n_classes), extra])
    n_target = draw(st.integers(1, 12))
    yt = draw(st.none() | hnp.arrays(int, n_target, elements=st.integers(0, n_classes - 1)))
    return ys, yt, n_target, n_classes


@given(labelled(), st.floats(0, 5), st.floats(0, 5))
def test_mmd_is_the_weighted_sum_of_outer_products(labels, marginal, conditional):
    ys, yt, n_target, n_classes = labels
    expected = textbook.mmd_matrix(ys, yt, n_target, n_classes, marginal, conditional)
    np.testing.assert_allclose(dense(mmd(ys, yt, n_target, n_classes, marginal, conditional)), expected, atol=1e-14)


@given(labelled(), st.floats(0, 2))
def test_scatter_is_the_matrix_of_the_definition(labels, repulsion):
    ys, yt, n_target, n_classes = labels
    expected = textbook.scatter_matrix(ys, yt, n_target, repulsion)
    np.testing.assert_allclose(dense(scatter(ys, yt, n_target, n_classes, repulsion)), expected, atol=1e-12)


@given(labelled(), st.floats(0.01, 2))
def test_sum_factor_and_norm_agree_with_dense_matrices(labels, repulsion):
    ys, yt, n_target, n_classes = labels
    a, b = mmd(ys, yt, n_target, n_classes, 2.0, 1.0), scatter(ys, yt, n_target, n_classes, repulsion)
    both = a + b * 0.3
    np.testing.assert_allclose(dense(both), dense(a) + 0.3 * dense(b), atol=1e-12)
    np.testing.assert_allclose(both.norm(), np.linalg.norm(dense(both)), rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(dense(both.normalised())), 1, rtol=1e-9)


def test_a_class_without_target_samples_keeps_its_source_part():
    term = mmd(np.array([0, 0, 1]), np.array([0, 0]), 2, 2, 2.0, 1.0)
    assert term.columns.toarray()[:, 2].tolist() == [0, 0, 1, 0, 0]


def test_only_discrepancies_are_of_low_rank():
    ys, yt = np.array([0, 1, 1]), np.array([0, 1])
    assert mmd(ys, yt, 2, 2, 2.0, 1.0).is_low_rank
    assert not scatter(ys, yt, 2, 2, 0.1).is_low_rank
