"""Reading: what a file holds is what comes out, and every bad file gets one sentence that names it."""

from __future__ import annotations

import builtins
import gzip
import importlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tsrp.exceptions import InputError
from tsrp.io.readers import Table, read_source, read_target

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10"
CSV = "a,b,label\n1.5,2,cat\n3,4,dog\n"


def save(path, arrays):
    np.savez(path, **arrays)


@pytest.fixture
def write(tmp_path):
    """Writes text or bytes to a new file and returns its path."""

    def to(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to


@pytest.fixture
def source(write):
    return read_source(write("source.csv", CSV))


def refused(path, *words, reader=read_source, **options):
    """The sentence with which a file is refused: it names the file, says the words, and is one line."""
    with pytest.raises(InputError) as caught:
        reader(path, **options)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) <= 400
    for word in (Path(path).name[:90], *words):
        assert word in sentence
    return sentence


def frame(n=6, kind=np.float64):
    values = np.random.default_rng(0).normal(size=(n, 3)).astype(kind)
    return pd.DataFrame(values, columns=["a", "b", "c"]).assign(label=[*"xyz"] * (n // 3))


class TestColumns:
    def test_a_csv_gives_features_labels_and_names(self, source):
        assert isinstance(source, Table)
        assert source.X.dtype == np.float64
        assert source.X.tolist() == [[1.5, 2], [3, 4]]
        assert source.y.tolist() == ["cat", "dog"]
        assert source.names == ["a", "b"]
        assert source.label == "label"
        assert source.path.name == "source.csv"
        assert source.notes == ()

    @pytest.mark.parametrize("name", ["t.tsv", "T.TSV", "t.csv", "t.CSV", "t.csv.gz", "t.tsv.gz", "t.Csv.GZ"])
    def test_the_suffix_names_the_format_in_any_case(self, write, name):
        text = CSV.replace(",", "\t") if "tsv" in name.lower() else CSV
        content = gzip.compress(text.encode()) if name.lower().endswith("gz") else text
        assert read_source(write(name, content)).X.tolist() == [[1.5, 2], [3, 4]]

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("\ufeff" + CSV, id="byte order mark"),
            pytest.param(CSV.replace("\n", "\r\n"), id="windows line ends"),
            pytest.param(CSV.replace("\n", "\r"), id="old mac line ends"),
            pytest.param(CSV.rstrip(), id="no last line end"),
            pytest.param("\n" + CSV.replace("\n", "\n\n  \n"), id="blank lines"),
            pytest.param(CSV.replace(",", ";"), id="semicolons"),
            pytest.param(CSV.replace(",", "\t"), id="tabs"),
            pytest.param(CSV.replace("a,b,label", " a, b ,label "), id="spaces around names"),
            pytest.param(CSV.replace(",", ", "), id="spaces behind commas"),
            pytest.param(CSV.replace("a,b,label", '"a","b","label"'), id="quoted names"),
        ],
    )
    def test_csv_files_of_every_habit_read_the_same(self, write, source, text):
        table = read_source(write("t.csv", text))
        assert table.names == source.names
        assert table.X.tolist() == source.X.tolist()
        assert table.y.tolist() == source.y.tolist()

    def test_a_comma_within_a_quoted_name_does_not_hide_semicolons(self, write):
        table = read_source(write("t.csv", '"a, in mm";b;label\n1;2;x\n'))
        assert table.names == ["a, in mm", "b"]

    @pytest.mark.parametrize("name", ["t.parquet", "t.pq"])
    def test_parquet_reads_as_csv_does(self, tmp_path, name):
        data = frame()
        data.to_parquet(tmp_path / name)
        table = read_source(tmp_path / name)
        assert np.array_equal(table.X, data[["a", "b", "c"]])
        assert table.y.tolist() == data["label"].tolist()
        assert table.names == ["a", "b", "c"]

    def test_single_precision_stays_single_in_parquet_unless_a_column_needs_more(self, tmp_path):
        path = tmp_path / "t.parquet"
        frame(kind=np.float32).to_parquet(path)
        assert read_source(path).X.dtype == np.float32
        frame(kind=np.float32).assign(flag=True).to_parquet(path)
        assert read_source(path).X.dtype == np.float32
        frame(kind=np.float32).assign(count=2**40 + 1).to_parquet(path)
        assert read_source(path).X[0, -1] == 2**40 + 1

    def test_booleans_count_as_zero_and_one(self, write, tmp_path):
        assert read_source(write("t.csv", "a,label\nTrue,x\nfalse,y\n")).X.tolist() == [[1], [0]]
        pd.DataFrame({"a": [True, False], "label": ["x", "y"]}).to_parquet(tmp_path / "t.parquet")
        assert read_source(tmp_path / "t.parquet").X.tolist() == [[1], [0]]

    def test_missing_and_infinite_features_are_left_for_the_estimator(self, write, tmp_path):
        X = read_source(write("t.csv", "a,b,label\n1,,x\nNA,nan,y\ninf,-inf,y\n")).X
        np.testing.assert_array_equal(X, [[1, np.nan], [np.nan, np.nan], [np.inf, -np.inf]])
        pd.DataFrame({"a": [1, None], "b": [True, None], "label": ["x", "y"]}).to_parquet(tmp_path / "t.parquet")
        X = read_source(tmp_path / "t.parquet").X
        np.testing.assert_array_equal(X, [[1, 1], [np.nan, np.nan]])

    def test_whole_numbers_beyond_64_bits_are_features_too(self, write):
        assert read_source(write("t.csv", "a,label\n100000000000000000000,x\n-1,y\n")).X.tolist() == [[1e20], [-1]]

    def test_row_numbers_saved_by_pandas_are_no_feature(self, tmp_path):
        data = frame()
        data.to_csv(tmp_path / "t.csv")
        data.sort_values("a").to_parquet(tmp_path / "t.parquet")
        for name in ("t.csv", "t.parquet"):
            table = read_source(tmp_path / name)
            assert table.names == ["a", "b", "c"]
            assert "row names" in table.notes[0]


