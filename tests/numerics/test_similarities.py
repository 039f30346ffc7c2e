"""Quantiles of similarities do not depend on how many pairs fit in memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsrp.numerics.similarities import Similarities


@settings(max_examples=60)
@given(st.integers(0, 1000), st.integers(4, 40), st.floats(0, 1), st.integers(1, 200), st.booleans())
def test_memory_does_not_change_the_quantile(seed, n, share, budget, repeated):
    Z = np.random.default_rng(seed).integers(-2, 3, size=(n, 4)).astype(float)
    Z[0] = 0
    if repeated:
        Z[1:] = Z[1]
    whole = Similarities(Z).quantile(share)
    blocked = Similarities(Z, pairs_in_memory=budget).quantile(share)
    assert (whole is None) == (blocked is None)
    if whole is not None:
        assert blocked == pytest.approx(whole, abs=1e-12)


def test_distinct_values_leave_out_zeros_and_repetitions():
    Z = np.array([[1.0, 0, 0], [1, 1, 0], [1, 1, 0], [0, 0, 2], [0, 0, 0]])
    np.testing.assert_allclose(Similarities(Z).distinct(), [np.sqrt(0.5), 1])


def test_values_that_differ_by_rounding_only_are_one_value():
    rng = np.random.default_rng(0)
    Z = np.repeat(rng.normal(size=(6, 50)), 5, axis=0)
    noisy = Z * (1 + rng.uniform(-1, 1, size=(30, 1)) * 1e-9)
    assert len(Similarities(noisy).distinct()) == 6 * 5 // 2 + 1


def test_all_samples_equal_needs_no_more_memory_than_allowed():
    pairs = Similarities(np.ones((300, 3)), pairs_in_memory=1000)
    assert pairs.quantile(0.9) is None
    assert pairs.quantile(1.0) == pytest.approx(1)
