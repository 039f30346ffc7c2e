"""Samples that cannot be computed with are refused where they come in."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from tsrp import NN, PerDomain
from tsrp.exceptions import InputError
from tsrp.validation import check_known, check_labels, check_samples

TOO_LARGE = r"2 values are beyond 1e\+100 and too large to compute with, the first in row 1, column 2; rescale"


@pytest.mark.parametrize("large", [1.01e100, -np.finfo(float).max])
def test_values_whose_squares_are_no_numbers_are_refused(large):
    X = np.zeros((4, 3))
    X[1, 2] = X[3, 0] = large
    with pytest.raises(InputError, match=f"X: {TOO_LARGE}"):
        check_samples(X, "X")


def test_gaps_are_named_before_values_that_are_too_large():
    with pytest.raises(InputError, match=r"X: 1 value is NaN or infinity \(inf\), the first in row 0, column 1"):
        check_samples([[1e300, np.nan]], "X")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_values_that_can_be_computed_with_pass(dtype):
    X = np.full((3, 2), 3e38, dtype=dtype)
    np.testing.assert_array_equal(check_samples(X, "X"), X)


@pytest.mark.parametrize("method", [NN(), PerDomain(StandardScaler(), NN())], ids=["alone", "preprocessed"])
def test_samples_to_come_are_checked_as_those_of_the_fit_were(method):
    model = method.fit([[0.0], [1.0]], ["low", "high"], [[0.2], [0.9]])
    for ask in (model.predict, model.transform, model.project_source, model.predict_confidence):
        with pytest.raises(InputError, match="X: 1 value is NaN"):
            ask([[np.nan]])
        with pytest.raises(InputError, match="X: 1 value is beyond"):
            ask([[1e101]])


def test_classes_are_named_as_python_writes_them_whatever_the_array_holds():
    names, numbers = (np.array([kind(value)] * 4, dtype=object) for kind, value in ((np.str_, "a"), (np.int64, 1)))
    for labels, shown in ((names, "'a'"), (numbers, "1"), (names.astype(str), "'a'")):
        with pytest.raises(InputError, match=rf"ys holds one class only \({shown}\)"):
            check_labels(labels, "ys", n_samples=4, of="Xs")
    with pytest.raises(InputError, match=r"`yt` says 'b' in row 0, .* \(it has 'a'\)"):
        check_known(np.array([np.str_("b"), None], dtype=object), np.unique(names), 2)
