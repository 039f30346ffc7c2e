"""Quantiles of similarities are those of a plain sort, and neither they nor the pairs depend on what fits in memory."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from tsrp.numerics import distinct, similarities
from tsrp.numerics.rows import unit_rows
from tsrp.numerics.similarities import Similarities

DOCS = Path(__file__).parents[2] / "docs"


def plain(Z, share):
    """One similarity after the other, sorted; those that differ by rounding from the one before are one value."""
    lengths = [float(np.linalg.norm(z)) or 1.0 for z in Z]
    n = len(Z)
    values = sorted(float(Z[i] @ Z[j]) / (lengths[i] * lengths[j]) for i in range(n) for j in range(i + 1, n))
    values = [value for value in values if abs(value) > 1e-12]
    distinct = [b for a, b in zip([-9.0, *values], values, strict=False) if b - a > 1e-12]
    number = int(share * len(distinct) + 1e-9)
    return distinct[number - 1] if number else None


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(similarities, "TILE_ROWS", 10)
    monkeypatch.setattr(similarities, "TILE_COLUMNS", 12)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 1000), st.integers(4, 25), st.floats(0, 1), st.sampled_from([40, 300, 2000]), st.booleans())
def test_the_quantile_is_that_of_a_plain_sort_whatever_fits_in_memory(seed, n, share, memory, repeated):
    Z = np.random.default_rng(seed).integers(-2, 3, size=(n, 4)).astype(float)
    Z[0] = 0
    if repeated:
        Z[1:] = Z[1]
    expected = plain(Z, share)
    for pairs in (Similarities(unit_rows(Z)), Similarities(unit_rows(Z), memory)):
        found = pairs.quantile(share)
        assert (found is None) == (expected is None)
        if found is not None:
            assert found == pytest.approx(expected, abs=1e-12)


def test_a_value_on_the_border_of_what_is_held_counts_once():
    turns = np.arccos([1.0, 0.5 - 3e-13, 0.5 - 2e-13, 0.5 + 2e-13, 0.5 + 3e-13])
    pairs = Similarities(np.column_stack([np.cos(turns), np.sin(turns)]), memory=12)
    # The distinct values are this one and 1.
    assert pairs.quantile(0.4) is None
    assert pairs.quantile(0.5) == pytest.approx(0.5)
    assert pairs.quantile(1.0) == pytest.approx(1.0)


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_in_any_order_give_the_same_value(threads):
    Z = unit_rows(np.random.default_rng(0).normal(size=(60, 5)))
    with threadpool_limits(threads):
        assert Similarities(Z, memory=2000).quantile(0.9) == pytest.approx(plain(Z, 0.9), abs=1e-15)


def test_distinct_values_leave_out_zeros_and_repetitions():
    pairs = Similarities(unit_rows(np.array([[1.0, 0, 0], [1, 1, 0], [1, 1, 0], [0, 0, 2], [0, 0, 0]])))
    assert [pairs.quantile(share) for share in (0.49, 0.5, 1)] == [None, pytest.approx(np.sqrt(0.5)), pytest.approx(1)]


def test_values_that_differ_by_rounding_only_are_one_value():
    rng = np.random.default_rng(0)
    Z = np.repeat(rng.normal(size=(6, 50)), 5, axis=0)
    noisy = Z * (1 + rng.uniform(-1, 1, size=(30, 1)) * 1e-9)
    count = 6 * 5 // 2 + 1
    for memory in (200, 100_000):
        pairs = Similarities(unit_rows(noisy), memory)
        assert pairs.quantile(1 / count) is not None
        assert pairs.quantile(0.999 / count) is None


def test_all_samples_equal_needs_no_more_memory_than_allowed():
    pairs = Similarities(unit_rows(np.ones((300, 3))), memory=4000)
    assert pairs.quantile(0.9) is None
    assert pairs.quantile(1.0) == pytest.approx(1)


def collected(similarities, threshold):
    pairs: list[tuple[int, int]] = []
    similarities.each_pair_from(threshold, lambda i, j: pairs.extend(zip(i.tolist(), j.tolist(), strict=True)))
    return sorted(pairs)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 1000), st.integers(1, 40), st.sampled_from([-0.5, 0.0, 0.3, 1.0 - 1e-9]))
def test_pairs_are_those_that_reach_the_threshold_each_once(seed, n, threshold):
    units = unit_rows(np.random.default_rng(seed).integers(-2, 3, size=(n, 3)).astype(float))
    expected = [(i, j) for i in range(n) for j in range(i + 1, n) if units[i] @ units[j] >= threshold + 1e-12]
    for pairs in (Similarities(units), Similarities(units, memory=4)):
        assert collected(pairs, threshold + 1e-12) == expected


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(0, 1000),
    st.integers(4, 40),
    st.floats(0, 1),
    st.sampled_from([40, 300, 2000, similarities.MEMORY]),
    st.sampled_from([0, similarities.MOST_DOUBTFUL]),
    st.booleans(),
)
def test_pairs_from_a_quantile_are_those_from_its_value(seed, n, share, memory, most_doubtful, repeated):
    rng = np.random.default_rng(seed)
    units = unit_rows(rng.integers(-2, 3, size=(n, 3)) + (0.0 if repeated else rng.normal(size=(n, 3))))
    units[0] = 0
    pairs: list[tuple[int, int]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarities, "MOST_DOUBTFUL", most_doubtful)
        patch.setattr(distinct, "STRETCH", 5)
        found = Similarities(units, memory).each_pair_from_quantile(
            share, lambda i, j: pairs.extend(zip(i.tolist(), j.tolist(), strict=True))
        )
    expected = plain(units, share)
    assert (found is None) == (expected is None)
    if found is not None:
        assert found == pytest.approx(expected, abs=1e-12)
        if found > 0:
            assert sorted(pairs) == collected(Similarities(units), found - 1e-13)


@pytest.mark.parametrize(("memory", "n_passes"), [(100_000, 2), (30_000, 3), (10_000, 4)])
def test_pairs_are_read_a_few_times(memory, n_passes, monkeypatch):
    monkeypatch.setattr(similarities, "MOST_ROWS_OF_MATRIX", 10)
    passes = []
    original = Similarities._each_tile

    def counted(self, work):
        passes.append(work)
        original(self, work)

    monkeypatch.setattr(Similarities, "_each_tile", counted)
    units = unit_rows(np.random.default_rng(0).normal(size=(100, 5)))
    assert Similarities(units, memory).each_pair_from_quantile(0.9, lambda i, j: None) is not None
    assert len(passes) == n_passes


@pytest.mark.parametrize("page", ["limits.md", "methods/tsrp.md", "performance.md"])
def test_the_pages_say_how_many_samples_have_their_similarities_held(page):
    n = next(n for n in itertools.count(1) if n * (n + 1) // 2 * similarities.BYTES_HELD > similarities.MEMORY)
    assert f"{n:,} samples" in (DOCS / page).read_text()
