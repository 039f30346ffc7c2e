"""Standard input and output in the place of files."""

import io
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.support.commands import run
from tests.support.domains import make_domains
from tsrp.cli import app

USAGE, INPUT, OUTPUT = 2, 3, 4


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The source as a file, the target as text; temporary files of commands go to a folder of their own."""
    Xs, ys, Xt, _ = make_domains()
    source, kept = tmp_path / "lab.csv", tmp_path / "kept"
    pd.DataFrame(Xs).add_prefix("f").assign(label=np.array(["ant", "bee", "cat", "dog"])[ys]).to_csv(source)
    kept.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(kept))
    return source, pd.DataFrame(Xt).add_prefix("f").to_csv(index=False), kept


def test_labels_of_piped_rows_are_those_of_a_file(files, tmp_path):
    source, text, kept = files
    target, model = tmp_path / "field.csv", tmp_path / "m.tsrp"
    target.write_text(text)
    assert run("adapt", source, target, "-m", "nn", "--save", model).exit_code == 0
    expected = (tmp_path / "field-labels.csv").read_text()
    adapted = run("adapt", source, "-", "-m", "nn", given=text)
    assert adapted.stdout == expected
    assert "target rows labelled" in adapted.stderr
    assert "Written to standard output" in adapted.stderr
    predicted = run("predict", model, "-", given=text)
    assert predicted.stdout == run("predict", model, target, "-o", "-").stdout
    assert len(pd.read_csv(io.StringIO(predicted.stdout))) == 50
    assert not list(kept.iterdir())


def test_a_piped_source_and_an_output_that_is_a_file(files, tmp_path):
    source, text, _ = files
    target, output = tmp_path / "field.csv", tmp_path / "out.csv"
    target.write_text(text)
    result = run("adapt", "-", target, "-m", "nn", "-o", output, given=source.read_text())
    assert "target rows labelled" in result.stdout
    assert len(pd.read_csv(output)) == 50


def test_piped_rows_are_ranked_as_those_of_a_file(files, tmp_path):
    source, text, kept = files
    target = tmp_path / "field.csv"
    target.write_text(text)
    options = ["-m", "nn", "-m", "pca", "--jobs", "1"]
    ranked, piped = run("tune", source, target, *options), run("tune", source, "-", *options, given=text)
    assert piped.exit_code == 0, piped.stderr
    assert piped.stdout.splitlines()[-1] == ranked.stdout.splitlines()[-1].replace(str(target), "-")
    table = run("tune", source, "-", *options, "-o", "-", given=text)
    assert set(pd.read_csv(io.StringIO(table.stdout))["method"]) == {"nn", "pca"}
    assert "Run next:" in table.stderr
    assert not list(kept.iterdir())


def test_mistakes_name_the_stream_and_write_nothing(files):
    source, text, kept = files
    result = run("adapt", source, "-", "-m", "nn", given=text.replace(",f3", ",other"))
    assert result.exit_code == INPUT
    assert result.stdout == ""
    assert "tsrp: standard input lacks 1 of the 12 features of the source (f3)" in result.stderr
    assert str(kept) not in result.stderr
    assert "standard input is empty" in run("adapt", source, "-", given="").stderr


@pytest.mark.parametrize(
    ("stream", "arguments", "code", "sentence"),
    [
        ("stdin", ["-", "field.csv", "-o", "out.csv"], INPUT, "standard input is closed: name a file instead of -."),
        ("stdout", ["lab.csv", "field.csv", "-o", "-"], OUTPUT, "standard output is closed: name a file with --output"),
    ],
)
def test_streams_that_are_closed_are_named(monkeypatch, capsys, stream, arguments, code, sentence):
    monkeypatch.setattr(sys, stream, None)
    monkeypatch.setattr(sys, "argv", ["tsrp", "adapt", *arguments])
    with pytest.raises(SystemExit) as end:
        app()
    assert end.value.code == code
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-", "-"], "standard input can be read only once"),
        (["lab.csv", "-", "--json"], "--json and the labels would both be on standard output"),
        (["lab.csv", "field.csv", "-o", "-", "--json"], "--json and the labels would both be on standard output"),
    ],
)
def test_two_for_one_stream_are_refused(arguments, sentence):
    result = run("adapt", *arguments)
    assert result.exit_code == USAGE
    assert sentence in result.stderr


def test_help_names_the_format():
    for command in ("adapt", "predict", "tune"):
        assert "- reads CSV from the standard input" in " ".join(run(command, "--help").stdout.split())


def test_what_is_called_like_a_stream_here_is_a_file(files, tmp_path, monkeypatch):
    source, text, _ = files
    monkeypatch.chdir(tmp_path)
    Path("-").write_text(text)
    assert run("adapt", source, "./-").exit_code == INPUT
