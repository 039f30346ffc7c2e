"""RTML: its expectations, and turns that never raise its objective."""

from itertools import product

import numpy as np
import pytest
from scipy import linalg
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from tests.support import textbook
from tests.support.domains import make_domains
from tests.support.projections import linear_weights
from tsrp import RTML
from tsrp._types import FloatArray
from tsrp.methods.rtml import metric_problem
from tsrp.numerics.psd import minimise_quadratic


def corrupted_error(X, M, dropout):
    """E |X - X~ M|^2 / n over every pattern of dropped coordinates."""
    total = 0.0
    for kept in product([0, 1], repeat=X.shape[1]):
        mask = np.array(kept)
        chance = np.prod(np.where(mask == 1, 1 - dropout, dropout))
        total += chance * np.sum((X - (X * mask) @ M) ** 2) / len(X)
    return total


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_the_quadratic_problem_is_the_objective_but_for_a_constant(dropout):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 4))
    W = textbook.mmd_matrix(np.arange(12) % 3, rng.integers(3, size=8), 8, 3)
    discrepancy, moments = X.T @ W @ X, X.T @ X / len(X)
    vanishing = np.linalg.qr(rng.normal(size=(4, 2)))[0]
    method = RTML(dropout=dropout, restoration=2.0, low_rank=0.7)
    K, R = metric_problem(vanishing, discrepancy, moments, method)

    def objective(M):
        weight = 0.7 * np.trace(moments) / 4
        whole = np.trace(M @ discrepancy) + 2.0 * corrupted_error(X, M, dropout)
        return whole + weight * np.sum((M @ vanishing) ** 2)

    gaps = []
    for _ in range(5):
        M = rng.normal(size=(4, 4))
        M = M + M.T
        gaps.append(objective(M) - (np.trace(M @ K @ M) - np.trace(M @ R)))
    np.testing.assert_allclose(gaps, gaps[0], rtol=1e-9)


def test_no_turn_raises_the_objective():
    rng = np.random.default_rng(1)
    X = textbook.unit(rng.normal(size=(60, 10)) * np.arange(10, 0, -1))
    W = textbook.mmd_matrix(np.arange(30) % 3, rng.integers(3, size=30), 30, 3)
    discrepancy, moments = X.T @ W @ X, X.T @ X / len(X)
    method = RTML(rank=3)
    M: FloatArray = np.eye(10)
    vectors = np.eye(10)[:, ::-1]
    values = []
    for _ in range(15):
        vanishing = vectors[:, :7]
        K, R = metric_problem(vanishing, discrepancy, moments, method)
        M, _ = minimise_quadratic(K, R, M, tolerance=1e-10)
        values.append(np.trace(M @ K @ M) - np.trace(M @ R))
        _, vectors = linalg.eigh(M)
        K, R = metric_problem(vectors[:, :7], discrepancy, moments, method)
        values.append(np.trace(M @ K @ M) - np.trace(M @ R))
    assert np.all(np.diff(values) <= 1e-6 * np.abs(values).max())
    assert values[-1] < values[0]


@pytest.mark.parametrize("m", [8, 150])
def test_every_round_is_that_of_dense_matrices(m):
    Xs, ys, Xt, _ = make_domains(m=m)
    model = RTML(n_components=6, rank=2, restoration=3.0, low_rank=5.0, dropout=0.2, max_iter=3).fit(Xs, ys, Xt)
    X = textbook.unit(np.vstack([Xs, Xt]))
    X = X - X.mean(axis=0)
    X = textbook.unit(X @ np.linalg.svd(X)[2][:6].T)
    S = X.T @ X / 110
    yt = None
    for r in model.history_:
        W = textbook.jda_term(50, 4)(ys, yt)
        gamma = np.eye(6)[:, 2:]
        for _ in range(5):
            K = 3.0 * (0.64 * S + 0.16 * np.diag(np.diag(S))) + 5.0 * np.trace(S) / 6 * gamma @ gamma.T
            R = 2 * 3.0 * 0.8 * S - X.T @ W @ X
            M, _ = minimise_quadratic(K, R, np.eye(6), tolerance=1e-12)
            values, vectors = np.linalg.eigh(M)
            gamma = vectors[:, :4]
        Z = textbook.unit(X @ (vectors * np.sqrt(np.maximum(values, 0))))
        yt = ys[textbook.nearest(Z[:60], Z[60:])]
        np.testing.assert_array_equal(r.labels, yt)
    projected = model.transform(np.vstack([Xs, Xt]))
    np.testing.assert_allclose(cdist(projected, projected), cdist(Z, Z), atol=1e-5)


def test_a_metric_that_vanishes_is_refused():
    Xs, ys, Xt, _ = make_domains(m=20, shift=3.0)
    with pytest.raises(ValueError, match="the metric vanishes with these settings; use a larger restoration"):
        RTML(n_components=3, rank=3, restoration=1e-3).fit(Xs, ys, Xt)


def test_a_metric_that_is_not_exact_is_a_warning():
    Xs, ys, Xt, _ = make_domains(m=20, shift=3.0)
    with pytest.warns(ConvergenceWarning, match="RTML's metric is not exact"):
        model = RTML(n_components=3, rank=2, restoration=1e-6, max_iter=1).fit(Xs, ys, Xt)
    assert np.isfinite(model.transform(Xt)).all()


def test_the_metric_is_of_about_the_wanted_rank(domains):
    Xs, ys, Xt, _ = domains
    shares = []
    for weight in (0.0, 1000.0):
        model = RTML(n_components=12, rank=3, low_rank=weight, max_iter=2).fit(Xs, ys, Xt)
        root = linear_weights(model)
        values = np.linalg.eigvalsh(root @ root.T)
        shares.append(values[-3:].sum() / values.sum())
    assert shares[0] < shares[1]
    assert shares[1] > 0.9


def test_a_round_depends_on_the_labels_only(domains):
    Xs, ys, Xt, yt = domains
    method = RTML(n_components=12, rank=5)
    rounds = method.prepare(Xs, ys, Xt, 4)
    first = rounds.project(yt)[1]
    rounds.project(None)
    np.testing.assert_array_equal(rounds.project(yt)[1], first)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rank": 0}, "rank must be a whole number of at least 1"),
        ({"restoration": 0}, "restoration must be a number greater than 0"),
        ({"low_rank": -1}, "low_rank must be a number of at least 0"),
        ({"dropout": 1.0}, "dropout must be a number of at least 0 and at most 0.99"),
    ],
)
def test_parameters_are_checked(domains, parameters, message):
    with pytest.raises(ValueError, match=message):
        RTML(5, **parameters).fit(*domains[:3])
