"""A student of a vote: trees that learn the target from it."""

import numpy as np
import pytest

from tests.support.domains import make_domains
from tsrp.selection.student import join, teach


@pytest.fixture(scope="module")
def target():
    return make_domains(n_target=200)[2:]


def test_it_corrects_single_wrong_labels(target):
    Xt, yt = target
    wrong = np.arange(200) % 10 == 0
    told = np.where(wrong, (yt + 1) % 4, yt)
    student, shares = teach(Xt, told, np.where(wrong, 0.4, 0.9), 1)
    labels = student.classes_[shares.argmax(axis=1)]
    assert np.mean(labels[wrong] == yt[wrong]) > 0.8
    assert np.mean(labels == yt) > np.mean(told == yt)


def test_it_does_not_repeat_what_it_was_told_of_a_row(target):
    """Labels at random teach nothing about other rows."""
    Xt, yt = target
    told = np.random.default_rng(0).permutation(yt)
    student, shares = teach(Xt, told, np.ones(200), 1)
    assert np.mean(student.classes_[shares.argmax(axis=1)] == told) < 0.5


def test_rows_that_the_vote_is_sure_of_count_more():
    Xt = np.zeros((30, 1))
    labels = np.repeat([0, 1], 15)
    for sureness in ([0.9, 0.3], [0.3, 0.9]):
        _, shares = teach(Xt, labels, np.repeat(sureness, 15), 1)
        assert (shares.argmax(axis=1) == np.argmax(sureness)).all()


def test_the_last_bits_of_the_weights_do_not_matter():
    """They depend on the processor, and would decide between splits that tie."""
    random = np.random.default_rng(0)
    Xt, labels, sureness = (
        random.integers(2, size=(200, 30)) + 0.0,
        random.integers(3, size=200),
        random.uniform(size=200),
    )
    noise = 1 + 1e-15 * random.integers(-2, 3, size=200)
    _, shares = teach(Xt, labels, sureness, 1)
    np.testing.assert_array_equal(shares, teach(Xt, labels, sureness * noise, 1)[1])


def test_numbers_beyond_single_precision_are_no_obstacle(target):
    Xt, yt = target
    far = Xt.copy()
    far[:, 0] = 1e300
    student, shares = teach(far, yt, np.ones(200), 1)
    assert np.isfinite(shares).all()
    assert np.mean(student.classes_[shares.argmax(axis=1)] == yt) > 0.8


def test_one_label_for_all_rows_can_be_taught(target):
    student, shares = teach(target[0], np.zeros(200, dtype=int), np.ones(200), 1)
    assert student.classes_.tolist() == [0]
    np.testing.assert_array_equal(shares, 1)


def test_classes_that_it_was_not_taught_get_none_of_its_votes():
    votes = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
    joined = join(votes, np.array([[1.0, 0.0], [0.5, 0.5]]), 0.5, np.array(["a", "b", "c"]), np.array(["a", "c"]))
    np.testing.assert_allclose(joined, [[0.7 / 1.5, 0.2, 0.5 / 1.5], [1.25 / 1.5, 0.0, 0.25 / 1.5]])
    np.testing.assert_allclose(joined.sum(axis=1), 1)
