"""Passes over blocks find what is found in the samples as a whole."""

import numpy as np
import pytest

from tsrp.blocked.local import ArrayReader, LocalBlocks
from tsrp.exceptions import InputError
from tsrp.memory import limited_memory
from tsrp.numerics import passes
from tsrp.numerics.classes import class_sums
from tsrp.numerics.eigenproblem import reduce_samples
from tsrp.numerics.forms import quadratic_form
from tsrp.numerics.principal import principal_directions
from tsrp.numerics.terms import mmd, scatter


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(83, 6)) @ np.diag([9.0, 3.0, 2.0, 1.0, 0.5, 0.0])


def blocks(X, rows=20):
    return LocalBlocks.of(ArrayReader(X, rows))


def test_gram_matrix_sum_products_and_class_sums(X):
    gram, total = passes.gram_and_sum(blocks(X))
    np.testing.assert_allclose(gram, X.T @ X, atol=1e-12)
    np.testing.assert_allclose(total, X.sum(axis=0), atol=1e-12)
    W = np.ones((6, 2))
    np.testing.assert_allclose(passes.times(blocks(X), W), X @ W, atol=1e-13)
    groups = np.arange(83) % 5
    np.testing.assert_allclose(passes.group_sums(blocks(X), groups, 5), class_sums(X, groups, 5), atol=1e-13)


@pytest.mark.parametrize("power", [1, 2])
def test_the_reduction_is_that_of_the_whole(X, power):
    ours, theirs = passes.reduce_blocks(blocks(X), power), reduce_samples(X, power)
    assert len(ours.scale) == 5
    np.testing.assert_allclose(ours.scale, theirs.scale, rtol=1e-12)
    np.testing.assert_allclose(np.abs(ours.mean), np.abs(theirs.mean), atol=1e-12)
    Y = np.eye(5)[:, :2]
    np.testing.assert_allclose(np.abs(ours.project(Y)[0]), np.abs(theirs.project(Y)[0]), rtol=1e-9, atol=1e-9)


def test_quadratic_forms_of_terms_that_come_one_after_the_other(X):
    rng = np.random.default_rng(1)
    ys = rng.integers(4, size=43)
    forms = passes.BlockedForms(blocks(X))
    for yt in (None, rng.integers(4, size=40), rng.integers(4, size=40), np.zeros(40, dtype=int)):
        theta = mmd(ys, yt, 40, 4, 1.0, 1.0) + scatter(ys, yt, 40, 4, 0.1)
        np.testing.assert_allclose(forms(theta), quadratic_form(X, theta), rtol=1e-10, atol=1e-8)


def test_quadratic_forms_where_the_first_sample_has_no_weight(X):
    forms = passes.BlockedForms(blocks(X))
    for repulsion in (0.1, 1.0, 0.1):
        theta = scatter(np.arange(43) % 2, None, 40, 2, repulsion)
        theta.diagonal[0] *= repulsion == 0.1
        np.testing.assert_allclose(forms(theta), quadratic_form(X, theta), rtol=1e-10, atol=1e-8)


def test_principal_directions_are_those_of_the_whole(X):
    mean, directions = passes.principal_directions_of_blocks(blocks(X + 5.0), 3)
    expected_mean, expected = principal_directions(X + 5.0, 3)
    np.testing.assert_allclose(mean, expected_mean, atol=1e-13)
    np.testing.assert_allclose(directions, expected, atol=1e-9)


def test_what_does_not_fit_into_memory_is_refused_with_its_size(X):
    with limited_memory(1000), pytest.raises(InputError, match=r"Gram matrix of 6 features needs about 1.73 KB"):
        passes.gram_and_sum(blocks(X))
    with limited_memory("5KB"), pytest.raises(InputError, match=r"83 samples to 2 components needs about 5.31 KB"):
        passes.times(blocks(X), np.ones((6, 2)))