class TestLabels:
    def test_another_column_can_hold_the_labels(self, write):
        table = read_source(write("t.csv", "kind,a\nx,1\ny,2\n"), label="kind")
        assert table.y.tolist() == ["x", "y"]
        assert table.names == ["a"]

    @pytest.mark.parametrize(
        ("cells", "labels"),
        [
            (["3", "1", "-2"], [3, 1, -2]),
            (["NA", "None", "nan"], ["NA", "None", "nan"]),
            (["null", "", "x"], None),
            (["1", "NA", "2"], ["1", "NA", "2"]),
            (["007", "7", "8"], ["007", "7", "8"]),
            (["1.5", "2", "3"], ["1.5", "2", "3"]),
            (["True", "False", "True"], [True, False, True]),
            (["9" * 30, "1", "2"], ["9" * 30, "1", "2"]),
            (['"a, ""b"""', "c", '"d\ne"'], ['a, "b"', "c", "d\ne"]),
            ([" 1", "2 ", "3"], [1, 2, 3]),
            (["größe", "数", "x"], ["größe", "数", "x"]),
        ],
    )
    def test_labels_in_a_csv_stay_what_they_are(self, write, cells, labels):
        path = write("t.csv", "a,label\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)))
        if labels is None:
            refused(path, "1 label is empty", "'label'", "line 3")
        else:
            y = read_source(path).y
            assert y.tolist() == labels
            assert {type(value) for value in y.tolist()} == {type(value) for value in labels}

    @pytest.mark.parametrize("labels", [["1", "2"], [1, 2], [True, False], ["NA", "None"]])
    def test_labels_in_parquet_keep_their_type(self, tmp_path, labels):
        pd.DataFrame({"a": [1.0, 2.0], "label": labels}).to_parquet(tmp_path / "t.parquet")
        y = read_source(tmp_path / "t.parquet").y.tolist()
        assert y == labels
        assert type(y[0]) is type(labels[0])

    def test_categories_in_parquet_are_text(self, tmp_path):
        data = frame().astype({"label": "category"})
        data.to_parquet(tmp_path / "t.parquet")
        assert read_source(tmp_path / "t.parquet").y.tolist() == data["label"].tolist()

    def test_empty_labels_are_counted_and_located(self, write, tmp_path):
        path = write("t.csv", 'a,label\n1,"x\nx"\n2,\n3,  \n')
        refused(path, "2 labels are empty", "line 4")
        pd.DataFrame({"a": [1.0, 2], "label": ["x", None]}).to_parquet(tmp_path / "t.parquet")
        refused(tmp_path / "t.parquet", "1 label is empty", "row 2")

    def test_dates_are_no_labels(self, tmp_path):
        pd.DataFrame({"a": [1.0], "label": pd.to_datetime(["2020-01-01"])}).to_parquet(tmp_path / "t.parquet")
        refused(tmp_path / "t.parquet", "'label'", "Timestamp", "text")

    def test_an_absent_label_column_is_reported_with_what_is_there(self, write):
        names = [f"f{i}" for i in range(9)]
        path = write("t.csv", ",".join(names) + "\n" + ",".join("1" * 9) + "\n")
        refused(path, "no column 'label'", "f0, f1, f2, f3, f4 and 4 more", "`label`")
        refused(path, "no column 'kind'", "`label`", label="kind")


class TestLabelsFile:
    @pytest.mark.parametrize(
        ("name", "content", "labels"),
        [
            ("y.csv", "cat\ndog\n", ["cat", "dog"]),
            ("y.csv", "kind\ncat\ndog\n", ["cat", "dog"]),
            ("y.csv", "1\r\n2\r\n", [1, 2]),
            ("y.csv", "label\n1\n2\n\n\n", [1, 2]),
            ("y.csv", '"a,b"\nNA\n', ["a,b", "NA"]),
            ("y.tsv", "a,b\nc\n", ["a,b", "c"]),
            ("y.txt", "a, b\tc\nd\n", ["a, b\tc", "d"]),
            ("y.TXT", "\ufeff1\n2", [1, 2]),
        ],
    )
    def test_labels_may_stand_in_a_text_file_with_or_without_a_header(self, write, name, content, labels):
        table = read_source(write("t.csv", "a,b\n1,2\n3,4\n"), labels_path=write(name, content))
        assert table.y.tolist() == labels
        assert table.names == ["a", "b"]

    def test_labels_may_stand_in_an_npy_file_beside_any_format(self, write, tmp_path):
        np.save(tmp_path / "y.npy", np.array(["p", "q"]))
        np.savez(tmp_path / "t.npz", X=np.eye(2, 3))
        np.save(tmp_path / "t.npy", np.eye(2, 3, dtype=np.float32))
        for path in (write("t.csv", "a,b\n1,2\n3,4\n"), tmp_path / "t.npz", tmp_path / "t.npy"):
            assert read_source(path, labels_path=tmp_path / "y.npy").y.tolist() == ["p", "q"]

    def test_a_label_column_is_no_feature_even_then(self, write):
        table = read_source(write("t.csv", CSV), labels_path=write("y.txt", "1\n2\n"))
        assert table.y.tolist() == [1, 2]
        assert table.names == ["a", "b"]
        assert table.notes == ("source column label is not a feature and was left out",)

    def test_another_number_of_labels_is_refused(self, write, tmp_path):
        path = write("t.csv", "a,b\n1,2\n3,4\n")
        for extra in ("1\n2\n2\n", "x\ny\nx\n"):
            refused(path, "y.txt holds 3 labels", "2 samples", labels_path=write("y.txt", extra))
        refused(path, "y.txt holds 4 labels", "2 samples", labels_path=write("y.txt", "1\n2\n1\n2\n"))
        np.savez(tmp_path / "t.npz", X=np.zeros((5, 3)))
        refused(tmp_path / "t.npz", "holds 2 labels", "5 x 3", labels_path=write("y.txt", "1\n2\n"))

    @pytest.mark.parametrize(
        ("name", "content", "words"),
        [
            ("y.csv", "a,b\nc,d\n", "2 cells"),
            ("y.csv", "1\n\n2\n", "empty label in line 2"),
            ("y.csv", "", "empty"),
            ("y.dat", "1\n2\n", "suffix '.dat'"),
            ("y.npy", "1\n2\n", "NPY"),
            ("y.txt", PNG, "NUL"),
        ],
    )
    def test_a_bad_file_of_labels_is_named(self, write, name, content, words):
        with pytest.raises(InputError, match=words) as caught:
            read_source(write("t.csv", "a,b\n1,2\n3,4\n"), labels_path=write(name, content))
        assert name in str(caught.value)


class TestTargetColumns:
    def test_columns_take_the_order_of_the_source(self, write, source):
        target = read_target(write("t.csv", "b,a\n2,1\n"), source)
        assert target.X.tolist() == [[1, 2]]
        assert target.names == ["a", "b"]
        assert target.y is None
        assert target.notes == ("target columns were reordered to match the source",)

    def test_other_columns_are_left_out_whatever_they_hold(self, write, source):
        target = read_target(write("t.csv", "id,a,b,label\nx17,1,2,cat\n"), source)
        assert target.X.tolist() == [[1, 2]]
        assert target.y.tolist() == ["cat"]
        assert target.notes == ("target columns id, label are not features of the source and were left out",)

    def test_the_label_column_of_the_source_is_that_of_the_target(self, write):
        source = read_source(write("s.csv", "a,kind\n1,x\n2,y\n"), label="kind")
        target = read_target(write("t.csv", "kind,a\nNA,3\n"), source)
        assert target.y.tolist() == ["NA"]
        assert target.notes == ("target column kind is not a feature of the source and was left out",)
        assert read_target(write("t.csv", "a\n3\n"), source, label="kind").y is None

    def test_a_feature_named_label_stays_a_feature(self, write):
        source = read_source(write("s.csv", "label,kind\n1,x\n2,y\n"), label="kind")
        target = read_target(write("t.csv", "label\n3\n"), source)
        assert target.X.tolist() == [[3]]
        assert target.y is None

    def test_a_target_with_gaps_in_its_labels_has_none(self, write, source):
        target = read_target(write("t.csv", "a,b,label\n1,2,cat\n3,4,\n"), source)
        assert target.y is None
        assert "1 label is empty" in target.notes[-1]

    def test_missing_features_are_counted_and_named(self, write):
        names = [f"f{i}" for i in range(9)]
        source = read_source(write("s.csv", ",".join([*names, "label"]) + "\n" + "1," * 9 + "x\n"))
        path = write("t.csv", "f3,other\n1,2\n")
        refused(path, "lacks 8 of the 9 features", "f0, f1, f2, f4, f5 and 3 more", reader=read_target, like=source)

    def test_without_names_in_the_source_columns_match_by_position(self, write, tmp_path):
        np.savez(tmp_path / "s.npz", X=np.eye(4, 2), y=np.arange(4))
        source = read_source(tmp_path / "s.npz")
        target = read_target(write("t.csv", "u,v,label\n1,2,x\n"), source)
        assert target.X.tolist() == [[1, 2]]
        assert target.names == ["u", "v"]
        assert "by position" in target.notes[-1]
        path = write("t.csv", "u,v,w\n1,2,3\n")
        refused(path, "3 features", "s.npz has 2", reader=read_target, like=source)

    def test_without_names_in_the_target_columns_match_by_position(self, source, tmp_path):
        np.save(tmp_path / "t.npy", np.eye(5, 2))
        target = read_target(tmp_path / "t.npy", source)
        assert target.names == ["a", "b"]
        assert target.X.shape == (5, 2)
        assert "by position" in target.notes[-1]

    def test_labels_from_a_file_of_their_own_belong_to_the_target(self, write, source):
        target = read_target(write("t.csv", "a,b\n1,2\n"), source, labels_path=write("y.txt", "cat\n"))
        assert target.y.tolist() == ["cat"]

    def test_so_they_do_for_a_target_of_arrays(self, write, tmp_path, source):
        np.savez(tmp_path / "t.npz", X=np.ones((3, 2)))
        target = read_target(tmp_path / "t.npz", source, labels_path=write("y.txt", "3\n1\n2\n"))
        assert target.y.tolist() == [3, 1, 2]

    def test_a_target_of_labels_only_lacks_the_features(self, write, tmp_path, source):
        refused(write("t.csv", "label\nx\n"), "lacks 2 of the 2", reader=read_target, like=source)
        np.savez(tmp_path / "s.npz", X=np.eye(4, 2), y=np.arange(4))
        unnamed = read_source(tmp_path / "s.npz")
        refused(write("t.csv", "label\nx\n"), "0 features", reader=read_target, like=unnamed)


class TestArrays:
    @pytest.mark.parametrize("keys", ["X y", "X Y", "fea gnd", "fts labels", "feas labels", "X_src Y_src", "Xs Ys"])
    @pytest.mark.parametrize("turned", [False, True], ids=["rows", "columns"])
    def test_well_known_keys_are_found_with_samples_in_rows_or_columns(self, tmp_path, keys, turned):
        X, y = np.arange(12.0).reshape(4, 3), np.array([*"abab"])
        features, labels = keys.split()
        save(tmp_path / "t.npz", {features: X.T if turned else X, labels: y, "names": np.array(["extra"])})
        table = read_source(tmp_path / "t.npz")
        assert np.array_equal(table.X, X)
        assert table.y.tolist() == y.tolist()
        assert (table.names, table.label, table.transposed) == (None, labels, turned)
        assert table.notes == ((f"the columns of {features} were taken for the samples",) if turned else ())

    @pytest.mark.parametrize("suffix", ["src tar", "s t"])
    def test_one_file_may_hold_both_domains(self, tmp_path, suffix):
        rng = np.random.default_rng(0)
        join = "_" if suffix == "src tar" else ""
        ends = [join + end for end in suffix.split()]
        sizes = dict(zip(ends, (7, 4), strict=True))
        arrays = {f"X{end}": rng.normal(size=(5, n)) for end, n in sizes.items()}
        save(tmp_path / "t.npz", arrays | {f"Y{end}": np.arange(n) for end, n in sizes.items()})
        source = read_source(tmp_path / "t.npz")
        # Keys that a user gives for the source must not fetch the source's samples or labels for the target.
        for key, label in ((None, None), (f"X{ends[0]}", f"Y{ends[0]}")):
            target = read_target(tmp_path / "t.npz", source, label, features_key=key)
            assert np.array_equal(source.X, arrays[f"X{ends[0]}"].T)
            assert np.array_equal(target.X, arrays[f"X{ends[1]}"].T)
            assert target.y.tolist() == [0, 1, 2, 3]

    def test_keys_can_be_named(self, tmp_path):
        np.savez(tmp_path / "t.npz", X=np.zeros((3, 2)), deep=np.ones((3, 4)), y=[0, 1, 2], kind=[*"abc"])
        table = read_source(tmp_path / "t.npz", label="kind", features_key="deep")
        assert table.X.shape == (3, 4)
        assert table.y.tolist() == [*"abc"]
        assert read_source(tmp_path / "t.npz", features_key="deep").y.tolist() == [0, 1, 2]

    def test_the_label_decides_between_several_pairs(self, tmp_path):
        np.savez(tmp_path / "t.npz", X=np.zeros((3, 2)), y=[0, 1, 2], fts=np.ones((3, 2)), labels=[*"abc"])
        assert read_source(tmp_path / "t.npz", label="labels").X[0, 0] == 1
        refused(tmp_path / "t.npz", "which key holds the features", "X, y, fts, labels", "`features_key`")

    def test_the_only_other_array_holds_the_features(self, tmp_path):
        np.savez(tmp_path / "t.npz", embedding=np.ones((3, 2)), kind=[*"abc"])
        assert read_source(tmp_path / "t.npz", label="kind").X.shape == (3, 2)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({}, ["which key holds the features", "A, B, C", "`features_key`"]),
            ({"features_key": "Z"}, ["no key 'Z'", "A, B, C"]),
            ({"features_key": "A"}, ["which key holds the labels", "A, B, C", "`label`"]),
            ({"features_key": "A", "label": "Z"}, ["no key 'Z'", "A, B, C", "`label`"]),
            ({"features_key": "A", "label": "B"}, ["B holds 2 labels", "A is 4 x 3"]),
            ({"features_key": "B", "label": "C"}, ["B has 1 dimension", "two"]),
            ({"features_key": "C", "label": "B"}, ["C holds no plain numbers"]),
            ({"features_key": "A", "label": "A"}, ["A is 4 x 3", "one for each sample"]),
        ],
    )
    def test_keys_that_do_not_fit_are_explained(self, tmp_path, options, words):
        np.savez(tmp_path / "t.npz", A=np.zeros((4, 3)), B=[1, 2], C=np.array([["x", "y"]]))
        refused(tmp_path / "t.npz", *words, **options)

    @pytest.mark.parametrize("labels", [np.array([1, 2, 3], np.uint8), [True, False, True], [*"abc"], [0.5, 1.5, 2.5]])
    def test_labels_keep_their_type(self, tmp_path, labels):
        for shape in (3, (3, 1), (1, 3)):
            np.savez(tmp_path / "t.npz", X=np.zeros((3, 2)), y=np.reshape(labels, shape))
            y = read_source(tmp_path / "t.npz").y
            assert y.dtype == np.asarray(labels).dtype
            assert y.tolist() == np.asarray(labels).tolist()

    def test_labels_of_bytes_become_text(self, tmp_path):
        np.savez(tmp_path / "t.npz", X=np.zeros((2, 3)), y=np.array(["é".encode(), b"a"]))
        assert read_source(tmp_path / "t.npz").y.tolist() == ["é", "a"]

    @pytest.mark.parametrize(
        ("kind", "out"),
        [(np.float32, np.float32), (np.float16, np.float32), (np.uint8, np.float64), (bool, np.float64)],
    )
    def test_single_precision_stays_single(self, tmp_path, kind, out):
        np.savez(tmp_path / "t.npz", X=np.ones((3, 2), kind), y=[1, 2, 3])
        np.save(tmp_path / "t.npy", np.ones((3, 2), kind))
        source = read_source(tmp_path / "t.npz")
        assert source.X.dtype == out
        assert read_target(tmp_path / "t.npy", source).X.dtype == out

    def test_a_square_source_has_samples_in_rows_and_a_note(self, tmp_path):
        np.savez(tmp_path / "t.npz", X=np.triu(np.ones((3, 3))), y=[1, 2, 3])
        table = read_source(tmp_path / "t.npz")
        assert table.X[0].tolist() == [1, 1, 1]
        assert table.notes == ("X is square, so its rows were taken for the samples",)

    def test_a_square_target_lies_as_the_source_does(self, tmp_path):
        square = np.triu(np.ones((3, 3)))
        np.savez(tmp_path / "s.npz", X=np.ones((3, 5)), y=np.arange(5))
        np.savez(tmp_path / "t.npz", X=square)
        target = read_target(tmp_path / "t.npz", read_source(tmp_path / "s.npz"))
        assert np.array_equal(target.X, square.T)
        assert target.notes == ("X is square, so its columns were taken for the samples",)

    def test_another_number_of_features_is_refused_with_both_numbers(self, tmp_path, source):
        np.savez(tmp_path / "t.npz", X=np.ones((4, 3)))
        refused(tmp_path / "t.npz", "X is 4 x 3", "source.csv has 2 features", reader=read_target, like=source)

    def test_a_target_is_not_turned_against_its_own_labels(self, tmp_path):
        np.savez(tmp_path / "s.npz", X=np.ones((3, 8)), y=np.arange(3))
        np.savez(tmp_path / "t.npz", X=np.ones((8, 6)), y=np.arange(8))
        source = read_source(tmp_path / "s.npz")
        refused(tmp_path / "t.npz", "y holds 8 labels", "6 samples", reader=read_target, like=source)

    def test_an_npy_source_needs_a_file_of_labels(self, tmp_path):
        np.save(tmp_path / "t.npy", np.ones((3, 2)))
        refused(tmp_path / "t.npy", "features alone", "`labels_path`")

    @pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
    def test_arrays_without_samples_or_features_are_refused(self, tmp_path, shape):
        np.savez(tmp_path / "t.npz", X=np.ones(shape), y=np.arange(shape[0]))
        refused(tmp_path / "t.npz", "X is empty")

    def test_objects_are_never_unpickled(self, tmp_path):
        class Trap:
            def __reduce__(self):
                return Path.touch, (tmp_path / "sprung",)

        trap = np.array([Trap(), Trap()], dtype=object)
        np.savez(tmp_path / "t.npz", X=np.ones((2, 3)), y=trap)
        refused(tmp_path / "t.npz", "y is an array of Python objects", "plain type")
        np.save(tmp_path / "t.npy", trap)
        refused(tmp_path / "t.npy", "Python objects")
        np.savez(tmp_path / "t.npz", X=np.ones((2, 3)), y=np.array([(1, 2.0)] * 2, dtype="i4,f8"))
        refused(tmp_path / "t.npz", "y holds no text, numbers or booleans")
        assert not (tmp_path / "sprung").exists()

    def test_a_key_for_features_needs_a_format_with_keys(self, write):
        refused(write("t.csv", CSV), "no keys", ".npz", features_key="X")


