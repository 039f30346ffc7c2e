"""Whether features have moved: by class means, and by trees that tell the domains apart."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from tsrp.selection import halves, movement
from tsrp.selection.movement import confusion, explained_by_shares, nearest_shares


@pytest.fixture
def source():
    rng = np.random.default_rng(0)
    ys = np.repeat([0, 1, 2], 40)
    means = 3 * rng.normal(size=(3, 8))
    return means[ys] + rng.normal(size=(120, 8)), ys


def drawn(source, shares, seed=1):
    """Rows of the source, classes with these shares."""
    Xs, ys = source
    rng = np.random.default_rng(seed)
    wanted = rng.choice(3, size=200, p=shares)
    return np.array([Xs[rng.choice(np.flatnonzero(ys == code))] for code in wanted])


def textbook(Xs, ys, Xt):
    """The same by a general solver, with the singular values of all samples."""
    mean, deviation = Xs.mean(axis=0), Xs.std(axis=0)
    S, T = (Xs - mean) / deviation, (Xt - mean) / deviation
    means = np.array([S[ys == code].mean(axis=0) for code in np.unique(ys)])
    within = S - means[ys]
    noise = within.var(axis=0).sum() * (1 / len(S) + 1 / len(T))
    way = T.mean(axis=0)
    n = len(means)
    best = minimize(
        lambda q: np.sum((way - q @ means) ** 2),
        np.full(n, 1 / n),
        bounds=[(0, 1)] * n,
        constraints={"type": "eq", "fun": lambda q: q.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    explained = 1 - max(0, best.fun - noise) / (way @ way - noise)
    squares = np.linalg.svd(within, compute_uv=False) ** 2
    chance = (n - 1) / (squares.sum() ** 2 / (squares**2).sum() + n - 1)
    return max(0, (explained - chance) / (1 - chance))


@pytest.mark.parametrize("move", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("shares", [(0.8, 0.1, 0.1), (0.1, 0.2, 0.7)])
def test_what_shares_explain_is_what_a_general_solver_finds(source, shares, move):
    (Xs, ys), Xt = source, drawn(source, shares) + move * np.array([1, -1] * 4)
    assert explained_by_shares(Xs, ys, Xt) == pytest.approx(textbook(Xs, ys, Xt), abs=1e-5)


def test_other_shares_explain_a_target_of_the_same_classes(source):
    Xs, ys = source
    assert explained_by_shares(Xs, ys, drawn(source, (0.8, 0.1, 0.1))) > 0.95


def test_shares_do_not_explain_features_that_moved(source):
    (Xs, ys), Xt = source, drawn(source, (1 / 3, 1 / 3, 1 / 3)) + 3 * np.array([1, -1] * 4)
    assert explained_by_shares(Xs, ys, Xt) < 0.1
    assert confusion(Xs, Xt) < 0.1


def test_of_the_same_domain_there_is_nothing_to_explain(source):
    Xs, ys = source
    assert explained_by_shares(Xs, ys, Xs) == 1


def test_units_and_constant_features_do_not_matter(source):
    Xs, ys = source
    Xt = drawn(source, (0.6, 0.2, 0.2)) + 0.3
    factors, ones = np.logspace(-200, 200, 8), np.ones((len(Xs), 1))
    expected = explained_by_shares(Xs, ys, Xt)
    assert explained_by_shares(Xs * factors, ys, Xt * factors) == pytest.approx(expected)
    held, other = np.hstack([Xs, ones]), np.hstack([Xt, np.full((len(Xt), 1), 7.0)])
    assert explained_by_shares(held, ys, other) == pytest.approx(expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_constant_feature_that_moved_does_not_matter_in_single_precision_either(source, dtype):
    (Xs, ys), Xt = source, drawn(source, (0.6, 0.2, 0.2))
    held, other = (np.column_stack([X, np.full(len(X), value)]).astype(dtype) for X, value in ((Xs, 0.1), (Xt, 0.7)))
    assert explained_by_shares(held, ys, other) == pytest.approx(explained_by_shares(Xs, ys, Xt), abs=1e-4)


def test_a_target_of_quite_another_scale_is_not_explained(source):
    (Xs, ys), Xt = source, drawn(source, (1 / 3, 1 / 3, 1 / 3))
    assert explained_by_shares(Xs, ys, Xt * 1e12 + 1e12) < 0.5


def test_a_source_that_does_not_vary_says_nothing():
    assert explained_by_shares(np.ones((4, 2)), np.array([0, 0, 1, 1]), np.ones((4, 2))) == 0


def test_of_more_classes_than_features_there_are_nearest_shares_too():
    rng = np.random.default_rng(0)
    ys = np.arange(200) % 20
    Xs = rng.normal(size=(20, 3))[ys] + 0.1 * rng.normal(size=(200, 3))
    assert 0 <= explained_by_shares(Xs, ys, Xs[ys < 5]) <= 1


@pytest.mark.filterwarnings("error")
def test_means_on_a_line_have_nearest_shares_without_a_warning():
    shares = nearest_shares(np.array([[-1.0], [0.5], [1.0]]), np.array([10.0]))
    np.testing.assert_allclose(shares, [0, 0, 1], atol=1e-6)


def test_trees_confuse_domains_as_far_as_they_do_with_more_trees_and_folds():
    X = np.unique(load_iris().data, axis=0)
    is_target = X[:, 1] + np.random.default_rng(0).normal(scale=0.3, size=len(X)) > 3
    trees = ExtraTreesClassifier(200, min_samples_leaf=3, random_state=0)
    said = cross_val_predict(trees, X, is_target, cv=5, method="predict_proba")[:, 1]
    expected = 2 * (1 - roc_auc_score(is_target, said))
    assert confusion(X[~is_target], X[is_target]) == pytest.approx(expected, abs=0.15)


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e290])
@pytest.mark.parametrize("offset", [0, 1e9])
def test_units_do_not_help_to_tell_domains_apart(scale, offset):
    rng = np.random.default_rng(0)
    Xs, Xt = rng.normal(size=(60, 3)), rng.normal(size=(50, 3)) + 0.5
    expected = confusion(Xs, Xt)
    assert confusion(scale * (Xs + offset), scale * (Xt + offset)) == pytest.approx(expected, abs=0.05)


def test_the_order_of_samples_does_not_matter():
    rng = np.random.default_rng(0)
    Xs, Xt = rng.normal(size=(60, 3)), rng.normal(size=(50, 3)) + 0.5
    assert confusion(rng.permutation(Xs), rng.permutation(Xt)) == confusion(Xs, Xt)


def test_copies_do_not_tell_the_domain_of_a_sample():
    rng = np.random.default_rng(0)
    Xs, Xt = rng.normal(size=(200, 3)), rng.normal(size=(200, 3))
    assert confusion(np.repeat(Xs, 5, axis=0), np.repeat(Xt, 5, axis=0)) == pytest.approx(confusion(Xs, Xt), abs=0.15)


def test_how_often_samples_occur_tells_domains_apart():
    rng = np.random.default_rng(0)
    Xs, Xt, same = ((rng.uniform(size=(400, 5)) < share).astype(float) for share in (0.2, 0.8, 0.2))
    assert confusion(Xs, Xt) < 0.3 < 0.8 < confusion(Xs, same)


def test_scikit_learns_routing_of_metadata_is_no_obstacle():
    """As skada turns it on."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    with config_context(enable_metadata_routing=True):
        assert confusion(X[:30], X[30:]) == confusion(X[30:], X[:30])


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_few_samples_say_nothing(n):
    X = np.random.default_rng(0).normal(size=(60, 3))
    assert confusion(X, X[:n]) == confusion(X[:n], X) == 0


def test_of_many_samples_some_are_enough(source, monkeypatch):
    (Xs, ys), Xt = source, drawn(source, (0.6, 0.2, 0.2)) + 0.4
    explained, confused = explained_by_shares(Xs, ys, Xt), confusion(Xs, Xt)
    for module in (movement, halves):
        monkeypatch.setattr(module, "ENOUGH", 60)
    assert explained_by_shares(Xs, ys, Xt) == pytest.approx(explained, abs=0.2)
    assert confusion(Xs, Xt) == pytest.approx(confused, abs=0.2)
