"""Terms equal the n x n matrices of the formulas, entry by entry."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import linalg, sparse

from tests.support import textbook
from tsrp.numerics.terms import Term, block_diagonal, laplacian, mmd, scatter


def dense(term: Term) -> np.ndarray:
    columns = term.columns.toarray()
    plain = np.diag(term.diagonal) + (columns * term.coefficients) @ columns.T
    return plain if term.links is None else plain + term.links.toarray()


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


@st.composite
def graph(draw, n=None):
    """A symmetric graph without loops; samples may be without neighbours."""
    size = draw(st.integers(1, 9)) if n is None else n
    W = draw(hnp.arrays(float, (size, size), elements=st.sampled_from([0, 0, 0.5, 1, 2])))
    W = W + W.T
    np.fill_diagonal(W, 0)
    return W


@given(graph())
def test_the_laplacian_is_the_sum_of_squared_differences_over_edges(W):
    L = dense(laplacian(sparse.csr_array(W)))
    z = np.arange(len(W)) ** 2.0
    np.testing.assert_allclose(z @ L @ z, np.sum(W * (z[:, None] - z) ** 2) / 2)


@given(graph())
def test_the_normalised_laplacian_divides_by_the_roots_of_both_degrees(W):
    degree = np.where(W.sum(axis=1) > 0, W.sum(axis=1), 1)
    expected = np.eye(len(W)) - W / np.sqrt(np.outer(degree, degree))
    L = dense(laplacian(sparse.csr_array(W), normalised=True))
    np.testing.assert_allclose(L, expected, atol=1e-12)
    assert np.linalg.eigvalsh(L)[0] > -1e-9


@given(labelled(), st.data(), st.floats(0.1, 5))
def test_sum_factor_and_norm_agree_with_dense_matrices_also_with_a_graph(labels, data, factor):
    ys, yt, n_target, n_classes = labels
    W = data.draw(graph(len(ys) + n_target))
    discrepancy, smoothness = mmd(ys, yt, n_target, n_classes, 2.0, 1.0), laplacian(sparse.csr_array(W))
    for both in (discrepancy + smoothness * factor, smoothness * factor + discrepancy):
        expected = dense(discrepancy) + factor * dense(smoothness)
        np.testing.assert_allclose(dense(both), expected, atol=1e-12)
        np.testing.assert_allclose(both.norm(), np.linalg.norm(expected), rtol=1e-9)
        assert not both.is_low_rank


@given(graph(), labelled())
def test_blocks_are_put_one_after_the_other(W, labels):
    ys, yt, n_target, n_classes = labels
    first, second = laplacian(sparse.csr_array(W)), scatter(ys, yt, n_target, n_classes, 0.1)
    np.testing.assert_allclose(dense(block_diagonal(first, second)), linalg.block_diag(dense(first), dense(second)))


def test_a_term_of_zeros_has_no_direction():
    nothing = laplacian(sparse.csr_array((3, 3)))
    assert not dense(nothing.normalised()).any()
