"""Samples that are read a block at a time are the samples, in their order."""

from functools import partial

import numpy as np
import pytest

from tsrp.blocked.local import ArrayReader, LocalBlocks, block_rows
from tsrp.blocked.samples import as_type

X = np.arange(28.0).reshape(7, 4)


def blocks(array, rows=3):
    return LocalBlocks.of(ArrayReader(array, rows))


def whole(samples):
    return samples.rows(np.array)


def test_blocks_are_all_rows_in_their_order_each_time():
    samples = blocks(X)
    assert samples.shape == (7, 4)
    assert [len(block) for block in samples.map(np.array)] == [3, 3, 1]
    for _ in range(2):
        np.testing.assert_array_equal(whole(samples), X)


def test_what_belongs_to_the_samples_comes_with_their_block():
    pairs = list(blocks(X).map(lambda block, numbers: (len(block), numbers.tolist()), np.arange(7)))
    assert pairs == [(3, [0, 1, 2]), (3, [3, 4, 5]), (1, [6])]


def test_totals_are_added_up_in_the_order_of_the_blocks():
    parts = [np.array([1.0]), np.array([1e16]), np.array([-1e16])]
    samples = blocks(np.arange(3.0)[:, None], rows=1)
    total = samples.total(lambda block: parts[int(block[0, 0])])
    # In this order the 1 is lost; in any other in which it is added last, it is not.
    assert total == [0.0]
    assert parts[0] == [1.0]


def test_steps_follow_each_other():
    samples = blocks(X).then(np.negative).then(partial(as_type, dtype=np.float32), np.float32)
    assert samples.dtype == np.float32
    np.testing.assert_array_equal(whole(samples), -X)
    np.testing.assert_array_equal(whole(blocks(X)), X)


def test_samples_that_follow_others_get_their_precision():
    single = blocks(X.astype(np.float32))
    both = single.followed_by(blocks(X + 1))
    assert both.dtype == np.float64
    assert {block.dtype for block in both.map(np.array)} == {np.dtype(np.float64)}
    np.testing.assert_array_equal(whole(both), np.vstack([X, X + 1]))


@pytest.mark.parametrize(("given", "expected"), [(np.float16, np.float32), (np.int64, np.float64), (bool, np.float64)])
def test_numbers_of_other_types_become_floating_point(given, expected):
    samples = blocks(X.astype(given))
    assert samples.dtype == whole(samples).dtype == expected


def test_blocks_are_smaller_where_rows_are_longer():
    assert block_rows(10) > block_rows(100) > block_rows(10**9) > 0
