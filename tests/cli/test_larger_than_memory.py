"""Files that are larger than the memory are labelled as they would be in memory."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.support.commands import run
from tests.support.domains import make_domains
from tsrp import JDA

ROOT = Path(__file__).parents[2]
NAMES = [f"f{j}" for j in range(1350)]
CLASSES = np.array([f"class {c}" for c in range(4)])
MEGABYTE = 1_000_000
# Both files together have three times as many bytes.
HEADROOM = 100 * MEGABYTE
N = 3 * HEADROOM // (8 * len(NAMES)) // 2
OPTIONS = ("-m", "jda", "-s", "n_components=8", "--max-memory", "90MB", "--json")


@pytest.fixture(scope="module")
def domains():
    Xs, ys, Xt, _ = make_domains(n_source=N, n_target=N, m=len(NAMES), n_classes=len(CLASSES), shift=3.0)
    return Xs, CLASSES[ys], Xt


def write(folder, Xs, ys, Xt):
    """Source, target and their labels as arguments of `adapt`."""
    folder.mkdir()
    np.save(folder / "source.npy", Xs)
    np.save(folder / "target.npy", Xt)
    np.save(folder / "labels.npy", ys)
    return folder / "source.npy", folder / "target.npy", "--labels-file", folder / "labels.npy"


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
            "TMPDIR": str(path.parent),
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
def test_adapt_labels_files_of_three_times_the_memory(tmp_path, domains):
    Xs, ys, Xt = domains
    small, files = write(tmp_path / "small", Xs[:2000], ys[:2000], Xt[:2000]), write(tmp_path / "large", *domains)
    warming = ("adapt", *small, *OPTIONS, "-o", tmp_path / "small.csv")
    command = ("adapt", *files, *OPTIONS, "-o", tmp_path / "labels.csv")
    done = limited(HEADROOM, files[1], warming, command)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "read in blocks" in done.stdout
    expected = JDA(8).fit(*domains).labels_
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
        (("--impute", "mean"), "--impute needs files that fit into memory"),
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
def test_predict_labels_a_file_of_three_times_the_memory(tmp_path, domains):
    Xs, ys, Xt = domains
    few = slice(None, None, 10)
    model = JDA(8).fit(Xs[few], ys[few], Xt[few])
    model.save(tmp_path / "model.tsrp")
    np.save(tmp_path / "new.npy", np.vstack([Xs, Xt]))
    np.save(tmp_path / "small.npy", Xt[:100])
    warming = ("predict", tmp_path / "model.tsrp", tmp_path / "small.npy")
    command = (
        "predict",
        tmp_path / "model.tsrp",
        tmp_path / "new.npy",
        "--max-memory",
        "90MB",
        "-o",
        tmp_path / "labels.csv",
    )
    done = limited(HEADROOM, tmp_path / "new.npy", warming, command)
    assert done.returncode == 0, done.stdout + done.stderr
    expected = np.concatenate([model.predict(Xs), model.predict(Xt)])
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "labels.csv")["label"], expected)
