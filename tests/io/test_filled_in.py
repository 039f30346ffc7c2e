"""Files of known labels: rows are found, and whatever is wrong is one sentence."""

import numpy as np
import pandas as pd
import pytest

from tsrp.exceptions import InputError
from tsrp.io.filled_in import read_known
from tsrp.io.writers import write_labels

CLASSES = np.array(["cat", "dog", "=owl"])
IDS = np.array(["a1", "a2", "007", "=b"], dtype=object)


@pytest.fixture
def file(tmp_path):
    def write(text, name="known.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def known(*labels):
    return [label or None for label in labels]


def test_rows_are_found_by_number(file):
    path = file("row,label,true_label\n3,cat,dog\n0,cat,\n1,dog, cat \n")
    assert read_known(path, CLASSES, 4).tolist() == known("", "cat", "", "dog")


@pytest.mark.parametrize("column", ["id", "name"])
def test_rows_are_found_by_id_whatever_their_number_says(file, column):
    path = file(f"row,{column},true_label\n0,007,dog\n0,a1,\n0,'=b,'=owl\n")
    assert read_known(path, CLASSES, 4, id_column="name", ids=IDS).tolist() == known("", "", "dog", "=owl")


def test_without_a_column_of_ids_row_numbers_do(file):
    path = file("row,true_label\n2,dog\n")
    assert read_known(path, CLASSES, 4, id_column="name", ids=IDS).tolist() == known("", "", "dog", "")


def test_a_column_of_ids_called_row_is_not_taken_for_the_numbers_of_a_report(file):
    ids = np.array(["2", "0", "1", "3"], dtype=object)
    of_report, own = file("row,id,true_label\n0,2,dog\n"), file("row,true_label\n2,dog\n", "own.csv")
    for path in (of_report, own):
        assert read_known(path, CLASSES, 4, id_column="row", ids=ids).tolist() == known("dog", "", "", "")


def test_the_column_of_labels_can_have_another_name(file):
    path = file("row,truth,true_label\n2,dog,cat\n")
    assert read_known(path, CLASSES, 4, known_column="truth").tolist() == known("", "", "dog", "")


def test_the_download_of_a_report_is_read_as_it_is(file):
    lines = ["row,id,label,crude_label,probability,runner_up,runner_up_probability,true_label"]
    lines += ["2,007,cat,cat,0.31,dog,0.2,dog", '3,"\'=b",dog,cat,0.4,cat,0.3,']
    path = file("\ufeff" + "\r\n".join(lines) + "\r\n")
    assert read_known(path, CLASSES, 4).tolist() == known("", "", "dog", "")
    assert read_known(path, CLASSES, 4, id_column="name", ids=IDS).tolist() == known("", "", "dog", "")


def test_what_a_spreadsheet_makes_of_it_is_read(file):
    path = file("row;true_label\n2;dog\n1;\n")
    assert read_known(path, CLASSES, 4).tolist() == known("", "", "dog", "")


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_tables_of_every_kind_are_read(tmp_path, suffix):
    path = tmp_path / f"known{suffix}"
    write_labels(path, {"row": np.array([3, 0]), "true_label": np.array(["cat", "=owl"])})
    assert read_known(path, CLASSES, 4).tolist() == known("=owl", "", "", "cat")


@pytest.mark.parametrize("text", ["1.0", "1", " 1"])
def test_numbers_that_gaps_turned_into_fractions_are_classes(file, text):
    assert read_known(file(f"row,true_label\n0,\n1,{text}\n"), np.array([0, 1]), 2).tolist() == [None, 1]


def test_a_column_of_numbers_with_gaps_is_read_from_parquet(tmp_path):
    path = tmp_path / "known.parquet"
    pd.DataFrame({"row": [0, 1], "true_label": [np.nan, 1.0]}).to_parquet(path)
    assert read_known(path, np.array([0, 1]), 2).tolist() == [None, 1]


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        (
            "row,label\n1,cat\n",
            {},
            "has no column 'true_label' (its columns: row, label): name the one of known",
        ),
        (
            "number,true_label\n1,cat\n",
            {},
            "has no column 'row' (its columns: number, true_label) that says which",
        ),
        ("number,true_label\n1,cat\n", {"id_column": "name", "ids": IDS}, "has no column 'name', 'id' or 'row'"),
        ("row,true_label\n1,cat\n9,cat\n", {}, "line 3: the target has no row whose row is '9'; is this file about"),
        ("row,true_label\n-1,cat\n", {}, "line 2: the target has no row whose row is '-1'"),
        ("row,true_label\n1.5,cat\n", {}, "line 2: the target has no row whose row is '1.5'"),
        ("row,true_label\nx,cat\n", {}, "line 2: the target has no row whose row is 'x'"),
        ("id,true_label\na9,cat\n", {"id_column": "name", "ids": IDS}, "the target has no row whose id is 'a9'"),
        ("id,true_label\na,cat\n", {"id_column": "name", "ids": ["a", "b", "a", "c"]}, "has 2 rows whose name is 'a'"),
        ("row,true_label\n1,fox\n", {}, "line 2: 'fox' is not a class of the source (cat, dog, =owl)"),
        ("row,true_label\n1,cat\n2,dog\n1,dog\n", {}, "the same row as 'cat' and as 'dog', in line 2 and in line 4"),
        ("row,true_label\n1,cat\n2,dog\n1,cat\n", {}, "labels the same row twice, in line 2 and in line 4: remove one"),
        ("row,true_label\n1,\n2, \n", {}, "column 'true_label' is empty: fill in some labels, or leave the file out"),
        ("row,true_label\n", {}, "has column names but no rows"),
    ],
)
def test_whatever_is_wrong_is_one_sentence(file, text, options, sentence):
    path = file(text)
    with pytest.raises(InputError) as caught:
        read_known(path, CLASSES, 4, **options)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("cells", [[["cat"], ["dog"]], [["cat", "dog"], []], [{"a": 1}, {"a": 2}]], ids=str)
def test_lists_in_a_column_of_labels_are_no_classes(tmp_path, cells):
    pd.DataFrame({"row": [0, 1], "true_label": cells}).to_parquet(tmp_path / "known.parquet")
    with pytest.raises(InputError, match=r"known\.parquet, row 1: .* is not a class of the source"):
        read_known(tmp_path / "known.parquet", CLASSES, 4)


def test_a_file_that_is_not_there_or_not_a_table_is_refused(tmp_path):
    for name, word in (("gone.csv", "gone.csv"), ("known.npz", "known.npz")):
        (tmp_path / "known.npz").write_bytes(b"")
        with pytest.raises(InputError, match=word):
            read_known(tmp_path / name, CLASSES, 4)


def test_rows_of_one_id_are_told_apart_by_their_numbers(file):
    path = file("name,row,true_label\na1,2,dog\n,1,cat\na2,3,\n")
    ids = np.array(["a1", None, "a1", "a2"], dtype=object)
    assert read_known(path, CLASSES, 4, id_column="name", ids=ids).tolist() == known("", "cat", "dog", "")


def test_rows_of_one_id_whose_numbers_belong_to_others_are_refused(file):
    path = file("name,row,true_label\na1,3,dog\n")
    with pytest.raises(InputError, match="the name of row 3 of the target is 'a2' and not 'a1'"):
        read_known(path, CLASSES, 4, id_column="name", ids=["a1", "b", "a1", "a2"])
