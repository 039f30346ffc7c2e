"""The quantile of distinct values is that of a plain sort, whatever fits in memory and however close they are."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from tests.support import textbook
from tsrp.numerics import distinct
from tsrp.numerics.distinct import distinct_quantile
from tsrp.numerics.threads import parallel_map

SAME = 1e-12
CELL = 1 / distinct.CELLS


def plain(numbers, share):
    return textbook.distinct_quantile(numbers, share, SAME)


def reader(numbers, n_blocks=2):
    return lambda work: parallel_map(work, np.array_split(numbers, n_blocks))


# Steps from a number to the next: none, below and above the smallest difference of two values by a part of a cell, by
# one cell, and far.
steps = st.one_of(
    st.just(0.0),
    st.floats(-2, 2).map(lambda cells: SAME + cells * CELL),
    st.floats(0, 3e-12),
    st.floats(1e-10, 1e-4),
    st.floats(0.01, 0.2),
)


@pytest.mark.parametrize("stretch", [3, distinct.STRETCH])
@settings(max_examples=60, deadline=None)
@given(
    st.floats(-1, 1),
    st.lists(steps, max_size=30),
    st.floats(0, 1),
    st.sampled_from([4, 15, 1000]),
    st.randoms(use_true_random=False),
)
@example(0.25, [0.0] * 30, 1.0, 3, None)
@example(1.0, [1e-16] * 30, 1.0, 3, None)
def test_it_is_that_of_a_plain_sort(stretch, first, differences, share, in_memory, random):
    numbers = (first + np.concatenate([[0.0], np.cumsum(differences)])).clip(-1, 1)
    if random is not None:
        random.shuffle(numbers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct, "STRETCH", stretch)
        found = distinct_quantile(reader(numbers), share, same=SAME, in_memory=in_memory)
    assert found == plain(numbers, share)


@pytest.mark.parametrize(
    "kind", ["spread", "few values", "a narrow range", "equal up to rounding", "steps of one value"]
)
@pytest.mark.parametrize("threads", [1, 2])
def test_many_numbers_give_the_plain_value_in_any_number_of_passes(kind, threads, monkeypatch):
    monkeypatch.setattr(distinct, "STRETCH", 500)
    rng = np.random.default_rng(0)
    n = 10_000
    numbers = {
        "spread": rng.uniform(-1, 1, n),
        "few values": rng.integers(-4, 5, n) / 4,
        "a narrow range": 0.3 + 1e-9 * rng.normal(size=n),
        "equal up to rounding": rng.integers(1, 5, n) / 4 * (1 + 1e-16 * rng.integers(-3, 4, n)),
        "steps of one value": 0.1 + SAME * rng.integers(n // 4, size=n),
    }[kind].clip(-1, 1)
    shares = [0.0, 0.3, 0.9, 1.0]
    expected = [plain(numbers, share) for share in shares]
    for in_memory in (n // 3, 10 * n):
        with threadpool_limits(threads):
            found = [distinct_quantile(reader(numbers), share, same=SAME, in_memory=in_memory) for share in shares]
        assert found == expected


def test_no_more_is_held_than_allowed(monkeypatch):
    held = []
    original = distinct._collect

    def counted(*arguments):
        kept = original(*arguments)
        held.append(len(kept))
        return kept

    monkeypatch.setattr(distinct, "_collect", counted)
    numbers = np.random.default_rng(1).normal(size=1000) / 10
    distinct_quantile(reader(numbers), 0.9, same=SAME, in_memory=300)
    assert max(held) <= 300
    assert sum(held) == 1000


def test_numbers_whose_cells_fit_in_memory_are_read_three_times():
    passes = []
    numbers = np.random.default_rng(2).uniform(-1, 1, 1000)

    def read(work):
        passes.append(work)
        work(numbers)

    distinct_quantile(read, 0.9, same=SAME, in_memory=1000)
    assert len(passes) == 3


def test_nothing_has_no_quantile():
    assert distinct_quantile(reader(np.empty(0)), 0.9, same=SAME, in_memory=10) is None
