import numpy as np

from tsrp.divergence import a_distance


def test_equal_sets_cannot_be_told_apart_and_far_ones_can():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 400, 3))
    assert a_distance(A, B) < 0.4
    assert a_distance(A, B + 20) == 2


def test_the_distance_grows_with_the_shift():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 400, 3))
    distances = [a_distance(A, B + shift) for shift in (0, 1, 3)]
    assert distances == sorted(distances)
