"""AGE-CS: every round has the labels of dense matrices and plain loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import textbook
from tests.support.benchmarks import accuracies
from tests.support.domains import make_domains
from tests.support.odd_domains import VARIANTS, odd_domains
from tsrp import AGECS, TSRP, NearestNeighbour
from tsrp.methods.agecs import labelled_graph


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_every_round_has_the_labels_of_the_textbook_version(variant, seed):
    Xs, ys, Xt = odd_domains(variant, seed)
    model = AGECS(5, mu=0.4, locality=2.0, n_neighbors=8, smoothing=0.3, ridge=0.2, max_iter=4).fit(Xs, ys, Xt)
    settings = {"mu": 0.4, "locality": 2.0, "n_neighbors": 8, "tau": 1e-3, "smoothing": 0.3, "ridge": 0.2}
    expected = textbook.agecs(Xs, ys, Xt, 4, k=5, rounds=4, **settings)
    assert len(model.history_) == 4
    for r, labels in zip(model.history_, expected, strict=True):
        np.testing.assert_array_equal(r.labels, labels)


@given(st.integers(0, 10_000), st.integers(1, 12), st.booleans(), st.none() | st.floats(0.01, 2))
@settings(max_examples=60)
def test_the_graph_is_that_of_the_formula(seed, k, repeated, width):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(13, 3)), rng.integers(3, size=13)
    if repeated:
        X[8:] = X[0]
    graph, own = labelled_graph(X, y, k, 1e-3, width)
    expected, expected_own = textbook.agecs_graph(X, y, k, 1e-3, width)
    np.testing.assert_allclose(graph.toarray(), expected, atol=1e-6)
    assert own == pytest.approx(expected_own, abs=1e-9)
    np.testing.assert_allclose(graph.sum(axis=1), 1)
    assert not graph.diagonal().any()
    assert np.all(np.diff(graph.indptr) <= k)


def test_a_neighbour_of_the_same_label_counts_more():
    X = np.array([[0.0], [1.0], [-1.0], [1.5], [-9.0]])
    alike, _ = labelled_graph(X, np.array([0, 0, 1, 1, 1]), 3, preference=0.05, width=1.0)
    other, _ = labelled_graph(X, np.array([0, 1, 1, 1, 1]), 3, preference=0.05, width=1.0)
    assert alike[0, 1] > other[0, 1] == pytest.approx(other[0, 2])


def test_without_smoothing_the_first_graph_stays(domains):
    Xs, ys, Xt, _ = domains
    kept = AGECS(5, n_neighbors=8, smoothing=0.0, max_iter=3).fit(Xs, ys, Xt)
    moved = AGECS(5, n_neighbors=8, smoothing=1.0, max_iter=3).fit(Xs, ys, Xt)
    np.testing.assert_array_equal(kept.history_[0].labels, moved.history_[0].labels)
    assert not np.allclose(kept.transform(Xt), moved.transform(Xt))


def test_unseen_samples_are_projected_as_the_training_rows_were(domains):
    Xs, ys, Xt, _ = domains
    model = AGECS(5, n_neighbors=8, max_iter=2).fit(Xs, ys, Xt)
    np.testing.assert_allclose(model.transform(Xt), model.fit_record_.Zt, atol=1e-9)


def test_the_weak_classifier_of_tsrp_is_its_own_and_the_strong_one_is_1nn():
    Xs, ys, Xt, _ = make_domains()
    model = TSRP(AGECS(5, n_neighbors=8, max_iter=3)).fit(Xs, ys, Xt)
    assert isinstance(model.classifier_, NearestNeighbour)
    alone = AGECS(5, n_neighbors=8, max_iter=1).fit(Xs, ys, Xt)
    np.testing.assert_array_equal(model.history_[0].crude, alone.labels_)
    chosen = TSRP(AGECS(5, n_neighbors=8, max_iter=1), classifier=NearestNeighbour()).fit(Xs, ys, Xt)
    Z = chosen.fit_record_
    np.testing.assert_array_equal(chosen.history_[0].crude, ys[textbook.nearest(Z.Zs, Z.Zt)])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"mu": 1.5}, "mu must be a number of at least 0 and at most 1"),
        ({"locality": -1}, "locality must be a number of at least 0"),
        ({"n_neighbors": 0}, "n_neighbors must be a whole number of at least 1"),
        ({"preference": -1}, "preference must be a number of at least 0"),
        ({"smoothing": 2}, "smoothing must be a number of at least 0 and at most 1"),
        ({"ridge": 0}, "ridge must be a number greater than 0"),
    ],
)
def test_parameters_are_checked(domains, parameters, message):
    with pytest.raises(ValueError, match=message):
        AGECS(5, **parameters).fit(*domains[:3])


def test_surf_is_as_the_prototype_had_it(data_dir):
    """In the first round task by task; after ten of them a last bit may have become another label."""
    measured = accuracies("office-caltech-surf", "agecs", data_dir)
    first = [58.46, 55.93, 52.23, 44.79, 54.92, 49.68, 36.78, 40.19, 91.72, 34.82, 42.59, 89.83]
    np.testing.assert_allclose(measured[:, 0], first, atol=0.5)
    assert measured[:, -1].mean() == pytest.approx(56.27, abs=1.5)
