"""Every fitted model says how far to trust its labels, when it is asked and not before."""

import multiprocessing
import os
import pickle
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from threadpoolctl import threadpool_limits

from tests.support.domains import make_domains
from tests.support.every_method import CLASSES
from tsrp import JDA, NN, TSRP, Panel, PerDomain
from tsrp.trust.calibration import LEAD, share_out, share_out_below
from tsrp.trust.reverse import reverse_validation

NESTED = PerDomain(StandardScaler(), PerDomain(MaxAbsScaler(), TSRP(JDA(n_components=5))))
MODELS = {**CLASSES, "per domain": PerDomain(StandardScaler(), NN()), "nested": NESTED}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


@pytest.fixture(autouse=True)
def _no_notes_of_few_components():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="n_components=")
        yield


@every_model
def test_answers_fit_together(model, domains):
    Xs, ys, Xt, _ = domains
    model = clone(model).fit(Xs, np.array(["ant", "bee", "cat", "dog"])[ys], Xt)
    assert model.trust_.shape == model.probability_.shape == (50,)
    assert ((model.trust_ > 0) & (model.trust_ < 1)).all()
    assert (np.diff(model.probability_[np.argsort(model.trust_)]) >= 0).all()
    estimated = model.estimated_accuracy_
    assert 0 <= estimated.low <= estimated.value <= estimated.high <= 1
    assert model.probability_.mean() == pytest.approx(np.clip(estimated.value, 0.01, 0.995), abs=1e-4)
    np.testing.assert_array_equal(model.confident_, model.probability_ >= 0.9)
    judged = model.predict_confidence(Xt)
    np.testing.assert_array_equal(judged.labels, model.predict(Xt))
    same = judged.labels == model.labels_
    np.testing.assert_allclose(judged.probability[same], model.probability_[same], atol=1e-3)
    chances = model.predict_proba(Xt)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    own = np.searchsorted(model.classes_, judged.labels)
    np.testing.assert_array_equal(chances[np.arange(50), own], np.maximum(judged.probability, 1 / 4 + LEAD))
    np.testing.assert_array_equal(model.classes_[chances.argmax(axis=1)], judged.labels)


@every_model
def test_a_row_alone_is_judged_as_in_a_batch(model, domains):
    Xs, ys, Xt, _ = domains
    model = clone(model).fit(Xs, ys, Xt)
    new = np.vstack([Xt[:10], make_domains(3)[2][:20]])
    whole = model.predict_confidence(new)
    for i in range(len(new)):
        alone = model.predict_confidence(new[i : i + 1])
        assert alone.probability[0] == whole.probability[i]
        assert alone.trust[0] == whole.trust[i]
        assert alone.labels[0] == whole.labels[i]


def test_a_row_of_single_precision_alone_is_judged_as_in_a_batch(domains):
    Xs, ys, Xt, _ = (array.astype(np.float32) if array.dtype.kind == "f" else array for array in domains)
    model = TSRP(JDA(n_components=5)).fit(Xs, ys, Xt)
    whole = model.predict_confidence(Xt)
    assert [model.predict_confidence(Xt[i : i + 1]).probability[0] for i in range(50)] == whole.probability.tolist()
    np.testing.assert_allclose(whole.probability, model.probability_, atol=1e-3)


def test_nobody_who_does_not_ask_pays(domains, monkeypatch):
    Xs, ys, Xt, _ = domains
    model = TSRP(JDA(n_components=5))
    fits = []
    original = TSRP._run

    def counted(self, *arguments):
        fits.append(self)
        return original(self, *arguments)

    monkeypatch.setattr(TSRP, "_run", counted)
    model.fit(Xs, ys, Xt)
    _ = model.labels_, model.picked_, model.predict(Xt)
    assert (len(fits), "evidence_" in vars(model)) == (1, False)
    _ = model.trust_
    assert len(fits) == 1
    _ = model.probability_, model.estimated_accuracy_, model.confident_, model.predict_confidence(Xt)
    assert len(fits) == 2


