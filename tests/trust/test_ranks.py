"""Ranks among the fitted target, for its own values and for others."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from tsrp.trust.ranks import Ranks

values = st.lists(st.floats(-5, 5).map(lambda x: round(x, 3)), min_size=1, max_size=30).map(np.array)


@given(values)
def test_of_the_fitted_values_they_are_mid_ranks(values):
    ranks = Ranks.among(values).of(values)
    np.testing.assert_allclose(ranks, (rankdata(values) - 0.5) / len(values))
    assert ranks.min() > 0
    assert ranks.max() < 1


@given(values, values)
def test_of_other_values_they_lie_between_those_of_their_neighbours(values, others):
    ranks = Ranks.among(values)
    for value, rank in zip(others, ranks.of(others), strict=True):
        below, above = values[values <= value], values[values >= value]
        if len(below):
            assert rank >= ranks.of(np.array([below.max()]))[0] - 1e-12
        if len(above):
            assert rank <= ranks.of(np.array([above.min()]))[0] + 1e-12


def test_the_last_bit_of_a_tied_value_does_not_matter():
    ranks = Ranks.among(np.array([0.1, 0.3, 0.3, 0.3, 0.3, 0.3, 0.8]))
    near = np.array([np.nextafter(0.3, 0), 0.3, np.nextafter(0.3, 1)])
    np.testing.assert_allclose(ranks.of(near), 0.5, atol=1e-12)
