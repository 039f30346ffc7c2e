"""TCA: the solution of its eigenproblem, and what that does to the domains."""

import numpy as np
import pytest
from scipy import linalg
from scipy.spatial.distance import pdist

from tests.support import textbook
from tests.support.domains import make_domains
from tests.support.projections import linear_weights
from tsrp import TCA

KERNELS = ["primal", "linear", "rbf"]


def sides(X, n_source, kernel, ridge, gamma=1.0):
    F = textbook.kernel_matrix(X, kernel, gamma)
    return F, *textbook.sides(F, textbook.marginal_term(n_source, len(X) - n_source), ridge)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("m", [8, 150])
def test_the_projection_is_that_of_the_dense_version(kernel, m):
    Xs, ys, Xt, _ = make_domains(m=m)
    model = TCA(6, ridge=0.3, kernel=kernel, gamma=0.02).fit(Xs, ys, Xt)
    X = np.vstack([Xs, Xt])
    F = textbook.kernel_matrix(X, kernel, 0.02)
    expected = F @ textbook.eigenvectors(F, textbook.marginal_term(len(Xs), len(Xt)), 0.3, 6)
    projected = model.transform(X)
    signs = np.sign(np.sum(projected * expected, axis=0))
    np.testing.assert_allclose(projected * signs, expected, atol=1e-6 * np.abs(expected).max())


def test_the_eigen_residual_is_at_rounding_level_and_that_of_a_symmetric_solver_is_not(domains):
    Xs, ys, Xt, _ = domains
    X = np.vstack([Xs, Xt])
    _, left, right = sides(X, len(Xs), "primal", 1.0)
    weights = linear_weights(TCA(6, kernel="primal").fit(Xs, ys, Xt))
    assert textbook.eigen_residual(left, right, weights) < 1e-12
    # What goes wrong elsewhere: left^-1 right has the right eigenvectors, but it is not symmetric.
    _, wrong = linalg.eigh(np.linalg.solve(left, right))
    assert textbook.eigen_residual(left, right, wrong[:, -6:]) > 1e-2


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_domains_means_approach_each_other_as_ridge_falls(domains, kernel):
    Xs, ys, Xt, _ = domains
    gaps = []
    for ridge in (1e4, 1e2, 1.0, 1e-2, 1e-4):
        model = TCA(5, ridge=ridge, kernel=kernel).fit(Xs, ys, Xt)
        # At fixed variance, as the constraint has it.
        Z = model.transform(np.vstack([Xs, Xt]))
        Z = Z / Z.std(axis=0)
        gaps.append(np.sum((Z[: len(Xs)].mean(axis=0) - Z[len(Xs) :].mean(axis=0)) ** 2))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 0.01 * gaps[0]


def test_the_median_width_is_one_over_the_median_squared_distance(domains):
    Xs, ys, Xt, _ = domains
    X = np.vstack([Xs, Xt])
    squares = pdist(X, "sqeuclidean")
    automatic = TCA(3, kernel="rbf").fit(Xs, ys, Xt)
    given = TCA(3, kernel="rbf", gamma=1 / np.median(squares)).fit(Xs, ys, Xt)
    np.testing.assert_allclose(automatic.transform(Xt), given.transform(Xt), atol=1e-9)


def test_it_needs_one_round_and_no_target_labels(domains):
    Xs, ys, Xt, _ = domains
    model = TCA(3).fit(Xs, ys, Xt)
    assert model.n_iter_ == 1
    assert not model.uses_target_labels


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "cubic"}, "kernel must be one of 'primal', 'linear', 'rbf'"),
        ({"gamma": "mean"}, 'gamma must be a number greater than 0, or "median"'),
        ({"gamma": -1}, "gamma must be a number greater than 0"),
        ({"ridge": 0}, "ridge must be a number greater than 0"),
    ],
)
def test_parameters_are_checked(domains, parameters, message):
    with pytest.raises(ValueError, match=message):
        TCA(3, **parameters).fit(*domains[:3])


def test_equal_rows_are_refused():
    X = np.tile([0.1, 0.2, 0.3], (6, 1))
    with pytest.raises(ValueError, match=r"Xs and Xt do not vary .*: beside their size all rows are equal"):
        TCA(2).fit(X, [0, 1] * 3, X)


@pytest.mark.parametrize("scale", [100, 1000, 10_000])
def test_the_last_component_is_exact_at_any_size_of_the_features(domains, scale):
    """It is where the domains differ most, and nearly all of it cancels; the ridge has no say at these sizes."""
    Xs, ys, Xt, _ = domains
    last = [linear_weights(TCA(12).fit(Xs * size, ys, Xt * size))[:, -1] for size in (10, scale)]
    cosine = last[0] @ last[1] / np.linalg.norm(last[0]) / np.linalg.norm(last[1])
    assert cosine == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("scale", [1e153, 1e-153])
@pytest.mark.parametrize("kernel", KERNELS)
def test_values_out_of_range_are_refused_in_a_sentence(domains, scale, kernel):
    Xs, ys, Xt, _ = domains
    with pytest.raises(ValueError, match="rescale the features"):
        TCA(3, kernel=kernel).fit(Xs * scale, ys, Xt * scale)


@pytest.mark.parametrize("scale", [1e-25, 1e12])
@pytest.mark.parametrize("kernel", KERNELS)
def test_float32_of_any_size_predicts_what_it_labelled(domains, scale, kernel):
    Xs, ys, Xt, _ = domains
    Xs, Xt = (Xs * scale).astype(np.float32), (Xt * scale).astype(np.float32)
    model = TCA(3, kernel=kernel).fit(Xs, ys, Xt)
    assert len(set(model.labels_)) == 4
    np.testing.assert_array_equal(model.predict(Xt), model.labels_)


def test_few_unscaled_samples_whose_mean_lies_in_their_span_are_projected():
    rng = np.random.default_rng(3)
    Xs, Xt = 1e3 * rng.normal(size=(11, 24)), 1e3 * rng.normal(size=(8, 24)) + 1e3
    with pytest.warns(UserWarning, match="n_components=100 is more than"):
        model = TCA().fit(Xs, np.arange(11) % 2, Xt)
    assert np.isfinite(model.transform(Xt)).all()
    assert np.isfinite(model.project_source(Xs)).all()
