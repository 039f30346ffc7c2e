import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tsrp.numerics import rows
from tsrp.numerics.rows import stacked_unit_rows, unit_rows

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(hnp.arrays(float, hnp.array_shapes(min_dims=2, max_dims=2), elements=finite))
def test_every_row_has_length_one_or_is_zero(X):
    lengths = np.linalg.norm(unit_rows(X), axis=1)
    np.testing.assert_allclose(lengths, np.any(X != 0, axis=1), atol=1e-9)


def test_the_input_is_left_alone_and_float32_stays():
    X = np.array([[3e30, 4e30], [0, 0]], dtype=np.float32)
    before = X.copy()
    U = unit_rows(X)
    assert U.dtype == np.float32
    np.testing.assert_allclose(U, [[0.6, 0.8], [0.0, 0.0]], rtol=1e-6)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_scaled_in_blocks_to_the_last_bit_as_all_at_once(dtype, monkeypatch):
    monkeypatch.setattr(rows, "ROWS_AT_ONCE", 3)
    rng = np.random.default_rng(0)
    for n, m in ((7, 5), (1, 4), (10, 1), (4, 301)):
        X = (rng.normal(size=(n, m)) * 10.0 ** rng.integers(-8, 9, size=(n, 1))).astype(dtype)
        X[0] = 0
        np.testing.assert_array_equal(stacked_unit_rows(X[:4], X[4:], X[:1]), unit_rows(np.vstack([X, X[:1]])))
