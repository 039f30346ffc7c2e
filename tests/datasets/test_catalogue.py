"""Every data set of the catalogue is complete, and what the files hold is what it says."""

import csv
import re
import warnings

import numpy as np
import pytest

from tsrp.datasets import DATASETS, load_domain, load_task, read_source
from tsrp.datasets.catalogue.readers import read_gas_batch
from tsrp.datasets.loading import is_on_disk, place_of
from tsrp.datasets.record import FileDomain
from tsrp.exceptions import InputError
from tsrp.experiments.runs import make_run
from tsrp.registry import methods
from tsrp.spec import PREPROCESSING

PAPER = {"office-caltech-surf": 12, "office-caltech-decaf6": 12, "cmu-pie": 20, "mnist-usps": 2, "coil20": 2}
TYPES = {"object", "face", "digit", "text", "table", "sensor"}
EVERY = pytest.mark.parametrize("about", DATASETS.values(), ids=list(DATASETS))
DOMAINS = [(name, domain) for name, about in DATASETS.items() for domain in about.domains]


def test_the_papers_data_sets_have_its_numbers_of_tasks():
    assert {name: len(DATASETS[name].tasks) for name in PAPER} == PAPER
    assert len(set(DATASETS) - set(PAPER)) == 6


@EVERY
def test_a_data_set_says_what_it_is(about):
    assert about.title
    assert about.type in TYPES
    assert about.licence
    assert about.citation
    assert about.origin
    assert about.preprocess in PREPROCESSING
    assert set(about.settings) | set(about.trust) <= set(methods())
    assert {domain for task in about.tasks for domain in task} == set(about.domains)
    assert len(set(about.task_names)) == len(about.tasks)
    if about.feature_names is not None:
        assert len(about.feature_names) == about.n_features


@EVERY
def test_its_settings_are_parameters_of_the_methods(about):
    for method in methods():
        for wrapper in ("", "+tsrp", "+tsrp_n", "+tsrp_c"):
            make_run(about.name, about.task_names[0], method + wrapper)


@EVERY
def test_what_can_be_downloaded_is_pinned_and_can_be_checked(about):
    for file in about.files:
        if file.address is not None:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+/[0-9a-f]{40}/[\w./ -]+", file.address)
            assert file.sha256 or file.blob
        for digest, length in ((file.sha256, 64), (file.blob, 40)):
            assert digest is None or re.fullmatch(f"[0-9a-f]{{{length}}}", digest)


def test_addresses_and_checksums_are_those_of_the_list_of_sources(data_dir):
    listed = {}
    lists = [(data_dir / name).read_text().splitlines() for name in ("SOURCES.csv", "SOURCES-2.csv")]
    for row in [row for lines in lists for row in csv.DictReader(lines)]:
        address = f"{row['github_repository']}/{row['commit']}/{row['path']}"
        size = int(row["bytes"]) if row["bytes"] else None
        listed[row["dataset"], row["file"]] = (address, row["sha256"] or None, row["git_blob_sha1"], size)
    rebuilt = {(f.copy.folder, f.name): f.copy.sha256 for name in DATASETS for f in DATASETS[name].files if f.copy}
    assert rebuilt == {key: value[1] for key, value in listed.items() if key in rebuilt}
    assert {folder for folder, _ in rebuilt} == {"cmu-pie-jpeg"}
    ours = {(name, f.name): (f.address, f.sha256, f.blob, f.size) for name in DATASETS for f in DATASETS[name].files}
    pinned = {key: value for key, value in ours.items() if value[0] is not None}
    assert pinned == {key: listed[key] for key in pinned}
    # Files that hold the samples of another one once more are not needed.
    twice = {("mnist-usps", "MNIST_vs_USPS.mat"), ("coil20", "COIL_1.mat"), ("coil20", "COIL1_vs_COIL2_v73.mat")}
    assert set(listed) - set(pinned) - set(rebuilt) == twice


