"""Arrays in files are read a block at a time as they would be read whole."""

import gc
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest

from tsrp.exceptions import InputError
from tsrp.io.stored import StoredArray, StoredRows, spooled

X = np.random.default_rng(0).normal(size=(23, 4))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, np.int16, ">f8"])
def test_blocks_are_the_rows_of_the_array(tmp_path, order, kind):
    array = np.asarray(X * 10, dtype=kind, order=order)
    np.save(tmp_path / "X.npy", array)
    stored = StoredArray.of(tmp_path / "X.npy")
    blocks = list(stored.blocks(10))
    assert [len(block) for block in blocks] == [10, 10, 3]
    assert {block.dtype for block in blocks} == {stored.dtype}
    assert stored.dtype == (np.float32 if kind in (np.float32, np.float16) else np.float64)
    np.testing.assert_array_equal(np.vstack(blocks), array)
    np.testing.assert_array_equal(np.vstack(list(stored.transposed().blocks(3))), array.T)


def test_a_file_that_is_cut_short_is_refused(tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, X)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(InputError, match=re.escape("X.npy cannot be read as NPY (it has ")):
        StoredArray.of(path)


def test_spooled_rows_are_kept_until_nobody_needs_them(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    rows = spooled([X[:10], X[10:]], 4, Path("X.csv"))
    assert rows.shape == X.shape
    for _ in range(2):
        np.testing.assert_array_equal(np.vstack(list(rows)), X)
    assert len(list(tmp_path.iterdir())) == 1
    del rows
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_spooled_rows_leave_nothing_behind_when_reading_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def blocks(error):
        yield X
        raise error

    with pytest.raises(InputError, match="not this one"):
        spooled(blocks(InputError("not this one")), 4, Path("X.csv"))
    with pytest.raises(InputError, match=r"X.csv: its numbers are kept in .*\(No space left on device\).*TMPDIR"):
        spooled(blocks(OSError(28, "No space left on device")), 4, Path("X.csv"))
    assert list(tmp_path.iterdir()) == []


def test_stored_rows_are_samples_in_blocks(tmp_path):
    np.save(tmp_path / "X.npy", X)
    rows = StoredRows(StoredArray.of(tmp_path / "X.npy"))
    assert rows.shape == (23, 4)
    np.testing.assert_array_equal(np.vstack(list(rows)), X)
