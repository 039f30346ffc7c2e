"""Whether features have moved: by class means, and by trees that tell the domains apart."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from tsrp.selection import movement
from tsrp.selection.movement import confusion, explained_by_shares


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


@pytest.mark.parametrize("Xs", [np.zeros((4, 2)), np.repeat([[0.0], [1.0]], 2, axis=0)], ids=["constant", "classes"])
def test_samples_that_do_not_vary_within_classes_say_nothing_or_that_all_is_the_same(Xs):
    assert explained_by_shares(Xs, np.array([0, 0, 1, 1]), Xs + 5) in (0.0, 1.0)


def test_trees_confuse_domains_as_far_as_those_of_scikit_learn_do():
    X = np.unique(load_iris().data, axis=0)
    is_target = X[:, 1] + np.random.default_rng(0).normal(scale=0.3, size=len(X)) > 3
    trees = ExtraTreesClassifier(200, min_samples_leaf=3, random_state=0)
    said = cross_val_predict(trees, X, is_target, cv=5, method="predict_proba")[:, 1]
    expected = 2 * (1 - roc_auc_score(is_target, said))
    assert confusion(X[~is_target], X[is_target]) == pytest.approx(expected, abs=0.12)


def test_the_order_of_samples_and_copies_of_them_do_not_matter():
    rng = np.random.default_rng(0)
    Xs, Xt = rng.normal(size=(60, 3)), rng.normal(size=(50, 3)) + 0.5
    expected = confusion(Xs, Xt)
    assert confusion(rng.permutation(np.tile(Xs, (4, 1))), rng.permutation(np.tile(Xt, (4, 1)))) == expected


def test_of_many_samples_some_are_enough(source, monkeypatch):
    (Xs, ys), Xt = source, drawn(source, (0.6, 0.2, 0.2)) + 0.4
    explained, confused = explained_by_shares(Xs, ys, Xt), confusion(Xs, Xt)
    monkeypatch.setattr(movement, "ENOUGH", 60)
    assert explained_by_shares(Xs, ys, Xt) == pytest.approx(explained, abs=0.2)
    assert confusion(Xs, Xt) == pytest.approx(confused, abs=0.2)


def test_values_beyond_single_precision_are_told_apart_too():
    assert confusion(np.arange(20.0)[:, np.newaxis], np.linspace(1e300, 2e300, 20)[:, np.newaxis]) == 0
