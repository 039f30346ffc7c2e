"""TSL: gradients, a descent that never climbs, and densities that come together."""

from typing import Any

import numpy as np
import pytest
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from tests.support import textbook
from tests.support.domains import make_domains
from tests.support.projections import linear_weights
from tsrp import PCA, TSL
from tsrp.exceptions import InputError
from tsrp.methods.tsl import best_ratio, objective_matrices, ratio, transfer_objective
from tsrp.numerics.densities import bandwidth

OBJECTIVES = ["flda", "pca", "lpp"]


def orthonormal(seed, m, d):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(m, d)))[0]


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("alignment", [0.0, 1.0, 50.0])
def test_the_gradient_is_that_of_finite_differences(domains, name, alignment):
    Xs, ys, Xt, _ = domains
    Xs, Xt = Xs / 5, Xt / 5
    cost, gain = objective_matrices(name, np.vstack([Xs, Xt]), ys, 3)
    U = orthonormal(0, 12, 3)
    function = transfer_objective(cost, gain, alignment, (Xs, Xt), bandwidth(np.vstack([Xs, Xt]) @ U))
    _, gradient = function(U)
    step = 1e-6
    numerical = np.empty_like(U)
    for place in np.ndindex(U.shape):
        nudge = np.zeros_like(U)
        nudge[place] = step
        numerical[place] = (function(U + nudge)[0] - function(U - nudge)[0]) / (2 * step)
    np.testing.assert_allclose(gradient, numerical, atol=1e-7 * max(1, np.abs(gradient).max()))


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("seed", range(3))
def test_no_step_raises_the_objective_and_the_densities_come_together(name, seed):
    Xs, ys, Xt, _ = make_domains(seed, shift=1.5)
    model = TSL(3, objective=name, max_steps=1000).fit(Xs, ys, Xt)
    assert len(model.objective_) > 2
    assert np.all(np.diff(model.objective_) <= 0)
    before, after = model.divergence_
    assert 0 <= after < before


@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_start_is_the_best_projection_without_transfer(domains, name):
    Xs, ys, Xt, _ = domains
    cost, gain = objective_matrices(name, np.vstack([Xs, Xt]), ys, 3)
    best = best_ratio(cost, gain, 3)
    np.testing.assert_allclose(best.T @ best, np.eye(3), atol=1e-12)
    value, gradient = ratio(cost, gain, best)
    assert all(ratio(cost, gain, orthonormal(seed, 12, 3))[0] > value for seed in range(50))
    # Of no slope along the manifold.
    assert np.abs(gradient - best @ (best.T @ gradient)).max() < 1e-6 * max(1, np.abs(gradient).max())


def test_eigenvectors_that_lapack_does_not_find_one_by_one_are_found_together(domains, monkeypatch):
    cost, gain = objective_matrices("pca", np.vstack([domains[0], domains[2]]), domains[1], 3)
    expected, eigh = best_ratio(cost, gain, 3), linalg.eigh

    def fail(matrix, subset_by_index=None, **options):
        if subset_by_index is not None:
            raise linalg.LinAlgError("Internal Error.")
        return eigh(matrix, **options)

    monkeypatch.setattr(linalg, "eigh", fail)
    np.testing.assert_allclose(np.abs(best_ratio(cost, gain, 3).T @ expected), np.eye(3), atol=1e-8)


def test_fisher_in_one_dimension_is_the_generalised_eigenvector(domains):
    Xs, ys, Xt, _ = domains
    within, between = objective_matrices("flda", np.vstack([Xs, Xt]), ys, 1)
    expected = linalg.eigh(between, within)[1][:, -1]
    found = best_ratio(within, between, 1)[:, 0]
    assert abs(found @ expected) / np.linalg.norm(expected) == pytest.approx(1, abs=1e-9)


def test_scatter_within_classes_is_what_is_made_small(domains):
    """Not that of the class means, as elsewhere."""
    Xs, ys, Xt, _ = domains
    Z = TSL(objective="flda", alignment=0.0).fit(Xs, ys, Xt).transform(Xs)
    total = Z.var(axis=0).sum()
    within = sum(np.mean(ys == c) * Z[ys == c].var(axis=0).sum() for c in range(4))
    plain = Xs / np.linalg.norm(Xs, axis=1, keepdims=True)
    plain_within = sum(np.mean(ys == c) * plain[ys == c].var(axis=0).sum() for c in range(4))
    assert within / total < 0.5 * plain_within / plain.var(axis=0).sum()


