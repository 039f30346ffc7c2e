"""Where data are looked for, and what is said when they are not there or not what they should be."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat, savemat

from tsrp.datasets import DATASETS, DataFile, DataFileError, Dataset, data_folder, load_domain, load_task
from tsrp.datasets.catalogue.readers import arrays
from tsrp.datasets.checksums import sha256
from tsrp.datasets.loading import missing_files
from tsrp.datasets.record import Copy, FileDomain


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A data set of two domains in one MAT file; returns its path."""
    rng = np.random.default_rng(0)
    path = tmp_path / "toy" / "toy.mat"
    path.parent.mkdir()
    savemat(
        path,
        {
            "X_src": rng.normal(size=(3, 8)),
            "Y_src": np.arange(8) % 2 + 1,
            "X_tar": rng.normal(size=(3, 6)),
            "Y_tar": np.arange(6) % 2 + 1,
        },
    )
    file = DataFile("toy.mat", "some/where/toy.mat", size=path.stat().st_size)
    domains = {
        "old": FileDomain(8, file, arrays("X_src", "Y_src")),
        "new": FileDomain(6, file, arrays("X_tar", "Y_tar")),
    }
    about = Dataset(
        "toy", "Toy", "table", domains, (("old", "new"),), 3, {1: "one", 2: "two"}, "none", "nobody", "made up"
    )
    monkeypatch.setitem(DATASETS, "toy", about)
    return path


def test_the_folder_is_the_argument_then_the_variable_then_the_users(monkeypatch, tmp_path):
    monkeypatch.setenv("TSRP_DATA", str(tmp_path / "variable"))
    assert data_folder(tmp_path / "argument") == tmp_path / "argument"
    assert data_folder() == tmp_path / "variable"
    monkeypatch.delenv("TSRP_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert data_folder().name == "tsrp"


def test_a_task_is_its_two_domains(toy, tmp_path):
    task = load_task("toy", "old -> new", data_dir=tmp_path)
    assert (task.name, task.source.X.shape, task.target.X.shape) == ("old -> new", (8, 3), (6, 3))
    assert task.source.class_names == {1: "one", 2: "two"}
    assert "toy.mat" in task.source.provenance


def test_a_missing_file_is_named_with_the_command_that_gets_it(toy, tmp_path):
    toy.unlink()
    with pytest.raises(DataFileError, match=r"toy\.mat is not on this disk: run  tsrp datasets fetch toy"):
        load_domain("toy", "old", data_dir=tmp_path)
    assert [file.name for file in missing_files(DATASETS["toy"], "old", data_dir=tmp_path)] == ["toy.mat"]


def test_a_file_without_address_is_missing_for_good(tmp_path):
    with pytest.raises(DataFileError, match="no public address is known"):
        load_domain("office-caltech-mobilenetv2", "A", data_dir=tmp_path)


def test_a_file_that_cannot_be_read_is_refused_by_name(toy, tmp_path):
    toy.write_bytes(toy.read_bytes()[:-1])
    with pytest.raises(DataFileError, match=r"toy\.mat cannot be read as MAT"):
        load_domain("toy", "old", data_dir=tmp_path)


def other_copy(path):
    """The same samples, with other bytes around them."""
    arrays = {key: value for key, value in loadmat(path).items() if not key.startswith("__")}
    savemat(path, arrays, do_compression=True)


def test_a_copy_of_ones_own_is_used_with_a_warning(toy, tmp_path):
    published = load_domain("toy", "old", data_dir=tmp_path)
    other_copy(toy)
    with pytest.warns(UserWarning, match=r"toy\.mat is not the published file \(.*\): figures may differ"):
        own = load_domain("toy", "old", data_dir=tmp_path)
    np.testing.assert_array_equal(own.X, published.X)
    assert published.note == ""
    assert own.note.startswith("not the published file")
    assert own.note in own.provenance


def test_a_known_copy_stands_in_for_a_file_that_is_not_there(toy, tmp_path, monkeypatch):
    about = DATASETS["toy"]
    spec = about.domains["old"]
    assert isinstance(spec, FileDomain)
    file = replace(spec.file, copy=Copy("painted by hand", sha256(toy), "other"))
    monkeypatch.setitem(about.domains, "old", replace(spec, file=file))
    (tmp_path / "other").mkdir()
    toy.rename(tmp_path / "other" / toy.name)
    with pytest.warns(UserWarning, match=r"other.toy\.mat is painted by hand: figures may differ"):
        assert load_domain("toy", "old", data_dir=tmp_path).note == "painted by hand"
    assert missing_files(about, "old", data_dir=tmp_path) == []


def test_a_file_with_other_samples_than_described_is_refused(toy, tmp_path, monkeypatch):
    monkeypatch.setitem(DATASETS["toy"].domains, "old", FileDomain(9, *_rest(DATASETS["toy"].domains["old"])))
    with pytest.raises(DataFileError, match="should be 9 samples of 3 features"):
        load_domain("toy", "old", data_dir=tmp_path)


def _rest(spec):
    return spec.file, spec.read


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("toys", "old -> new"), "no data set 'toys'.*Did you mean 'toy'"),
        (("toy", "new -> old"), "no task 'new -> old' in toy"),
    ],
)
def test_an_unknown_name_is_refused_with_what_there_is(toy, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        load_task(*arguments)


def test_an_unknown_domain_is_refused(toy):
    with pytest.raises(ValueError, match=r"no domain 'odl' in toy.*Did you mean 'old'"):
        load_domain("toy", "odl")


def test_made_domains_take_a_seed():
    first, again, other = (load_domain("digits", "printed", seed=seed).X for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_folder_in_place_of_the_file_is_refused(toy, tmp_path):
    toy.unlink()
    Path(toy).mkdir()
    with pytest.raises(DataFileError, match="folder"):
        load_domain("toy", "old", data_dir=tmp_path)
