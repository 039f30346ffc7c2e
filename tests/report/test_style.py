"""Planes of samples that are odd: no picture may end the process or hold a point that is not finite."""

import numpy as np
import pytest
from sklearn.manifold import TSNE

from tsrp.report import style
from tsrp.report.style import centred, plane, principal_plane


@pytest.fixture
def features():
    return np.random.default_rng(0).normal(size=(105, 4))


@pytest.fixture
def starts(monkeypatch):
    """The starts that t-SNE is given; scikit-learn's own, "pca", is not finite for some of these samples."""
    seen = []

    class Watched(TSNE):
        def fit_transform(self, X):
            seen.append(self.init)
            assert isinstance(self.init, np.ndarray), "a start that nobody has checked"
            return super().fit_transform(X)

    monkeypatch.setattr(style, "TSNE", Watched)
    return seen


@pytest.mark.parametrize("value", [1731984000000000.0, 1e30, 1e99])
def test_a_large_constant_column_changes_nothing(features, starts, value):
    with_constant = np.column_stack([features, np.full(105, value)])
    np.testing.assert_array_equal(plane(with_constant, 250), plane(features, 250))
    np.testing.assert_allclose(principal_plane(centred(with_constant)), principal_plane(centred(features)), atol=1e-12)
    assert all(np.isfinite(start).all() for start in starts)
    assert len(starts) == 2


def test_a_timestamp_that_varies_does_not_lose_its_variation(features):
    features[:, 0] = 1731984000000000 + 1e6 * np.arange(105)
    points = principal_plane(centred(features))
    assert np.abs(np.corrcoef(points[:, 0], np.arange(105))[0, 1]) > 0.999


def test_samples_that_do_not_vary_lie_at_the_origin(starts):
    assert not plane(np.full((40, 3), 1e99)).any()
    assert starts == []


@pytest.mark.parametrize(
    "X",
    [
        np.repeat([[0.0, 1e99], [1e-99, -1e99]], 20, axis=0),
        np.vstack([np.zeros((39, 2)), [[1e99, 1.0]]]),
        np.arange(40.0)[:, np.newaxis] * 1e-150,
    ],
    ids=["two distinct rows", "one row far out", "one tiny feature"],
)
def test_points_are_finite(starts, X):
    assert np.isfinite(plane(X, 250)).all()
    assert np.isfinite(starts[0]).all()
