"""MAT files: both kinds of them read as MATLAB shows them, and damage never passes for data."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse

from tsrp.exceptions import InputError
from tsrp.io.readers import read_source, read_target

X = np.random.default_rng(0).normal(size=(6, 4))
Y = np.array([3.0, 1, 2, 1, 2, 3])


def cells(texts):
    return np.array(texts, dtype=object)[:, None]


def save73(path, **variables):
    """What MATLAB's `save -v7.3` writes: transposed arrays, characters as numbers, and cells as references."""

    def put(file, name, value):
        value = np.asarray(value)
        if value.dtype == object:
            items = [put(file, f"#refs#/{name}{i}", item) for i, item in enumerate(value.ravel())]
            stored = file.create_dataset(name, value.T.shape, dtype=h5py.ref_dtype)
            stored[...] = np.array([item.ref for item in items], dtype=object).reshape(value.T.shape)
            kind = "cell"
        elif value.dtype.kind == "U":
            stored = file.create_dataset(name, data=np.array([[ord(letter)] for letter in str(value)], dtype=np.uint16))
            kind = "char"
        else:
            stored = file.create_dataset(name, data=np.atleast_2d(value).T.astype(value.dtype.str.replace("b", "u")))
            kind = {"float64": "double", "float32": "single", "bool": "logical"}.get(str(value.dtype), str(value.dtype))
        stored.attrs["MATLAB_class"] = np.bytes_(kind)
        return stored

    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in variables.items():
            put(file, name, value)
    raw = bytearray(path.read_bytes())
    raw[:128] = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    path.write_bytes(raw)


def save5(path, **variables):
    scipy.io.savemat(path, variables)


def save5_packed(path, **variables):
    scipy.io.savemat(path, variables, do_compression=True)


@pytest.fixture(params=[save5, save5_packed, save73])
def save(request):
    return request.param


def refused(path, *words, **options):
    with pytest.raises(InputError) as caught:
        read_source(path, **options)
    for word in (path.name, *words):
        assert word in str(caught.value)


@pytest.mark.parametrize("turned", [False, True], ids=["rows", "columns"])
def test_samples_may_lie_in_rows_or_columns(tmp_path, save, turned):
    save(tmp_path / "t.MAT", fea=X.T if turned else X, gnd=Y[:, None])
    table = read_source(tmp_path / "t.MAT")
    assert np.array_equal(table.X, X)
    assert table.X.dtype == np.float64
    assert table.transposed == turned
    target = read_target(tmp_path / "t.MAT", table)
    assert np.array_equal(target.X, X)
    assert target.y.tolist() == Y.tolist()


@pytest.mark.parametrize("shape", [(6, 1), (1, 6)])
def test_whole_labels_become_integers_in_one_dimension(tmp_path, save, shape):
    save(tmp_path / "t.mat", X=X, y=Y.reshape(shape))
    y = read_source(tmp_path / "t.mat").y
    assert y.dtype == np.int64
    assert y.tolist() == [3, 1, 2, 1, 2, 3]


@pytest.mark.parametrize(
    "labels", [Y.astype(np.uint8), Y > 1, Y + 0.5, np.where(Y > 1, np.nan, Y), np.where(Y > 1, np.inf, Y)]
)
def test_other_labels_keep_their_type(tmp_path, save, labels):
    save(tmp_path / "t.mat", X=X, y=labels[:, None])
    y = read_source(tmp_path / "t.mat").y
    assert y.dtype == labels.dtype
    assert np.array_equal(y, labels, equal_nan=y.dtype.kind == "f")


def test_cells_of_text_are_strings(tmp_path, save):
    texts = ["cat", "dog", "größe", "cat", "a b", "NA"]
    save(tmp_path / "t.mat", X=X, y=cells(texts))
    assert read_source(tmp_path / "t.mat").y.tolist() == texts


def test_rows_of_characters_are_strings(tmp_path):
    scipy.io.savemat(tmp_path / "t.mat", {"X": X, "y": np.array(["cat", "horse", "dog"] * 2)})
    assert read_source(tmp_path / "t.mat").y.tolist() == ["cat", "horse", "dog"] * 2


def test_cells_without_one_text_each_are_refused(tmp_path, save):
    save(tmp_path / "t.mat", X=X, y=cells([*"abcde", np.arange(3.0)]))
    refused(tmp_path / "t.mat", "y is a cell array")


def test_single_precision_stays_single(tmp_path, save):
    save(tmp_path / "t.mat", X=X.astype(np.float32), y=Y)
    assert read_source(tmp_path / "t.mat").X.dtype == np.float32


def test_numbers_that_matlab_packed_into_bytes_are_double_again(tmp_path):
    scipy.io.savemat(tmp_path / "t.mat", {"X": np.arange(24, dtype=np.uint8).reshape(6, 4), "y": Y})
    assert read_source(tmp_path / "t.mat").X.dtype == np.float64


def test_complex_numbers_are_no_features(tmp_path, save):
    save(tmp_path / "t.mat", X=X + 1j, y=Y)
    refused(tmp_path / "t.mat", "X ")