class TestBadFiles:
    def test_a_file_that_is_not_there(self, tmp_path):
        refused(tmp_path / "t.csv", "does not exist")
        refused(tmp_path / "t.csv" / "deeper.csv", "does not exist")
        refused(tmp_path / ("x" * 300 + ".csv"), "cannot be opened")

    def test_a_folder(self, tmp_path):
        (tmp_path / "t.csv").mkdir()
        refused(tmp_path / "t.csv", "is a folder")

    def test_what_is_neither_file_nor_folder(self):
        refused("/dev/null", "not a regular file")

    def test_a_file_that_must_not_be_read(self, write, monkeypatch):
        path = write("t.csv", CSV)

        def forbidden(*args, **options):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(builtins, "open", forbidden)
        refused(path, "permission denied", "permissions")

    @pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".parquet", ".npz", ".npy", ".mat"])
    def test_an_empty_file(self, write, suffix):
        refused(write("t" + suffix, b""), "0 bytes")

    @pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".parquet", ".pq", ".npz", ".npy", ".mat"])
    @pytest.mark.parametrize("content", [PNG, bytes(range(255, 0, -1)) * 40, b"<html>404</html>" * 60, b"\0" * 900])
    def test_another_format_under_a_wrong_suffix(self, write, suffix, content):
        refused(write("t" + suffix, content))

    @pytest.mark.parametrize("name", ["t.txt", "t.xlsx", "t", "t.gz", "t.npz.gz", ".csv"])
    def test_an_unknown_suffix_is_refused_with_the_known_ones(self, write, name):
        refused(write(name, CSV), ".csv, .tsv, .csv.gz, .tsv.gz, .parquet, .pq, .npz, .mat, .npy")

    def test_a_file_too_large_for_memory(self, tmp_path):
        header = {"descr": "<f8", "fortran_order": False, "shape": (10**8, 10**8)}
        with open(tmp_path / "t.npy", "wb") as file:
            np.lib.format.write_array_header_1_0(file, header)
        refused(tmp_path / "t.npy", "memory")

    @pytest.mark.parametrize("suffix", [".csv.gz", ".parquet", ".npz", ".npy"])
    def test_a_file_cut_short_anywhere_is_refused(self, tmp_path, suffix):
        path = tmp_path / ("t" + suffix)
        data = frame(30)
        options = {}
        if suffix == ".csv.gz":
            data.to_csv(path, index=False)
        elif suffix == ".parquet":
            data.to_parquet(path)
        else:
            np.save(tmp_path / "y.npy", np.arange(30))
            X = data[["a", "b", "c"]].to_numpy()
            if suffix == ".npz":
                np.savez(path, X=X, y=np.arange(30))
            else:
                np.save(path, X)
                options = {"labels_path": tmp_path / "y.npy"}
        raw = path.read_bytes()
        read_source(path, **options)
        for length in range(1, len(raw), max(1, len(raw) // 60)):
            path.write_bytes(raw[:length])
            refused(path, "cannot be read as", "cut short", **options)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("a,b,label\n1,2,x\n3,4\n", ["line 3 does not have as many cells", "2 instead of 3"]),
            ("a,b,label\n1,2,x\n3,4,y,5\n", ["line 3 ", "(4 instead of 3)"]),
            ("a,b,label\n1,2,x,5\n3,4,y,5\n", ["line 2 ", "(4 instead of 3)"]),
            ("a,b,label\n1,2\n3,4\n", ["line 2 ", "(2 instead of 3)"]),
            ("label,a,b\nx,1,2\n\ny,3\n", ["line 4 ", "(2 instead of 3)"]),
            ('a,b,label\n1,2,"x\ny"\n3,4\n', ["line 4 ", "(2 instead of 3)"]),
            ("a,b,a,label\n1,2,3,x\n", ["several columns of the same name (a)"]),
            ("0,0,7,7\n1,2,3,4\n", ["several columns of the same name (0, 7)", "first line"]),
            ("1.5,2,3\n4,5,6\n", ["line of numbers", "name the columns"]),
            ("a,,label\n1,2,x\n", ["column 2 has no name"]),
            ("a,label,\n1,x,\n", ["column 3 has no name"]),
            ("label\nx\ny\n", ["no column beside 'label'", "features"]),
            ("a,label\n", ["no rows"]),
            ("\n  \n", ["blank lines only"]),
            ('a,label\n1,"x\n2,y\n', ["cannot be read as a table"]),
            ("a,label\n1,x\nabc,y\n", ["column 'a' holds 'abc' in line 3", "numbers"]),
            ("a,label\n2020-01-01,x\n", ["column 'a' holds '2020-01-01' in line 2"]),
            ("a;label\n1;x\n1,5;y\n", ["column 'a' holds '1,5' in line 3", "decimal points"]),
            ("a,label\n1,x\nTrue,y\n", ["column 'a' holds 'True' in line 3"]),
            (f"a,label\n{'long' * 50},x\n", ["longlong...'"]),
        ],
    )
    def test_a_faulty_table_is_refused_with_the_place_of_the_fault(self, write, text, words):
        refused(write("t.csv", text), *words)

    def test_encodings_other_than_utf8_are_named(self, write):
        refused(write("t.csv", CSV.replace("dog", "hündin").encode("latin-1")), "not UTF-8", "0xfc in line 3")
        refused(write("t.csv", CSV.encode("utf-16")), "UTF-16", "save it as UTF-8")

    def test_nul_bytes_late_in_a_text_are_no_labels(self, write):
        refused(write("t.csv", CSV.encode() + b"\0" * 100), "NUL")

    def test_parquet_features_must_be_numbers(self, tmp_path):
        path = tmp_path / "t.parquet"
        for values, shown in (
            (["u", "v"], "'u' in row 1"),
            (pd.to_datetime(["2020-01-01"] * 2), "2020"),
            ([[1], [2]], "[1]"),
        ):
            pd.DataFrame({"a": values, "label": ["x", "y"]}).to_parquet(path)
            refused(path, "column 'a' holds", shown, "numbers")

    def test_parquet_columns_must_differ_in_name(self, tmp_path):
        pyarrow, parquet = (importlib.import_module(name) for name in ("pyarrow", "pyarrow.parquet"))
        table = pyarrow.table([[1.0], [2.0], ["x"]], names=["a", "a", "label"])
        parquet.write_table(table, tmp_path / "t.parquet")
        refused(tmp_path / "t.parquet", "same name (a)")

    def test_a_missing_package_is_named_with_the_command_that_installs_it(self, write, monkeypatch):
        def absent(name):
            raise ImportError(name)

        monkeypatch.setattr(importlib, "import_module", absent)
        refused(write("t.parquet", b"PAR1"), "pyarrow", 'pip install "tsrp[files]"')
        refused(write("t.mat", b"\x89HDF\r\n\x1a\n" + b"\0" * 900), "h5py", 'pip install "tsrp[files]"')


