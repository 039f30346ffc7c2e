"""What classifiers of the source say of the target, beside what they say of the source."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB

from tsrp.selection.answers import UNKNOWN, Answers, ask
from tsrp.selection.halves import copies_of, halves, within_reach

CLASSIFIERS = LogisticRegression(), GaussianNB()
N_CLASSES = 3


def blobs(n, seed, shares=None, spread=1.0):
    """Samples of three classes around the corners of a triangle, and their classes; all of them occur."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(N_CLASSES), rng.choice(N_CLASSES, size=n - N_CLASSES, p=shares)])
    corners = np.array([[0.0, 0.0, 0.0, 0.0], [3.0, 0.0, 1.0, 0.0], [0.0, 3.0, 0.0, 1.0]])
    return corners[codes] + spread * rng.normal(size=(n, 4)), codes


def at_home(source, Xt):
    Xs, ys = source
    return Answers.of(Xs, ys, Xt)


def textbook(Xs, ys, Xt):
    """The same with scikit-learn's cross-validation and kappas, and a general solver."""
    source, target = (within_reach(X, of=Xs) for X in (Xs, Xt))
    fold = np.empty(len(source), dtype=int)
    parts = list(halves(copies_of(source), ys, keep_copies_together=False))
    for number, (_, asked) in enumerate(parts):
        fold[asked] = number
    home = [cross_val_predict(own, source, ys, cv=PredefinedSplit(fold), method="predict_proba") for own in CLASSIFIERS]
    abroad = [
        np.vstack([own.fit(source[learnt], ys[learnt]).predict_proba(target) for learnt, _ in parts])
        for own in CLASSIFIERS
    ]
    skill = np.mean([cohen_kappa_score(own.argmax(axis=1), ys) for own in home])
    agreed = [cohen_kappa_score(*(own.argmax(axis=1) for own in shares)) for shares in (home, abroad)]

    def kinds(shares, own):
        """A column for each class and quarter of sureness at home."""
        columns = []
        for code in range(N_CLASSES):
            bounds = np.quantile(own[own.argmax(axis=1) == code].max(axis=1), [0.25, 0.5, 0.75])
            quarter = (shares.max(axis=1)[:, np.newaxis] > bounds).sum(axis=1)
            columns += [(shares.argmax(axis=1) == code) & (quarter == part) for part in range(4)]
        return np.array(columns, dtype=float).T

    strange = []
    for own, other in zip(home, abroad, strict=True):
        by_class = np.array([kinds(own, own)[ys == code].mean(axis=0) for code in range(N_CLASSES)])
        found = kinds(other, own).mean(axis=0)
        best = minimize(
            lambda q, found=found, by_class=by_class: np.sum((found - q @ by_class) ** 2),
            np.full(N_CLASSES, 1 / N_CLASSES),
            bounds=[(0, 1)] * N_CLASSES,
            constraints={"type": "eq", "fun": lambda q: q.sum() - 1},
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        strange.append(np.abs(found - best.x @ by_class).sum() / 2)
    errors = [0.02 + np.mean(own.argmax(axis=1) != ys) for own in home]
    merits = [(min(errors) / own) ** 2 for own in errors]
    accuracy = np.mean(np.average(home, axis=0, weights=merits).argmax(axis=1) == ys)
    return Answers(accuracy, skill, max(strange), agreed[1] / agreed[0], tuple(merits))


@pytest.mark.parametrize("move", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("shares", [None, (0.8, 0.1, 0.1)])
def test_it_is_what_a_plain_computation_finds(shares, move):
    (Xs, ys), (Xt, _) = blobs(150, 0), blobs(200, 1, shares)
    Xt = Xt + move
    expected, found = textbook(Xs, ys, Xt), ask(CLASSIFIERS, Xs, ys, Xt)
    assert found.accuracy == pytest.approx(expected.accuracy)
    assert found.skill == pytest.approx(expected.skill)
    assert found.strangeness == pytest.approx(expected.strangeness, abs=1e-3)
    assert found.consensus == pytest.approx(expected.consensus)
    assert found.merits == pytest.approx(expected.merits)


def test_who_is_far_more_often_wrong_in_the_source_counts_little():
    """Classes on two rings, between which no line runs."""
    rng = np.random.default_rng(0)
    codes, angles = np.arange(400) % 2, rng.uniform(0, 2 * np.pi, size=400)
    X = (1 + codes[:, np.newaxis]) * np.column_stack([np.cos(angles), np.sin(angles)])
    X += 0.1 * rng.normal(size=X.shape)
    answers = Answers.of(X, codes, X)
    of_logistic_regression, of_trees = answers.merits
    assert of_logistic_regression < 0.05
    assert of_trees == 1
    assert answers.accuracy > 0.95


@pytest.mark.parametrize("shares", [None, (0.7, 0.2, 0.1), (0.05, 0.05, 0.9)])
def test_classifiers_are_at_home_where_only_the_shares_of_the_classes_differ(shares):
    answers = at_home(blobs(600, 0), blobs(600, 1, shares)[0])
    assert answers.skill > 0.7
    assert answers.strangeness < 0.15
    assert answers.consensus > 0.7


def test_answers_are_strange_where_features_have_moved():
    assert at_home(blobs(600, 0), blobs(600, 1)[0] + np.array([2.0, 2.0, 0.0, 0.0])).strangeness > 0.25


def test_classifiers_agree_less_where_features_have_moved():
    Xs, ys = blobs(600, 0)
    Xt = blobs(600, 1)[0] + np.array([-1.0, 1.0, 4.0, -3.0])
    assert Answers.of(Xs, ys, Xt).consensus < Answers.of(Xs, ys, blobs(600, 1)[0]).consensus - 0.2


def test_features_that_tell_nothing_about_the_classes_leave_no_skill():
    X, codes = blobs(600, 0)
    assert abs(Answers.of(X, np.random.default_rng(2).permutation(codes), X).skill) < 0.1


def test_classifiers_are_at_home_in_a_table_of_a_few_categories():
    """Every row of the target is a copy of some in the source."""
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(800, 5)).astype(float)
    codes = rng.integers(2, size=32)[X.astype(int) @ 2 ** np.arange(5)]
    answers = Answers.of(X[:400], codes[:400], X[400:])
    assert answers.skill > 0.5
    assert answers.strangeness < 0.15


def test_a_feature_that_varies_by_rounding_tells_nothing():
    (Xs, ys), (Xt, _) = blobs(90, 0), blobs(80, 1)
    rounded = np.where(np.arange(90) % 2, 0.3, 0.1 + 0.2)
    found = Answers.of(np.column_stack([Xs, rounded]), ys, np.column_stack([Xt, np.full(80, 1.1)]))
    expected = Answers.of(np.column_stack([Xs, np.zeros(90)]), ys, np.column_stack([Xt, np.zeros(80)]))
    assert found == expected


def test_neither_order_nor_units_matter():
    (Xs, ys), (Xt, _) = blobs(90, 0), blobs(80, 1)
    order = np.random.default_rng(3).permutation(90)
    expected = Answers.of(Xs, ys, Xt)
    assert Answers.of(Xs[order], ys[order], Xt) == expected
    factors = np.array([1e-200, 1e200, 1.0, 1e9])
    found = Answers.of(Xs * factors, ys, Xt * factors)
    assert found.skill == pytest.approx(expected.skill, abs=0.05)
    assert found.strangeness == pytest.approx(expected.strangeness, abs=0.05)


@pytest.mark.parametrize("codes", [[0, 1], [0] * 6 + [1] * 5, [0] * 30, [0] * 30 + [1], range(30)])
def test_of_a_few_samples_and_of_a_class_that_one_half_lacks_nothing_is_said(codes):
    rng = np.random.default_rng(0)
    assert Answers.of(rng.normal(size=(len(codes), 3)), np.array(codes), rng.normal(size=(20, 3))) == UNKNOWN


def test_a_class_of_one_sample_among_others_is_no_obstacle():
    Xs, ys = blobs(90, 0)
    ys[0] = N_CLASSES
    assert Answers.of(Xs, ys, blobs(80, 1)[0]).skill > 0.5


def test_a_class_that_is_not_among_the_samples_that_are_looked_at_is_no_obstacle(monkeypatch):
    monkeypatch.setattr("tsrp.selection.halves.ENOUGH", 60)
    Xs, ys = blobs(150, 0)
    order = np.lexsort([ys, *Xs.T[::-1]])
    ys[order[1]] = N_CLASSES
    answers = Answers.of(Xs, ys, blobs(80, 1)[0])
    assert answers.skill > 0.5
    assert 0 <= answers.strangeness <= 1


def test_a_target_in_other_units_leaves_the_skill_as_it_is():
    (Xs, ys), (Xt, _) = blobs(90, 0), blobs(80, 1)
    expected = Answers.of(Xs, ys, Xt).skill
    assert Answers.of(Xs, ys, 1e12 * Xt).skill == Answers.of(Xs, ys, 1e300 * Xt).skill == expected


def test_a_target_of_one_sample_is_no_obstacle():
    answers = at_home(blobs(90, 0), np.zeros((1, 4)))
    assert 0 <= answers.strangeness <= 1
    assert np.isfinite(answers.consensus)
