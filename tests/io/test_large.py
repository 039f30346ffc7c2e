"""Files that are read in blocks hold the samples and labels that they hold when they are read as a whole."""

import re

import numpy as np
import pandas as pd
import pytest

from tsrp.exceptions import InputError
from tsrp.io.large import files_of, is_large, read_large_source, read_large_target, size_in_memory
from tsrp.io.readers import read_source, read_target
from tsrp.memory import limited_memory

NAMES = ["a", "b", "c"]
X = np.random.default_rng(0).normal(size=(250, 3))
LABELS = np.array(["cat", "dog", "NA"])[np.arange(250) % 3]
FRAME = pd.DataFrame(X, columns=NAMES).assign(label=LABELS, key=[f"{i:03}" for i in range(250)], extra=1.5)


def write(folder, name, frame):
    """A table, whole or as a folder of twelve Parquet files."""
    path = folder / name
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        path.mkdir()
        for i, start in enumerate(range(0, len(frame), 21)):
            frame.iloc[start : start + 21].to_parquet(path / f"part.{i}.parquet", index=False)
    return path


def whole(samples):
    return samples.rows(np.array)


@pytest.mark.parametrize("name", ["source.csv", "source.parquet", "source"])
@pytest.mark.parametrize("labels", [LABELS, np.arange(250) % 4, np.arange(250) % 2 == 0])
def test_a_source(tmp_path, name, labels):
    frame = FRAME.assign(label=labels)
    large = read_large_source(write(tmp_path, name, frame), drop=["extra"], without=["key"])
    small = read_source(write(tmp_path, "whole.csv", frame), drop=["extra"], without=["key"])
    np.testing.assert_array_equal(whole(large.samples), small.X)
    np.testing.assert_array_equal(large.y, small.y)
    assert large.y.dtype.kind == small.y.dtype.kind
    assert (large.names, large.label, large.notes) == (small.names, small.label, small.notes)
    assert large.samples.names == NAMES
    np.testing.assert_array_equal(large.in_memory().X, X)


@pytest.mark.parametrize("name", ["target.csv", "target.parquet", "target"])
def test_a_target_with_other_columns_in_another_order(tmp_path, name):
    source = read_source(write(tmp_path, "source.csv", FRAME[[*NAMES, "label"]]))
    frame = FRAME[["key", "c", "extra", "a", "b"]]
    large = read_large_target(write(tmp_path, name, frame), source, beside=["key"])
    small = read_target(write(tmp_path, "whole.csv", frame), source, beside=["key"])
    np.testing.assert_array_equal(whole(large.samples), small.X)
    assert large.beside["key"].tolist() == small.beside["key"].tolist()
    assert large.notes == small.notes


def test_single_precision_stays_single(tmp_path):
    frame = FRAME[NAMES].astype(np.float32).assign(label=LABELS)
    assert read_large_source(write(tmp_path, "single", frame)).samples.dtype == np.float32
    mixed = frame.assign(a=X[:, 0])
    assert read_large_source(write(tmp_path, "mixed", mixed)).samples.dtype == np.float64


@pytest.mark.parametrize("transposed", [False, True])
def test_arrays(tmp_path, transposed):
    np.save(tmp_path / "Xs.npy", X.T if transposed else X)
    np.save(tmp_path / "ys.npy", LABELS)
    small = read_source(tmp_path / "Xs.npy", labels_path=tmp_path / "ys.npy")
    large = read_large_source(tmp_path / "Xs.npy", labels_path=tmp_path / "ys.npy")
    target = read_large_target(tmp_path / "Xs.npy", large)
    for table in (large, target):
        np.testing.assert_array_equal(whole(table.samples), X)
        assert table.notes == small.notes
    np.testing.assert_array_equal(large.y, LABELS)


@pytest.mark.parametrize("name", ["source.csv", "source"])
def test_labels_of_another_file(tmp_path, name):
    path = write(tmp_path, name, FRAME[[*NAMES, "label"]])
    np.save(tmp_path / "ys.npy", np.arange(250) % 5)
    large = read_large_source(path, labels_path=tmp_path / "ys.npy")
    assert large.y.max() == 4
    assert large.notes == ("source column label is not a feature and was left out",)
    np.save(tmp_path / "ys.npy", np.arange(249))
    with pytest.raises(InputError, match="249 labels, but"):
        read_large_source(path, labels_path=tmp_path / "ys.npy")


