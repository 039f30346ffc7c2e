"""The quadratic problem over positive semi-definite matrices fulfils its conditions of optimality."""

import numpy as np
import pytest
from scipy import linalg

from tsrp.numerics.psd import minimise_quadratic


def problem(seed, m, spread):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(m, m)))[0]
    K = (Q * np.geomspace(1, spread, m)) @ Q.T
    R = rng.normal(size=(m, m))
    return (K + K.T) / 2, R + R.T


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("spread", [1.0, 100.0])
def test_the_solution_is_optimal(seed, spread):
    K, R = problem(seed, 12, spread)
    M, converged = minimise_quadratic(K, R, np.eye(12), tolerance=1e-10)
    assert converged
    slack = K @ M + M @ K - R
    scale = np.abs(R).max()
    assert np.linalg.eigvalsh(M)[0] > -1e-8 * scale
    assert np.linalg.eigvalsh(slack)[0] > -1e-6 * scale
    assert abs(np.trace(M @ slack)) < 1e-6 * scale


def test_clipping_the_free_solution_is_worse():
    K, R = problem(0, 12, 100.0)

    def objective(M):
        return np.trace(M @ K @ M) - np.trace(M @ R)

    values, vectors = np.linalg.eigh(linalg.solve_continuous_lyapunov(K, R))
    clipped = (vectors * np.maximum(values, 0)) @ vectors.T
    assert objective(minimise_quadratic(K, R, np.eye(12))[0]) < objective(clipped) - 1e-3


def test_without_the_bound_it_is_lyapunovs_equation():
    K, R = problem(1, 6, 10.0)
    R = R + 50 * np.eye(6)
    np.testing.assert_allclose(
        minimise_quadratic(K, R, np.eye(6), tolerance=1e-12)[0], linalg.solve_continuous_lyapunov(K, R), atol=1e-8
    )


def test_a_problem_that_is_too_far_apart_says_that_it_did_not_converge():
    K, R = problem(2, 8, 1e14)
    M, converged = minimise_quadratic(K, R, np.eye(8))
    assert not converged
    assert np.isfinite(M).all()
