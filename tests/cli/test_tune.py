"""`tsrp tune`: what it prints, writes, refuses, and with which exit code."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest

from tests.support.commands import run
from tests.support.domains import make_domains
from tsrp.selection import DEFAULT_SCORE, SCORES, candidate_grid, search

USAGE, INPUT, OUTPUT = 2, 3, 4
FEW = ["-m", "nn", "-m", "jda+tsrp", "-s", "n_components=3,5", "--preprocess", "none,zscore"]


def tune(*arguments):
    """In this process: starting others takes longer than these searches."""
    return run("tune", "--jobs", 1, *arguments)


@pytest.fixture
def frames():
    Xs, ys, Xt, _ = make_domains()
    names = [f"f{i}" for i in range(12)]
    source = pd.DataFrame(Xs, columns=names).assign(kind=np.array(["ant", "bee", "cat", "dog"])[ys])
    return source, pd.DataFrame(Xt, columns=names)


@pytest.fixture
def files(tmp_path, frames):
    # A blank in a name: what is printed must be quoted, and no letter of it read as a picture.
    paths = tmp_path / "the lab's :x:.csv", tmp_path / "field.csv"
    for frame, path in zip(frames, paths, strict=True):
        frame.to_csv(path, index=False)
    return paths


def test_the_ranking_is_that_of_the_library(files, frames, tmp_path):
    result = tune(*files, "-l", "kind", *FEW, "-o", tmp_path / "ranking.csv")
    assert result.exit_code == 0, result.stderr
    source, target = frames
    candidates = candidate_grid(["nn", "jda+tsrp"], {"n_components": [3, 5]}, ["none", "zscore"])
    found = search(source.drop(columns="kind").to_numpy(), source["kind"].to_numpy(), target.to_numpy(), candidates)
    written = pd.read_csv(tmp_path / "ranking.csv", keep_default_na=False)
    expected = found.table.reset_index(drop=True)
    for column in ("method", "settings", "preprocess", "error"):
        assert written[column].tolist() == expected[column].tolist()
    np.testing.assert_allclose(written[DEFAULT_SCORE], expected[DEFAULT_SCORE], rtol=1e-12)
    assert "The best of 6 candidates" in result.stdout
    assert "give" in result.stdout
    assert "the same label" in result.stdout


def test_the_command_that_is_printed_runs_and_gives_the_labels_of_the_best(files, frames, tmp_path):
    result = tune(*files, "-l", "kind", *FEW, "--quiet")
    words = shlex.split(result.stdout)
    assert words[:6] == ["tsrp", "adapt", *map(str, files), "--label", "kind"]
    assert run(*words[1:], "-o", tmp_path / "o.csv").exit_code == 0
    source, target = frames
    candidates = candidate_grid(["nn", "jda+tsrp"], {"n_components": [3, 5]}, ["none", "zscore"])
    found = search(source.drop(columns="kind").to_numpy(), source["kind"].to_numpy(), target.to_numpy(), candidates)
    assert pd.read_csv(tmp_path / "o.csv")["label"].tolist() == found.model.labels_.tolist()


def test_without_methods_the_default_candidates_are_tried(files):
    result = tune(*files, "-l", "kind", "--preprocess", "zscore")
    assert result.exit_code == 0, result.stderr
    assert "The best of 9 candidates" in result.stdout


@pytest.mark.parametrize("score", SCORES)
def test_every_score_can_decide(files, score):
    result = tune(*files, "-l", "kind", "-m", "nn", "-m", "jda", "-s", "n_components=5", "--score", score)
    assert result.exit_code == 0, result.stderr
    assert f"by {score}" in result.stdout


def test_a_column_that_names_rows_is_no_feature(files, frames):
    for frame, path in zip(frames, files, strict=True):
        frame.assign(number=range(len(frame))).to_csv(path, index=False)
    result = tune(*files, "-l", "kind", "-m", "nn", "-m", "jda", "-s", "n_components=5", "--id", "number", "-q")
    assert result.exit_code == 0, result.stderr
    assert "--id number" in result.stdout


def test_help_names_every_score_and_the_default():
    answer = " ".join(run("tune", "--help").stdout.replace("│", " ").split())
    assert f"What decides: {DEFAULT_SCORE} (if not given)" in answer
    assert all(name in answer for name in SCORES)


def test_nn_as_the_best_is_said(files):
    result = tune(*files, "-l", "kind", "-m", "nn", "--preprocess", "none,zscore")
    assert "no adaptation is better than nearest neighbours alone" in result.stdout


def test_a_candidate_that_fails_is_noted_and_the_others_go_on(tmp_path):
    # Rows that do not vary: NN can, JDA cannot.
    pd.DataFrame({"f": [1.0, 1.0, 1.0, 1.0], "label": list("abab")}).to_csv(tmp_path / "s.csv", index=False)
    pd.DataFrame({"f": [1.0, 1.0, 1.0]}).to_csv(tmp_path / "t.csv", index=False)
    result = tune(tmp_path / "s.csv", tmp_path / "t.csv", "-m", "jda", "-m", "nn", "-o", tmp_path / "r.csv")
    assert result.exit_code == 0, result.stderr
    assert "note: jda failed: Xs and Xt do not vary" in " ".join(result.stderr.split())
    assert "nothing to project" in pd.read_csv(tmp_path / "r.csv")["error"].iloc[-1]
    result = tune(tmp_path / "s.csv", tmp_path / "t.csv", "-m", "jda")
    assert result.exit_code == INPUT
    assert re.search(
        r"every candidate failed; the first, jda: \S+s\.csv and \S+t\.csv do not vary", " ".join(result.stderr.split())
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-m", "dcid"], "there is no method 'dcid'"),
        (["-m", "nn", "-s", "ridge=1"], "there is no parameter 'ridge' of nn"),
        (["-m", "jda", "-s", "ridge"], "'ridge=' is not of the form NAME=VALUE"),
        (["-m", "jda", "-s", "ridge=1,"], "'ridge=' is not of the form NAME=VALUE"),
        (["-m", "jda", "-s", "ridge=1", "-s", "ridge=2"], "ridge is given twice"),
        (["-m", "jda", "-s", "ridge=1,-1"], "ridge must be a number greater than 0, but it is -1"),
        (["-s", "ridge=1"], "--set needs a --method"),
        (["--preprocess", "none,wash"], "there is no preprocessing 'wash'"),
        (["--score", "luck"], "there is no score 'luck'; there are consensus"),
        (["--jobs", "0"], "Invalid value for '--jobs'"),
    ],
)
def test_wrong_usage_is_exit_code_2(files, tmp_path, options, sentence):
    result = tune(*files, "-l", "kind", *options, "-o", tmp_path / "o.csv")
    assert result.exit_code == USAGE
    assert sentence in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda source, target: target.__setitem__("f7", np.nan), "field.csv: 50 values are NaN"),
        (lambda source, target: source.__setitem__("kind", "ant"), "one class only"),
        (lambda source, target: target.pop("f3"), "f3"),
    ],
)
def test_input_that_cannot_be_used_is_one_sentence_and_exit_code_3(frames, tmp_path, change, sentence):
    change(*frames)
    for frame, name in zip(frames, ("lab.csv", "field.csv"), strict=True):
        frame.to_csv(tmp_path / name, index=False)
    result = tune(tmp_path / "lab.csv", tmp_path / "field.csv", "-l", "kind", *FEW, "-o", tmp_path / "o.csv")
    assert result.exit_code == INPUT
    assert sentence in " ".join(result.stderr.split())
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "o.csv").exists()


def test_an_output_that_cannot_be_written_is_exit_code_4_before_any_work(files, tmp_path):
    (tmp_path / "there.csv").write_text("mine")
    for output in (tmp_path / "nowhere" / "o.csv", tmp_path / "o.xlsx", tmp_path / "there.csv", files[1]):
        result = tune(*files, "-l", "kind", "-o", output)
        assert result.exit_code == OUTPUT
        assert len(result.stderr.strip().splitlines()) == 1
    assert (tmp_path / "there.csv").read_text() == "mine"
    assert tune(*files, "-l", "kind", "-o", files[1], "--force").exit_code == OUTPUT
    assert tune(*files, "-l", "kind", "-m", "nn", "-o", tmp_path / "there.csv", "--force").exit_code == 0
