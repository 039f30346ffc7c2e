"""The descent stays on the manifold, never climbs, and finds what is known."""

import numpy as np
import pytest

from tsrp.numerics.stiefel import minimise


def quadratic(m=8):
    A = np.random.default_rng(0).normal(size=(m, m))
    A = A + A.T
    return A, lambda U: (float(np.sum(U * (A @ U))), 2 * A @ U)


def start(m=8, d=3, seed=1):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(m, d)))[0]


@pytest.mark.parametrize("seed", range(5))
def test_it_finds_the_smallest_eigenvectors(seed):
    A, function = quadratic()
    found = minimise(function, start(seed=seed), max_steps=2000, tolerance=1e-14)
    assert found.converged
    assert found.values[-1] == pytest.approx(np.linalg.eigvalsh(A)[:3].sum(), abs=1e-8)
    assert np.all(np.diff(found.values) <= 0)
    np.testing.assert_allclose(found.U.T @ found.U, np.eye(3), atol=1e-12)


def test_steps_that_run_out_are_no_convergence():
    _, function = quadratic()
    seen = []
    found = minimise(function, start(), max_steps=3, tolerance=0, report=lambda *step: seen.append(step))
    assert not found.converged
    assert seen == [(i, found.values[i]) for i in (1, 2, 3)]


def test_a_flat_objective_ends_at_once():
    found = minimise(lambda U: (1.0, np.zeros_like(U)), start(), max_steps=9, tolerance=0)
    assert found.converged
    assert found.values == [1.0]


def test_a_gradient_that_lies_ends_where_it_is():
    _, function = quadratic()
    found = minimise(lambda U: (function(U)[0], -function(U)[1]), start(), max_steps=9, tolerance=0)
    assert found.converged
    assert found.values == [function(start())[0]]
    np.testing.assert_array_equal(found.U, start())