@pytest.mark.parametrize(("dataset", "domain"), DOMAINS, ids=map(" ".join, DOMAINS))
def test_a_domain_is_loaded_as_described_or_its_file_is_missed(dataset, domain, data_dir):
    spec = DATASETS[dataset].domains[domain]
    if isinstance(spec, FileDomain) and not place_of(DATASETS[dataset], spec.file, data_dir).exists():
        with pytest.raises(InputError, match=f"{spec.file.name} is not on this disk"):
            load_domain(dataset, domain, data_dir=data_dir)
        return
    with warnings.catch_warnings():
        # Of files that are not the published ones.
        warnings.filterwarnings("ignore", message=".*figures may differ")
        loaded = load_domain(dataset, domain, data_dir=data_dir)
    assert loaded.X.shape == (spec.n_samples, DATASETS[dataset].n_features)
    assert np.isfinite(loaded.X).all()
    assert loaded.y.dtype.kind == "i"
    assert set(np.unique(loaded.y)) <= set(loaded.class_names)
    assert loaded.provenance


def test_the_files_with_exchanged_sides_hold_the_same_samples(data_dir):
    for dataset, file, source in (("mnist-usps", "MNIST_vs_USPS.mat", "MNIST"), ("coil20", "COIL_1.mat", "COIL2")):
        other = read_source(data_dir / dataset / file)
        domain = load_domain(dataset, source, data_dir=data_dir)
        np.testing.assert_array_equal(other.X, domain.X)
        np.testing.assert_array_equal(other.y, domain.y)


def test_a_mat_file_of_version_7_3_holds_the_same_samples_too(data_dir):
    other = read_source(data_dir / "coil20" / "COIL1_vs_COIL2_v73.mat")
    np.testing.assert_array_equal(other.X, load_domain("coil20", "COIL2", data_dir=data_dir).X)


def test_a_batch_of_the_gas_sensors_may_lack_a_class(data_dir):
    task = load_task("gas-drift", "batch1 -> batch3", data_dir=data_dir)
    assert set(task.source.y) == {1, 2, 3, 4, 5, 6}
    assert set(task.target.y) == {1, 2, 3, 4, 5}


def test_class_names_of_office_caltech_are_the_folders_of_its_images(data_dir):
    from scipy.io import loadmat

    stored = loadmat(data_dir / "office-caltech-mobilenetv2" / "webcam_mobilenetv2.mat")
    folders = [str(path[0]).split("/")[1] for path in stored["files"][0]]
    names = DATASETS["office-caltech-mobilenetv2"].class_names
    assert [names[label] for label in stored["labels"].ravel()] == folders


def test_a_gas_batch_is_read_line_by_line(tmp_path):
    path = tmp_path / "batch.dat"
    path.write_text("2;10.5 1:1.5 128:-2\n6;300.000 2:7\n")
    X, y = read_gas_batch(path)
    assert y.tolist() == [2, 6]
    assert [X[0, 0], X[0, 127], X[1, 1]] == [1.5, -2, 7]
    assert np.count_nonzero(X) == 3


@pytest.mark.parametrize("text", ["2;10.5 1:1.5 129:2\n", "2;1 1:x\n", "<html>\n", "1;2 1:nan\n"])
def test_a_gas_batch_that_is_none_is_refused_by_name(tmp_path, text):
    path = tmp_path / "batch.dat"
    path.write_text(text)
    with pytest.raises(InputError, match=r"batch\.dat"):
        read_gas_batch(path)


def test_the_embedded_digits_are_always_on_disk(tmp_path):
    assert is_on_disk("digits", "printed -> handwritten", tmp_path)
    assert not is_on_disk("coil20", "COIL1 -> COIL2", tmp_path)


def test_mushrooms_are_zeros_and_ones_of_their_letters(data_dir):
    task = load_task("mushrooms", "enlarging -> tapering", data_dir=data_dir)
    for domain in (task.source, task.target):
        assert set(np.unique(domain.X)) == {0, 1}
        # One letter in each of the 22 columns.
        assert (domain.X.sum(axis=1) == 22).all()


def test_phishing_websites_differ_in_their_first_feature(data_dir):
    task = load_task("phishing", "named -> numbered", data_dir=data_dir)
    assert (np.unique(task.source.X[:, 0]).tolist(), np.unique(task.target.X[:, 0]).tolist()) == ([1], [-1])
