"""The reduced eigenproblem has the solutions of the dense one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackNoConvergence

from tests.support import textbook
from tsrp.numerics import eigenproblem, forms, leading
from tsrp.numerics.eigenproblem import reduce_kernel, reduce_samples, smallest_eigenvectors
from tsrp.numerics.terms import laplacian, mmd, scatter


def problem(seed, n, m, n_classes=3, *, duplicates=0, missing=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m))
    X[n - duplicates :] = X[:duplicates]
    n_source = n // 2
    ys = np.arange(n_source) % n_classes
    yt = rng.integers(n_classes - missing, size=n - n_source)
    return textbook.unit(X), ys, yt, n_classes


def reduced(X, kernel):
    if kernel == "rbf":
        return reduce_kernel(textbook.kernel_matrix(X, "rbf"))
    return reduce_samples(X, 1 if kernel == "primal" else 2)


def terms(ys, yt, n_classes, repulsion):
    """The same term twice: as a Term, and as a dense matrix."""
    joint = mmd(ys, yt, len(yt), n_classes, n_classes, 1.0).normalised()
    dense = textbook.mmd_matrix(ys, yt, len(yt), n_classes)
    dense /= np.linalg.norm(dense)
    if repulsion is not None:
        joint = joint + scatter(ys, yt, len(yt), n_classes, repulsion).normalised()
        Q = textbook.scatter_matrix(ys, yt, len(yt), repulsion)
        dense += Q / np.linalg.norm(Q)
    return joint, dense


def assert_same_projection(Z, expected):
    """Equal up to the sign of each column."""
    signs = np.sign(np.sum(Z * expected, axis=0))
    np.testing.assert_allclose(Z * signs, expected, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("kernel", ["primal", "linear", "rbf"])
@pytest.mark.parametrize("repulsion", [None, 0.1], ids=["discrepancy", "discriminative"])
@pytest.mark.parametrize(("n", "m"), [(40, 12), (20, 20), (18, 50)], ids=["fewer", "equal", "more"])
@pytest.mark.parametrize("variant", ["plain", "repeated samples", "missing class"])
def test_projection_equals_the_dense_one(kernel, repulsion, n, m, variant):
    X, ys, yt, C = problem(1, n, m, duplicates=4 * (variant == "repeated samples"), missing=variant == "missing class")
    term, dense = terms(ys, yt, C, repulsion)
    F = textbook.kernel_matrix(X, kernel)
    reduction = reduced(X, kernel)
    Z = reduction.project(smallest_eigenvectors(reduction, term, 1.0, 5))[0]
    assert_same_projection(Z, F @ textbook.eigenvectors(F, dense, 1.0, 5))


def test_indefinite_left_side_takes_the_smallest_eigenvalues_negative_ones_included():
    # Classes far apart: with full repulsion the term rewards their distance.
    _, ys, yt, C = problem(2, 60, 6)
    y = np.concatenate([ys, yt])
    X = textbook.unit(np.eye(6)[y] + 0.1 * np.random.default_rng(0).normal(size=(60, 6)))
    term, dense = terms(ys, yt, C, repulsion=1.0)
    left, _ = textbook.sides(X, dense, 1e-3)
    assert np.linalg.eigvalsh(left)[0] < 0
    reduction = reduced(X, "primal")
    Z = reduction.project(smallest_eigenvectors(reduction, term, 1e-3, 4))[0]
    assert_same_projection(Z, X @ textbook.eigenvectors_general(X, dense, 1e-3, 4))


@given(st.integers(0, 10_000), st.integers(6, 30), st.integers(2, 40), st.sampled_from(["primal", "linear"]))
@settings(max_examples=40)
def test_eigen_residual_is_at_rounding_level(seed, n, m, kernel):
    X, ys, yt, C = problem(seed, n, m)
    term, dense = terms(ys, yt, C, 0.1)
    reduction = reduced(X, kernel)
    k = min(3, reduction.rank)
    Y = smallest_eigenvectors(reduction, term, 0.5, k)
    left, right = textbook.sides(np.asarray(reduction.F), dense, 0.5)
    theta = np.sum(Y * (left @ Y), axis=0) / np.sum(Y * (right @ Y), axis=0)
    residual = left @ Y - (right @ Y) * theta
    assert np.abs(residual).max() < 1e-9 * max(1, np.abs(left).max(), np.abs(right * theta[-1]).max())
    assert np.all(np.diff(theta) > -1e-9 * np.abs(theta).max())
    np.testing.assert_allclose(np.linalg.norm(Y, axis=0), 1)


@pytest.mark.parametrize(("n", "m"), [(40, 12), (18, 50)], ids=["fewer", "more"])
@pytest.mark.parametrize("block", [7, 8192])
def test_a_graph_beside_the_discrepancy_is_solved_as_by_dense_matrices(monkeypatch, n, m, block):
    monkeypatch.setattr(forms, "ROW_BLOCK", block)
    X, ys, yt, C = problem(1, n, m)
    term, dense = terms(ys, yt, C, None)
    W = np.random.default_rng(0).random((n, n)) * (np.random.default_rng(1).random((n, n)) < 0.2)
    W = W + W.T
    reduction = reduced(X, "primal")
    Z = reduction.project(smallest_eigenvectors(reduction, term + laplacian(sparse.csr_array(W)) * 0.3, 1.0, 5))[0]
    L = np.diag(W.sum(axis=1)) - W
    assert_same_projection(Z, X @ textbook.eigenvectors(X, dense + 0.3 * L, 1.0, 5))


@pytest.mark.parametrize(("repulsion", "ratio"), [(None, "LANCZOS_RATIO"), (0.1, "DENSE_LANCZOS_RATIO")])
def test_lanczos_and_the_dense_solver_agree(repulsion, ratio, monkeypatch):
    X, ys, yt, C = problem(3, 300, 120)
    term, _ = terms(ys, yt, C, repulsion)
    reduction = reduced(X, "linear")
    monkeypatch.setattr(leading, ratio, 5)
    fast = reduction.project(smallest_eigenvectors(reduction, term, 1.0, 10))[0]
    monkeypatch.setattr(leading, ratio, np.inf)
    assert_same_projection(fast, reduction.project(smallest_eigenvectors(reduction, term, 1.0, 10))[0])


@pytest.mark.parametrize("repulsion", [None, 0.1])
def test_lanczos_that_does_not_converge_leaves_it_to_the_dense_solver(repulsion, monkeypatch):
    monkeypatch.setattr(leading, "DENSE_LANCZOS_RATIO", 5)
    X, ys, yt, C = problem(3, 100, 60)
    term, _ = terms(ys, yt, C, repulsion)
    reduction = reduced(X, "linear")
    expected = smallest_eigenvectors(reduction, term, 1.0, 4)

    def give_up(*args, **kwargs):
        raise ArpackNoConvergence("no", np.empty(0), np.empty((0, 0)))

    monkeypatch.setattr(leading, "eigsh", give_up)
    assert_same_projection(smallest_eigenvectors(reduction, term, 1.0, 4), expected)


def test_equal_singular_values_are_all_found():
    # One-hot features: every direction is as good as any other, the hardest case for Lanczos.
    X = np.tile(np.eye(60), (4, 1))
    ys, yt = np.arange(120) % 3, np.arange(120) % 3
    term, dense = terms(ys, yt, 3, None)
    reduction = reduced(X, "primal")
    Y = smallest_eigenvectors(reduction, term, 1.0, 8)
    left, right = textbook.sides(reduction.F, dense, 1.0)
    theta = np.sum(Y * (left @ Y), axis=0) / np.sum(Y * (right @ Y), axis=0)
    np.testing.assert_allclose(1 / theta, linalg.eigh(right, left, eigvals_only=True)[::-1][:8], rtol=1e-9)
    assert np.linalg.matrix_rank(Y) == 8


def test_rank_counts_the_directions_that_vary():
    X = textbook.unit(np.random.default_rng(0).normal(size=(10, 30)))
    assert reduce_samples(X, 1).rank == 9
    assert reduce_samples(np.repeat(X[:1], 5, axis=0), 1).rank == 0


def test_weak_directions_count_and_rounding_noise_does_not():
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.normal(size=(20, 4)))[0]
    X = rng.normal(size=(50, 4)) * [1, 1, 1, 1e-3] @ basis.T
    assert len(reduce_samples(X, 1).scale) == 4
    assert len(reduce_samples(X.T.copy(), 1).scale) == 4


def test_float32_samples_stay_float32_and_project_in_float64():
    X = textbook.unit(np.random.default_rng(0).normal(size=(50, 8))).astype(np.float32)
    reduction = reduce_samples(X, 2)
    assert reduction.samples is X
    Z = reduction.project(np.eye(8)[:, :2])[0]
    assert Z.dtype == np.float64
    expected = reduce_samples(X.astype(np.float64), 2)
    np.testing.assert_allclose(np.abs(Z), np.abs(expected.F[:, :2]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kernel", ["primal", "linear", "rbf"])
@pytest.mark.parametrize(("n", "m"), [(40, 6), (18, 50)], ids=["fewer", "more"])
@pytest.mark.parametrize("many", [0, np.inf], ids=["from the samples", "from F"])
def test_products_with_the_coordinates_need_not_have_them(monkeypatch, kernel, n, m, many):
    monkeypatch.setattr(eigenproblem, "MANY_SAMPLES", many)
    X, ys, yt, C = problem(1, n, m)
    term, dense = terms(ys, yt, C, 0.1)
    reduction = reduced(X, kernel)
    F = np.array(reduction.F)
    np.testing.assert_allclose(F.T @ F, np.diag(reduction.scale**2), atol=1e-9 * reduction.scale[0] ** 2)
    close = {"rtol": 1e-9, "atol": 1e-11 * np.abs(F).max()}
    np.testing.assert_allclose(reduction.column_sums(term), term.columns.toarray().T @ F, **close)
    np.testing.assert_allclose(reduction.quadratic_forms()(term), F.T @ dense @ F, **close)
    Y = np.random.default_rng(0).normal(size=(len(reduction.scale), 3))
    np.testing.assert_allclose(reduction.project(Y)[0], F @ Y, **close)
