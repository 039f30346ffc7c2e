"""Trees as arrays answer as scikit-learn's trees do."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.tree import ExtraTreeClassifier

from tsrp.classifiers.forest import Forest
from tsrp.exceptions import InputError, UsageError


@pytest.mark.parametrize("leaf", [1, 5])
def test_probabilities_are_those_of_scikit_learn(domains, leaf):
    Xs, ys, Xt, _ = domains
    grown = ExtraTreesClassifier(20, min_samples_leaf=leaf, random_state=3).fit(Xs, ys)
    ours = Forest(20, min_samples_leaf=leaf, random_state=3).fit(Xs, ys)
    np.testing.assert_allclose(ours.predict_proba(Xt), grown.predict_proba(Xt), atol=1e-6)
    np.testing.assert_array_equal(ours.predict(Xt), grown.predict(Xt))


def test_a_feature_that_does_not_vary_is_one_leaf():
    model = Forest(3).fit([[1.0], [1.0], [1.0]], ["a", "b", "b"])
    np.testing.assert_allclose(model.predict_proba([[1.0], [5.0]]), [[1 / 3, 2 / 3]] * 2, atol=1e-6)


def test_labels_are_the_users_own(domains):
    Xs, ys, Xt, _ = domains
    names = np.array(["red", "green", "blue", "grey"])
    assert set(Forest(5).fit(Xs, names[ys]).predict(Xt)) <= set(names)


def test_a_wrong_parameter_is_named(domains):
    with pytest.raises(UsageError, match="n_trees must be a whole number of at least 1"):
        Forest(0).fit(domains[0], domains[1])


def test_weights_count_as_in_scikit_learn(domains):
    Xs, ys, Xt, _ = domains
    weights = np.where(ys == 0, 20.0, 1.0)
    grown = ExtraTreesClassifier(20, min_samples_leaf=5, random_state=3).fit(Xs, ys, weights)
    ours = Forest(20, min_samples_leaf=5, random_state=3).fit(Xs, ys, weights)
    np.testing.assert_allclose(ours.predict_proba(Xt), grown.predict_proba(Xt), atol=1e-6)


def test_what_is_too_large_for_single_precision_lies_beyond_every_threshold():
    model = Forest(5).fit([[0.0], [1.0]], ["low", "high"])
    assert model.predict([[-1e60], [1e60]]).tolist() == ["low", "high"]
    with pytest.raises(InputError, match="X: trees compare in single precision"):
        model.fit([[0.0], [1e60]], ["low", "high"])


def test_sums_beyond_single_precision_are_no_reason_to_warn():
    y = [0] * 30 + [1] * 30
    X = np.where(np.array(y) == 0, 3e38, -3e38)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Forest(5).fit(X, y).predict(X).tolist() == y
        assert np.isfinite(Forest(5).fit_out_of_bag(X, y, np.ones(60))).all()


def test_rows_are_judged_by_the_trees_that_lack_them(domains):
    """Beside a plain count of scikit-learn's trees, each grown from the rows that were drawn for it."""
    Xs, ys, Xt, _ = domains
    weights = np.where(ys == 0, 3.0, 1.0)
    ours = Forest(60, random_state=3)
    shares = ours.fit_out_of_bag(Xs, ys, weights)
    random, n = np.random.RandomState(3), len(ys)
    said: list[list[np.ndarray]] = [[] for _ in ys]
    of_new = []
    for seed in [random.randint(2**31 - 1) for _ in range(60)]:
        drawn = np.random.RandomState(seed).randint(n, size=n)
        counts = np.array([np.sum(drawn == row) for row in range(n)])
        tree = ExtraTreeClassifier(random_state=seed).fit(Xs.astype(np.float32), ys, weights * counts)
        of_new.append(tree.predict_proba(Xt))
        for row in np.flatnonzero(counts == 0):
            said[row].append(tree.predict_proba(Xs[row : row + 1])[0])
    np.testing.assert_allclose(shares, [np.mean(own, axis=0) for own in said], atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(Xt), np.mean(of_new, axis=0), atol=1e-6)


def test_of_rows_that_no_tree_lacks_only_the_classes_shares_are_known():
    def draws(seed):
        own = np.random.RandomState(seed).randint(2**31 - 1)
        return set(np.random.RandomState(own).randint(2, size=2))

    seed = next(seed for seed in range(100) if draws(seed) == {0, 1})
    shares = Forest(1, random_state=seed).fit_out_of_bag([[0.0], [1.0]], ["a", "b"], np.array([3.0, 1.0]))
    np.testing.assert_allclose(shares, [[0.75, 0.25]] * 2)
