"""A file is read block by block as it would be read whole."""

import gzip
import os
import re

import numpy as np
import pandas as pd
import pytest

from tsrp.exceptions import InputError
from tsrp.io.blocks import Blocks
from tsrp.io.readers import Table, read_target

NAMES = ["a", "b", "c"]
X = np.random.default_rng(0).normal(size=(25, 3))
FRAME = pd.DataFrame(X, columns=NAMES)


def written(folder, kind, frame=FRAME):
    path = folder / f"new{kind}"
    if kind.startswith((".csv", ".tsv")):
        text = frame.to_csv(index=False, sep="\t" if kind.startswith(".tsv") else ",").encode()
        path.write_bytes(gzip.compress(text) if kind.endswith(".gz") else text)
    elif kind == ".parquet":
        frame.to_parquet(path, index=False)
    elif kind == ".npy":
        np.save(path, frame.to_numpy())
    else:
        np.savez(path, X=frame.to_numpy())
    return path


def refused(path, *words, names=NAMES, **options):
    with pytest.raises(ValueError, match=re.escape(path.name)) as caught:
        list(Blocks(path, names, 3, **options))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("kind", [".csv", ".tsv", ".csv.gz", ".parquet", ".npy", ".npz"])
@pytest.mark.parametrize("rows", [4, 25, 1000])
def test_blocks_in_a_row_are_the_file(tmp_path, kind, rows):
    blocks = list(Blocks(written(tmp_path, kind), NAMES, 3, rows=rows))
    assert all(0 < len(block.X) <= rows for block in blocks)
    np.testing.assert_array_equal(np.vstack([block.X for block in blocks]), X)
    first = blocks[0].samples
    assert isinstance(first, pd.DataFrame)
    assert first.columns.tolist() == NAMES


def test_columns_come_in_the_models_order_and_others_are_left_out(tmp_path):
    blocks = Blocks(written(tmp_path, ".csv", FRAME[["c", "a", "b"]].assign(note="x")), NAMES, 3, rows=10)
    np.testing.assert_array_equal(np.vstack([block.X for block in blocks]), X)
    assert blocks.remarks.sentences == ("not features of the model and left out: note",)


def test_what_identifies_the_rows_stays_text(tmp_path):
    frame = FRAME.assign(key=[f"{i:03}" for i in range(25)])
    for kind in (".csv", ".parquet"):
        blocks = Blocks(written(tmp_path, kind, frame), NAMES, 3, id_column="key", rows=10)
        assert [key for block in blocks for key in block.ids] == frame["key"].tolist()
    nameless = Blocks(written(tmp_path, ".csv", frame), None, 3, id_column="key")
    np.testing.assert_array_equal(next(iter(nameless)).X, X)


def test_identifiers_have_no_spaces_around_them_as_in_a_table_that_is_read_whole(tmp_path):
    frame = FRAME.assign(key=["\t=x", " y ", '"\n=z"', *range(22)])
    path = written(tmp_path, ".csv", frame)
    whole = read_target(path, Table(np.empty((0, 3)), None, NAMES, path), beside=["key"]).beside["key"]
    assert [key for block in Blocks(path, NAMES, 3, id_column="key", rows=10) for key in block.ids] == whole.tolist()
    assert whole[:2].tolist() == ["=x", "y"]


def test_missing_identifiers_are_empty_and_leave_the_others_alone(tmp_path):
    keys = pd.array([None, 2**53 + 1, *range(23)], dtype="Int64")
    blocks = Blocks(written(tmp_path, ".parquet", FRAME.assign(key=keys)), NAMES, 3, id_column="key", rows=10)
    assert [key for block in blocks for key in block.ids] == ["", str(2**53 + 1), *map(str, range(23))]


def test_columns_without_known_names_are_matched_by_position(tmp_path):
    blocks = Blocks(written(tmp_path, ".csv"), None, 3)
    [block] = blocks
    assert isinstance(block.samples, np.ndarray)
    assert "by position" in blocks.remarks.sentences[0]
    nameless = Blocks(written(tmp_path, ".npy"), NAMES, 3)
    list(nameless)
    assert "by position" in nameless.remarks.sentences[0]


def test_float32_stays_float32(tmp_path):
    np.save(tmp_path / "new.npy", X.astype(np.float32))
    [block] = Blocks(tmp_path / "new.npy", None, 3)
    assert block.X.dtype == np.float32


def test_a_hole_is_found_with_its_row_in_the_file(tmp_path):
    frame = FRAME.copy()
    frame.loc[17, "b"] = np.nan
    refused(written(tmp_path, ".csv", frame), "line 19, column 'b'", rows=5)
    frame = FRAME.astype(object)
    frame.loc[12, "c"] = "broken"
    refused(written(tmp_path, ".csv", frame), "column 'c' holds 'broken' in line 14", rows=5)


