"""Columns that may not be features are named."""

import numpy as np
import pandas as pd
import pytest

from tsrp.columns import OddColumn, odd_columns, sentences


@pytest.fixture
def features():
    return np.random.default_rng(0).normal(size=(80, 6))


def found(X, n_source=40):
    return [(column.name, column.kind) for column in odd_columns(X[:n_source], X[n_source:])]


def with_column(X, column):
    return np.column_stack([X, column])


def test_ordinary_features_are_not_named(features):
    assert found(features) == []


@pytest.mark.parametrize(
    "numbers",
    [np.arange(80), np.arange(80)[::-1], np.arange(80) * 100, np.random.default_rng(1).permutation(80)],
    ids=["ascending", "descending", "in steps", "shuffled"],
)
def test_a_row_number_is_named(features, numbers):
    assert found(with_column(features, numbers)) == [("6", "identifier")]


def test_counts_and_codes_are_not_row_numbers(features):
    rng = np.random.default_rng(2)
    assert found(with_column(features, rng.integers(5, size=80))) == []
    assert found(with_column(features[:20], np.arange(20)), 10) == []


def test_a_constant_column_is_named(features):
    assert found(with_column(features, np.full(80, 3.0))) == [("6", "constant")]


def test_a_column_that_dwarfs_the_others_is_named(features):
    wide = np.tile(features, 2) + np.arange(12)
    wide[:, 4] *= 1000
    assert found(wide) == [("4", "scale")]


def test_features_of_many_scales_are_ordinary(features):
    assert found(features * 10.0 ** np.arange(6)) == []


def test_names_of_a_data_frame_are_used(features):
    frame = pd.DataFrame(with_column(features, np.arange(80)), columns=[*"abcdef", "row id"])
    [column] = odd_columns(frame[:40], frame[40:])
    assert sentences([column]) == {"identifier": "column 'row id' looks like a row number; if it is one, leave it out."}


def test_many_columns_of_a_kind_are_one_sentence_that_names_a_few():
    said = sentences([OddColumn(str(k), "constant") for k in range(61)])
    assert said == {
        "constant": "61 columns have the same value in all rows of both domains: 0, 1, 2, 3, 4 and 56 more."
    }
