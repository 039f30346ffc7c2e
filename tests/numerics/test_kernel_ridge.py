"""Kernel ridge regression of the classes."""

import numpy as np

from tests.support import textbook
from tests.support.domains import make_domains
from tsrp.numerics.kernel_ridge import KernelRidge


def test_labels_are_those_of_the_inverse_matrix():
    Xs, ys, Xt, _ = make_domains()
    names = np.array(["ant", "bee", "cat", "dog"])
    labels = KernelRidge().fit(Xs, names[ys]).predict(Xt)
    np.testing.assert_array_equal(labels, names[textbook.kernel_ridge(Xs, ys, Xt, 4)])
