"""The original features: z-scores of each domain, rows of unit length, principal directions of both."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler, normalize

from tests.support.domains import make_domains
from tsrp.trust.original import Principal, Scaling


@pytest.fixture(scope="module")
def X():
    return make_domains()[2]


def test_scaled_rows_are_z_scores_of_unit_length(X):
    np.testing.assert_allclose(Scaling.of(X).rows(X), normalize(StandardScaler().fit_transform(X)), atol=1e-12)


def test_samples_to_come_are_scaled_as_the_domain_was(X):
    scaler, new = StandardScaler().fit(X), make_domains(3)[2]
    np.testing.assert_allclose(Scaling.of(X).rows(new), normalize(scaler.transform(new)), atol=1e-12)


def test_features_that_do_not_vary_say_nothing(X):
    constant = np.column_stack([X, np.full(len(X), 0.1), np.zeros(len(X))])
    np.testing.assert_allclose(Scaling.of(constant).rows(constant)[:, :12], Scaling.of(X).rows(X), atol=1e-12)


def test_a_feature_whose_deviation_is_too_small_for_a_number_is_not_divided_by_zero():
    X = np.zeros((9, 1))
    X[0] = 5e-324
    with np.errstate(divide="raise", invalid="raise"):
        assert np.isfinite(Scaling.of(X).rows(X)).all()


def test_samples_far_beyond_a_feature_that_has_hardly_varied_are_finite(X):
    narrow = X * np.append(1e-310, np.ones(X.shape[1] - 1))
    rows = Scaling.of(narrow).rows(np.ones((2, X.shape[1])))
    np.testing.assert_allclose(rows, np.eye(1, X.shape[1]).repeat(2, axis=0), atol=1e-300)


@pytest.mark.parametrize("factor", [1e-150, 1e150])
def test_the_unit_of_the_features_does_not_matter(X, factor):
    np.testing.assert_allclose(Scaling.of(X * factor).rows(X * factor), Scaling.of(X).rows(X), rtol=1e-9)


def test_cosines_among_principal_directions_are_those_of_scikit_learns(X):
    units = Principal.of(X).units(X)
    expected = normalize(PCA().fit_transform(X))
    np.testing.assert_allclose(units @ units.T, expected @ expected.T, atol=1e-10)


def test_of_many_directions_fifty_are_kept():
    X = np.random.default_rng(0).normal(size=(150, 130))
    units, expected = Principal.of(X).units(X), normalize(PCA(50, svd_solver="full").fit_transform(X))
    assert units.shape == (150, 50)
    np.testing.assert_allclose(units @ units.T, expected @ expected.T, atol=1e-8)


def test_rows_that_do_not_vary_have_no_directions():
    X = np.full((9, 3), 0.1)
    np.testing.assert_array_equal(Principal.of(X).units(X), np.empty((9, 0)))
