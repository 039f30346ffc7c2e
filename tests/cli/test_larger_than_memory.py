"""Files that are larger than the memory are labelled as they would be in memory."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.support.commands import run
from tests.support.domains import make_domains
from tsrp import JDA

ROOT = Path(__file__).parents[2]
CLASSES = np.array([f"class {c}" for c in range(4)])
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Size:
    """How much memory a command may take beside its libraries, and files that have three times as many bytes.

    What is said of labels takes some 3 kB for each row, and a Gram matrix of the features is kept: so rows are long.
    """

    headroom: int
    n_features: int
    bytes_of_number: int

    @property
    def n(self):
        """Rows of each of two files."""
        return 3 * self.headroom // (self.bytes_of_number * self.n_features) // 2

    @property
    def limit(self):
        return f"{0.9 * self.headroom / MEGABYTE:.0f}MB"

    @property
    def options(self):
        return ("-m", "jda", "-s", "n_components=8", "-s", "max_iter=2", "--max-memory", self.limit, "--json")


# The text of a number is longer.
TO_ADAPT = [
    pytest.param(".npy", Size(100 * MEGABYTE, 1350, 8), id="npy"),
    pytest.param(".csv", Size(40 * MEGABYTE, 600, 18), id="csv", marks=pytest.mark.large),
    pytest.param("", Size(100 * MEGABYTE, 1350, 8), id="parquet", marks=pytest.mark.large),
]
TO_PREDICT = [
    pytest.param(".npy", Size(40 * MEGABYTE, 300, 8), id="npy"),
    pytest.param(".csv", Size(40 * MEGABYTE, 300, 18), id="csv"),
    pytest.param("", Size(40 * MEGABYTE, 300, 8), id="parquet"),
]


def make_large(size):
    Xs, ys, Xt, _ = make_domains(n_source=size.n, n_target=size.n, m=size.n_features, n_classes=4, shift=3.0)
    return Xs, CLASSES[ys], Xt


def write(path, X, **columns):
    """Samples as an array, or as a table with further columns; as a folder of Parquet files if there is no suffix."""
    if path.suffix == ".npy":
        np.save(path, X)
        return
    table = pd.DataFrame(X).add_prefix("f").assign(**columns)
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
        return
    path.mkdir()
    for i, start in enumerate(range(0, len(table), 1000)):
        part = table.iloc[start : start + 1000]
        part.to_parquet(path / f"{i}.parquet", row_group_size=500, use_dictionary=False, compression=None)


def size_of(path):
    return sum(file.stat().st_size for file in (path.iterdir() if path.is_dir() else [path]))


def write_domains(folder, kind, Xs, ys, Xt):
    """Source, target and their labels as arguments of `adapt`."""
    folder.mkdir()
    files = folder / f"source{kind}", folder / f"target{kind}"
    write(files[0], Xs, label=ys)
    write(files[1], Xt)
    if kind != ".npy":
        return files
    np.save(folder / "labels.npy", ys)
    return *files, "--labels-file", folder / "labels.npy"


def limited(headroom, path, warming, command):
    given = (json.dumps([str(argument) for argument in arguments]) for arguments in (warming, command))
    return subprocess.run(
        [sys.executable, "-m", "tests.support.limited", str(headroom), str(path), *given],
        cwd=ROOT,
        env={
            "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
            "OMP_NUM_THREADS": "1",
            # Freed memory goes back at once, so that the limit is one of what is in use.
            "MALLOC_ARENA_MAX": "1",
            "MALLOC_MMAP_THRESHOLD_": "65536",
            "ARROW_DEFAULT_MEMORY_POOL": "system",
            "ARROW_IO_THREADS": "1",
            "TSRP_DEBUG": "1",
            "TMPDIR": str(path.parent),
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.parametrize(("kind", "size"), TO_ADAPT)
def test_adapt_labels_files_of_three_times_the_memory(tmp_path, kind, size):
    Xs, ys, Xt = make_large(size)
    small = write_domains(tmp_path / "small", kind, Xs[:1000], ys[:1000], Xt[:1000])
    files = write_domains(tmp_path / "large", kind, Xs, ys, Xt)
    assert sum(map(size_of, files[:2])) > 2.99 * size.headroom
    warming = ("adapt", *small, *size.options, "-o", tmp_path / "small.csv")
    command = ("adapt", *files, *size.options, "-o", tmp_path / "labels.csv")
    done = limited(size.headroom, files[1], warming, command)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "read in blocks" in done.stdout
    expected = JDA(8, max_iter=2).fit(Xs, ys, Xt).labels_
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "labels.csv")["label"], expected)


@pytest.fixture(scope="module")
def small_domains():
    Xs, ys, Xt, _ = make_domains(n_source=2000, n_target=1000, m=150, n_classes=4)
    return pd.DataFrame(Xs).add_prefix("f").assign(label=CLASSES[ys]), pd.DataFrame(Xt).add_prefix("f")


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
def test_adapt_reads_tables_in_blocks_that_exceed_the_limit(tmp_path, small_domains, suffix):
    source, target = small_domains
    target = target.assign(key=[f"row {i}" for i in range(len(target))])
    for name, frame in (("source", source), ("target", target)):
        path = tmp_path / f"{name}.{suffix}"
        frame.to_parquet(path) if suffix == "parquet" else frame.to_csv(path, index=False)
    files = (tmp_path / f"source.{suffix}", tmp_path / f"target.{suffix}")
    options = ("-s", "n_components=4", "--id", "key", "-m", "dicd+tsrp")
    assert run("adapt", *files, *options, "-o", tmp_path / "whole.csv").exit_code == 0
    result = run("adapt", *files, *options, "-o", tmp_path / "blocks.csv", "--max-memory", "10MB")
    assert result.exit_code == 0, result.stderr
    assert "the files are read in blocks by dicd+tsrp" in result.stderr
    whole, blocks = (pd.read_csv(tmp_path / name) for name in ("whole.csv", "blocks.csv"))
    pd.testing.assert_frame_equal(whole[["key", "label"]], blocks[["key", "label"]])
    np.testing.assert_allclose(whole["probability"], blocks["probability"], atol=0.02)


def test_features_of_different_units_are_scaled_in_blocks(tmp_path, small_domains):
    source, target = (frame.copy() for frame in small_domains)
    source[target.columns] *= np.geomspace(1e-3, 1e3, target.shape[1])
    target *= np.geomspace(1e-2, 1e2, target.shape[1])
    source.to_parquet(tmp_path / "source.parquet")
    target.to_csv(tmp_path / "target.csv", index=False)
    files = (tmp_path / "source.parquet", tmp_path / "target.csv")
    options = ("-m", "jda+tsrp", "-s", "n_components=4", "--preprocess", "zscore")
    assert run("adapt", *files, *options, "-o", tmp_path / "whole.csv").exit_code == 0
    saved = ("--save", tmp_path / "model.tsrp", "--max-memory", "10MB")
    result = run("adapt", *files, *options, "-o", tmp_path / "blocks.csv", *saved)
    assert result.exit_code == 0, result.stderr
    assert "the files are read in blocks by jda+tsrp" in result.stderr
    assert run("predict", tmp_path / "model.tsrp", files[1], "-o", tmp_path / "again.csv").exit_code == 0
    whole, blocks, again = (pd.read_csv(tmp_path / name) for name in ("whole.csv", "blocks.csv", "again.csv"))
    for found in (blocks, again):
        pd.testing.assert_series_equal(found["label"], whole["label"])
    np.testing.assert_allclose(whole["probability"], blocks["probability"], atol=0.02)


def with_gaps(frame, seed):
    """A table that lacks one value in ten."""
    features = frame.filter(regex=r"^f\d+$")
    gaps = np.random.default_rng(seed).random(features.shape) < 0.1
    return frame.assign(**features.mask(gaps))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_gaps_are_filled_with_means_in_blocks(tmp_path, small_domains, suffix):
    files = tmp_path / f"source.{suffix}", tmp_path / f"target.{suffix}"
    for seed, (path, frame) in enumerate(zip(files, small_domains, strict=True)):
        frame = with_gaps(frame, seed)
        frame.to_parquet(path) if suffix == "parquet" else frame.to_csv(path, index=False)
    options = ("-m", "jda", "-s", "n_components=4", "--impute", "mean")
    assert run("adapt", *files, *options, "-o", tmp_path / "whole.csv").exit_code == 0
    saved = ("--save", tmp_path / "model.tsrp", "--max-memory", "10MB")
    result = run("adapt", *files, *options, "-o", tmp_path / "blocks.csv", *saved)
    assert result.exit_code == 0, result.stderr
    assert "the files are read in blocks" in result.stderr
    n_gaps = frame.drop(columns="label", errors="ignore").isna().sum().sum()
    assert f"gaps of target.{suffix} filled with the mean of their column: {n_gaps:,}" in " ".join(
        result.stderr.split()
    )
    assert run("predict", tmp_path / "model.tsrp", files[1], "-o", tmp_path / "again.csv").exit_code == 0
    whole, blocks, again = (pd.read_csv(tmp_path / name) for name in ("whole.csv", "blocks.csv", "again.csv"))
    for found in (blocks, again):
        pd.testing.assert_series_equal(found["label"], whole["label"])


@pytest.mark.parametrize("strategy", ["mean", "median"])
def test_gaps_of_a_folder_that_fits_into_memory_are_filled(tmp_path, small_domains, strategy):
    source, target = (with_gaps(frame, seed) for seed, frame in enumerate(small_domains))
    source.to_parquet(tmp_path / "source.parquet")
    target.to_parquet(tmp_path / "target.parquet")
    (tmp_path / "days").mkdir()
    for i in range(4):
        target.iloc[250 * i : 250 * (i + 1)].to_parquet(tmp_path / "days" / f"{i}.parquet")
    for place in ("target.parquet", "days"):
        options = ("-m", "jda", "--impute", strategy, "-o", tmp_path / f"{place}.csv")
        result = run("adapt", tmp_path / "source.parquet", tmp_path / place, *options)
        assert result.exit_code == 0, result.stderr
    assert (tmp_path / "days.csv").read_text() == (tmp_path / "target.parquet.csv").read_text()


@pytest.mark.parametrize(
    ("value", "words"), [(np.inf, "1 value is NaN or infinity"), (np.nan, "holds no number at all")]
)
def test_what_means_cannot_fill_is_refused_in_blocks(tmp_path, small_domains, value, words):
    source, target = small_domains
    target = target.assign(
        f3=np.where(np.arange(len(target)) == 900, value, np.nan if np.isnan(value) else target["f3"])
    )
    source.to_parquet(tmp_path / "source.parquet")
    target.to_parquet(tmp_path / "target.parquet")
    options = ("-m", "jda", "--impute", "mean", "--max-memory", "10MB")
    result = run("adapt", tmp_path / "source.parquet", tmp_path / "target.parquet", *options)
    assert result.exit_code == 3
    assert words in " ".join(result.stderr.split())


def test_without_a_method_one_that_reads_blocks_is_taken(tmp_path, small_domains):
    source, target = small_domains
    source.to_csv(tmp_path / "source.csv", index=False)
    target.to_csv(tmp_path / "target.csv", index=False)
    result = run("adapt", tmp_path / "source.csv", tmp_path / "target.csv", "--max-memory", "10MB", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["method"] == "dicd+tsrp"


def test_folders_that_fit_into_memory_are_read_as_a_whole(tmp_path, small_domains):
    source, target = small_domains
    source.to_parquet(tmp_path / "source.parquet")
    (tmp_path / "days").mkdir()
    for i in range(4):
        target.iloc[250 * i : 250 * (i + 1)].to_parquet(tmp_path / "days" / f"{i}.parquet")
    result = run("adapt", tmp_path / "source.parquet", tmp_path / "days" / "*.parquet", "-m", "jda")
    assert result.exit_code == 0, result.stderr
    assert "blocks" not in result.stderr
    assert len(pd.read_csv(tmp_path / "days-labels.csv")) == 1000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--report", "page.html"), "--report needs files that fit into memory"),
        (("--impute", "median"), "--impute median needs files that fit into memory: --impute mean does not"),
        (("--categorical", "f3"), "--categorical needs files that fit into memory"),
        (("-m", "gfk"), "needs about"),
        (("-m", "jda", "-s", "n_components=50"), "a projection of 3,000 samples to 50 components needs about 4.8 MB"),
    ],
)
def test_what_needs_the_samples_in_memory_is_refused(tmp_path, small_domains, options, words):
    source, target = small_domains
    source.to_csv(tmp_path / "source.csv", index=False)
    target.to_csv(tmp_path / "target.csv", index=False)
    method = () if "-m" in options else ("-m", "jda")
    files = (tmp_path / "source.csv", tmp_path / "target.csv")
    result = run("adapt", *files, *method, *options, "--max-memory", "4MB", "-o", tmp_path / "out.csv")
    assert result.exit_code in (2, 3)
    assert words in " ".join(result.stderr.split())
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.parametrize(("kind", "size"), TO_PREDICT)
def test_predict_labels_a_file_of_three_times_the_memory(tmp_path, kind, size):
    Xs, ys, Xt = make_large(size)
    few = slice(None, None, 10)
    model = JDA(8, max_iter=2).fit(Xs[few], ys[few], Xt[few])
    model.save(tmp_path / "model.tsrp")
    new, small = tmp_path / f"new{kind}", tmp_path / f"small{kind}"
    write(new, np.vstack([Xs, Xt]))
    write(small, Xt[:1000])
    assert size_of(new) > 2.99 * size.headroom
    limit = ("--max-memory", size.limit)
    warming = ("predict", tmp_path / "model.tsrp", small, *limit)
    command = ("predict", tmp_path / "model.tsrp", new, *limit, "-o", tmp_path / "labels.csv")
    done = limited(size.headroom, new, warming, command)
    assert done.returncode == 0, done.stdout + done.stderr
    expected = np.concatenate([model.predict(Xs), model.predict(Xt)])
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "labels.csv")["label"], expected)
