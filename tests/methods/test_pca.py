"""PCA: the principal components of both domains together."""

import numpy as np
import pytest
from sklearn import decomposition

from tests.support.domains import make_domains
from tsrp import GFK, PCA


@pytest.mark.parametrize("m", [8, 200])
def test_it_is_scikit_learns_pca_of_both_domains(m):
    Xs, ys, Xt, _ = make_domains(m=m)
    model = PCA(n_components=5).fit(Xs, ys, Xt)
    both = np.vstack([Xs, Xt])
    expected = decomposition.PCA(5, svd_solver="full").fit_transform(both)
    projected = model.transform(both)
    np.testing.assert_allclose(projected * np.sign(np.sum(projected * expected, axis=0)), expected, atol=1e-9)


def test_more_components_than_directions_are_reduced_with_a_warning(domains):
    Xs, ys, Xt, _ = domains
    with pytest.warns(UserWarning, match="n_components=100 is more than the 12 directions"):
        assert PCA().fit(Xs, ys, Xt).transform(Xt).shape == (50, 12)


@pytest.mark.parametrize("method", [PCA(3), GFK(3)])
def test_values_out_of_range_are_refused_in_a_sentence(domains, method):
    Xs, ys, Xt, _ = domains
    with pytest.raises(ValueError, match="rescale the features"):
        method.fit(Xs * 1e160, ys, Xt)


def test_samples_that_do_not_vary_are_refused():
    X = np.tile([0.1, 0.2, 0.3], (6, 1))
    with pytest.raises(ValueError, match=r"Xs and Xt do not vary \(n_features=3\)"):
        PCA(n_components=2).fit(X, [0, 1] * 3, X)
