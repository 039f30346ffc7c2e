"""Categories, gaps and commas in files as people have them."""

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from tests.support.commands import run
from tsrp import load
from tsrp.exceptions import InputError
from tsrp.io.blocks import Blocks
from tsrp.io.preparing import impute, one_hot
from tsrp.io.readers import read_source, read_target
from tsrp.memory import limited_memory

SOURCE = "date;size;colour;zip;label\n2020-01-01;1,5;red;01;a\n2020-01-02;;blue;02;b\n2020-01-03;2,5;red;01;a\n"
TARGET = "colour;size;zip\nred;1,25;01\ngreen;3,5;02\n;;02\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "lab.csv").write_text(SOURCE)
    (tmp_path / "field.csv").write_text(TARGET)
    return tmp_path / "lab.csv", tmp_path / "field.csv"


def read(files, *categorical):
    source = read_source(files[0], drop=["date"], beside=categorical, decimal=",")
    return source, read_target(files[1], source, beside=categorical, decimal=",")


def test_categories_of_both_files_become_zeros_and_ones(files):
    source, target = read(files, "colour", "zip")
    source, target = one_hot(source, target, ["colour", "zip"])
    names = ["size", "colour=blue", "colour=green", "colour=missing", "colour=red", "zip=01", "zip=02"]
    assert source.names == target.names == names
    assert source.X[:, 1:].tolist() == [[0, 0, 0, 1, 1, 0], [1, 0, 0, 0, 0, 1], [0, 0, 0, 1, 1, 0]]
    assert target.X[:, 1:].tolist() == [[0, 0, 0, 1, 1, 0], [0, 1, 0, 0, 0, 1], [0, 0, 1, 0, 0, 1]]
    assert "values of colour in the target that the source does not have: green, missing" in target.notes
    assert "values of colour in the source that the target does not have: blue" in target.notes


def test_a_category_of_many_values_is_refused_with_the_memory_that_it_needs(files):
    source, target = read(files, "colour", "zip")
    refusal = r"`categorical` colour with its 4 values needs about 408 B"
    with limited_memory(400), pytest.raises(InputError, match=refusal):
        one_hot(source, target, ["colour"])


def test_a_feature_that_is_called_as_a_value_would_be_is_named(files):
    files[0].write_text(SOURCE.replace("size", "colour=red"))
    files[1].write_text(TARGET.replace("size", "colour=red"))
    source, target = read(files, "colour", "zip")
    with pytest.raises(InputError, match="has a column 'colour=red', as the feature of a value of 'colour' would be"):
        one_hot(source, target, ["colour"])


def test_lists_of_a_parquet_file_are_categories_but_no_labels(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"f": [1.0, 2.0, 3.0], "x": [[1, 2], [], None], "label": [*"aba"]}).to_parquet(path)
    table = read_source(path, beside=["x"])
    assert one_hot(table, table, ["x"])[0].names == ["f", "x=[1, 2]", "x=[]", "x=missing"]
    with pytest.raises(InputError, match="1 label is empty in column 'x', the first in row 3"):
        read_source(path, "x", drop=["label"])


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        ([1, None, 2], ["1", "2", "missing"]),
        ([1.0, float("nan"), 2.0], ["1.0", "2.0", "missing"]),
        ([[1, 3], None, [2]], ["[1, 3]", "[2]", "missing"]),
        ([b"a", None, b"b"], ["a", "b", "missing"]),
    ],
    ids=str,
)
def test_categories_of_parquet_files_have_the_same_names_with_and_without_gaps_and_in_blocks(tmp_path, cells, values):
    def written(name, cells):
        table = pyarrow.table({"f": np.arange(len(cells), dtype=float), "x": pyarrow.array(cells)})
        pyarrow.parquet.write_table(table.append_column("label", [[*"abab"][: len(cells)]]), tmp_path / name)
        return tmp_path / name

    source = read_source(written("source.parquet", cells), beside=["x"])
    target = read_target(written("target.parquet", cells[::2]), source, beside=["x"])
    source, target = one_hot(source, target, ["x"])
    assert source.names == ["f", *(f"x={value}" for value in sorted(values))]
    assert source.X[:, 1:].sum(axis=0).tolist() == [1, 1, 1]
    assert target.X[:, 1:].sum(axis=0).tolist() == [value != "missing" for value in sorted(values)]
    blocks = Blocks(tmp_path / "source.parquet", source.names, 4, categorical=["x"], rows=2)
    np.testing.assert_array_equal(np.vstack([block.X for block in blocks]), source.X)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--categorical", "colour", "--drop", "colour"], "--categorical colour is dropped by --drop colour"),
        (["--categorical", "label"], "--categorical label is the column of labels, which is not a feature"),
        (["--categorical", "kind", "--label", "kind"], "--categorical kind is the column of labels"),
        (["--categorical", "zip", "--truth", "zip"], "--truth zip is a feature by --categorical zip"),
    ],
)
def test_options_that_contradict_each_other_are_refused(files, options, sentence):
    result = run("adapt", *files, "--decimal", ",", *options)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_a_category_that_is_named_twice_is_made_features_once(files):
    options = ["--categorical", "zip", "--categorical", "zip", "--drop", "colour", "--drop", "date", "--impute", "mean"]
    result = run("adapt", *files, "--decimal", ",", "--method", "nn", *options)
    assert result.exit_code == 0, result.stderr