def test_files_that_do_not_fit_the_model_are_refused(tmp_path):
    refused(written(tmp_path, ".csv", FRAME[["a"]]), "lacks 2 of the 3 features of the model (b, c)")
    refused(written(tmp_path, ".csv", FRAME[["a", "b"]]), "has 2 features (a, b)", "fitted with 3", names=None)
    refused(written(tmp_path, ".npy", FRAME[["a", "b"]]), "25 x 2", "fitted with 3 features")
    refused(written(tmp_path, ".npz", FRAME[["a", "b"]]), "25 x 2", "3 features")
    refused(written(tmp_path, ".csv", FRAME.iloc[:0]), "no rows")
    refused(written(tmp_path, ".csv"), "no column 'key'", "`id_column`", id_column="key")
    refused(written(tmp_path, ".npy"), "has no columns", "`id_column` key", id_column="key")
    refused(written(tmp_path, ".csv"), "has no keys", "`features_key` Z", features_key="Z")


def test_an_archive_under_the_suffix_of_an_array_is_refused(tmp_path):
    refused(written(tmp_path, ".npz").rename(tmp_path / "new.npy"), "cannot be read as NPY")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a,a,b\n1,2,3\n", "several columns of the same name (a)"),
        ("\n\n", "blank lines only"),
        ("1.5,2.5,3.5\n1,2,3\n", "first line must name the columns"),
        ("a,b,c\n1,2,3,4\n", "line 2 does not have as many cells as the first line (4 instead of 3)"),
        ("a,b,c\n1,2,3\n1,2,3,4\n", "line 3 does not have as many cells as the first line (4 instead of 3)"),
        ("a,b,c\n1,2,\xe9\n".encode("latin-1"), "cannot be read as a table"),
        ("a,b,c\n1,2\n", "line 2 does not have as many cells as the first line (2 instead of 3)"),
        ("a,b,c\n1,2,3\n1,2\n", "line 3 does not have as many cells as the first line (2 instead of 3)"),
        ("a,b,c,d\n1,2,3,4\n1,3,4\n", "line 3 does not have as many cells as the first line (3 instead of 4)"),
        ("a,b,c\nTrue,2,3\n0.5,2,3\n", "column 'a' holds"),
    ],
)
def test_damaged_tables_are_refused(tmp_path, text, word):
    path = tmp_path / "new.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    for rows in (1, 10):
        refused(path, word, rows=rows)


def test_a_missing_file_and_an_unknown_kind_are_refused_at_once(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        Blocks(tmp_path / "new.csv", NAMES, 3)
    (tmp_path / "new.xyz").write_text("x")
    with pytest.raises(InputError, match="names no known format"):
        Blocks(tmp_path / "new.xyz", NAMES, 3)


def change(path, way):
    """Another version takes the place of a file, or the file loses its end."""
    if way == "cut":
        os.truncate(path, path.stat().st_size // 3)
    else:
        other = written(path.parent / "other", path.suffix, FRAME + 1)
        os.replace(other, path)


@pytest.mark.parametrize("way", ["cut", "replaced"])
@pytest.mark.parametrize("kind", [".csv", ".parquet", ".npy"])
def test_a_file_that_changes_between_two_blocks_is_refused(tmp_path, kind, way):
    (tmp_path / "other").mkdir()
    path = written(tmp_path, kind)
    blocks = iter(Blocks(path, NAMES, 3, rows=4))
    next(blocks)
    change(path, way)
    with pytest.raises(InputError, match=re.escape(f"{path.name} was changed while it was read")):
        list(blocks)


def test_an_array_by_columns_that_is_cut_short_between_two_blocks_is_refused(tmp_path):
    np.save(tmp_path / "new.npy", np.asfortranarray(X))
    blocks = iter(Blocks(tmp_path / "new.npy", None, 3, rows=4))
    next(blocks)
    change(tmp_path / "new.npy", "cut")
    with pytest.raises(InputError, match=r"new\.npy was changed while it was read"):
        list(blocks)


def test_a_gap_in_a_row_that_is_no_longer_there_is_refused(tmp_path):
    frame = FRAME.copy()
    frame.loc[24, "b"] = np.nan
    path = written(tmp_path, ".csv", frame)
    blocks = iter(Blocks(path, NAMES, 3, rows=24))
    next(blocks)
    path.write_text("a,b,c\n1,2,3\n")
    with pytest.raises(InputError, match="was changed while it was read"):
        list(blocks)


@pytest.mark.parametrize("shape", [(True, 3), (-1, 3)])
def test_an_array_of_no_shape_is_refused_as_a_whole_and_in_blocks(tmp_path, shape):
    path = tmp_path / "new.npy"
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        file.write(X[:1].tobytes())
    refused(path, "its shape is", names=None)
    with pytest.raises(InputError, match="its shape is"):
        read_target(path, Table(np.empty((0, 3)), None, None, path))


def test_a_nul_byte_is_refused_as_a_whole_and_in_blocks(tmp_path):
    path = tmp_path / "new.csv"
    path.write_bytes(b"a,b,c,note\n1,2,3,x\0y\n")
    refused(path, "holds NUL bytes")
    with pytest.raises(InputError, match="holds NUL bytes"):
        read_target(path, Table(np.empty((0, 3)), None, NAMES, path))
