"""Labels that follow the target's groups say much about their neighbours' labels."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler, normalize

from tests.support.domains import make_domains
from tsrp.trust.information import neighbour_information, original_neighbours


def by_counting(codes, neighbours):
    """The mutual information of all pairs, from their table of counts."""
    pairs = [(codes[i], codes[j]) for i, near in enumerate(neighbours) for j in near]
    table = np.zeros((codes.max() + 1, codes.max() + 1))
    for a, b in pairs:
        table[a, b] += 1 / len(pairs)
    rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    seen = table > 0
    return float((table[seen] * np.log(table[seen] / (rows @ columns)[seen])).sum())


def test_neighbours_are_those_of_the_z_scores():
    Xt = make_domains()[2]
    rows = normalize(StandardScaler().fit_transform(Xt))
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, -np.inf)
    np.testing.assert_array_equal(original_neighbours(Xt), np.sort(np.argsort(-cosines, axis=1)[:, :5], axis=1))


def test_information_is_counted_from_pairs():
    _, _, Xt, labels = make_domains()
    near = original_neighbours(Xt)
    assert neighbour_information(labels, near) == pytest.approx(by_counting(labels, near))


def test_shuffled_labels_and_one_label_say_nothing():
    _, _, Xt, labels = make_domains(n_target=400)
    near = original_neighbours(Xt)
    shuffled = np.random.default_rng(0).permutation(labels)
    assert neighbour_information(shuffled, near) < 0.05 < 0.5 < neighbour_information(labels, near)
    assert neighbour_information(0 * labels, near) == 0
    assert neighbour_information(labels[:1], original_neighbours(Xt[:1])) == 0
