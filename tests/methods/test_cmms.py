"""CMMS: every round has the labels of dense matrices and plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from tests.numerics.test_terms import dense
from tests.support import textbook
from tests.support.benchmarks import accuracies
from tests.support.odd_domains import VARIANTS, odd_domains
from tsrp import CMMS, TSRP
from tsrp.methods.cmms import TargetGraph, centroid_matching, class_laplacian


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_every_round_has_the_labels_of_the_textbook_version(variant, seed):
    Xs, ys, Xt = odd_domains(variant, seed)
    model = CMMS(5, clustering=0.2, locality=2.0, n_neighbors=7, ridge=0.3, max_iter=4).fit(Xs, ys, Xt)
    first = LinearSVC(dual=False).fit(textbook.unit(Xs), ys).predict(textbook.unit(Xt))
    settings = {"alpha": 0.2, "locality": 2.0, "n_neighbors": 7, "ridge": 0.3}
    expected = textbook.cmms(Xs, ys, Xt, first, 4, k=5, rounds=4, **settings)
    assert len(model.history_) == 4
    for r, labels in zip(model.history_, expected, strict=True):
        np.testing.assert_array_equal(r.labels, labels)


def test_rows_that_differ_by_less_than_their_squares_can_tell_are_labelled():
    """liblinear, which gives the first labels, never ended."""
    tiny = 1e-250 * (1 + np.arange(6) / 10)
    Xs = np.column_stack([np.ones(6), 1.7586e-189 * (1 + np.array([2, 4, 5, 7, 1, 0]) * 1e-8), tiny])
    model = CMMS(n_components=1, max_iter=3).fit(Xs, [0, 1, 2, 3, 1, 1], np.vstack([np.eye(3), Xs[:3]]))
    assert set(model.labels_) <= {0, 1, 2, 3}


@given(st.integers(0, 10_000), st.floats(0.01, 5))
def test_matching_is_what_the_best_centroids_leave(seed, clustering):
    """No other centroids make the sum of squares smaller, and the term is that sum."""
    rng = np.random.default_rng(seed)
    ys, yt = np.append(np.arange(3), rng.integers(3, size=5)), rng.integers(3, size=6)
    Z = rng.normal(size=(14, 2))
    Zs, Zt = Z[:8], Z[8:]
    means = np.array([Zs[ys == c].mean(axis=0) for c in range(3)])

    def squares(centroids):
        return np.sum((means - centroids) ** 2) + clustering * np.sum((Zt - centroids[yt]) ** 2)

    best = np.array(
        [(means[c] + clustering * Zt[yt == c].sum(axis=0)) / (1 + clustering * np.sum(yt == c)) for c in range(3)]
    )
    term = np.trace(Z.T @ dense(centroid_matching(ys, yt, 3, clustering)) @ Z)
    assert term == pytest.approx(squares(best))
    assert squares(best) <= squares(best + 0.1 * rng.normal(size=best.shape))


def test_the_class_laplacian_is_of_norm_one_or_zero():
    assert np.linalg.norm(dense(class_laplacian(np.array([0, 1, 1, 2, 2, 2]), 3))) == pytest.approx(1)
    assert np.abs(dense(class_laplacian(np.arange(3), 3))).max() == 0


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_samples_have_a_graph_without_edges(n):
    graph = TargetGraph(10, np.eye(3)[:n])
    graph.learn(np.eye(3)[:n])
    assert not dense(graph.laplacian()).any()


def test_equal_samples_are_all_joined_alike():
    graph = TargetGraph(2, np.ones((5, 3)))
    L = dense(graph.laplacian())
    assert np.isfinite(L).all()
    assert np.linalg.norm(L) == pytest.approx(1)
    graph.learn(np.ones((5, 3)))
    np.testing.assert_allclose(dense(graph.laplacian()), L)


def test_the_label_is_that_of_the_nearest_centroid_of_both_domains(domains):
    Xs, ys, Xt, _ = domains
    model = CMMS(5, clustering=0.2, max_iter=2).fit(Xs, ys, Xt)
    before = model.history_[0].labels
    Zs, Zt = model.transform(Xs), model.transform(Xt)
    centroids = [
        (Zs[ys == c].mean(axis=0) + 0.2 * Zt[before == c].sum(axis=0)) / (1 + 0.2 * np.sum(before == c))
        for c in range(4)
    ]
    np.testing.assert_array_equal(model.labels_, textbook.nearest(np.array(centroids), Zt))


def test_remedied_labels_go_into_the_next_round():
    Xs, ys, Xt = odd_domains("plain")
    settings = {"alpha": 0.1, "locality": 5.0, "n_neighbors": 10, "ridge": 0.1}
    model = TSRP(CMMS(5, max_iter=2), trust=0.8).fit(Xs, ys, Xt)
    first = LinearSVC(dual=False).fit(textbook.unit(Xs), ys).predict(textbook.unit(Xt))
    [crude] = textbook.cmms(Xs, ys, Xt, first, 4, k=5, rounds=1, **settings)
    np.testing.assert_array_equal(model.history_[0].crude, crude)
    rounds = CMMS(5).prepare(Xs, ys, Xt, 4)
    rounds.project(None)
    np.testing.assert_allclose(rounds.project(model.history_[0].labels)[1], model.fit_record_.Zt, atol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"clustering": 0}, "clustering must be a number greater than 0"),
        ({"locality": -1}, "locality must be a number of at least 0"),
        ({"n_neighbors": 0}, "n_neighbors must be a whole number of at least 1"),
        ({"ridge": 0}, "ridge must be a number greater than 0"),
    ],
)
def test_parameters_are_checked(domains, parameters, message):
    with pytest.raises(ValueError, match=message):
        CMMS(5, **parameters).fit(*domains[:3])


def test_the_average_on_surf_is_that_of_the_prototype(data_dir):
    assert accuracies("office-caltech-surf", "cmms", data_dir)[:, -1].mean() == pytest.approx(53.57, abs=0.5)
