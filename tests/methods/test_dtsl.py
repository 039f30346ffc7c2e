"""DTSL: a plain ADMM agrees with it, it converges, and it says how far it is."""

from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from tests.support import textbook
from tests.support.domains import make_domains
from tsrp import DTSL
from tsrp.exceptions import InputError
from tsrp.memory import limited_memory

WEIGHTS = {
    "defaults": {},
    "a reconstruction": {"noise": 1.0, "ridge": 0.1},
    "a sparse one": {"noise": 1.0, "sparsity": 1.0},
}


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS.keys())
@pytest.mark.parametrize("m", [8, 60])
def test_it_takes_the_steps_of_a_plain_admm(weights, m):
    Xs, ys, Xt, _ = make_domains(0, 30, 25, m)
    settings = {"ridge": 1.0, "sparsity": 0.01, "noise": 0.01, "growth": 1.1} | weights
    model = DTSL(max_steps=200).set_params(**settings).fit(Xs, ys, Xt)
    steps = len(model.residuals_)
    with threadpool_limits(1):
        P, residuals, _ = textbook.dtsl(textbook.unit(Xs), ys, textbook.unit(Xt), **settings, steps=steps)
    np.testing.assert_allclose(model.residuals_, residuals, atol=1e-7)
    expected = textbook.unit(textbook.unit(Xt) @ P)
    np.testing.assert_allclose(model.transform(Xt), expected, atol=1e-5)


def test_all_residuals_fall_below_the_tolerance(domains):
    Xs, ys, Xt, _ = domains
    for tolerance in (1e-2, 1e-4, 1e-6):
        model = DTSL(tolerance=tolerance, max_steps=300).fit(Xs, ys, Xt)
        assert model.residuals_[-1].max() <= tolerance
        assert model.residuals_[-2].max() > tolerance


def test_steps_that_run_out_are_a_warning_and_a_result(domains):
    Xs, ys, Xt, _ = domains
    with pytest.warns(ConvergenceWarning, match=r"DTSL stopped after max_steps=5 with a residual of .*; allow"):
        model = DTSL(max_steps=5).fit(Xs, ys, Xt)
    assert model.residuals_.shape == (5, 3)
    assert model.labels_.shape == (50,)


def test_noise_that_costs_more_makes_the_reconstruction_explain_more(domains):
    Xs, ys, Xt, _ = domains
    little, much = (DTSL(noise=noise, max_steps=300).fit(Xs, ys, Xt) for noise in (1e-4, 10.0))
    assert little.explained_ < 0.1 < 0.9 < much.explained_ <= 1
    assert much.rank_ >= 1


def test_every_step_is_reported_with_its_residual(domains):
    Xs, ys, Xt, _ = domains
    seen: list[Any] = []
    model = DTSL().fit(Xs, ys, Xt, callback=seen.append)
    *steps, _ = seen
    assert [step.number for step in steps] == list(range(1, len(model.residuals_) + 1))
    assert [step.value for step in steps] == model.residuals_.max(axis=1).tolist()
    assert {(step.limit, step.what) for step in steps} == {(100, "largest residual")}


def test_a_reconstruction_larger_than_memory_is_refused(domains):
    sentence = "DTSL's reconstruction of 50 target samples by 60 of the source needs about .* use fewer samples"
    with limited_memory("10KB"), pytest.raises(InputError, match=sentence):
        DTSL().fit(*domains[:3])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ridge": 0}, "ridge must be a number greater than 0"),
        ({"max_steps": 1}, "max_steps must be a whole number of at least 2"),
        ({"noise": -1}, "noise must be a number of at least 0"),
        ({"sparsity": None}, "sparsity must be a number"),
        ({"growth": 0.9}, "growth must be a number of at least 1"),
        ({"tolerance": 0}, "tolerance must be a number greater than 0"),
    ],
)
def test_parameters_are_checked(domains, parameters, message):
    with pytest.raises(ValueError, match=message):
        DTSL(**parameters).fit(*domains[:3])


@pytest.mark.parametrize("source", [np.zeros((6, 3)), np.ones((6, 3)), np.arange(1.0, 7.0)[:, None] * [1.0, 2.0, 3.0]])
def test_a_source_that_does_not_vary_is_refused(source):
    with pytest.raises(ValueError, match=r"Xs does not vary \(n_features=3\): scaled to unit length"):
        DTSL().fit(source, [0, 1] * 3, np.eye(3))


@pytest.mark.parametrize("parameters", [{"noise": 0}, {"noise": 1e-6}, {"tolerance": 0.5}])
def test_it_does_not_stop_before_it_has_seen_the_labels(domains, parameters):
    Xs, ys, Xt, _ = domains
    model, other = (DTSL(**parameters).fit(Xs, labels, Xt) for labels in (ys, np.roll(ys, 1)))
    assert len(model.residuals_) >= 2
    assert np.abs(model.transform(Xt) - other.transform(Xt)).max() > 0.1


def test_the_same_fit_gives_the_same_bits(domains):
    Xs, ys, Xt, _ = domains
    first, second = (DTSL(growth=2.0, noise=1.0).fit(Xs, ys, np.tile(Xt[:1], (20, 1))).transform(Xt) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_the_rank_is_that_of_the_low_rank_copy(domains):
    Xs, ys, Xt, _ = domains
    settings = {"ridge": 0.1, "sparsity": 0.01, "noise": 1.0, "growth": 1.1}
    model = DTSL(max_steps=200).set_params(**settings).fit(Xs, ys, Xt)
    copies = textbook.dtsl(textbook.unit(Xs), ys, textbook.unit(Xt), **settings, steps=len(model.residuals_))[2]
    assert model.rank_ == np.linalg.matrix_rank(copies, tol=1e-9)
