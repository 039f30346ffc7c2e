"""The most similar samples are those that a dense matrix of all cosines gives."""

import numpy as np
import pytest

from tsrp.numerics import cosines
from tsrp.numerics.cosines import nearest_cosines
from tsrp.numerics.rows import unit_rows


def rows(n, k=5, seed=0):
    return unit_rows(np.random.default_rng(seed).normal(size=(n, k)))


def test_neighbours_of_new_samples_may_be_the_samples_themselves():
    references = rows(30)
    found, similarities = nearest_cosines(references, references[:4], 3)
    expected = np.argsort(-(references[:4] @ references.T), axis=1)[:, :3]
    np.testing.assert_array_equal(found, np.sort(expected, axis=1))
    np.testing.assert_allclose(similarities.max(axis=1), 1.0)
    assert nearest_cosines(references, references[:0], 3)[0].shape == (0, 3)


@pytest.mark.parametrize("n", [3, 64, 641, 1500, 5000])
def test_the_largest_cosines_are_found_among_any_number(n):
    references, queries = rows(n), rows(20, seed=1)
    found, similarities = nearest_cosines(references, queries, 10)
    expected = -np.sort(-(queries @ references.T), axis=1)[:, :10]
    np.testing.assert_allclose(-np.sort(-similarities, axis=1), expected)
    np.testing.assert_allclose(np.take_along_axis(queries @ references.T, found, axis=1), similarities)


def test_at_most_so_many_pairs_are_held_at_a_time(monkeypatch):
    sizes = []
    original = cosines._largest

    def counted(screen, *others):
        sizes.append(screen.size)
        return original(screen, *others)

    monkeypatch.setattr(cosines, "PAIRS_IN_MEMORY", 1000)
    monkeypatch.setattr(cosines, "_largest", counted)
    nearest_cosines(rows(90), rows(90), 10, others=True)
    assert max(sizes) <= 1000
    assert sum(sizes) == 90 * 90


@pytest.mark.parametrize("n", [41, 90, 96])
@pytest.mark.parametrize("others", [True, False])
def test_many_references_are_looked_at_in_parts_and_the_neighbours_are_the_same(monkeypatch, n, others):
    references = np.vstack([rows(n - 3), rows(n)[:3]])
    queries = references if others else rows(30, seed=1)
    expected = nearest_cosines(references, queries, 7, others=others)
    monkeypatch.setattr(cosines, "PARTS", 8)
    monkeypatch.setattr(cosines, "MANY", 40)
    for mine, other in zip(nearest_cosines(references, queries, 7, others=others), expected, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_among_equal_samples_the_first_are_the_neighbours(dtype):
    units = rows(40, k=30)
    copies = np.vstack([np.repeat(units[:1], 6, axis=0), units[1:], units[:1]]).astype(dtype)
    found, _ = nearest_cosines(copies, copies[8:9], 40)
    above = np.sum(copies[7:-1] @ copies[8] > copies[0] @ copies[8])
    found, _ = nearest_cosines(copies, copies[8:9], above + 3)
    assert [i for i in found[0] if i < 6 or i == len(copies) - 1] == [0, 1, 2]
