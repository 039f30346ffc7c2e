"""Each score against a plain second computation, and in the order that it should have."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import softmax
from scipy.stats import entropy
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import mutual_info_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler, normalize

from tests.support.domains import make_domains
from tsrp import JDA, NN, TSRP, PerDomain
from tsrp.selection import SCORES, scores

Xs, ys, Xt, yt = make_domains()
NAMES = np.array(["ant", "bee", "cat", "dog"])
DOMAINS = Xs, NAMES[ys], Xt
MODELS = {
    "nn": NN(),
    "jda+tsrp": TSRP(JDA(5)),
    "jda, zscore": PerDomain(StandardScaler(), JDA(5)),
    "knn": NN(classifier=KNeighborsClassifier(3)),
}
SINGLE = [name for name, score in SCORES.items() if not score.weights]


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return clone(MODELS[request.param]).fit(*DOMAINS)


def projected(model):
    """Both domains, each through its own preprocessing."""
    if isinstance(model, PerDomain):
        source, target = (StandardScaler().fit_transform(X) for X in (Xs, Xt))
        return model.method_.transform(source), model.method_.transform(target)
    return model.transform(Xs), model.transform(Xt)


def class_probabilities(model):
    Zs, Zt = (normalize(Z) for Z in projected(model))
    return LogisticRegression(C=10, max_iter=200).fit(Zs, ys).predict_proba(Zt)


def one_nn(Z, labels, queries):
    return labels[cdist(queries, Z).argmin(axis=1)]


def test_agreement_is_what_the_remedy_picks_and_keeps(model):
    method = getattr(model, "method_", model)
    if isinstance(method, TSRP):
        crude, kept, picked = method.history_[-1].crude, method.labels_, method.picked_
    else:
        # On its own projection, the method's labels are crude ones that TSRP remedies.
        Zs, Zt = projected(model)
        remedied = TSRP(NN(classifier=clone(method.classifier_))).fit(Zs, NAMES[ys], Zt)
        np.testing.assert_array_equal(remedied.history_[0].crude, method.labels_)
        crude, kept, picked = method.labels_, remedied.labels_, remedied.picked_
    found = scores.agreement(model, *DOMAINS)
    assert found == sum(p > 0 and c == k for p, c, k in zip(picked, crude, kept, strict=True)) / len(kept)
    assert 0 < found <= 1


def test_reverse_validation_is_a_fit_in_the_other_direction(model):
    back = clone(model).fit(Xt, model.labels_, Xs)
    assert scores.reverse_validation(model, *DOMAINS) == np.mean(back.labels_ == NAMES[ys])


def test_a_round_trip_learns_from_the_projected_target(model):
    Zs, Zt = projected(model)
    if isinstance(model, NN) and model.classifier is not None:
        back = KNeighborsClassifier(3).fit(Zt, model.labels_).predict(Zs)
    else:
        back = one_nn(Zt, model.labels_, Zs)
    assert scores.round_trip(model, *DOMAINS) == np.mean(back == NAMES[ys])


def test_soft_neighbourhood_density_is_the_entropy_of_similarities(model, monkeypatch):
    monkeypatch.setattr(scores, "ROW_BLOCK", 7)
    P = normalize(class_probabilities(model))
    each = []
    for i in range(len(P)):
        others = np.delete(P, i, axis=0) @ P[i]
        each.append(entropy(softmax(others / 0.05)))
    assert scores.soft_neighbourhood_density(model, *DOMAINS) == pytest.approx(np.mean(each), rel=1e-8)


def test_certainty_and_information_are_entropies(model):
    P = class_probabilities(model)
    mean = np.mean([entropy(p) for p in P])
    assert scores.certainty(model, *DOMAINS) == pytest.approx(-mean, rel=1e-8)
    assert scores.information(model, *DOMAINS) == pytest.approx(entropy(P.mean(axis=0)) - mean, rel=1e-8)


def test_neighbour_information_is_that_of_labels_and_neighbours(model, monkeypatch):
    monkeypatch.setattr(scores, "ROW_BLOCK", 7)
    rows = normalize(StandardScaler().fit_transform(Xt))
    distances = cdist(rows, rows)
    np.fill_diagonal(distances, np.inf)
    near = distances.argsort(axis=1)[:, :5]
    expected = mutual_info_score(np.repeat(model.labels_, 5), model.labels_[near].ravel())
    assert scores.neighbour_information(model, *DOMAINS) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_neighbour_information_does_not_depend_on_the_unit(scale):
    Xs, ys, Xt, _ = make_domains()
    model = NN().fit(Xs, ys, Xt)
    expected = scores.neighbour_information(model, Xs, ys, Xt)
    assert scores.neighbour_information(model, Xs, ys, Xt * scale) == pytest.approx(expected)


def test_importance_weights_are_odds_and_their_mean_is_corrected(model):
    learnt, held = next(StratifiedKFold(5, shuffle=True, random_state=0).split(Xs, ys))
    fresh = clone(model).fit(Xs[learnt], NAMES[ys][learnt], Xt)
    method = fresh
    prepare = [lambda X: X] * 2
    if isinstance(model, PerDomain):
        method = fresh.method_
        prepare = [StandardScaler().fit(X).transform for X in (Xs[learnt], Xt)]
    Zl, Zh = (method.transform(prepare[0](X)) for X in (Xs[learnt], Xs[held]))
    Zt = method.transform(prepare[1](Xt))
    wrong = method.classifier_.predict(Zh) != NAMES[ys][held]
    judge = LogisticRegression().fit(normalize(np.vstack([Zl, Zt])), [0] * len(Zl) + [1] * len(Zt))
    p = judge.predict_proba(normalize(Zh))[:, 1]
    w = p / (1 - p) * len(Zl) / len(Zt)
    slope = np.polyfit(w, w * wrong, 1)[0]
    expected = np.mean(w * wrong) - slope * (np.mean(w) - 1)
    assert scores.importance_weighted(model, *DOMAINS) == pytest.approx(-expected, rel=1e-6, abs=1e-12)


def test_equal_weights_correct_nothing():
    assert scores.controlled_mean(np.array([1.0, 0.0]), np.array([1.0, 1.0])) == 0.5


def test_consensus_counts_votes_by_weight():
    rng = np.random.default_rng(0)
    labels, weights = NAMES[rng.integers(4, size=(6, 30))], rng.random(6)
    expected = []
    for column in labels.T:
        votes = {name: sum(w for label, w in zip(column, weights, strict=True) if label == name) for name in NAMES}
        expected.append(max(votes, key=votes.get))
    np.testing.assert_allclose(scores.consensus(labels, weights), np.mean(labels == expected, axis=1))


@pytest.mark.parametrize("name", ["reverse", "round-trip", "neighbours"])
def test_right_labels_score_higher_than_random_ones(name):
    right, random = NN().fit(*DOMAINS), NN().fit(*DOMAINS)
    right.fit_labels_ = NAMES[yt]
    random.fit_labels_ = NAMES[np.random.default_rng(0).permutation(yt)]
    score = SCORES[name].function
    assert score(right, *DOMAINS) > score(random, *DOMAINS) + 0.2


def test_a_consensus_of_right_labels_leaves_random_ones_behind():
    rng = np.random.default_rng(0)
    labels = np.array([np.where(rng.random(50) < 0.7, yt, rng.integers(4, size=50)) for _ in range(5)])
    agreed = scores.consensus(np.vstack([labels, rng.permutation(yt)[None]]), np.ones(6))
    assert agreed.argmin() == 5


@pytest.mark.parametrize("name", ["certainty", "information", "snd"])
def test_a_target_of_clear_groups_scores_higher_than_one_between_them(name):
    clear, between = 3 * Xs[:50], 0.05 * Xs[:50] + Xs.mean(axis=0)
    score = SCORES[name].function
    values = [score(NN().fit(Xs, ys, X), Xs, ys, X) for X in (clear, between)]
    if name == "snd":
        # Where all samples are alike, all are neighbours: what this score cannot see.
        assert values[1] > values[0]
    else:
        assert values[0] > values[1]


def test_held_out_samples_that_are_all_right_have_no_error():
    far = 50 * np.eye(4)[ys] + np.random.default_rng(0).normal(size=(60, 4))
    assert scores.importance_weighted(NN().fit(far, ys, far), far, ys, far) == 0


@pytest.mark.parametrize("name", SINGLE)
def test_one_label_for_all_one_sample_and_rare_classes_are_finite(name):
    score = SCORES[name].function
    near_one = Xs[:1] + np.zeros((7, 1))
    rare = np.array([*ys[:-1], 9])
    for X, y, target in ((Xs, ys, near_one), (Xs, ys, Xt[:1]), (Xs, rare, Xt)):
        assert np.isfinite(score(NN().fit(X, y, target), X, y, target))


@pytest.mark.parametrize("name", ["reverse", "round-trip"])
def test_one_label_for_all_returns_as_often_as_the_source_has_it(name):
    model = NN().fit(Xs, ys, Xs[:1] + np.zeros((7, 1)))
    assert SCORES[name].function(model, Xs, ys, Xs[:1] + np.zeros((7, 1))) == 0.25
