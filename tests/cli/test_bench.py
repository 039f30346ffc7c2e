"""`tsrp bench`: what it runs, keeps, prints, writes and refuses."""

import csv
import shutil
import sqlite3
from functools import partial

import pytest

from tests.support import commands
from tests.support.fakes import fake
from tsrp.cli.console import PREPARED
from tsrp.experiments import backends
from tsrp.experiments.runs import grid, make_run, paper_grid, strong_grid
from tsrp.experiments.store import Results
from tsrp.spec import PREPROCESSING

USAGE, INPUT, OUTPUT, FAILED = 2, 3, 4, 5
TASK = ("digits", "printed -> handwritten")


run = partial(commands.run, "bench")


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TSRP_DATA", str(tmp_path / "nothing"))
    return tmp_path / "results.sqlite"


@pytest.fixture
def filled(path):
    """A results file with all runs of the embedded digits."""
    with Results(path) as results:
        for run in paper_grid(["digits"]):
            results.save(fake(run))
    return path


def test_it_runs_and_prints_the_averages(path):
    result = run("digits", "--methods", "nn", "--results", path, "--jobs", 1)
    assert result.exit_code == 0, result.stderr
    assert "62.83" in result.stdout
    assert "69.45" in result.stdout
    with Results(path) as results:
        assert {run.spec.name for run in results.all()} == {"nn", "nn+tsrp"}


def test_without_names_it_takes_what_is_on_this_disk(path):
    result = run("-m", "pca", "--tsrp", "without", "--results", path)
    assert result.exit_code == 0
    assert "left out: office-caltech-surf," in result.stderr
    with Results(path) as results:
        assert list(results.all()) == [make_run(*TASK, "pca")]


def test_a_second_call_computes_nothing(filled, monkeypatch):
    def no(*arguments):
        raise AssertionError("nothing should be computed")

    monkeypatch.setattr(backends, "score", no)
    result = run("digits", "--results", filled)
    assert result.exit_code == 0, result.stderr


def test_tables_are_printed_and_written(filled, tmp_path):
    result = run("digits", "--results", filled, "--table")
    assert result.exit_code == 0, result.stderr
    figure = f"{fake(make_run(*TASK, 'dicd+tsrp')).percent:.2f}"
    for text in (result.stdout, *((tmp_path / f"tsrp-tables.{kind}").read_text() for kind in ("md", "csv", "tex"))):
        assert figure in text


def test_groups_of_methods_and_single_ones_are_run_together(filled, monkeypatch):
    monkeypatch.setattr(backends, "score", lambda run, data_dir: fake(run))
    result = run("digits", "--methods", "strong,tca,paper", "--results", filled, "-j", 1)
    assert result.exit_code == 0, result.stderr
    with Results(filled) as results:
        assert set(results.all()) == {*paper_grid(["digits"]), *strong_grid(["digits"]), *grid(["digits"], ["tca"])}


def test_the_stronger_methods_have_tables_once_they_were_run(filled, tmp_path):
    files = [tmp_path / f"tables.{kind}" for kind in ("md", "csv", "tex")]
    command = ("digits", "--results", filled, "--no-run", *(word for file in files for word in ("--write", file)))
    assert "Stronger" not in run(*command).stdout
    assert not any("Stronger" in file.read_text() for file in files if file.suffix != ".csv")
    with Results(filled) as results:
        for each in strong_grid(["digits"]):
            results.save(fake(each))
    result = run(*command)
    figure = f"{fake(strong_grid(['digits'])[-1]).percent:.2f}"
    for text in (result.stdout, *(file.read_text() for file in files)):
        assert figure in text


def test_tables_go_where_they_are_wanted(filled, tmp_path):
    assert run("digits", "--results", filled, "--no-run", "--write", tmp_path / "my.csv", "-q").stdout == ""
    rows = list(csv.DictReader((tmp_path / "my.csv").read_text().splitlines()))
    assert {row["table"] for row in rows} == {"digits"}
    assert not list(tmp_path.glob("tsrp-tables*"))


def test_what_is_there_is_computed_again_on_request(filled):
    result = run("digits", "-m", "nn", "--tsrp", "without", "--results", filled, "--again", "-j", 1)
    assert result.exit_code == 0
    with Results(filled) as results:
        assert results.all()[make_run(*TASK, "nn")].percent == 62.83


