"""Summaries for programs: one line of JSON on the standard output, and nothing else."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.support.commands import run
from tests.support.domains import make_domains
from tsrp.cli import running


@pytest.fixture
def files(tmp_path):
    Xs, ys, Xt, yt = make_domains()
    names = np.array(["ant", "bee", "cat", "dog"])
    source, target = tmp_path / "lab.csv", tmp_path / "field.csv"
    pd.DataFrame(Xs).add_prefix("f").assign(kind=names[ys]).to_csv(source, index=False)
    pd.DataFrame(Xt).add_prefix("f").assign(truth=names[yt]).to_csv(target, index=False)
    return source, target


def said(result):
    assert result.exit_code == 0, result.stderr
    [line] = result.stdout.splitlines()
    return json.loads(line)


def test_adapt_and_predict(files, tmp_path):
    model, output = tmp_path / "m.tsrp", tmp_path / "o.csv"
    options = ["-l", "kind", "-m", "nn", "--truth", "truth", "--save", model, "-o", output, "--json"]
    summary = said(run("adapt", *files, *options))
    labels = pd.read_csv(output)
    assert summary["rows"] == len(labels) == 50
    assert summary["files"] == {"output": str(output), "model": str(model)}
    assert summary["accuracy"] == (labels["label"] == pd.read_csv(files[1])["truth"]).mean()
    assert summary["confident share"] == labels["confident"].mean()
    assert {name: counts["rows"] for name, counts in summary["classes"].items() if counts["rows"]} == dict(
        labels["label"].value_counts()
    )
    summary = said(run("predict", model, files[1], "-o", tmp_path / "p.csv", "--json"))
    assert summary["rows"] == 50
    assert summary["files"] == {"output": str(tmp_path / "p.csv")}


def test_adapt_names_the_members_of_a_panel(files, tmp_path):
    summary = said(run("adapt", *files, "-l", "kind", "--budget", "quick", "-o", tmp_path / "o.csv", "--json"))
    assert summary["method"] == "auto"
    assert sum(summary["members"].values()) == pytest.approx(1)


def test_tune(files):
    summary = said(
        run("tune", *files, "-l", "kind", "-m", "nn", "-m", "tca", "--set", "n_components=5", "--jobs", "1", "--json")
    )
    assert summary["command"].startswith("tsrp adapt ")
    assert {row["method"] for row in summary["candidates"]} == {"nn", "tca"}
    assert summary["best"].partition(",")[0] in {"nn", "tca"}


def test_tune_says_how_far_it_is_where_there_is_no_terminal(files, monkeypatch):
    monkeypatch.setattr(running, "QUIET_PACE", 0.0)
    result = run("tune", *files, "-l", "kind", "-m", "nn", "-m", "pca", "--jobs", "1")
    assert "1 of 2 candidates tried" in result.stderr
    assert "candidates tried" not in run("tune", *files, "-l", "kind", "-m", "nn", "--jobs", "1", "--quiet").stderr
