"""What a file declares is compared with the memory before it is read; the bombs themselves are in tests/attack."""

import gzip
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pyarrow
import pytest
import scipy.io
from pyarrow import parquet

from tests.io.test_matlab import cells
from tsrp.exceptions import InputError
from tsrp.io import declared
from tsrp.io.blocks import Blocks
from tsrp.io.declared import (
    PER_BYTE_OF_TEXT,
    PER_CELL_OF_TEXT,
    PER_LINE_OF_TEXT,
    TextSize,
    footprint,
    read_limited,
)
from tsrp.io.readers import read_source
from tsrp.io.text import read_label_lines
from tsrp.memory import limited_memory

N = 3_000
X, Y = np.random.default_rng(0).normal(size=(N, 4)), np.arange(N) % 3


def npz(path):
    np.savez(path, X=X, y=Y)


def mat(path):
    scipy.io.savemat(path, {"X": X, "y": Y})


def hdf5(path):
    with h5py.File(path, "w") as file:
        file["X"], file["y"] = X.T, Y[None]


def frame():
    return pd.DataFrame(X, columns=[*"abcd"]).assign(label=Y)


WRITERS = {
    "t.npz": npz,
    "five.mat": mat,
    "seven.mat": hdf5,
    "t.parquet": lambda path: frame().to_parquet(path),
    "t.csv": lambda path: frame().to_csv(path, index=False),
    "t.csv.gz": lambda path: frame().to_csv(path, index=False),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_is_refused_at_a_limit_below_its_size_and_read_at_another(tmp_path, name):
    path = tmp_path / name
    WRITERS[name](path)
    with limited_memory(X.nbytes // 2), pytest.raises(InputError, match=r"needs about .*[KM]B of memory.*`max_memory`"):
        read_source(path)
    with limited_memory(20 * X.nbytes):
        assert read_source(path).X.shape == X.shape


def test_what_is_not_asked_for_may_be_large(tmp_path):
    path = tmp_path / "t.mat"
    scipy.io.savemat(path, {"X": X[:6], "y": Y[:6], "Z": X, "texts": cells(["a"] * N)}, do_compression=True)
    with limited_memory("2KB"):
        assert read_source(path).X.shape == (6, 4)
        with pytest.raises(InputError, match="Z"):
            read_source(path, "y", features_key="Z")
        with pytest.raises(InputError, match=r"texts \(a cell array\) needs about"):
            read_source(path, "texts", features_key="X")


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_arrays_that_numpy_did_not_pack_are_refused(tmp_path, packing):
    npz(tmp_path / "t.npz")
    with zipfile.ZipFile(tmp_path / "t.npz") as archive, zipfile.ZipFile(tmp_path / "o.npz", "w", packing) as other:
        for name in archive.namelist():
            other.writestr(name, archive.read(name))
    with pytest.raises(InputError, match="X is packed in another way than NumPy packs arrays"):
        read_source(tmp_path / "o.npz")


def test_fewer_values_than_declared_are_damage(tmp_path):
    path = tmp_path / "t.npy"
    np.save(path, X)
    path.write_bytes(path.read_bytes()[:-8])
    (tmp_path / "y.csv").write_text("label\n" + "a\n" * N)
    with pytest.raises(InputError, match="but there are fewer values"):
        read_source(path, labels_path=tmp_path / "y.csv")


def test_two_variables_of_one_name_are_damage(tmp_path):
    path, other = tmp_path / "t.mat", tmp_path / "o.mat"
    scipy.io.savemat(path, {"X": X, "y": Y})
    scipy.io.savemat(other, {"X": X[:1]})
    path.write_bytes(path.read_bytes() + other.read_bytes()[128:])
    with pytest.raises(InputError, match="several variables X"):
        read_source(path)


def test_texts_that_are_stored_once_are_counted_for_each_row(tmp_path):
    path = tmp_path / "t.parquet"
    texts = pyarrow.DictionaryArray.from_arrays(np.zeros(N, np.int32), pyarrow.array(["x" * 10**5]))
    parquet.write_table(pyarrow.table({"f": X[:, 0], "id": texts}), path, store_schema=False)
    with limited_memory("1GB"):
        assert sum(len(block.X) for block in Blocks(path, ["f"], 1, id_column="id")) == N
    for read in (lambda: list(Blocks(path, ["f"], 1, id_column="id")), lambda: read_source(path, "id")):
        with limited_memory("100MB"), pytest.raises(InputError, match="column 'id' needs about 600 MB"):
            read()


@pytest.mark.parametrize("kind", [pyarrow.date32(), pyarrow.time32("s"), pyarrow.decimal128(12, 2)], ids=str)
def test_dates_and_decimals_count_as_the_objects_that_they_become(tmp_path, kind):
    path = tmp_path / "t.parquet"
    column = pyarrow.array(np.zeros(N, np.int32)).cast(kind)
    parquet.write_table(pyarrow.table({"f": column, "label": Y}), path)
    with limited_memory(100 * N), pytest.raises(InputError, match=r"t\.parquet \(3,000 rows, 2 columns\) needs about"):
        read_source(path)


FIXED = pyarrow.array([b"x" * 10**5] * 20, pyarrow.binary(10**5))


@pytest.mark.parametrize(
    "column",
    [
        FIXED,
        pyarrow.StructArray.from_arrays([FIXED], ["part"]),
        pyarrow.ListArray.from_arrays(np.arange(21, dtype=np.int32), FIXED),
    ],
    ids=["plain", "struct", "list"],
)
def test_values_of_a_fixed_length_that_are_stored_once_are_counted_for_each_row(tmp_path, column):
    path = tmp_path / "t.parquet"
    parquet.write_table(pyarrow.table({"f": X[:20, 0], "id": column, "label": Y[:20]}), path)
    assert path.stat().st_size < 10**6
    for read in (lambda: read_source(path), lambda: list(Blocks(path, ["f"], 1))):
        with limited_memory("2MB"), pytest.raises(InputError, match=r"t\.parquet \(20 rows, 3 columns\) needs about"):
            read()


def test_numbers_in_lists_count_as_numbers(tmp_path):
    path = tmp_path / "t.parquet"
    lists = pyarrow.ListArray.from_arrays(np.arange(N + 1, dtype=np.int32), pyarrow.array(X[:, 0]))
    parquet.write_table(pyarrow.table({"f": X[:, 0], "g.h": np.arange(N), "lists": lists, "label": Y}), path)
    with limited_memory(100 * N):
        assert len(read_source(path, drop=["lists"]).X) == N


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_short_cells_count_as_what_is_made_of_them(tmp_path, name):
    path, body = tmp_path / name, b"f,label\n" + b"1,a\n" * 10_000
    path.write_bytes(gzip.compress(body) if name.endswith("gz") else body)
    for read in (lambda: read_source(path), lambda: read_label_lines(path, [N])):
        with limited_memory(10 * len(body)), pytest.raises(InputError, match="needs about"):
            read()
    with limited_memory(50 * len(body)):
        assert len(read_source(path).X) == 10_000


@pytest.mark.parametrize(("mark", "separator"), [(b".", b","), (b",", b";"), (b".", b"\t")])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_cells_and_lines_are_counted_whatever_separates_them(mark, separator, end):
    size, row = TextSize(), separator.join([*[b"1" + mark + b"5"] * 3, b"1"]) + end
    for _ in range(3):
        size.add(row)
    assert size.n_bytes == 3 * len(row)
    assert size.needed == 3 * (PER_BYTE_OF_TEXT * len(row) + PER_CELL_OF_TEXT * 4 + PER_LINE_OF_TEXT)


def test_a_row_of_many_more_cells_than_columns_is_not_made_a_table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("f,label\n" + "1," * 200_000 + "1\n2,a\n")
    for read in (lambda: read_source(path), lambda: list(Blocks(path, ["f"], 1))):
        with pytest.raises(InputError, match=r"line 2 does not have .* \(200001 instead of 2\)"):
            read()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("endless", [b"1" * 4_000_000, b'"' + b"1,2\n" * 1_000_000], ids=["line", "quotation"])
def test_a_line_or_a_quotation_without_end_fills_no_memory(tmp_path, packed, endless):
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    body = b"f,g\n1,2\n" + endless
    path.write_bytes(gzip.compress(body) if packed else body)
    with limited_memory("3MB"), pytest.raises(InputError, match="a block of its rows needs about"):
        list(Blocks(path, ["f", "g"], 2))


def test_a_file_larger_than_memory_is_read_in_blocks(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("f,g\n" + "1,2\n" * 500_000)
    with limited_memory("3MB"):
        assert sum(len(block.X) for block in Blocks(path, ["f", "g"], 2, rows=10_000)) == 500_000


@pytest.mark.parametrize(("kind", "width"), [("f8", 8), ("f4", 4), ("u1", 1 + 8), ("f2", 2 + 8)])
def test_numbers_count_as_they_are_read_and_as_they_are_used(kind, width):
    assert footprint(10, np.dtype(kind)) == 10 * width


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="needs /proc")
def test_a_file_that_says_that_it_is_empty_is_counted_while_it_is_read(monkeypatch):
    monkeypatch.setattr(declared, "BLOCK", 1024)
    assert Path("/proc/self/smaps").stat().st_size == 0
    with limited_memory(10_000), pytest.raises(InputError, match=r"smaps, of which \d[\d.]* KB are read so far"):
        read_limited(Path("/proc/self/smaps"))