def test_a_new_fit_is_assessed_anew(domains):
    Xs, ys, Xt, _ = domains
    model = JDA(n_components=5).fit(Xs, ys, Xt)
    before = model.probability_
    other = make_domains(1)
    model.fit(*other[:3])
    assert not np.array_equal(model.probability_, before)
    np.testing.assert_array_equal(model.probability_, JDA(n_components=5).fit(*other[:3]).probability_)


def test_the_estimate_comes_from_the_way_back(domains):
    Xs, ys, Xt, _ = domains
    model = PerDomain(StandardScaler(), TSRP(JDA(n_components=5))).fit(Xs, ys, Xt)
    assert model.estimated_accuracy_.reverse == reverse_validation(model, Xs, ys, Xt)
    assert model.estimated_accuracy_.atc == model.evidence_.atc


def test_a_transformer_that_asks_for_columns_finds_them_on_the_way_back(domains):
    Xs, ys, Xt, _ = domains
    names = [f"f{i}" for i in range(12)]
    source, target = (pd.DataFrame(X, columns=names) for X in (Xs, Xt))
    columns = ColumnTransformer([("z", StandardScaler(), names[:6]), ("max", MaxAbsScaler(), names[6:])])
    model = PerDomain(columns, JDA(n_components=5)).fit(source, ys, target)
    assert model.estimated_accuracy_.reverse is not None
    assert model.predict_confidence(target).probability.shape == (50,)


def test_a_method_that_refuses_the_way_back_rests_on_probabilities_alone(domains):
    Xs, ys, Xt, _ = domains
    model = NN(classifier=KNeighborsClassifier(20)).fit(Xs, ys, Xt[:10])
    assert len(set(model.labels_)) > 1
    assert model.estimated_accuracy_.reverse is None
    assert model.estimated_accuracy_.value == model.estimated_accuracy_.atc


class Slow(NN):
    """Its way back takes until it is told to end."""

    asked, may_end = threading.Event(), threading.Event()

    def _reverse(self):
        self.asked.set()
        assert self.may_end.wait(60)
        return super()._reverse()


@pytest.fixture
def while_another_thread_asks(domains):
    """Another model is being asked for probabilities, which takes until the test has ended."""
    Slow.asked.clear()
    Slow.may_end.clear()
    slow = Slow().fit(*domains[:3])
    thread = threading.Thread(target=lambda: slow.probability_)
    thread.start()
    assert Slow.asked.wait(60)
    yield
    Slow.may_end.set()
    thread.join()


