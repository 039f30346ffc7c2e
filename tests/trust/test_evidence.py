"""Trust is the mean of five ranks, and depends on nothing but the samples and their labels."""

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler, normalize
from threadpoolctl import threadpool_limits

from tests.support.domains import make_domains
from tests.trust.test_graph import dense_affinity
from tsrp.trust.evidence import Evidence
from tsrp.trust.view import View, content_keys


@pytest.fixture(scope="module")
def task():
    """Original and projected samples of both domains, codes and labels: Xs, Zs, ys, Xt, Zt, labels."""
    Xs, ys, Xt, labels = make_domains(n_source=90, n_target=70)
    W = np.random.default_rng(1).normal(size=(12, 6))
    return Xs, Xs @ W, ys, Xt, Xt @ W, labels


def trust(Xs, Zs, ys, Xt, Zt, labels, n_classes=4):
    return Evidence.of(View.of(Xs, Zs, ys, Xt, Zt, labels, n_classes)).trust


def by_the_recipe(Xs, Zs, ys, Xt, Zt, labels):
    """The five signals and their ranks, all in dense matrices and in the order given."""
    n_classes, place = 4, np.arange(len(labels))
    us, ut, known = normalize(Zs), normalize(Zt), np.eye(4)[ys]

    def margin(support):
        others = np.where(np.eye(n_classes, dtype=bool)[labels], -np.inf, support)
        return support[place, labels] - others.max(axis=1)

    logistic = LogisticRegression(C=10, tol=1e-12, max_iter=10_000).fit(us, ys).predict_proba(ut)[place, labels]
    start = np.vstack([known, np.zeros((len(ut), n_classes))])

    def spread(units):
        W, F = dense_affinity(units, 10), start
        for _ in range(50):
            F = 0.95 * W @ F + 0.05 * start
        F = F[len(us) :] / np.bincount(ys)
        return F / F.sum(axis=1, keepdims=True)

    propagation = spread(np.vstack([us, ut]))[place, labels]
    scaled, new = (normalize(StandardScaler().fit_transform(X)) for X in (Xs, Xt))
    linear = margin(Ridge(1.0, fit_intercept=False).fit(scaled, known - known.mean(0)).predict(new) + known.mean(0))
    surroundings = margin(spread(normalize(PCA().fit_transform(np.vstack([scaled, new])))))
    both, codes = np.vstack([us, ut]), np.concatenate([ys, labels])
    means = margin(ut @ normalize(np.array([both[codes == k].sum(axis=0) for k in range(n_classes)])).T)
    signals = logistic, propagation, linear, means, surroundings
    return np.mean([(rankdata(s) - 0.5) / len(s) for s in signals], axis=0)


def test_trust_is_the_mean_rank_of_the_five_signals(task):
    np.testing.assert_allclose(trust(*task), by_the_recipe(*task), atol=1e-6)


def test_the_order_of_the_rows_does_not_matter(task):
    Xs, Zs, ys, Xt, Zt, labels = task
    rng = np.random.default_rng(0)
    s, t = rng.permutation(len(Xs)), rng.permutation(len(Xt))
    shuffled = trust(Xs[s], Zs[s], ys[s], Xt[t], Zt[t], labels[t])
    np.testing.assert_array_equal(shuffled, trust(*task)[t])


def test_the_order_of_the_classes_does_not_matter(task):
    Xs, Zs, ys, Xt, Zt, labels = task
    other = np.array([2, 0, 3, 1])
    np.testing.assert_array_equal(trust(Xs, Zs, other[ys], Xt, Zt, other[labels]), trust(*task))


def test_the_number_of_threads_does_not_matter(task):
    found = []
    for n in (1, 2):
        with threadpool_limits(n, "blas"):
            found.append(trust(*task))
    np.testing.assert_array_equal(found[0], found[1])


def test_equal_rows_are_trusted_alike_however_many_there_are(task):
    Xs, Zs, ys, Xt, Zt, labels = task
    s, t = np.repeat(np.arange(len(Xs)), 12), np.repeat(np.arange(len(Xt)), 15)
    found = trust(Xs[s], Zs[s], ys[s], Xt[t], Zt[t], labels[t]).reshape(-1, 15)
    np.testing.assert_array_equal(np.ptp(found, axis=1), 0)


def test_a_sample_of_the_target_is_judged_later_as_in_the_fit(task):
    Xs, Zs, ys, Xt, Zt, labels = task
    evidence = Evidence.of(View.of(Xs, Zs, ys, Xt, Zt, labels, 4))
    np.testing.assert_allclose(evidence.judge(Xt, Zt, labels), evidence.trust, atol=2e-6)
    plain = LogisticRegression(C=10, tol=1e-12, max_iter=10_000).fit(normalize(Zs), ys)
    np.testing.assert_allclose(evidence.chances(Zt), plain.predict_proba(normalize(Zt)), atol=1e-6)


def test_a_wrong_label_is_trusted_less(task):
    Xs, Zs, ys, Xt, Zt, labels = task
    wrong = labels.copy()
    wrong[:7] = (labels[:7] + 1) % 4
    found = trust(Xs, Zs, ys, Xt, Zt, wrong)
    assert found[:7].max() < np.quantile(found[7:], 0.1)


@pytest.mark.parametrize(
    ("n_source", "n_target", "codes"),
    [(4, 1, [0]), (8, 5, [1, 1, 1, 1, 1]), (60, 3, [3, 0, 0]), (5, 40, [2] * 40)],
    ids=["one row", "fewer rows than neighbours", "few target rows", "one label only"],
)
def test_little_data_gives_trust_within_bounds(n_source, n_target, codes):
    Xs, ys, Xt, _ = make_domains(n_source=n_source, n_target=n_target)
    found = trust(Xs, Xs, ys, Xt, Xt, np.array(codes))
    assert found.shape == (n_target,)
    assert ((found > 0) & (found < 1)).all()


def test_rows_that_are_all_the_same_are_trusted_the_same():
    ones = np.ones((6, 2))
    np.testing.assert_array_equal(trust(ones, ones, np.arange(6) % 2, ones, ones, np.zeros(6, int), n_classes=2), 0.5)


def test_keys_depend_on_values_alone():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]])
    keys = content_keys(X)
    assert keys[0] == keys[1] != keys[2]
    np.testing.assert_array_equal(content_keys(np.asfortranarray(X)), keys)