def test_columns_beside_the_features_are_text_as_it_stands_and_no_features(tmp_path):
    (tmp_path / "s.csv").write_text("code,a,b,label\n1,2,3,x\n4,5,6,y\n")
    (tmp_path / "t.csv").write_text("a,b,code,truth\n2,3,007, x \n5,6,NA,\n")
    source = read_source(tmp_path / "s.csv", without=("code", "truth"))
    target = read_target(tmp_path / "t.csv", source, beside=["code", "truth"])
    assert source.names == target.names == ["a", "b"]
    assert {name: values.tolist() for name, values in target.beside.items()} == {
        "code": ["007", "NA"],
        "truth": ["x", ""],
    }
    assert target.notes == ()


def test_labels_that_are_asked_for_beside_the_features_may_have_gaps(tmp_path):
    (tmp_path / "s.csv").write_text("a,label\n1,x\n2,y\n")
    (tmp_path / "t.csv").write_text("a,label\n1,\n2,y\n")
    target = read_target(tmp_path / "t.csv", read_source(tmp_path / "s.csv"), beside=["label"])
    assert target.beside["label"].tolist() == ["", "y"]
    assert target.y is None
    assert target.notes == ()


@pytest.mark.parametrize(
    ("key", "sentence"), [("nobody", "t.npz has no key 'nobody'"), ("short", "short holds 2 values for 3 samples")]
)
def test_a_key_that_does_not_fit_beside_the_features_is_refused(tmp_path, key, sentence):
    np.savez(tmp_path / "s.npz", X=np.ones((4, 2)), y=["a", "a", "b", "b"])
    np.savez(tmp_path / "t.npz", X=np.ones((3, 2)), short=["a", "b"])
    with pytest.raises(InputError, match=sentence):
        read_target(tmp_path / "t.npz", read_source(tmp_path / "s.npz"), beside=[key])


