"""What a report says about a fit, against plain second computations."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from tests.support.domains import global_random_state, make_domains
from tsrp import JDA, NN, TSRP, PerDomain
from tsrp.divergence import a_distance, mmd
from tsrp.report import findings as module
from tsrp.report.findings import Distances, find

NAMES = np.array(["ant", "bee", "cat", "dog"])
# The model and its findings are made once, by one worker.
pytestmark = pytest.mark.xdist_group("findings")


@pytest.fixture(scope="module")
def task():
    """Classes that overlap: the remedy has something to do until the end."""
    Xs, ys, Xt, yt = make_domains(n_target=80, shift=1.5)
    noise = 2.5 * np.random.default_rng(1).normal(size=Xt.shape)
    return Xs, NAMES[ys], Xt + noise, NAMES[yt]


@pytest.fixture(scope="module")
def model(task):
    return TSRP(JDA(n_components=5), trust=0.97).fit(*task[:3])


@pytest.fixture(scope="module")
def found(model, task):
    return find(model, truth=task[3])


@pytest.fixture
def without_tsne(monkeypatch):
    monkeypatch.setattr(module, "_tsne", lambda X: np.zeros((len(X), 2)))


def codes(labels):
    return np.searchsorted(NAMES, labels)


def test_says_what_was_run_and_on_what(found, model):
    assert found.method == "JDA+TSRP"
    assert found.parameters["base.n_components"] == "5"
    assert found.parameters["trust"] == "0.97"
    assert "base" not in found.parameters
    assert {"tsrp", "numpy", "scipy", "scikit-learn", "Python"} == set(found.versions)
    assert (found.n_features, found.classes, len(found.source), len(found.labels)) == (12, NAMES.tolist(), 60, 80)
    assert found.seconds == sum(r.seconds for r in model.history_)


def test_distances_are_those_of_the_domains_before_and_after(found, model, task):
    Zs, Zt = model.transform(task[0]), model.transform(task[2])
    d = found.distances
    assert d.a_before == a_distance(task[0], task[2], held_out=True)
    assert d.a_after == pytest.approx(a_distance(Zs, Zt, held_out=True), abs=0.05)
    assert d.mmd_before == mmd(task[0], task[2])
    assert d.mmd_after == pytest.approx(mmd(Zs, Zt), abs=1e-6)


def test_labels_without_adaptation_are_those_of_one_nearest_neighbour(found, task):
    expected = KNeighborsClassifier(1).fit(task[0], task[1]).predict(task[2])
    np.testing.assert_array_equal(found.unadapted, codes(expected))


def test_flows_count_what_the_last_remedy_moved(found, model):
    last = model.history_[-1]
    assert last.n_remedied > 0
    expected = (
        pd.crosstab(last.crude, last.labels).reindex(index=NAMES, columns=NAMES, fill_value=0).to_numpy(copy=True)
    )
    np.fill_diagonal(expected, 0)
    np.testing.assert_array_equal(found.flows, expected)


def test_every_label_has_its_probability_and_the_most_probable_comes_first(found, model):
    np.testing.assert_array_equal(found.probability, model.probability_)
    np.testing.assert_array_equal(found.confident, model.confident_)
    assert sorted(found.by_probability) == list(range(80))
    assert (np.diff(model.probability_[found.by_probability]) <= 0).all()
    assert 5 < found.confident.sum() < 75


def test_the_runner_up_is_the_most_probable_other_class(found, model, task):
    shares = model.predict_proba(task[2])
    np.testing.assert_array_equal(model.predict(task[2]), model.labels_)
    for row in range(80):
        others = {name: p for name, p in zip(NAMES, shares[row], strict=True) if name != model.labels_[row]}
        other = max(others, key=others.get)
        assert NAMES[found.runner_up[row]] == other
        assert found.runner_up_probability[row] == pytest.approx(others[other], abs=1e-4)


def test_estimate_and_comparison_are_the_models(found, model):
    assert found.estimated == model.estimated_accuracy_
    again = model.compare()
    assert found.comparison.sentence == again.sentence
    pd.testing.assert_frame_equal(found.comparison.to_frame(), again.to_frame())


def test_confident_is_what_was_asked_for(without_tsne, model, task):
    found = find(model, truth=task[3], confident_at=0.5)
    likely = model.probability_ >= 0.5
    np.testing.assert_array_equal(found.confident, likely)
    assert found.truth.accuracy_confident == (model.labels_ == task[3])[likely].mean()
    with pytest.raises(ValueError, match="`confident_at` must be a probability from 0 to 1"):
        find(model, confident_at=90)


def test_accuracies_and_confusions_are_counts_of_the_truth(found, model, task):
    right = model.labels_ == task[3]
    truth = found.truth
    assert truth.accuracy == right.mean()
    assert truth.accuracy_confident == right[model.confident_].mean()
    assert truth.accuracy_uncertain == right[~model.confident_].mean()
    assert truth.by_round[-1] == right.mean()
    assert truth.crude_by_round[0] == (model.history_[0].crude == task[3]).mean()
    assert truth.accuracy_of_alternatives == {
        way.name: (way.labels == task[3]).mean() for way in found.comparison.alternatives
    }
    np.testing.assert_array_equal(truth.after, pd.crosstab(task[3], model.labels_))
    assert truth.before.sum() == 80
    assert np.trace(truth.before) / 80 == truth.accuracy_before


def test_rows_without_a_truth_are_left_out_and_new_classes_are_wrong(without_tsne, model, task):
    truth = task[3].astype(object)
    truth[:3], truth[3:5], truth[5] = None, [np.nan, ""], "emu"
    found = find(model, truth=truth)
    assert found.truth.n_known == 75
    assert found.truth.names == [*NAMES, "emu"]
    assert found.truth.after.shape == (5, 4)
    assert found.truth.after.sum() == 75
    assert found.truth.accuracy == (model.labels_ == truth)[5:].mean()


def test_a_truth_of_numbers_with_gaps_is_understood(without_tsne, domains):
    Xs, ys, Xt, yt = domains
    truth = yt.astype(float)
    truth[0] = np.nan
    found = find(NN().fit(Xs, ys, Xt), truth=truth)
    assert found.truth.names == ["0", "1", "2", "3"]
    assert found.truth.accuracy == found.truth.accuracy_before > 0.5


@pytest.mark.parametrize(
    ("classes", "truth"),
    [
        (np.array([False, True]), [0, 1]),
        (np.array([False, True]), ["false", "TRUE"]),
        (np.array([0, 1]), [False, True]),
        (np.array([1.0, 2.0]), [1, 2]),
        (np.array([1.0, 2.0]), ["1", "2"]),
        (np.array(["1", "2"]), [1.0, 2.0]),
        (np.array([" a", "a "]), [" a", "a "]),
        (np.array([" a", "b"]), ["a", "b"]),
    ],
)
def test_a_truth_of_another_type_means_the_same_classes(without_tsne, classes, truth):
    model = NN().fit([[0.0], [1.0]], classes, [[0.1], [0.9], [0.8]])
    judged = find(model, truth=np.array([*truth, None], dtype=object)).truth
    assert judged.accuracy == 1
    assert len(judged.names) == 2


def test_text_that_only_looks_like_a_class_is_another(without_tsne):
    model = NN().fit([[0.0], [1.0]], ["1", "2"], [[0.1], [0.9]])
    assert find(model, truth=["1.0", "2"]).truth.names == ["1", "2", "1.0"]


def test_principal_planes_are_those_of_the_singular_vectors(found, task):
    X = np.vstack([task[0], task[2]])
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    # A plane has no unit: that of the findings is a power of two.
    unit = 2.0 ** np.ceil(np.log2(np.abs(X - np.median(X, axis=0)).max()))
    points = U[:, :2] * s[:2]
    np.testing.assert_allclose(unit * np.abs(found.principal.before), np.abs(points), atol=1e-8)
    assert found.principal.after.shape == found.tsne.before.shape == (140, 2)


def test_a_plane_of_many_rows_shows_some_of_each_domain(without_tsne, monkeypatch, model):
    monkeypatch.setattr(module, "IN_PLANE", 30)
    plane = find(model).principal
    assert len(plane.source) == len(plane.target) == 30
    assert plane.before.shape == (60, 2)
    assert (np.diff(plane.source) > 0).all()


def test_the_same_fit_gives_the_same_findings(found, model, task):
    again = find(model, truth=task[3])
    for side in ("before", "after"):
        np.testing.assert_array_equal(getattr(again.tsne, side), getattr(found.tsne, side))
    for field in fields(found.distances):
        assert getattr(again.distances, field.name) == getattr(found.distances, field.name)


def test_the_users_random_state_is_left_alone(model):
    before = global_random_state()
    find(model)
    assert global_random_state() == before


def test_preprocessed_domains_are_raw_before_and_projected_after(without_tsne, task):
    Xs, ys, Xt, _ = task
    found = find(PerDomain(StandardScaler(), TSRP(JDA(n_components=5))).fit(Xs, ys, Xt))
    assert found.distances.mmd_before == mmd(Xs, Xt)
    assert found.parameters["method.base.n_components"] == "5"
    scaled = KNeighborsClassifier(1).fit(StandardScaler().fit_transform(Xs), ys)
    np.testing.assert_array_equal(found.unadapted, codes(scaled.predict(StandardScaler().fit_transform(Xt))))


def test_a_plain_method_has_no_flows(without_tsne, domains):
    found = find(NN().fit(*domains[:3]))
    assert not found.remedied
    assert not found.flows.any()
    assert found.truth is None


def test_few_rows_of_one_feature_are_enough():
    found = find(NN().fit([[0.0], [1.0], [5.0]], ["low", "low", "high"], [[0.2], [4.0]]))
    assert found.distances is None
    assert found.tsne is None
    assert np.isfinite(found.principal.before).all()


@pytest.mark.parametrize("scale", [1e-150, 1e90])
def test_the_unit_of_the_features_does_not_matter(task, scale):
    Xs, ys, Xt, _ = task
    plain, scaled = (find(NN().fit(c * Xs, ys, c * Xt)) for c in (1.0, scale))
    assert scaled.distances.mmd_before == pytest.approx(plain.distances.mmd_before, abs=1e-6)
    assert scaled.distances.a_before == plain.distances.a_before
    for plane in (scaled.principal, scaled.tsne):
        assert np.isfinite(plane.before).all()


@pytest.mark.parametrize("X", [np.zeros((40, 3)), np.arange(40.0)[:, None]], ids=["constant", "one feature"])
def test_features_with_little_to_show(X):
    found = find(NN().fit(X, np.arange(40) % 2, X))
    assert found.distances.mmd_before == pytest.approx(0, abs=0.1)
    assert np.isfinite(found.principal.before).all()
    assert (found.tsne is None) == (np.ptp(X) == 0)


def test_row_names_of_a_frame_are_ids_unless_they_are_numbers_of_rows(without_tsne, domains):
    Xs, ys, Xt, _ = domains
    named = [pd.DataFrame(X, columns=[f"f{i}" for i in range(12)]) for X in (Xs, Xt)]
    assert find(NN().fit(named[0], ys, named[1])).ids is None
    named[1].index = [f"s{i}" for i in range(50)]
    assert find(NN().fit(named[0], ys, named[1])).ids[:2] == ["s0", "s1"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"ids": ["a"]}, "ids has 1 entries, but Xt has 80 rows"),
        ({"truth": ["ant"]}, r"truth must hold one label for each of the 80 rows of Xt; its shape is \(1,\)"),
        ({"truth": [None] * 80}, "truth holds no true label"),
    ],
)
def test_what_does_not_fit_is_refused(model, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        find(model, **arguments)


def test_distances_are_said_in_words():
    assert Distances(2.0, 0.0, 0.3, 0.0).words == (
        "Before adaptation 100% of unseen rows can be told to be of the source or of the target, after it 50%; 50% "
        "would be guessing. The domains are closer than before."
    )
    assert "as close as before" in Distances(1.0, 0.95, 0.3, 0.3).words
    assert "further apart than before" in Distances(0.5, 1.0, 0.3, 0.3).words