@pytest.mark.parametrize("name", ["bad.csv", "bad"])
def test_what_cannot_be_used_is_refused_with_its_place(tmp_path, name):
    for number, (column, value, words) in enumerate(
        [("b", np.nan, "1 value is NaN"), ("a", "many", "'many'"), ("label", None, "1 label is empty")]
    ):
        frame = FRAME[[*NAMES, "label"]].astype({column: object})
        frame.loc[200, column] = value
        if isinstance(value, str):
            frame[column] = frame[column].astype(str)
        path = write(tmp_path, f"{number}{name}", frame)
        with pytest.raises(InputError, match=words):
            whole(read_large_source(path).samples)


def test_missing_columns_are_named(tmp_path):
    source = write(tmp_path, "source", FRAME)
    with pytest.raises(InputError, match="has no column 'class'"):
        read_large_source(source, "class")
    with pytest.raises(InputError, match="correct `drop`"):
        read_large_source(source, drop=["nothing"])
    lacking = write(tmp_path, "lacking", FRAME[["a", "b"]])
    with pytest.raises(InputError, match=r"lacks 1 of the 3 features of the source \(c\)"):
        read_large_target(lacking, read_large_source(source, drop=["extra", "key"]))
    FRAME[["a"]].to_parquet(source / "part.99.parquet")
    with pytest.raises(InputError, match=r"part.99.parquet lacks 4"):
        read_large_source(source)


def test_files_of_a_folder_come_in_the_order_of_their_numbers(tmp_path):
    folder = write(tmp_path, "folder", FRAME)
    (folder / "_metadata").write_text("")
    (folder / "notes.txt").write_text("")
    expected = [folder / f"part.{i}.parquet" for i in range(12)]
    assert files_of(folder) == expected
    assert files_of(folder / "part.*.parquet") == expected
    assert files_of(folder / "part.1*.parquet") == [expected[i] for i in (1, 10, 11)]


def test_what_names_no_parquet_file_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.csv").write_text("a\n1\n")
    for path, words in (
        (tmp_path / "empty", "is a folder without Parquet files"),
        (tmp_path / "*.parquet", "matches no file"),
        (tmp_path / "t*.csv", "which names no known format"),
        (tmp_path / "nothing.csv", "does not exist"),
    ):
        with pytest.raises(InputError, match=re.escape(words)):
            files_of(path)


def test_files_are_large_if_a_fit_in_memory_would_not_fit(tmp_path):
    np.save(tmp_path / "X.npy", X)
    assert size_in_memory(tmp_path / "X.npy") == X.nbytes
    assert size_in_memory(write(tmp_path, "folder", FRAME[NAMES])) == X.nbytes
    assert size_in_memory(write(tmp_path, "X.csv", FRAME)) > 3 * 250 * 3 * 15
    for limit, expected in ((3 * X.nbytes, False), (3 * X.nbytes - 1, True)):
        with limited_memory(limit):
            assert is_large(tmp_path / "X.npy") == expected


@pytest.mark.parametrize("name", ["source.parquet", "source", "source.npy"])
def test_samples_that_change_between_two_passes_are_refused(tmp_path, name):
    if name == "source.npy":
        path = tmp_path / name
        np.save(path, X)
        (tmp_path / "labels.txt").write_text("\n".join(LABELS))
        source, changed = read_large_source(path, labels_path=tmp_path / "labels.txt"), path
    else:
        path = write(tmp_path, name, FRAME[[*NAMES, "label"]])
        source, changed = read_large_source(path), path / "part.3.parquet" if path.is_dir() else path
    whole(source.samples)
    changed.write_bytes(changed.read_bytes() + b" ")
    with pytest.raises(InputError, match=re.escape(f"{changed.name} was changed while it was read")):
        whole(source.samples)
