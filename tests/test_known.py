"""Known target labels: what is kept of them, and what classifiers learn from."""

import numpy as np
import pandas as pd
import pytest

from tsrp.exceptions import InputError
from tsrp.known import NOTHING, Known
from tsrp.validation import check_known

ANIMALS = np.array(["ant", "bee", "cat"])


def test_known_codes_are_put_over_a_copy():
    codes = np.array([2, 2, 2, 2])
    assert Known(np.array([1, 3]), np.array([0, 1])).over(codes).tolist() == [2, 0, 2, 1]
    assert codes.tolist() == [2, 2, 2, 2]


def test_classifiers_learn_from_the_source_and_then_from_known_rows():
    Zs, Zt = np.arange(6.0).reshape(3, 2), np.arange(10.0, 18.0).reshape(4, 2)
    Z, codes = Known(np.array([1, 3]), np.array([0, 1])).beside(Zs, np.array([0, 1, 1]), Zt)
    np.testing.assert_array_equal(Z, [*Zs, Zt[1], Zt[3]])
    assert codes.tolist() == [0, 1, 1, 0, 1]


def test_nothing_known_hands_back_the_very_arrays():
    Zs, ys = np.zeros((2, 1)), np.array([0, 1])
    Z, codes = NOTHING.beside(Zs, ys, np.ones((3, 1)))
    assert Z is Zs
    assert codes is ys
    assert NOTHING.over(ys) is ys
    assert not NOTHING.mask(3).any()


def test_halves_leave_out_each_row_once():
    known = Known(np.array([1, 3, 4]), np.array([0, 1, 2]))
    found = [(half.rows.tolist(), half.codes.tolist(), out.tolist()) for half, out in known.halves()]
    assert found == [([1, 4], [0, 2], [3]), ([3], [1], [1, 4])]
    [(nothing, out)] = Known(np.array([5]), np.array([0])).halves()
    assert (len(nothing), out.tolist()) == (0, [5])
    assert NOTHING.halves() == []


def test_labels_are_what_fit_takes():
    assert Known(np.array([1, 3]), np.array([2, 0])).labels(ANIMALS, 4).tolist() == [None, "cat", None, "ant"]


@pytest.mark.parametrize(
    ("classes", "yt", "rows", "codes"),
    [
        (ANIMALS, ["cat", None, np.nan, "ant"], [0, 3], [2, 0]),
        (ANIMALS, pd.array(["bee", pd.NA], dtype="string"), [0], [1]),
        (ANIMALS, pd.Series(["cat", None]).astype("category"), [0], [2]),
        (np.array([3, 7]), [np.nan, 7.0, 3.0], [1, 2], [1, 0]),
        (np.array([3, 7]), pd.array([7, None], dtype="Int64"), [0], [1]),
        (np.array([False, True]), [None, True, False], [1, 2], [1, 0]),
        (ANIMALS, [None, None], [], []),
    ],
)
def test_gaps_of_every_kind_are_unknown(classes, yt, rows, codes):
    known = check_known(yt, classes, len(yt))
    assert (known.rows.tolist(), known.codes.tolist()) == (rows, codes)


@pytest.mark.parametrize(
    ("yt", "sentence"),
    [
        (["cat", None], r"`yt` must hold one entry for each of the 3 rows of Xt.*\(2,\)"),
        ([["cat"], [None], [None]], r"one entry for each of the 3 rows of Xt.*\(3, 1\)"),
        (
            [None, "dog", None],
            r"`yt` says 'dog' in row 1, a class that the source does not have \(it has 'ant', ",
        ),
        ([None, 1, None], "`yt` says 1 in row 1, a class that the source does not have"),
        ([{}, None, None], "`yt` says {} in row 0, a class that the source does not have"),
    ],
)
def test_labels_that_cannot_be_known_are_refused_in_one_sentence(yt, sentence):
    with pytest.raises(InputError, match=sentence):
        check_known(np.array(yt, dtype=object), ANIMALS, 3)