@pytest.mark.usefixtures("while_another_thread_asks")
def test_a_model_does_not_wait_for_another(domains):
    model = NN().fit(*domains[:3])
    thread = threading.Thread(target=lambda: model.probability_, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.usefixtures("while_another_thread_asks")
def test_a_forked_child_answers_though_another_thread_asks_in_the_parent(domains):
    model = NN().fit(*domains[:3])
    with warnings.catch_warnings():
        # What Python says of all forks beside threads.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = multiprocessing.get_context("fork").Process(target=lambda: model.probability_)
        child.start()
    child.join(20)
    if child.is_alive():
        child.kill()
        child.join()
    assert child.exitcode == 0


def test_threads_and_names_of_classes_change_nothing(domains):
    Xs, ys, Xt, _ = domains
    found = []
    for threads, names in ((1, ["a", "b", "c", "d"]), (2, ["d", "b", "a", "c"])):
        with threadpool_limits(threads, "blas"):
            found.append(NN().fit(Xs, np.array(names)[ys], Xt).probability_)
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize(
    ("Xt", "n_labels"),
    [
        (np.zeros((1, 12)), 1),
        (np.repeat(make_domains()[2][:1], 30, axis=0), 1),
        (make_domains()[2][make_domains()[3] < 2], 2),
        (np.repeat(make_domains()[2][:4], 9, axis=0), None),
    ],
    ids=["one row", "one class", "absent classes", "duplicates"],
)
@pytest.mark.parametrize("method", [NN(), TSRP(NN()), TSRP(JDA(n_components=3))], ids=repr)
def test_little_is_judged_too(method, Xt, n_labels):
    Xs, ys, _, _ = make_domains()
    model = clone(method).fit(Xs, ys, Xt)
    assert n_labels is None or len(set(model.labels_)) <= max(n_labels, 4)
    assert ((model.probability_ > 0) & (model.probability_ < 1)).all()
    for row in np.unique(Xt, axis=0):
        same = (Xt == row).all(axis=1)
        for label in set(model.labels_[same]):
            assert np.ptp(model.probability_[same & (model.labels_ == label)]) == 0


@pytest.mark.parametrize("model", [NN(), TSRP(JDA(n_components=3)), NESTED, Panel("quick")], ids=repr)
def test_where_all_rows_of_the_target_are_equal_only_the_shares_of_the_classes_are_known(model):
    Xs, _, Xt, _ = make_domains()
    shares = np.array([0.5, 0.3, 0.2])
    ys = np.repeat(["ant", "bee", "cat"], np.round(60 * shares).astype(int))
    model = clone(model).fit(Xs, ys, np.repeat(Xt[:1], 60, axis=0))
    of_label = shares[np.searchsorted(model.classes_, model.labels_)]
    np.testing.assert_allclose(model.probability_, of_label)
    assert not model.confident_.any()
    estimated = model.estimated_accuracy_
    assert estimated.value == pytest.approx(of_label.mean())
    assert (estimated.low, estimated.high) == (0, 1)
    assert "all rows of the target are equal, so that labels are guesses" in estimated.sentence
    for judge in (model, pickle.loads(pickle.dumps(model))):
        np.testing.assert_allclose(judge.predict_proba(Xt), np.tile(shares, (50, 1)))
        judged = judge.predict_confidence(Xt)
        np.testing.assert_allclose(judged.probability, shares[np.searchsorted(model.classes_, judged.labels)])


def test_known_labels_of_equal_rows_are_certain_and_the_others_are_guesses():
    Xs, ys, Xt, _ = make_domains()
    yt = np.where(np.arange(40) < 10, 2, np.nan)
    model = NN().fit(Xs, ys, np.repeat(Xt[:1], 40, axis=0), yt)
    np.testing.assert_allclose(model.probability_, np.where(np.arange(40) < 10, 1, 0.25))
    assert model.estimated_accuracy_.value == pytest.approx(model.probability_.mean())


def test_two_rows_that_differ_are_judged_as_ever():
    Xs, ys, Xt, _ = make_domains()
    model = NN().fit(Xs, ys, np.repeat(Xt[:2], 20, axis=0))
    assert not model.estimated_accuracy_.equal_rows
    assert model.estimated_accuracy_.reverse is not None


def test_a_target_of_one_row_is_labelled_by_its_features():
    Xs, ys, Xt, _ = make_domains()
    assert not NN().fit(Xs, ys, Xt[:1]).estimated_accuracy_.equal_rows


def test_labels_that_are_wrong_are_less_probable():
    Xs, ys, Xt, yt = make_domains(n_source=120, n_target=200, shift=2.0)
    Xt = Xt + 2.0 * np.random.default_rng(1).normal(size=Xt.shape)
    model = TSRP(JDA(n_components=5)).fit(Xs, ys, Xt)
    right = model.labels_ == yt
    assert 0.3 < right.mean() < 0.95
    assert roc_auc_score(right, model.probability_) > 0.75
    assert right[model.probability_ >= np.median(model.probability_)].mean() > right.mean() + 0.05


def test_shares_of_other_classes_follow_the_logistic_signal():
    shares = share_out(np.array([1, 0]), np.array([0.4, 0.7]), np.array([[0.3, 0.6, 0.1], [1.0, 0.0, 0.0]]))
    np.testing.assert_allclose(shares, [[0.45, 0.4, 0.15], [0.7, 0.15, 0.15]])


def test_no_class_is_as_probable_as_the_label():
    chances = np.array([[0.2, 0.5, 0.3], [0.3, 0.6, 0.1], [0.1, 0.8, 0.1], [0.0, 0.0, 1.0]])
    shares = share_out_below(np.array([1, 0, 0, 0]), np.array([0.6, 0.4, 0.4, 0.2]), chances)
    np.testing.assert_array_equal(shares[0], share_out(np.array([1]), np.array([0.6]), chances[:1])[0])
    np.testing.assert_allclose(shares[1:], [[0.4, 0.4, 0.2], [0.4, 0.4, 0.2], [1 / 3, 1 / 3, 1 / 3]], atol=3e-6)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=0, atol=1e-15)
    assert shares.argmax(axis=1).tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("confident_at", [-0.1, 1.1, "0.9", None])
