"""Many numbers are sorted as numpy sorts them, however they lie."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tsrp.numerics import sorting
from tsrp.numerics.sorting import by_place, sort_numbers

N = 3 * sorting.FEW


def numbers(kind):
    rng = np.random.default_rng(0)
    return {
        "spread": rng.uniform(-1, 1, N),
        "crowded": np.concatenate([rng.uniform(-1, 1, N // 2), 0.3 + 1e-9 * rng.normal(size=N // 2)]),
        "few values": rng.integers(5, size=N) / 4,
        "equal": np.full(N, 0.5),
        "descending": -np.arange(N, dtype=float),
        "far apart": rng.normal(size=N) * 10.0 ** rng.integers(-300, 300, N),
        "beyond the range": np.where(rng.integers(2, size=N), 1.7e308, -1.7e308),
        "few": rng.normal(size=7),
        "none": np.empty(0),
    }[kind]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "kind",
    ["spread", "crowded", "few values", "equal", "descending", "far apart", "beyond the range", "few", "none"],
)
def test_the_order_is_numpys(kind, threads):
    values = numbers(kind)
    given = values.copy()
    with threadpool_limits(threads):
        np.testing.assert_array_equal(sort_numbers(values), np.sort(values))
    np.testing.assert_array_equal(values, given)


@pytest.mark.parametrize("crowded", [1, 2, 3, 200])
def test_rows_of_any_length_meet(crowded, monkeypatch):
    monkeypatch.setattr(sorting, "CROWDED", crowded)
    values = np.random.default_rng(1).normal(size=N + 5)
    np.testing.assert_array_equal(sort_numbers(values), np.sort(values))


def test_places_keep_the_order_of_their_values():
    rng = np.random.default_rng(2)
    values, places = rng.normal(size=500), rng.integers(7, size=500)
    placed, starts = by_place(values, places, 9)
    np.testing.assert_array_equal(placed, values[np.argsort(places, kind="stable")])
    np.testing.assert_array_equal(np.diff(starts), np.bincount(places, minlength=9))
