"""KernelRidge is the dense solution; landmarks give that of the approximated kernel."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from tests.support import textbook
from tests.support.domains import make_domains
from tsrp import NN, KernelRidge


@pytest.mark.parametrize(("gamma", "ridge"), [(1.0, 0.1), (0.3, 2.0)])
def test_the_labels_are_those_of_the_dense_solution(domains, gamma, ridge):
    Xs, ys, Xt, _ = domains
    Xs[3] = Xt[4] = 0
    names = np.array(["ant", "bee", "cat", "dog"])
    expected = textbook.kernel_ridge(Xs, ys, Xt, 4, gamma, ridge).argmax(axis=1)
    model = KernelRidge(gamma=gamma, ridge=ridge).fit(Xs, names[ys])
    np.testing.assert_array_equal(model.predict(Xt), names[expected])


def test_landmarks_solve_with_the_approximated_kernel(domains):
    Xs, ys, Xt, _ = domains
    model = KernelRidge(n_landmarks=25, random_state=3).fit(Xs, ys)
    U, V = textbook.unit(Xs), textbook.unit(Xt)
    L = U[np.sort(np.random.default_rng(3).choice(60, 25, replace=False))]

    def approximated(A, B):
        kernel = [np.exp(-cdist(X, L, "sqeuclidean")) for X in (A, B)]
        return kernel[0] @ np.linalg.inv(np.exp(-cdist(L, L, "sqeuclidean"))) @ kernel[1].T

    scores = approximated(V, U) @ np.linalg.solve(approximated(U, U) + 0.1 * np.eye(60), np.eye(4)[ys])
    np.testing.assert_array_equal(model.predict(Xt), scores.argmax(axis=1))


def test_single_precision_gives_the_same_labels(domains):
    Xs, ys, Xt, _ = domains
    single = KernelRidge().fit(Xs.astype(np.float32), ys)
    np.testing.assert_array_equal(single.predict(Xt.astype(np.float32)), KernelRidge().fit(Xs, ys).predict(Xt))


def test_classes_of_equal_scores_are_a_tie_alone_and_in_a_batch():
    """Two samples of each class, mirrored: what lies between them is as near to one as to the other."""
    rng = np.random.default_rng(0)
    side = rng.normal(size=(2, 8))
    model = KernelRidge().fit(np.vstack([side, side * [-1, *[1] * 7]]), ["left", "left", "right", "right"])
    between = rng.normal(size=(40, 8)) * [0, *[1] * 7]
    assert set(model.predict(between)) == {"left"}
    assert {model.predict(row[None])[0] for row in between} == {"left"}


def test_beyond_the_limit_landmarks_are_taken(monkeypatch):
    monkeypatch.setattr("tsrp.numerics.kernels.EXACT_SAMPLES", 50)
    monkeypatch.setattr("tsrp.numerics.kernels.DEFAULT_LANDMARKS", 20)
    Xs, ys, Xt, _ = make_domains()
    model = KernelRidge().fit(Xs, ys)
    assert model._samples.shape == (20, 12)
    np.testing.assert_array_equal(model.predict(Xt), KernelRidge(n_landmarks=20).fit(Xs, ys).predict(Xt))


@pytest.mark.parametrize("wrong", [{"gamma": 0}, {"ridge": -1}, {"n_landmarks": "all"}, {"random_state": -1}])
def test_a_bad_parameter_is_named(domains, wrong):
    Xs, ys, _, _ = domains
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be "):
        KernelRidge(**wrong).fit(Xs, ys)


SURF = dict(
    zip(
        ("CA", "CW", "CD", "AC", "AW", "AD", "WC", "WA", "WD", "DC", "DA", "DW"),
        (53.97, 48.47, 43.31, 43.72, 40.34, 40.76, 34.28, 37.16, 83.44, 29.92, 31.42, 76.61),
        strict=True,
    )
)


@pytest.mark.parametrize(("pair", "figure"), SURF.items())
def test_the_known_figure_on_surf_comes_out(pair, figure, accuracy_on):
    assert accuracy_on("office-caltech-surf", " -> ".join(pair), NN(classifier=KernelRidge())) == figure


def test_landmarks_weigh_samples_as_the_exact_solution_does(domains):
    Xs, ys, Xt, _ = domains
    weights = np.linspace(0.5, 20, 60)
    exact = KernelRidge(n_landmarks=60).fit(Xs, ys, weights)
    # With as many landmarks as samples but one the kernel is all but exact.
    nearly = KernelRidge(n_landmarks=59).fit(Xs, ys, weights)
    assert np.mean(nearly.predict(Xt) == exact.predict(Xt)) >= 0.98
    unit, new = textbook.unit(Xs), textbook.unit(Xt)
    K = np.exp(-cdist(unit, unit, "sqeuclidean"))
    alpha = np.linalg.solve(np.diag(weights) @ K + 0.1 * np.eye(60), weights[:, None] * np.eye(4)[ys])
    scores = np.exp(-cdist(new, unit, "sqeuclidean")) @ alpha
    np.testing.assert_array_equal(exact.predict(Xt), scores.argmax(axis=1))
