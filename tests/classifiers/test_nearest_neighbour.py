import numpy as np
import pytest

from tests.support import textbook
from tsrp import NearestNeighbour


def test_the_nearest_sample_gives_the_label(domains):
    Xs, ys, Xt, _ = domains
    names = np.array(["ant", "bee", "cat", "dog"])[ys]
    model = NearestNeighbour().fit(Xs, names)
    np.testing.assert_array_equal(model.predict(Xt), names[textbook.nearest(Xs, Xt)])
    assert model.score(Xs, names) == 1


def test_continuous_targets_are_no_classes():
    with pytest.raises(ValueError, match="Unknown label type"):
        NearestNeighbour().fit([[0.0], [1.0]], [0.5, 0.7])
