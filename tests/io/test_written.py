"""Labels as they are written."""

import numpy as np
import pandas as pd
import pytest

from tsrp.io.written import is_unknown, meaning


@pytest.mark.parametrize("value", [None, np.nan, pd.NA, pd.NaT, "", "  "])
def test_nothing_written_is_unknown(value):
    assert is_unknown(value)


@pytest.mark.parametrize("value", [0, False, "0", "NA", "none"])
def test_what_is_written_is_a_label(value):
    assert not is_unknown(value)


@pytest.mark.parametrize(
    ("value", "classes", "expected"),
    [
        ("1", [1], 1),
        (1.0, [1], 1),
        ("1.0", [1], 1),
        (1, ["1"], "1"),
        (1.0, ["1"], "1"),
        (" cat ", ["cat"], "cat"),
        ("TRUE", [True], True),
        ("01", ["1", "01"], "01"),
        ("dog", ["cat"], None),
    ],
)
def test_whole_numbers_and_texts_mean_the_class_that_looks_like_them(value, classes, expected):
    assert meaning(value, {label: label for label in classes}, None) == expected