@pytest.mark.parametrize("code", [0xD800, 0xDFFF, 0x110000])
@pytest.mark.parametrize("order", ["<", ">"])
def test_labels_that_are_no_unicode_are_refused_with_their_row(tmp_path, code, order):
    y = np.array([ord("a"), ord("b"), code], dtype=f"{order}u4").view(f"{order}U1")
    save(tmp_path / "s.npz", {"X": np.ones((3, 2)), "y": y})
    refused(tmp_path / "s.npz", "row 3 of y", "no character of Unicode")


def test_labels_of_more_digits_are_double_precision_if_nothing_is_lost(tmp_path):
    y = np.array([1, 2, 1], dtype=np.longdouble)
    save(tmp_path / "s.npz", {"X": np.ones((3, 2)), "y": y})
    assert read_source(tmp_path / "s.npz").y.dtype == np.float64
    if np.finfo(np.longdouble).eps < np.finfo(np.float64).eps:
        y[0] += np.finfo(np.longdouble).eps
        save(tmp_path / "s.npz", {"X": np.ones((3, 2)), "y": y})
        refused(tmp_path / "s.npz", "more digits")


def test_a_cell_that_is_too_long_is_not_called_damage(write):
    path = write("long.csv", f"a,note,label\n1,{'x' * 200_000},cat\n2,y,dog\n")
    refused(path, "more than 131,072 characters", "line 2")
