"""The quantile of distinct values that are held is that of a plain sort, however close and however crowded they are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from tests.support import textbook
from tsrp.numerics import held
from tsrp.numerics.held import held_quantile
from tsrp.numerics.threads import parallel_map

SAME = 1e-12
KINDS = ["spread", "crowded", "few values", "equal up to rounding", "steps of one value", "equal", "less than its room"]


def plain(numbers, share):
    return textbook.distinct_quantile(numbers, share, SAME)


def reader(numbers, n_blocks=3):
    """Calls with blocks that are overwritten afterwards."""

    def read(work):
        def once(block):
            room = block.copy()
            work(room)
            room[:] = np.nan

        parallel_map(once, np.array_split(numbers, n_blocks))

    return read


# Steps from a number to the next: none, about the smallest difference of two values, and far.
steps = st.one_of(st.just(0.0), st.floats(0, 3e-12), st.floats(1e-10, 1e-4), st.floats(0.01, 0.2))


@pytest.mark.parametrize(("run", "longest"), [(1, 1), (2, 5), (held.RUN, held.LONGEST_RUN)])
@settings(max_examples=60, deadline=None)
@given(st.floats(-1, 1), st.lists(steps, max_size=30), st.floats(0, 1), st.randoms(use_true_random=False))
def test_it_is_that_of_a_plain_sort(run, longest, first, differences, share, random):
    numbers = (first + np.concatenate([[0.0], np.cumsum(differences)])).clip(-1, 1)
    random.shuffle(numbers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(held, "RUN", run)
        patch.setattr(held, "LONGEST_RUN", longest)
        patch.setattr(held, "FEWEST_RUNS", 2)
        found = held_quantile(reader(numbers), len(numbers), share, same=SAME)
    assert found == plain(numbers, share)


def many(kind):
    rng, n = np.random.default_rng(0), 10_000
    return {
        "spread": rng.uniform(-1, 1, n),
        "crowded": np.concatenate([rng.uniform(-1, 1, n // 2), 0.3 + 1e-9 * rng.normal(size=n // 2)]),
        "few values": rng.integers(-4, 5, n) / 4,
        "equal up to rounding": rng.integers(1, 5, n) / 4 * (1 + 1e-16 * rng.integers(-3, 4, n)),
        "steps of one value": 0.1 + SAME * rng.integers(n // 4, size=n),
        "equal": np.full(n, 0.5),
        "less than its room": rng.uniform(-1, 1, n - 100),
    }[kind].clip(-1, 1)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_many_numbers_give_the_plain_value(kind, threads, monkeypatch):
    monkeypatch.setattr(held, "RUN", 100)
    monkeypatch.setattr(held, "LONGEST_RUN", 400)
    numbers = many(kind)
    shares = [0.0, 0.3, 0.9, 1.0]
    with threadpool_limits(threads):
        found = [held_quantile(reader(numbers), 10_000, share, same=SAME) for share in shares]
    assert found == [plain(numbers, share) for share in shares]


def test_numbers_are_read_once():
    passes = []
    numbers = np.random.default_rng(2).uniform(-1, 1, 1000)

    def read(work):
        passes.append(work)
        work(numbers)

    held_quantile(read, 1000, 0.9, same=SAME)
    assert len(passes) == 1


@pytest.mark.parametrize("kind", ["spread", "crowded", "equal", "equal up to rounding"])
def test_no_run_is_longer_than_allowed(kind, monkeypatch):
    monkeypatch.setattr(held, "RUN", 100)
    monkeypatch.setattr(held, "LONGEST_RUN", 400)
    runs = held._runs([many(kind)], SAME)
    assert max(sum(map(len, run)) for run in runs) <= 400


def test_nothing_has_no_quantile():
    assert held_quantile(reader(np.empty(0)), 0, 0.9, same=SAME) is None
