"""Each signal is what a plain computation of its formula gives."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler, normalize

from tests.support.domains import make_domains
from tests.trust.test_graph import dense_affinity
from tsrp.trust.signals import Linear, Logistic, Means, Propagation, margin, of_label


@pytest.fixture(scope="module", params=[2, 4])
def task(request):
    """Xs, ys, Xt, labels and the number of classes."""
    Xs, ys, Xt, yt = make_domains(n_classes=request.param)
    return Xs, ys, Xt, yt, request.param


def test_logistic_has_scikit_learns_probabilities(task):
    Xs, ys, Xt, _, _ = task
    units, new = normalize(Xs), normalize(Xt)
    expected = LogisticRegression(C=10, tol=1e-12, max_iter=10_000).fit(units, ys).predict_proba(new)
    np.testing.assert_allclose(Logistic.fit(units, ys).support(new), expected, atol=1e-7)


def test_propagation_spreads_the_sources_labels_over_the_dense_graph(task):
    Xs, ys, Xt, _, n_classes = task
    nodes = normalize(np.vstack([Xs, Xt]))
    known = np.vstack([np.eye(n_classes)[ys], np.zeros((len(Xt), n_classes))])
    W = dense_affinity(nodes, 10)
    F = known.copy()
    for _ in range(50):
        F = 0.95 * W @ F + 0.05 * known
    F /= np.bincount(ys)
    F /= F.sum(axis=1, keepdims=True)
    spread = Propagation.fit(nodes, known).spread
    np.testing.assert_allclose(spread, F, atol=1e-12)


def test_propagation_gives_a_new_sample_the_classes_of_its_neighbours(task):
    Xs, ys, Xt, _, n_classes = task
    nodes, new = normalize(Xs), normalize(Xt)
    signal = Propagation.fit(nodes, np.eye(n_classes)[ys])
    expected = []
    for row in new:
        near = np.argsort(-(nodes @ row))[:10]
        mixed = np.exp((nodes[near] @ row - 1) / 0.1) @ signal.spread[near]
        expected.append(mixed / mixed.sum())
    np.testing.assert_allclose(signal.support(new), expected, atol=1e-5)
    np.testing.assert_allclose(signal.support(nodes), signal.spread, atol=1e-7)


def test_what_no_label_reaches_may_be_anything():
    nodes = np.repeat(np.eye(2), 12, axis=0)
    known = np.zeros((24, 2))
    known[0] = [1, 0]
    known[1] = [0, 1]
    np.testing.assert_array_equal(Propagation.fit(nodes, known).spread[12:], 0.5)


@pytest.mark.parametrize("n_source", [60, 8])
def test_linear_is_a_ridge_regression_on_each_domains_own_z_scores(task, n_source):
    Xs, ys, Xt, _, n_classes = task
    Xs, ys = Xs[:n_source], ys[:n_source]
    assert (n_source < Xs.shape[1]) == (n_source == 8)
    known = np.eye(n_classes)[ys]
    scaled, new = (normalize(StandardScaler().fit_transform(X)) for X in (Xs, Xt))
    ridge = Ridge(1.0, fit_intercept=False).fit(scaled, known - known.mean(axis=0))
    expected = ridge.predict(new).reshape(len(Xt), -1) + known.mean(axis=0)
    np.testing.assert_allclose(Linear.fit(scaled, ys, n_classes).support(new), expected, atol=1e-10)


def test_means_are_cosines_to_the_classes_of_both_domains(task):
    Xs, ys, Xt, labels, n_classes = task
    units, codes = normalize(np.vstack([Xs, Xt])), np.concatenate([ys, labels])
    centres = normalize(np.array([units[codes == k].mean(axis=0) for k in range(n_classes)]))
    np.testing.assert_allclose(Means.fit(units, codes, n_classes).support(units), units @ centres.T)


def test_a_margin_is_the_distance_to_the_best_other_class():
    support = np.array([[0.5, 0.2, 0.3], [0.1, 0.8, 0.1]])
    np.testing.assert_allclose(margin(support, np.array([0, 2])), [0.2, -0.7])
    np.testing.assert_allclose(of_label(support, np.array([0, 2])), [0.5, 0.1])
