"""The blocked nearest neighbour equals the plain one, ties and extremes included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.support import textbook
from tsrp.numerics import neighbours
from tsrp.numerics.neighbours import GrowingPool, nearest

# Small integers make many exact ties and leave no rounding.
grids = st.integers(1, 4).flatmap(
    lambda m: st.tuples(
        *[hnp.arrays(float, st.tuples(st.integers(1, 25), st.just(m)), elements=st.integers(-3, 3)) for _ in range(2)]
    )
)


@given(grids)
def test_first_of_the_nearest_wins(arrays):
    references, queries = arrays
    squares = ((queries[:, None] - references[None]) ** 2).sum(axis=2)
    assert nearest(references, queries).tolist() == squares.argmin(axis=1).tolist()


@pytest.mark.parametrize(("queries", "block"), [(7, 3), (600, 4096), (1100, 128)])
def test_blocks_do_not_matter(monkeypatch, queries, block):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(500, 20)), rng.normal(size=(queries, 20))
    monkeypatch.setattr(neighbours, "REFERENCE_BLOCK", block)
    np.testing.assert_array_equal(nearest(A, B), textbook.nearest(A, B))


@given(st.sampled_from([1e-200, 1e-30, 1.0, 1e30, 1e300]), st.integers(0, 1000))
def test_scale_does_not_matter(scale, seed):
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(40, 5)), rng.normal(size=(30, 5))
    np.testing.assert_array_equal(nearest(A * scale, B * scale), textbook.nearest(A, B))


def test_a_large_common_offset_does_not_matter():
    rng = np.random.default_rng(0)
    A, B = rng.integers(0, 100, size=(200, 3)).astype(float), rng.integers(0, 100, size=(200, 3)).astype(float)
    np.testing.assert_array_equal(nearest(A + 1e9, B + 1e9), textbook.nearest(A, B))


@pytest.mark.parametrize("far", [1e7, 1e20, 1e100])
def test_one_far_away_row_does_not_blur_the_others(far):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(300, 5)), rng.normal(size=(300, 5))
    A[17] = B[3] = far
    np.testing.assert_array_equal(nearest(A, B), textbook.nearest(A, B))


def test_a_large_constant_feature_does_not_matter():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(300, 5)), rng.normal(size=(300, 5))
    wide = [np.column_stack([X, np.full(300, 1.7e15)]) for X in (A, B)]
    np.testing.assert_array_equal(nearest(*wide), textbook.nearest(A, B))


def test_what_float32_cannot_tell_apart_is_told_apart():
    rng = np.random.default_rng(0)
    A = 1 + 1e-7 * rng.normal(size=(400, 30))
    B = 1 + 1e-7 * rng.normal(size=(600, 30))
    np.testing.assert_array_equal(nearest(A, B), textbook.nearest(A, B))


def test_many_candidates_are_decided_in_parts(monkeypatch):
    monkeypatch.setattr(neighbours, "REFERENCE_BLOCK", 16)
    rng = np.random.default_rng(0)
    A, B = rng.integers(0, 2, size=(500, 3)).astype(float), rng.normal(size=(40, 3))
    np.testing.assert_array_equal(nearest(A, B), ((B[:, None] - A[None]) ** 2).sum(axis=2).argmin(axis=1))


def test_rows_that_differ_in_the_last_bit_are_a_tie():
    a = np.array([0.1, 0.2, 0.3])
    references = np.array([a * (1 + 4e-16), a])
    assert nearest(references, np.array([a, a + 0.5])).tolist() == [0, 0]


def test_equal_references_are_a_tie_for_the_first():
    assert nearest(np.ones((5000, 3)), np.zeros((2, 3))).tolist() == [0, 0]


def test_no_queries_no_answers():
    assert nearest(np.ones((3, 2)), np.empty((0, 2))).shape == (0,)


def grow(references, queries, steps):
    """At each step some queries join the pool, the others are asked about: what is found, and what a search finds."""
    pool, asked = GrowingPool(references, queries), np.arange(len(queries))
    for joining in steps:
        rows = asked[joining % len(asked)] if len(joining) else joining
        pool.add(rows)
        references = np.vstack([references, queries[rows]])
        asked = np.setdiff1d(asked, rows)[::-1]
        yield pool.nearest(asked).tolist(), nearest(references, queries[asked]).tolist()
        if len(asked) == 0:
            break


some = st.lists(hnp.arrays(int, st.integers(0, 8), elements=st.integers(0, 99), unique=True), max_size=4)


@given(grids, some)
def test_a_growing_pool_is_searched_as_if_it_were_new(arrays, steps):
    references, queries = arrays
    for found, expected in grow(references, queries, steps):
        assert found == expected


@pytest.mark.parametrize("spread", [1e-200, 1e-16, 1e-9, 1.0, 1e150])
def test_ties_in_a_growing_pool_are_those_of_a_new_one(spread):
    """Near ties too, of rows that differ in the last bits."""
    rng = np.random.default_rng(0)
    base = rng.integers(0, 3, size=(300, 4)).astype(float)
    X = base * max(spread, 1.0) + spread * rng.normal(size=base.shape) if spread > 1e-100 else base * spread
    steps = [rng.choice(99, size=25, replace=False) for _ in range(4)]
    for found, expected in grow(X[:100], X[100:], steps):
        assert found == expected


def test_a_feature_that_begins_to_vary_is_noticed():
    references, queries = np.zeros((3, 2)), np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [2.0, 3.0]])
    steps = [np.array([0]), np.array([0])]
    assert all(found == expected for found, expected in grow(references, queries, steps))


def test_only_what_has_joined_is_searched(monkeypatch):
    rng = np.random.default_rng(0)
    searched = []

    def count(rows, pool, queries, noise, search=neighbours._search):
        searched.append((len(pool), len(queries)))
        return search(rows, pool, queries, noise)

    monkeypatch.setattr(neighbours, "_search", count)
    pool = GrowingPool(rng.normal(size=(50, 3)), rng.normal(size=(40, 3)))
    pool.nearest(np.arange(40))
    pool.add(np.arange(10))
    pool.nearest(np.arange(10, 40))
    pool.nearest(np.arange(20, 40))
    assert searched == [(50, 40), (10, 30)]