def test_results_of_another_version_are_noted(filled):
    result = run("digits", "--results", filled)
    assert "results are of tsrp 1; --again computes them anew" in result.stderr


def test_parameters_tasks_and_seeds_make_the_grid(path):
    options = ("--set", "max_iter=1", "--set", "trust=0.8", "--tsrp", "with", "--seeds", "0,1", "--task", TASK[1])
    result = run("digits", "-m", "jda", *options, "--results", path, "-j", 1)
    assert result.exit_code == 0, result.stderr
    with Results(path) as results:
        expected = [make_run(*TASK, "jda+tsrp", {"max_iter": 1, "trust": 0.8}, seed=seed) for seed in (0, 1)]
        assert set(results.all()) == set(expected)


def test_a_failed_run_is_recorded_and_the_exit_code_says_so(path, tmp_path, data_dir):
    folder = tmp_path / "data" / "coil20"
    folder.mkdir(parents=True)
    shutil.copy(data_dir / "coil20" / "COIL_2.mat", folder)
    (folder / "COIL_2.mat").chmod(0o644)
    with open(folder / "COIL_2.mat", "r+b") as file:
        file.seek(1000)
        file.write(b"damage")
    result = run("coil20", "digits", "-m", "nn", "--results", path, "--data-dir", tmp_path / "data", "-j", 1)
    assert result.exit_code == FAILED
    assert "8 of 12 runs failed" in result.stderr
    assert "COIL_2.mat cannot be read as MAT" in result.stderr
    assert "note: coil20: 1 of 1 files are not the published file" in result.stderr
    assert "62.83" in result.stdout
    with Results(path) as results:
        assert sum(found.error is not None for found in results.all().values()) == 8
    # Once the file is there, only what failed is tried again.
    mended = run("coil20", "digits", "-m", "nn", "--results", path, "--data-dir", data_dir, "-j", 1)
    assert mended.exit_code == 0, mended.stderr
    assert "84.03" in mended.stdout


def test_a_task_that_is_not_on_this_disk_says_so_in_the_table(path, data_dir, tmp_path):
    Results(path).close()
    options = ("--data-dir", data_dir, "--results", path, "--no-run", "--write", tmp_path / "t.md")
    assert run("office-caltech-decaf6", *options).exit_code == 0
    text = (tmp_path / "t.md").read_text()
    assert "| C -> A | no data / 85.70 |" in text
    assert "| D -> W | not run / 89.15 |" in text


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("coil21",), USAGE, "no data set 'coil21'"),
        (("digits", "--methods", "jad"), USAGE, "no method or group 'jad'"),
        (("digits", "--methods", ","), USAGE, "--methods names no method"),
        (("digits", "--tsrp", "maybe"), USAGE, "no value of --tsrp 'maybe'"),
        (("digits", "--task", "C -> A"), USAGE, "no task 'C -> A'; there are printed -> handwritten"),
        (("digits", "--set", "ridge"), USAGE, "not of the form NAME=VALUE"),
        (("digits", "-m", "jda", "--set", "mu=1"), USAGE, "no parameter 'mu' of jda"),
        (("digits", "--seeds", "one"), USAGE, "--seeds must be whole numbers"),
        (("digits", "--seeds", "99999999999"), USAGE, "--seeds must be whole numbers"),
        (("digits", "--seeds", ""), USAGE, "--seeds must be whole numbers"),
        (("digits", "-m", "jda", "--set", "ridge=none"), USAGE, "ridge"),
        (("digits", "--table", "--seeds", "1"), USAGE, "leave out --set, --preprocess and --seeds"),
        (("digits", "--table", "--preprocess", "unit"), USAGE, "leave out --set, --preprocess and --seeds"),
        (("digits", "-m", "strnog"), USAGE, "no method or group 'strnog'; there are paper, strong, agecs, artl"),
        (("digits", "-m", "strnog"), USAGE, "Did you mean 'strong'?"),
        (("digits", "-m", "strong+tsrp"), USAGE, "no method 'strong'"),
        (("digits", "--preprocess", "wash"), USAGE, "no preprocessing 'wash'; there are none, unit"),
        (("digits", "--preprocess", "unit", "--set", "preprocess=unit"), USAGE, "preprocess is given twice"),
        (("digits", "--write", "a.csv", "--set", "ridge=1"), USAGE, "leave out --set, --preprocess"),
        (("digits", "--write", "a.md", "--results", "a.md"), USAGE, "would overwrite the results file"),
        (("digits", "--again", "--no-run"), USAGE, "exclude each other"),
        (("digits", "--no-run"), INPUT, "does not exist"),
        (("digits", "--dask", "garbage"), USAGE, "--dask must be a scheduler's"),
        (("digits", "--write", "tables.doc"), USAGE, "does not end in .md, .csv or .tex"),
        (("digits", "--write", "none/tables.md"), OUTPUT, "does not exist"),
        (("digits", "--results", "none/results.sqlite"), OUTPUT, "none is not a folder"),
        (("digits", "--results", "."), OUTPUT, "is a folder"),
        (("coil20",), INPUT, "none of these data sets and tasks is on this disk"),
        (("digits", "--dask", "tcp://127.0.0.1:9", "--jobs", "2"), USAGE, "exclude each other"),
    ],
)
def test_a_mistake_is_one_sentence_and_an_exit_code(path, arguments, code, sentence):
    result = run(*arguments)
    assert result.exit_code == code
    assert sentence in result.stderr
    assert not isinstance(result.exception, Exception) or isinstance(result.exception, SystemExit)