def test_gaps_are_filled_in_each_file_by_itself(files):
    source, target = read(files, "colour", "zip")
    assert impute(source, "mean").X.tolist() == [[1.5], [2.0], [2.5]]
    assert impute(target, "median").X.tolist() == [[1.25], [3.5], [2.375]]
    assert impute(target, "median").notes[-1] == "gaps of field.csv filled with the median of their column: 1"


def test_a_column_of_gaps_cannot_be_filled(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,label\n1,,x\n2,,y\n")
    with pytest.raises(InputError, match="column 'b' holds no number at all"):
        impute(read_source(tmp_path / "t.csv"), "mean")


def test_a_column_that_is_not_there_cannot_be_dropped(files):
    with pytest.raises(InputError, match="has no column 'dat'"):
        read_source(files[0], drop=["dat"], decimal=",")


def test_a_comma_is_not_both_marks(tmp_path):
    (tmp_path / "t.csv").write_text("a,label\n1,x\n")
    with pytest.raises(InputError, match="a comma separates its cells"):
        read_source(tmp_path / "t.csv", decimal=",")


def test_the_commands_take_files_as_they_are(files):
    columns = ["--drop", "date", "--categorical", "colour", "--categorical", "zip"]
    options = [*columns, "--impute", "median", "--decimal", ",", "--method", "nn"]
    model, new = files[0].with_name("m.tsrp"), files[0].with_name("new.csv")
    result = run("adapt", *files, *options, "--save", model)
    assert result.exit_code == 0, result.stderr
    assert "values of colour in the target that the source does not have: green, missing" in result.stderr
    new.write_text("colour;zip;size\nred;01;1,5\nviolet;02;2,5\n")
    result = run("predict", model, new, "--categorical", "colour", "--categorical", "zip", "--decimal", ",")
    assert result.exit_code == 0, result.stderr
    assert "values of colour that the model does not know: violet" in " ".join(result.stderr.split())
    labels = new.with_name("new-labels.csv").read_text().splitlines()
    assert [line.partition(",")[0] for line in labels] == ["label", "a", "b"]


def test_predict_fills_gaps_with_the_values_of_the_targets(tmp_path):
    source, target, new, model = (tmp_path / name for name in ("s.csv", "t.csv", "n.csv", "m.tsrp"))
    source.write_text("size,age,label\n1,7,a\n2,8,a\n8,9,b\n9,6,b\n")
    target.write_text("size,age\n1,7\n2,\n8,9\n,8\n")
    assert run("adapt", source, target, "-m", "nn", "--impute", "mean", "--save", model).exit_code == 0
    np.testing.assert_allclose(load(model).fill_values_, [11 / 3, 8])
    new.write_text("size,age\n,7\n9,\n")
    result = run("predict", model, new, "-o", "-")
    assert result.exit_code == 0, result.stderr
    assert "gaps filled as those of the target that the model was fitted to: 2" in result.stderr
    new.write_text(f"size,age\n{11 / 3},7\n9,8\n")
    assert run("predict", model, new, "-o", "-").stdout == result.stdout


def test_a_model_that_knows_nothing_of_gaps_refuses_them(tmp_path):
    source, target, model = (tmp_path / name for name in ("s.csv", "t.csv", "m.tsrp"))
    source.write_text("size,label\n1,a\n9,b\n")
    target.write_text("size\n1\n8\n")
    assert run("adapt", source, target, "-m", "nn", "--save", model).exit_code == 0
    target.write_text("size,age\n1,2\n,2\n")
    result = run("predict", model, target, "-o", "-")
    assert result.exit_code == 3
    assert "the first in line 3, column 'size'; drop those rows, fill the gaps first, or adapt with --impute" in (
        result.stderr
    )


def test_tune_names_the_same_options_for_adapt(files):
    options = ["--drop", "date", "--categorical", "colour", "--impute", "mean", "--decimal", ","]
    result = run("tune", *files, *options, "--method", "nn", "--jobs", "1")
    assert result.exit_code == 0, result.stderr
    command = result.stdout.strip().splitlines()[-1]
    for words in ("--drop date", "--categorical colour", "--impute mean", "--decimal ,"):
        assert words in command


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "size,label\n1,a\n\n,b\n",
            "first in line 4, column 'size'; drop those rows, or fill the gaps with --impute",
        ),
        (
            "size,label\n1,a\nbig,b\n",
            "holds 'big' in line 3, but features must be numbers; turn the column into",
        ),
        ("size;label\n1;a\n1,5;b\n", "write decimal points, or name the comma with --decimal"),
    ],
)
def test_hints_name_options_and_lines(tmp_path, text, sentence):
    (tmp_path / "t.csv").write_text(text)
    result = run("adapt", tmp_path / "t.csv", tmp_path / "t.csv", "-m", "nn", "-o", tmp_path / "o.csv")
    assert result.exit_code == 3
    assert sentence in " ".join(result.stderr.split())


def test_measurements_are_not_classes(tmp_path):
    rows = np.random.default_rng(0).normal(size=(200, 2))
    path = tmp_path / "t.csv"
    path.write_text("f,label\n" + "".join(f"{a},{b}\n" for a, b in rows))
    result = run("adapt", path, path, "-m", "nn", "-o", tmp_path / "o.csv")
    assert result.exit_code == 3
    assert "holds 200 different numbers with fractions" in " ".join(result.stderr.split())