def test_a_threshold_that_is_no_probability_is_refused(domains, confident_at):
    Xs, ys, Xt, _ = domains
    model = NN().fit(Xs, ys, Xt)
    with pytest.raises(ValueError, match="`confident_at` must be a probability from 0 to 1"):
        model.predict_confidence(Xt, confident_at=confident_at)


def test_before_the_fit_there_is_nothing_to_ask():
    for name in ("trust_", "probability_", "confident_", "estimated_accuracy_"):
        assert not hasattr(JDA(), name)


@every_model
def test_known_labels_are_certain_and_the_estimate_counts_them(model, domains):
    Xs, ys, Xt, yt = domains
    known = np.arange(50) % 4 == 0
    model = clone(model).fit(Xs, ys, Xt, np.where(known, yt, np.nan))
    np.testing.assert_array_equal(model.known_, known)
    np.testing.assert_array_equal(model.labels_[known], yt[known])
    assert (model.probability_[known] == 1).all()
    assert (model.trust_[known] == 1).all()
    assert (model.probability_[~known] < 1).all()
    estimated = model.estimated_accuracy_
    assert estimated.n_known == known.sum()
    assert model.probability_.mean() == pytest.approx(estimated.value, abs=0.01)
    assert 0 <= estimated.low <= estimated.value <= estimated.high <= 1
    judged = model.predict_confidence(Xt[~known])
    same = judged.labels == model.labels_[~known]
    np.testing.assert_allclose(judged.probability[same], model.probability_[~known][same], atol=1e-3)


def test_labels_that_a_method_gets_wrong_lower_the_estimate():
    Xs, ys, Xt, yt = make_domains(n_source=200, n_target=400, shift=0.1)
    names, swapped = np.array(["a", "b", "c", "d"]), np.array(["b", "a", "d", "c"])
    blind = NN().fit(Xs, names[ys], Xt).estimated_accuracy_
    told = NN().fit(Xs, names[ys], Xt, np.where(np.arange(400) % 8 == 0, swapped[yt], None)).estimated_accuracy_
    assert blind.value > 0.8
    # 50 of them, against ten that the estimate counts as; they are no part of what the method learnt from.
    assert told.value < 0.5


def test_known_rows_are_judged_by_fits_that_know_the_others(domains):
    Xs, ys, Xt, yt = domains
    yt = np.array([1, 0, 2, 3])[yt]
    rows = np.array([3, 8, 21, 40, 41])
    model = TSRP(JDA(5)).fit(Xs, ys, Xt, np.where(np.isin(np.arange(50), rows), yt, np.nan))
    expected = model.labels_.copy()
    for half, others in ((rows[::2], rows[1::2]), (rows[1::2], rows[::2])):
        told = TSRP(JDA(5)).fit(Xs, ys, Xt, np.where(np.isin(np.arange(50), half), yt, np.nan))
        expected[others] = told.labels_[others]
    np.testing.assert_array_equal(model.cross_fitted_, expected)
    assert np.any(expected != model.labels_)


def test_a_single_known_row_is_judged_by_a_fit_that_knows_none(domains):
    Xs, ys, Xt, yt = domains
    blind = NN().fit(Xs, ys, Xt).labels_
    wrong = int((blind != yt).argmax())
    model = NN().fit(Xs, ys, Xt, np.where(np.arange(50) == wrong, yt, np.nan))
    np.testing.assert_array_equal(model.cross_fitted_, blind)


def test_classes_are_ranked_with_the_label_first(domains):
    Xs, ys, Xt, _ = domains
    model = NN().fit(Xs, np.array(["ant", "bee", "cat", "dog"])[ys], Xt)
    ranked = model.ranked_classes([3, 1])
    assert ranked[:, 0].tolist() == model.labels_[[3, 1]].tolist()
    assert all(sorted(row) == ["ant", "bee", "cat", "dog"] for row in ranked.tolist())