def test_preprocessing_is_a_choice(path):
    result = run("digits", "-m", "nn", "--tsrp", "without", "--preprocess", "row-zscore", "--results", path, "-j", 1)
    assert result.exit_code == 0, result.stderr
    with Results(path) as results:
        assert {run.spec.preprocess for run in results.all()} == {"row-zscore"}


def test_help_names_every_preprocessing():
    assert PREPARED.replace(" or ", ", ").split(", ") == list(PREPROCESSING)


def test_preprocessing_can_be_none(path):
    result = run("digits", "-m", "nn", "--tsrp", "without", "--set", "preprocess=none", "--results", path, "-j", 1)
    assert result.exit_code == 0, result.stderr


def test_a_data_set_that_is_here_in_part_is_noted(path, data_dir):
    options = ("--tsrp", "without", "--data-dir", data_dir, "--results", path, "-j", 1)
    result = run("office-caltech-decaf6", "-m", "nn", *options)
    assert "office-caltech-decaf6 (10 of 12 tasks)" in result.stderr


def test_a_new_result_replaces_the_old_one_only_when_it_is_there(filled, monkeypatch):
    monkeypatch.setattr(backends, "score", lambda run, data_dir: fake(run, error="broken"))
    monkeypatch.setattr(backends, "PATIENCE", 0.5)
    run("digits", "-m", "nn", "--results", filled, "--again", "-j", 1)
    with Results(filled) as results:
        assert results.all()[make_run(*TASK, "nn")] == fake(make_run(*TASK, "nn"))
    assert run("digits", "--results", filled, "--again", "--dask", "127.0.0.1:9").exit_code == USAGE
    with Results(filled) as results:
        assert len(results.all()) == 10


def test_a_damaged_results_file_is_one_sentence(filled):
    with sqlite3.connect(filled) as db:
        db.execute("UPDATE runs SET rounds = 'nonsense'")
    db.close()
    result = run("digits", "--results", filled)
    assert result.exit_code == OUTPUT
    assert "holds a row that tsrp did not write" in result.stderr


def test_an_interruption_is_one_sentence_and_keeps_what_was_finished(filled, monkeypatch):
    def interrupt(run, data_dir):
        raise KeyboardInterrupt

    monkeypatch.setattr(backends, "score", interrupt)
    result = run("digits", "-m", "nn,jda+tsrp_n", "--results", filled, "-j", 1)
    assert result.exit_code == 130
    assert "the same command goes on from there" in result.stderr
    with Results(filled) as results:
        assert len(results.all()) == 10


def test_a_file_that_is_not_ours_is_refused_and_left_alone(path, tmp_path):
    path.write_bytes(b"thesis" * 100)
    result = run("digits", "--results", path)
    assert result.exit_code == OUTPUT
    assert "cannot be used as a results file" in result.stderr
    assert path.read_bytes() == b"thesis" * 100


def test_the_results_are_plain_sql(filled):
    with sqlite3.connect(filled) as db:
        [(count,)] = db.execute("SELECT count(*) FROM runs WHERE method = 'dicd+tsrp' AND accuracy > 0")
    db.close()
    assert count == 1
