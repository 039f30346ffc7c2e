"""GraphRidge is the dense solution of its formula, with or without a factorisation that is kept between rounds."""

from typing import Any

import numpy as np
import pytest

from tests.support import textbook
from tests.support.domains import make_domains
from tsrp import BDA, NN, GraphRidge
from tsrp.divergence import class_share

NAMES = np.array(["ant", "bee", "cat", "dog"])
SETTINGS: dict[str, Any] = {
    "defaults": {},
    "domains only": {"mu": 0.0},
    "classes only": {"mu": 1.0, "alignment": 3.0},
    "no alignment": {"alignment": 0.0},
    "no graph": {"smoothness": 0.0, "ridge": 1.0},
    "three neighbours": {"n_neighbors": 3, "smoothness": 5.0},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_the_labels_are_those_of_the_dense_solution(domains, settings):
    Xs, ys, Xt, _ = domains
    guess = textbook.nearest(Xs, Xt) % 4
    expected = textbook.graph_ridge(Xs, ys, Xt, guess, **settings).argmax(axis=1)
    model = GraphRidge(**settings).fit(Xs, NAMES[ys], Xt, NAMES[guess])
    np.testing.assert_array_equal(model.predict(np.vstack([Xs, Xt])), NAMES[expected])


def test_without_a_guess_the_nearest_labelled_samples_guess(domains):
    Xs, ys, Xt, _ = domains
    guess = ys[textbook.nearest(textbook.unit(Xs), textbook.unit(Xt))]
    first, second = GraphRidge().fit(Xs, ys, Xt), GraphRidge().fit(Xs, ys, Xt, guess)
    np.testing.assert_array_equal(first._weights, second._weights)


def test_another_guess_is_as_a_fit_with_it(domains):
    Xs, ys, Xt, yt = domains
    model = GraphRidge()
    learn = model.begin(Xs, ys, Xt)
    learn(np.zeros_like(yt))
    np.testing.assert_array_equal(learn(yt)._weights, GraphRidge().fit(Xs, ys, Xt, yt)._weights)


def test_without_unlabelled_samples_only_the_graph_is_added_to_kernel_ridge(domains):
    Xs, ys, Xt, _ = domains
    U = textbook.unit(Xs)
    K = textbook.kernel_matrix(U, "rbf", 0.5)
    L = textbook.cosine_laplacian(U, 10)
    b = np.linalg.solve((np.eye(60) + L) @ K + 0.1 * np.eye(60), np.eye(4)[ys])
    for model in (GraphRidge().fit(Xs, ys), GraphRidge().fit(Xs, ys, Xt[:0])):
        np.testing.assert_allclose(model._weights, b, atol=1e-9)


def test_few_landmarks_give_nearly_the_same_labels_and_only_they_are_kept():
    Xs, ys, Xt, _ = make_domains(n_source=200, n_target=150)
    exact, few = GraphRidge().fit(Xs, ys, Xt), GraphRidge(n_landmarks=120).fit(Xs, ys, Xt)
    assert few._samples.shape == (120, 12)
    assert np.mean(exact.predict(Xt) == few.predict(Xt)) > 0.95
    again = GraphRidge(n_landmarks=120).fit(Xs, ys, Xt)
    np.testing.assert_array_equal(few._weights, again._weights)
    other = GraphRidge(n_landmarks=120, random_state=1).fit(Xs, ys, Xt)
    assert not np.array_equal(few._samples, other._samples)


def test_single_precision_gives_the_same_labels(domains):
    Xs, ys, Xt, _ = domains
    single = GraphRidge().fit(Xs.astype(np.float32), ys, Xt.astype(np.float32)).predict(Xt.astype(np.float32))
    np.testing.assert_array_equal(single, GraphRidge().fit(Xs, ys, Xt).predict(Xt))


def test_the_estimated_mu_is_that_of_bda(domains):
    Xs, ys, Xt, yt = domains
    model = GraphRidge(mu="auto").fit(Xs, ys, Xt, yt)
    expected = class_share(textbook.unit(Xs), ys, textbook.unit(Xt), yt)
    assert model.mu_ == pytest.approx(expected)
    assert 0 < model.mu_ < 1
    np.testing.assert_allclose(model._weights, GraphRidge(mu=model.mu_).fit(Xs, ys, Xt, yt)._weights)


@pytest.mark.parametrize("wrong", [{"mu": 2}, {"alignment": -1}, {"ridge": 0}, {"n_neighbors": 0}, {"n_landmarks": 0}])
def test_a_bad_parameter_is_named(domains, wrong):
    Xs, ys, Xt, _ = domains
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be "):
        NN(classifier=GraphRidge(**wrong)).fit(Xs, ys, Xt)


def test_a_guess_that_does_not_fit_is_refused(domains):
    Xs, ys, Xt, yt = domains
    with pytest.raises(ValueError, match="guess must hold one label for each of the 50 unlabelled samples"):
        GraphRidge().fit(Xs, ys, Xt, yt[1:])
    with pytest.raises(ValueError, match="guess holds a label that no labelled sample has"):
        GraphRidge().fit(Xs, ys, Xt, yt + 1)


def test_bda_estimates_mu_with_the_same_function(domains):
    Xs, ys, Xt, _ = domains
    model = BDA(5, mu="auto", max_iter=2).fit(Xs, ys, Xt)
    first = BDA(5, mu="auto", max_iter=1).fit(Xs, ys, Xt)
    projected = first.transform(Xs), first.transform(Xt)
    assert model.mu_ == pytest.approx(class_share(projected[0], ys, projected[1], first.labels_))