def test_sparse_matrices_and_structs_are_refused(tmp_path):
    path = tmp_path / "t.mat"
    for value, word in (
        (scipy.sparse.csc_array(X), "sparse"),
        (scipy.sparse.csc_array(X > 0), "sparse"),
        ({"a": 1}, "struct"),
    ):
        scipy.io.savemat(path, {"X": value, "y": Y})
        refused(path, f"X is a MATLAB {word}", "full matrix")
    save73(path, y=Y)
    for group, word in (
        ({"MATLAB_class": b"double", "MATLAB_sparse": 6}, "sparse"),
        ({"MATLAB_class": b"struct"}, "struct"),
    ):
        with h5py.File(path, "a") as file:
            file.pop("X", None)
            for name, value in group.items():
                file.require_group("X").attrs[name] = value
        refused(path, f"X is a MATLAB {word}", "full matrix")


def test_missing_keys_are_reported_with_those_that_are_there(tmp_path, save):
    save(tmp_path / "t.mat", A=X, B=Y)
    refused(tmp_path / "t.mat", "A, B", "`features_key`")
    refused(tmp_path / "t.mat", "A, B", "no key 'y'", "`label`", label="y", features_key="A")


def element(kind, content, order="little"):
    """An element of a file of version 5, filled up to 8 bytes."""
    return kind.to_bytes(4, order) + len(content).to_bytes(4, order) + content + b"\0" * (-len(content) % 8)


def matrix(kind, name, shape, *values, order="little"):
    words = [b"".join(n.to_bytes(4, order) for n in numbers) for numbers in ((kind, 0), shape)]
    parts = [element(6, words[0], order), element(5, words[1], order), element(1, name, order), *values]
    return element(14, b"".join(parts), order)


def doubles(name, array, order="little"):
    values = array.astype("<f8" if order == "little" else ">f8").tobytes(order="F")
    return matrix(6, name, array.shape, element(9, values, order), order=order)


def header(order="little"):
    return b"MATLAB 5.0 MAT-file".ljust(124) + (0x0100).to_bytes(2, order) + (b"IM" if order == "little" else b"MI")


@pytest.mark.parametrize("order", ["little", "big"])
def test_both_byte_orders_read_the_same(tmp_path, order):
    path = tmp_path / "t.mat"
    path.write_bytes(header(order) + doubles(b"X", X, order) + doubles(b"y", Y[:, None], order))
    assert np.array_equal(read_source(path).X, X)
    assert read_source(path).y.tolist() == Y.tolist()


def test_what_else_a_file_holds_does_not_matter(tmp_path):
    path = tmp_path / "t.mat"
    empty_cell = matrix(1, b"c", (1, 1), element(14, b""))
    names = [element(1, text) for text in (b"s", b"MCOS", b"string")]
    opaque = element(14, element(6, bytes([17, 0, 0, 0, 0, 0, 0, 0])) + b"".join(names) + doubles(b"", Y[:, None]))
    path.write_bytes(header() + empty_cell + doubles(b"X", X) + opaque + doubles(b"y", Y[:, None]))
    assert np.array_equal(read_source(path).X, X)
    refused(path, "s is a MATLAB object", label="s", features_key="X")
    refused(path, "c is a cell array", label="c", features_key="X")


@pytest.mark.parametrize("labels", [Y[:, None], cells([*"abcabc"])], ids=["numbers", "cells"])
def test_a_file_cut_short_anywhere_is_refused(tmp_path, save, labels):
    path = tmp_path / "t.mat"
    save(path, X=X, y=labels)
    raw = path.read_bytes()
    for length in range(1, len(raw), len(raw) // 90):
        path.write_bytes(raw[:length])
        refused(path)


@pytest.mark.parametrize("labels", [Y[:, None], cells([*"abcabc"])], ids=["numbers", "cells"])
def test_damaged_bytes_give_a_sentence_or_data_but_nothing_else(tmp_path, save, labels):
    path = tmp_path / "t.mat"
    save(path, X=X, y=labels)
    raw = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(150):
        damaged = bytearray(raw)
        damaged[rng.integers(len(raw))] = rng.integers(256)
        path.write_bytes(damaged)
        try:
            read_source(path)
        except InputError:
            continue


@pytest.mark.parametrize(
    ("source", "target", "shapes"),
    [
        ("office-caltech-surf/amazon_SURF_L10.mat", "office-caltech-surf/dslr_SURF_L10.mat", ((958, 800), (157, 800))),
        ("mnist-usps/USPS_vs_MNIST.mat", "mnist-usps/USPS_vs_MNIST.mat", ((1800, 256), (2000, 256))),
        ("coil20/COIL_1.mat", "coil20/COIL_1.mat", ((720, 1024), (720, 1024))),
        ("coil20/COIL1_vs_COIL2_v73.mat", "coil20/COIL1_vs_COIL2_v73.mat", ((720, 1024), (720, 1024))),
    ],
)
def test_published_files_are_read_without_options(data_dir, source, target, shapes):
    first = read_source(data_dir / source)
    second = read_target(data_dir / target, first)
    assert (first.X.shape, second.X.shape) == shapes
    for table in (first, second):
        assert np.isfinite(table.X).all()
        assert table.y.dtype == np.int64
        assert table.y.min() == 1


def test_file_names_in_cells_can_serve_as_labels(data_dir):
    folder = data_dir / "office-caltech-mobilenetv2"
    table = read_source(folder / "dslr_mobilenetv2.mat")
    assert table.X.dtype == np.float32
    assert table.y.dtype == np.uint8
    names = read_source(folder / "dslr_mobilenetv2.mat", label="files").y
    assert names.shape == (157,)
    assert all(name.endswith(".jpg") for name in names)
