"""`tsrp figures`: what it computes, draws and refuses."""

import re
import sqlite3
from functools import partial

import pytest

from tests.support import commands
from tests.support.domains import load_thin_task
from tests.support.fakes import fake
from tsrp.experiments import backends
from tsrp.experiments.figures import FIGURES, utsp_steps
from tsrp.experiments.store import Results

USAGE, OUTPUT, FAILED = 2, 4, 5


run = partial(commands.run, "figures")


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A results file with all runs that the figures need without data on this disk."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TSRP_DATA", str(tmp_path / "nothing"))
    path = tmp_path / "results.sqlite"
    with Results(path) as results:
        for drawing in FIGURES.values():
            for run in drawing.runs(None):
                results.save(fake(run))
    return path


def test_it_draws_from_the_results(results, tmp_path):
    answer = run("rounds", "sweeps", "--results", results, "-o", tmp_path / "pictures")
    assert answer.exit_code == 0, answer.stderr
    names = ["figures.md", *(f"{name}.{kind}" for name in ("rounds", "sweeps") for kind in ("png", "svg"))]
    assert sorted(path.name for path in (tmp_path / "pictures").iterdir()) == names
    assert FIGURES["rounds"].summary in answer.stdout
    page = (tmp_path / "pictures" / "figures.md").read_text()
    assert re.findall(r"\]\((.*)\.png\)", page) == ["rounds", "sweeps"]


def test_it_computes_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TSRP_DATA", str(tmp_path / "nothing"))
    monkeypatch.setattr(utsp_steps, "load_task", load_thin_task)
    answer = run("utsp", "-q")
    assert answer.exit_code == 0, answer.stderr
    assert (tmp_path / "tsrp-figures" / "utsp.svg").exists()
    with Results(tmp_path / "tsrp-results.sqlite") as results:
        assert len(results.all()) == 1


def test_help_names_every_figure():
    answer = run("--help").stdout
    assert all(name in answer for name in FIGURES)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("round",), USAGE, "no figure 'round'; there are rounds"),
        (("rounds", "-o", "results.sqlite"), OUTPUT, "results.sqlite is a file: name a folder"),
        (("rounds", "--results", "none/results.sqlite"), OUTPUT, "none is not a folder"),
    ],
)
def test_a_mistake_is_one_sentence_and_an_exit_code(results, arguments, code, sentence):
    answer = run(*arguments)
    assert answer.exit_code == code
    assert sentence in answer.stderr


def test_a_figure_whose_runs_failed_is_left_out_and_the_others_are_drawn(results, tmp_path, monkeypatch):
    missing = FIGURES["utsp"].runs(None)[0]
    with sqlite3.connect(results) as db:
        db.execute("DELETE FROM runs WHERE method = ? AND settings = ?", (missing.spec.name, missing.spec.record))
    db.close()
    monkeypatch.setattr(backends, "score", lambda run, data_dir: fake(run, error="broken"))
    answer = run("utsp", "sweeps", "--results", results)
    assert answer.exit_code == FAILED
    assert "not drawn, because runs failed (see tsrp bench): utsp." in answer.stderr
    assert (tmp_path / "tsrp-figures" / "sweeps.png").exists()
    assert "utsp" not in (tmp_path / "tsrp-figures" / "figures.md").read_text()
