"""A transductive classifier is handed the projected target, and the labels of the round before."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from tests.support.domains import make_domains
from tsrp import DICD, GFK, JDA, NN, TCA, TSRP, GraphRidge, KernelRidge, NearestNeighbour
from tsrp.classifiers.training import fit_weighted
from tsrp.methods.spl import Prototypes

CALLS: list[Any] = []


class Noting(ClassifierMixin, BaseEstimator):
    """1-NN that writes down what it is handed, and moves one label in each round."""

    def begin(self, X, y, unlabelled):
        CALLS.append(("begin", X, y, unlabelled))

        def learn(guess):
            CALLS.append(("learn", guess))
            self.round_ = sum(call[0] == "learn" for call in CALLS)
            self.nearest_ = NearestNeighbour().fit(X, y)
            return self

        return learn

    def fit(self, X, y):
        return self.begin(X, y, X[:0])(None)

    def predict(self, X):
        labels = self.nearest_.predict(X)
        labels[self.round_ % len(X)] = self.nearest_.classes_[self.round_ % 4]
        return labels


@pytest.fixture(autouse=True)
def no_calls():
    CALLS.clear()


def guesses():
    return [call[1] for call in CALLS if call[0] == "learn"]


def begun():
    return [call[1:] for call in CALLS if call[0] == "begin"]


def test_a_method_that_projects_anew_begins_anew_in_each_round(domains):
    Xs, ys, Xt, _ = domains
    names = np.array(["ant", "bee", "cat", "dog"])
    model = DICD(5, max_iter=4, classifier=Noting()).fit(Xs, names[ys], Xt)
    assert len(begun()) == len(guesses()) == model.n_iter_ == 4
    assert guesses()[0] is None
    for guess, r in zip(guesses()[1:], model.history_, strict=False):
        np.testing.assert_array_equal(guess, r.labels)
    X, y, unlabelled = begun()[-1]
    np.testing.assert_allclose(X, model.transform(Xs), atol=1e-9)
    np.testing.assert_allclose(unlabelled, model.transform(Xt), atol=1e-9)
    np.testing.assert_array_equal(y, names[ys])


@pytest.mark.parametrize("method", [NN(), GFK(3), TCA(3), TSRP(NN(), trust=0)])
def test_a_projection_that_is_learned_once_is_labelled_in_ten_rounds(domains, method):
    Xs, ys, Xt, _ = domains
    model = method.set_params(classifier=Noting()).fit(Xs, ys, Xt)
    assert len(begun()) == 1
    assert len(guesses()) == model.n_iter_ == 10
    for guess, r in zip(guesses()[1:], model.history_, strict=False):
        np.testing.assert_array_equal(guess, r.labels)


def test_the_strong_classifier_is_handed_what_is_uncertain(domains):
    Xs, ys, Xt, _ = domains
    model = TSRP(NN(), strong_classifier=Noting(), inner_iterations=2).fit(Xs, ys, Xt)
    assert len(model.history_) == 1
    for X, y, unlabelled in begun():
        assert len(X) == len(y) == 60 + 50 - len(unlabelled)
    assert len(begun()[-1][2]) == np.sum(model.picked_ == 0)
    assert all(len(guess) == len(call[2]) for guess, call in zip(guesses(), begun(), strict=True))


def test_without_another_the_strong_classifier_beside_a_transductive_one_is_1_nn(domains):
    Xs, ys, Xt, _ = domains
    model = TSRP(JDA(5, classifier=GraphRidge())).fit(Xs, ys, Xt)
    assert isinstance(model.classifier_, NearestNeighbour)
    assert model.final_classifier is None
    strong = TSRP(JDA(5, classifier=GraphRidge()), strong_classifier=GraphRidge()).fit(Xs, ys, Xt)
    assert isinstance(strong.classifier_, GraphRidge)


@pytest.mark.parametrize("method", [NN(), DICD(5), GFK(3)])
def test_the_classifier_of_the_last_round_is_the_one_that_predicts(method):
    Xs, ys, Xt, _ = make_domains(1, shift=2.0)
    model = method.set_params(classifier=GraphRidge()).fit(Xs, ys, Xt)
    np.testing.assert_array_equal(model.predict(Xt), model.labels_)


@pytest.mark.parametrize(
    "classifier",
    [
        LogisticRegression(),
        make_pipeline(FunctionTransformer(), LogisticRegression()),
        make_pipeline(make_pipeline(FunctionTransformer(), LogisticRegression())),
        KernelRidge(ridge=1.0),
        Prototypes(),
    ],
)
def test_a_weight_counts_as_that_many_samples(classifier):
    Xs, ys, Xt, _ = make_domains(n_target=200, shift=2.0)
    rows = np.concatenate([np.arange(60), np.repeat(np.arange(10), 4)])
    weighted = fit_weighted(clone(classifier), Xs, ys, np.where(np.arange(60) < 10, 5.0, 1.0))
    np.testing.assert_array_equal(weighted.predict(Xt), clone(classifier).fit(Xs[rows], ys[rows]).predict(Xt))
    assert np.any(weighted.predict(Xt) != clone(classifier).fit(Xs, ys).predict(Xt))


def test_a_classifier_without_weights_is_trained_all_the_same(domains):
    Xs, ys, Xt, _ = domains
    trained = fit_weighted(NearestNeighbour(), Xs, ys, np.full(60, 3.0))
    np.testing.assert_array_equal(trained.predict(Xt), NearestNeighbour().fit(Xs, ys).predict(Xt))
