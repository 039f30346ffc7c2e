"""A file of data from elsewhere reads nothing but itself."""

import zlib

import h5py
import numpy as np
import pytest

from tests.io.test_matlab import X, Y, cells, save73
from tests.support.commands import run
from tsrp import NN
from tsrp.exceptions import InputError
from tsrp.io.arrays import read_features
from tsrp.io.blocks import Blocks
from tsrp.io.readers import read_source, read_target
from tsrp.memory import limited_memory

SECRET = b"the other file's bytes, 48 of them, never shown."


@pytest.fixture
def path(tmp_path):
    (tmp_path / "secret").write_bytes(SECRET)
    save73(tmp_path / "e.mat", X=X, y=Y, cells=cells([*"abcabc"]))
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["X"] = X.T
    return tmp_path / "e.mat"


def external_storage(file, name):
    shape, kind = file[name].shape, np.dtype("u1")
    del file[name]
    file.create_dataset(name, shape, kind, external=[("secret", 0, int(np.prod(shape)))])


def virtual_dataset(file, name):
    layout = h5py.VirtualLayout(file[name].shape, "f8")
    layout[:] = h5py.VirtualSource("other.h5", "X", file[name].shape)
    del file[name]
    file.create_virtual_dataset(name, layout)


def external_link(file, name):
    del file[name]
    file[name] = h5py.ExternalLink("other.h5", "/X")


def soft_link_behind_an_external_one(file, name):
    del file[name]
    file["elsewhere"] = h5py.ExternalLink("other.h5", "/")
    file[name] = h5py.SoftLink("/elsewhere/X")


@pytest.fixture(params=[external_storage, virtual_dataset, external_link, soft_link_behind_an_external_one])
def point_elsewhere(request):
    return request.param


def change(path, function, name):
    with h5py.File(path, "a") as file:
        function(file, name)


@pytest.mark.parametrize("name", ["X", "y"])
def test_features_and_labels_of_other_files_are_refused(path, point_elsewhere, name, monkeypatch):
    monkeypatch.chdir(path.parent)
    change(path, point_elsewhere, name)
    with pytest.raises(InputError, match=rf"e\.mat: ({name}|elsewhere) is .*never opened"):
        read_source(path, "y", features_key="X")


def test_a_target_read_whole_or_in_blocks_is_refused_too(path, point_elsewhere, monkeypatch):
    monkeypatch.chdir(path.parent)
    source = read_source(path, "y", features_key="X")
    change(path, point_elsewhere, "X")
    for read in (
        lambda: read_target(path, source, "y", features_key="X"),
        lambda: list(Blocks(path, None, X.shape[1], features_key="X")),
    ):
        with pytest.raises(InputError, match=r"(X|elsewhere) is .*never opened"):
            read()


@pytest.mark.parametrize("point", [external_storage, virtual_dataset])
def test_cells_of_other_files_are_refused(path, point, monkeypatch):
    monkeypatch.chdir(path.parent)
    change(path, point, "#refs#/cells3")
    with h5py.File(path, "a") as file:
        references = file["cells"][()]
        references[0, 3] = file["#refs#/cells3"].ref
        file["cells"][...] = references
    with pytest.raises(InputError, match=r"#refs#/cells3 is .*never opened"):
        read_source(path, "cells", features_key="X")


def test_no_byte_of_another_file_comes_out_of_the_command(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    save73(path, X=X, y=Y, id=np.arange(6.0))
    change(path, external_storage, "id")
    result = run("adapt", path, path, "--method", "nn", "--label", "y", "--features-key", "X", "--id", "id")
    assert result.exit_code == 3
    assert "id is stored in another file" in result.stderr
    assert not list(path.parent.glob("*-labels.csv"))


def test_links_within_the_file_are_followed(path):
    with h5py.File(path, "a") as file:
        file["inner/deep"] = X.T + 1
        file["relative"] = h5py.SoftLink("inner/deep")
        file["Z"] = h5py.SoftLink("/relative")
    assert np.array_equal(read_source(path, "y", features_key="Z").X, X + 1)


@pytest.mark.parametrize("target", ["/Z", "/nowhere", "Z/Z"])
def test_links_to_nothing_are_refused(path, target):
    with h5py.File(path, "a") as file:
        file["Z"] = h5py.SoftLink(target)
    with pytest.raises(InputError, match=r"e\.mat"):
        read_source(path, "y", features_key="Z")


class TestPackedParts:
    @pytest.mark.parametrize(
        "packing",
        [
            {"compression": "gzip"},
            {"compression": "lzf"},
            {"compression": "gzip", "shuffle": True},
            {"compression": "gzip", "shuffle": True, "fletcher32": True},
            {"fletcher32": True},
        ],
        ids=str,
    )
    @pytest.mark.parametrize("limit", ["1GB", "20KB"])
    def test_are_unpacked_if_they_are_as_they_say(self, path, packing, limit):
        Z = np.random.default_rng(0).normal(size=(300, 6)).round(1)
        with h5py.File(path, "a") as file:
            file.create_dataset("Z", data=Z.T, chunks=(2, 100), **packing)
        with limited_memory(limit):
            assert np.array_equal(read_features(path, "Z"), Z)

    def test_are_refused_if_they_are_larger_whatever_is_stored(self, path):
        with h5py.File(path, "a") as file:
            Z = file.create_dataset("Z", (4, 6), "f8", chunks=(4, 600), maxshape=(4, None), compression="gzip")
            Z.id.write_direct_chunk((0, 0), zlib.compress(bytes(10 * 4 * 600 * 8)))
            Y = file.create_dataset("Y", (4, 6), "f8", chunks=(4, 6), compression="lzf")
            Y.id.write_direct_chunk((0, 0), bytes(1000))
        with limited_memory("40KB"), pytest.raises(InputError, match="a part of Z is larger than it says"):
            read_features(path, "Z")
        with pytest.raises(InputError, match="a part of Y is larger than it says"):
            read_features(path, "Y")

    def test_are_refused_if_nobody_can_tell_how_large_they_are(self, path):
        with h5py.File(path, "a") as file:
            file.create_dataset("Z", data=X.T, scaleoffset=3)
            twice = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            twice.set_chunk((2, 2))
            twice.set_deflate(9)
            twice.set_deflate(9)
            space = h5py.h5s.create_simple((4, 6))
            h5py.h5d.create(file.id, b"Y", h5py.h5t.NATIVE_DOUBLE, space, twice)
        for key in ("Z", "Y"):
            with pytest.raises(InputError, match=rf"{key} is packed in another way than MATLAB packs arrays"):
                read_features(path, key)


def test_records_with_values_of_various_lengths_are_refused(path):
    kind = np.dtype([("number", "f8"), ("text", h5py.vlen_dtype(np.dtype("u1")))])
    with h5py.File(path, "a") as file:
        file.create_dataset("Z", (6,), kind)
    with pytest.raises(InputError, match="Z holds values of various lengths"):
        read_source(path, "Z", features_key="X")


def test_a_class_of_several_names_is_refused(path):
    with h5py.File(path, "a") as file:
        file["X"].attrs.create("MATLAB_class", ["double"] * 2, dtype=h5py.string_dtype())
    with pytest.raises(InputError, match="MATLAB_class of /X has several values"):
        read_source(path, "y", features_key="X")


def test_what_was_read_is_what_was_saved(path):
    table = read_source(path, "cells", features_key="X")
    assert NN().fit(table.X, table.y, X).labels_.tolist() == [*"abcabc"]
