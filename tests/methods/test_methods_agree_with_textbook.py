"""JDA, BDA and DICD against dense n x n versions, round by round."""

import numpy as np
import pytest

from tests.support import textbook
from tests.support.domains import make_domains
from tests.support.projections import linear_weights
from tsrp import BDA, DICD, JDA

SHAPES = {"fewer features": (60, 50, 8), "equal": (30, 20, 50), "more": (25, 20, 90)}
KERNELS = ["primal", "linear", "rbf"]


def variants(variant, seed, n_source, n_target, m):
    Xs, ys, Xt, _ = make_domains(seed, n_source, n_target, m)
    if variant == "repeated samples":
        Xs[5:10], ys[5:10] = Xs[5], ys[5]
        Xt[:6] = Xt[0]
    if variant == "missing class":
        Xt = Xt + 3 * Xs[ys == 1].mean(axis=0)
    return Xs, ys, Xt


def assert_same_rounds(model, expected):
    assert len(model.history_) >= 2
    for r, labels in zip(model.history_, expected, strict=False):
        np.testing.assert_array_equal(r.labels, labels)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("variant", ["plain", "repeated samples", "missing class"])
@pytest.mark.parametrize("method", ["JDA", "DICD"])
def test_every_round_has_the_labels_of_the_dense_version(method, kernel, shape, variant):
    Xs, ys, Xt = variants(variant, 1, *shape)
    settings = {"ridge": 0.5, "kernel": kernel, "gamma": 0.7}
    if method == "JDA":
        term, model = textbook.jda_term(len(Xt), 4), JDA(6, **settings)
    else:
        term, model = textbook.dicd_term(len(Xt), 4, 0.1), DICD(6, repulsion=0.1, **settings)
    expected = textbook.adapt(Xs, ys, Xt, term, k=6, rounds=6, **settings)
    assert_same_rounds(model.set_params(max_iter=6).fit(Xs, ys, Xt), expected)


@pytest.mark.parametrize("mu", [0.0, 0.3, 0.9, 1.0])
def test_bda_weighs_the_two_discrepancies(domains, mu):
    Xs, ys, Xt, _ = domains

    def term(ys, yt):
        if yt is None:
            M = textbook.mmd_matrix(ys, None, len(Xt), 4, 1.0)
        else:
            M = textbook.mmd_matrix(ys, yt, len(Xt), 4, 4 * (1 - mu), mu)
        return M / np.linalg.norm(M)

    expected = textbook.adapt(Xs, ys, Xt, term, k=5, ridge=1.0, kernel="linear", rounds=5)
    model = BDA(5, mu=mu, max_iter=5).fit(Xs, ys, Xt)
    assert_same_rounds(model, expected)
    assert model.mu_ == mu


def test_bda_with_a_half_is_jda(domains):
    Xs, ys, Xt, _ = domains
    bda, jda = BDA(5, mu=0.5).fit(Xs, ys, Xt), JDA(5).fit(Xs, ys, Xt)
    np.testing.assert_array_equal(bda.transform(Xt), jda.transform(Xt))


def test_the_estimated_mu_is_the_one_that_weighs(domains):
    Xs, ys, Xt, _ = domains
    model = BDA(5, mu="auto", max_iter=2).fit(Xs, ys, Xt)
    assert model.mu_ not in (0, 0.5)
    F = textbook.kernel_matrix(textbook.unit(np.vstack([Xs, Xt])), "linear")
    M = textbook.mmd_matrix(ys, model.history_[0].labels, len(Xt), 4, 4 * (1 - model.mu_), model.mu_)
    Z = textbook.unit(F @ textbook.eigenvectors(F, M / np.linalg.norm(M), 1.0, 5))
    projected = model.transform(np.vstack([Xs, Xt]))
    np.testing.assert_allclose(projected, Z * np.sign(np.sum(Z * projected, axis=0)), atol=1e-7)


def test_estimated_mu_is_the_classes_share_of_the_distances(domains):
    from tsrp.base.spectral import View
    from tsrp.divergence import a_distance
    from tsrp.methods.bda import estimate_mu

    Xs, ys, Xt, yt = domains
    view = View(ys, len(Xt), 4)
    assert estimate_mu(view) == 0
    view.yt, view.projected = yt, (Xs, Xt)
    classes = np.mean([a_distance(Xs[ys == c], Xt[yt == c]) for c in range(4)])
    assert estimate_mu(view) == pytest.approx(classes / (classes + a_distance(Xs, Xt)))
    view.yt = np.zeros_like(yt)
    one = a_distance(Xs[ys == 0], Xt)
    assert estimate_mu(view) == pytest.approx(one / (one + a_distance(Xs, Xt)))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("m", [8, 200])
def test_unseen_samples_are_projected_as_the_training_rows_were(kernel, m):
    Xs, ys, Xt, _ = make_domains(2, m=m)
    model = DICD(6, kernel=kernel, max_iter=1).fit(Xs, ys, Xt)
    X = textbook.unit(np.vstack([Xs, Xt]))
    F = textbook.kernel_matrix(X, kernel)
    Z = textbook.unit(F @ textbook.eigenvectors(F, textbook.dicd_term(len(Xt), 4, 0.1)(ys, None), 1.0, 6))
    projected = model.transform(np.vstack([Xs, Xt]))
    signs = np.sign(np.sum(Z * projected, axis=0))
    np.testing.assert_allclose(projected, Z * signs, atol=1e-7)


def test_signs_do_not_depend_on_the_solver(domains):
    Xs, ys, Xt, _ = domains
    weights = linear_weights(JDA(5, kernel="primal").fit(Xs, ys, Xt))
    assert np.all(np.take_along_axis(weights, np.abs(weights).argmax(axis=0)[None], 0) > 0)