def test_principal_components_without_alignment_are_pca(domains):
    Xs, ys, Xt, _ = domains
    units = [X / np.linalg.norm(X, axis=1, keepdims=True) for X in (Xs, Xt)]
    expected = PCA(3).fit(units[0], ys, units[1]).transform(units[1])
    model = TSL(3, objective="pca", alignment=0.0).fit(Xs, ys, Xt)
    Z = units[1] @ linear_weights(model)
    # The same space, in whatever basis and size.
    assert np.max(linalg.subspace_angles(Z - Z.mean(axis=0), expected - expected.mean(axis=0))) < 1e-6


@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_projection_that_is_kept_is_where_the_descent_ended(domains, name):
    Xs, ys, Xt, _ = domains
    model = TSL(3, objective=name, pca_components=8, alignment=10.0).fit(Xs, ys, Xt)
    samples = textbook.unit(np.vstack([Xs, Xt]))
    samples = samples - samples.mean(axis=0)
    X = samples @ np.linalg.svd(samples)[2][:8].T
    X /= np.sqrt(np.sum(X**2) / len(X))
    Z = samples @ linear_weights(model)
    np.testing.assert_allclose(textbook.unit(Z), model.transform(np.vstack([Xs, Xt])), atol=1e-12)
    U = np.linalg.lstsq(X, Z, rcond=None)[0]
    np.testing.assert_allclose(X @ U, Z, atol=1e-9)
    np.testing.assert_allclose(U.T @ U, np.eye(3), atol=1e-9)
    cost, gain = objective_matrices(name, X, ys, 3)
    start = best_ratio(cost, gain, 3)
    square = bandwidth(X @ start)
    value = ratio(cost, gain, U)[0] + 10 * textbook.density_divergence(Z[:60], Z[60:], square)
    assert value == pytest.approx(model.objective_[-1], rel=1e-6)
    assert model.divergence_[1] == pytest.approx(textbook.density_divergence(Z[:60], Z[60:], square), rel=1e-6)


@pytest.mark.parametrize(("name", "d"), [("pca", 4), ("lpp", 4), ("flda", 3)])
def test_the_subspace_is_smaller_than_what_it_is_chosen_from(domains, name, d):
    Xs, ys, Xt, _ = domains
    assert TSL(objective=name, pca_components=8).fit(Xs, ys, Xt).transform(Xt).shape[1] == d


def test_more_components_than_it_starts_from_are_reduced_with_a_warning(domains):
    Xs, ys, Xt, _ = domains
    with pytest.warns(UserWarning, match="n_components=5 is more than the 2 principal components that TSL starts from"):
        assert TSL(5, pca_components=2).fit(Xs, ys, Xt).transform(Xt).shape == (50, 2)


def test_steps_that_run_out_are_a_warning_and_steps_are_reported(domains):
    Xs, ys, Xt, _ = domains
    seen: list[Any] = []
    with pytest.warns(ConvergenceWarning, match="TSL stopped after max_steps=2") as caught:
        model = TSL(max_steps=2, tolerance=0).fit(Xs, ys, Xt, callback=seen.append)
    # At this line, not somewhere in the package.
    assert caught[0].filename == __file__
    steps = seen[:-1]
    assert [(step.number, step.limit, step.what) for step in steps] == [(1, 2, "objective"), (2, 2, "objective")]
    assert [step.value for step in steps] == model.objective_[1:].tolist()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"objective": "lda"}, "objective must be one of 'pca', 'flda', 'lpp'"),
        ({"alignment": -1}, "alignment must be a number of at least 0"),
        ({"n_components": 0}, "n_components must be a whole number of at least 1"),
        ({"pca_components": 1.5}, "pca_components must be a whole number"),
        ({"tolerance": -1}, "tolerance must be a number of at least 0"),
    ],
)
def test_parameters_are_checked(domains, parameters, message):
    with pytest.raises(ValueError, match=message):
        TSL(**parameters).fit(*domains[:3])


def test_fishers_objective_refuses_a_source_that_does_not_vary():
    """Of one feature unit rows leave the sign: here two sources of one sign, and targets of both."""
    Xs, ys, Xt = [[1.0], [2.0]], [0, 1], [[1.0], [-1.0], [3.0]]
    with pytest.raises(InputError, match='objective="flda" has nothing to separate'):
        TSL(objective="flda").fit(Xs, ys, Xt)
    assert np.isfinite(TSL().fit(Xs, ys, Xt).transform(Xt)).all()
