"""What the command line says of a mistake, and of a bug."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.support.commands import run
from tests.support.domains import make_domains
from tsrp import NN, exceptions
from tsrp.base.adapter import Adapter
from tsrp.cli.console import CODE_OF, OPTIONS, Exit, with_options
from tsrp.exceptions import InputError, OutputError, TsrpError, UsageError
from tsrp.selection import search


@pytest.fixture
def files(tmp_path):
    Xs, ys, Xt, _ = make_domains()
    source, target = tmp_path / "lab.csv", tmp_path / "field.csv"
    pd.DataFrame(Xs).add_prefix("f").assign(kind=ys).to_csv(source, index=False)
    pd.DataFrame(Xt).add_prefix("f").to_csv(target, index=False)
    return source, target


@pytest.fixture
def bug(monkeypatch):
    """A fit that adds one to nothing."""

    def broken(self, rounds, domains):
        return None + 1

    monkeypatch.setattr(Adapter, "_run", broken)


class TestABug:
    def test_is_a_traceback_below_a_line_that_asks_for_a_report(self, files, tmp_path, bug):
        result = run("adapt", *files, "-l", "kind", "-m", "dicd+tsrp", "-o", tmp_path / "o.csv")
        assert result.exit_code == Exit.BUG.value == 70
        first, *rest = result.stderr.strip().splitlines()
        assert first.startswith("tsrp: this is a bug in tsrp, not a mistake of yours: please report it")
        assert rest[0] == "Traceback (most recent call last):"
        assert any(line.startswith("TypeError: unsupported operand") for line in rest)
        assert not (tmp_path / "o.csv").exists()

    def test_in_a_candidate_is_noted_and_kept_with_its_traceback(self, files, bug, domains):
        result = run("tune", *files, "-l", "kind", "-m", "nn", "--jobs", "1")
        assert result.exit_code == Exit.BUG
        assert "every candidate failed; the first, nn: TypeError: unsupported operand" in result.stderr
        assert "return None + 1" in result.stderr
        Xs, ys, Xt, _ = domains
        with pytest.raises(TypeError, match="unsupported operand"):
            search(Xs, ys, Xt, ["nn"], error_score="raise")

    def test_in_some_candidate_is_shown_when_asked(self, files, monkeypatch):
        from tsrp.methods.jda import JDA

        monkeypatch.setattr(JDA, "prepare", lambda *arguments: None + 1)
        quiet, told = (
            run("tune", *files, "-l", "kind", "-m", "nn", "-m", "jda", "--jobs", "1", *options)
            for options in ([], ["--verbose"])
        )
        assert quiet.exit_code == told.exit_code == 0
        assert "note: jda failed: TypeError: unsupported operand" in quiet.stderr
        assert "Traceback" not in quiet.stderr
        assert "Traceback (most recent call last):" in told.stderr

    def test_in_a_run_of_the_benchmark_is_kept_and_shown_when_asked(self, tmp_path, bug):
        arguments = (
            "bench",
            "digits",
            "-m",
            "nn",
            "--tsrp",
            "without",
            "--jobs",
            "1",
            "--results",
            tmp_path / "r.sqlite",
        )
        told = run(*arguments, "--verbose")
        assert told.exit_code == Exit.FAILED_RUNS
        assert "Traceback (most recent call last):" in told.stderr
        again = run(*arguments, "--no-run")
        assert "Traceback" not in again.stderr
        assert "TypeError: unsupported operand" in again.stderr
        assert "Traceback" in run(*arguments, "--no-run", "--verbose").stderr


class TestAMistake:
    def test_shows_a_traceback_only_where_one_is_asked_for(self, files, monkeypatch):
        plain = run("adapt", *files)
        assert plain.exit_code == Exit.INPUT
        assert len(plain.stderr.strip().splitlines()) == 1
        monkeypatch.setenv("TSRP_DEBUG", "1")
        told = run("adapt", *files)
        assert told.exit_code == Exit.INPUT
        assert told.stderr.startswith("Traceback (most recent call last):")
        assert told.stderr.strip().splitlines()[-1] == plain.stderr.strip()

    def test_names_the_option_where_the_library_names_the_parameter(self, files, tmp_path):
        (tmp_path / "o.csv").write_text("mine")
        result = run("adapt", *files, "-l", "kind", "-o", tmp_path / "o.csv")
        assert result.stderr.strip().endswith("o.csv exists; pass --force to replace it.")

    @pytest.mark.parametrize(("parameter", "option"), OPTIONS.items())
    def test_every_parameter_has_its_option(self, parameter, option):
        assert with_options(UsageError(f"set `{parameter}`\nanew.")) == f"set {option} anew."

    def test_of_a_classifier_names_it(self, files):
        rows = pd.read_csv(files[0])
        rows[rows["kind"] < 2].groupby("kind").head(2).to_csv(files[0], index=False)
        result = run("adapt", *files, "-l", "kind", "-m", "nn", "--set", "classifier=knn")
        assert result.exit_code == Exit.INPUT
        assert "KNeighborsClassifier() refuses these samples: Expected n_neighbors <= n_samples_fit" in result.stderr

    @pytest.mark.parametrize(
        ("values", "method", "advice"),
        [([1.0, 2.0, 3.0], "jda", "use --method nn,"), ([1e-200, 2e-200, 3e-200], "pca", "with --preprocess zscore.")],
    )
    def test_advises_options_where_the_library_advises_classes(self, tmp_path, values, method, advice):
        path = tmp_path / "lab.csv"
        pd.DataFrame({"a": values, "label": ["x", "y", "x"]}).to_csv(path, index=False)
        result = run("adapt", path, path, "-m", method)
        assert result.exit_code == Exit.INPUT
        assert advice in " ".join(result.stderr.split())

    def test_counts_rows_and_columns_of_arrays_from_one(self, tmp_path):
        X = np.ones((4, 3))
        X[2, 1] = np.nan
        np.savez(tmp_path / "lab.npz", X=X, y=[0, 1, 0, 1])
        result = run("adapt", tmp_path / "lab.npz", tmp_path / "lab.npz")
        assert "the first in row 3, column 2; drop those rows" in " ".join(result.stderr.split())

    def test_leaves_other_words_between_backquotes_alone(self):
        assert with_options(UsageError("call `fit` first.")) == "call fit first."

    def test_speaks_of_the_files_that_the_domains_came_from(self, files):
        Xt = make_domains()[2]
        Xt[3, 4] = np.nan
        pd.DataFrame(Xt).add_prefix("f").to_csv(files[1], index=False)
        result = run("adapt", *files, "-l", "kind")
        assert f"{files[1]}: 1 value is NaN or infinity (inf), the first in line 5, column 'f4'" in result.stderr

    def test_has_an_exit_code_whatever_its_kind(self):
        kinds = [kind for name in exceptions.__all__ if (kind := getattr(exceptions, name)) is not TsrpError]
        for kind in kinds:
            assert any(issubclass(kind, known) for known in CODE_OF)

    def test_is_one_sentence_from_the_installed_command_too(self, files):
        command = [sys.executable, "-m", "tsrp", "adapt", *map(str, files), "--label", "nobody"]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "COLUMNS": "200"})
        assert done.returncode == Exit.INPUT
        assert "has no column 'nobody'" in done.stderr
        assert "name the column of labels with --label." in done.stderr


def test_input_and_output_are_told_apart_in_python(tmp_path):
    from tsrp import NN, load

    with pytest.raises(InputError):
        load(tmp_path / "none.tsrp")
    with pytest.raises(OutputError):
        NN().fit([[0.0], [1.0]], ["a", "b"], [[0.5]]).save(tmp_path / "nowhere" / "model.tsrp")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["methods"], ["--version"], ["adapt", "--help"]], ids=" ".join)
def test_a_full_standard_output_is_a_sentence(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tsrp", *arguments], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.stderr == "tsrp: the standard output cannot be written (No space left on device): make room for it.\n"
    assert done.returncode == Exit.OUTPUT


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_error_stream_costs_neither_the_exit_code_nor_the_labels(tmp_path):
    (tmp_path / "lab.csv").write_text("f,label\n1,a\n2,b\n")
    (tmp_path / "field.csv").write_text("f\n1.1\n")
    command = [sys.executable, "-m", "tsrp", "adapt", "lab.csv"]
    with open("/dev/full", "w") as full:
        wrong = subprocess.run([*command, "none.csv"], cwd=tmp_path, stderr=full)
        piped = subprocess.run(
            [*command, "field.csv", "-m", "nn", "-o", "-"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=full, text=True
        )
    assert wrong.returncode == Exit.INPUT
    assert piped.returncode == 0
    assert piped.stdout.startswith("label,probability,confident\na,")


def test_a_sentence_has_at_most_400_characters_and_keeps_what_to_do(tmp_path):
    kind = np.dtype([(f"field{i}", "c16") for i in range(300)])
    np.save(tmp_path / "X.npy", np.zeros(3, dtype=kind))
    (tmp_path / "y.txt").write_text("a\nb\na\n")
    NN().fit([[0.0], [1.0]], ["a", "b"], [[0.5]]).save(tmp_path / "model.tsrp")
    result = run("predict", tmp_path / "model.tsrp", tmp_path / "X.npy")
    assert result.exit_code == Exit.INPUT
    sentence = result.stderr.strip().removeprefix("tsrp: ")
    assert 300 < len(sentence) <= 400
    assert sentence.endswith("give it an array of numbers, a row a sample.")


def test_a_file_that_is_given_twice_is_noted(files, tmp_path):
    (tmp_path / "link.csv").symlink_to(files[0])
    options = ("-l", "kind", "-m", "nn", "-o", tmp_path / "o.csv", "--force")
    for twice, second in ((True, files[0]), (True, tmp_path / "link.csv"), (False, files[1])):
        result = run("adapt", files[0], second, *options)
        assert result.exit_code == 0
        assert ("is given as source and as target" in result.stderr) == twice


def test_a_file_of_both_domains_may_be_given_twice(tmp_path):
    Xs, ys, Xt, _ = make_domains()
    np.savez(tmp_path / "both.npz", Xs=Xs, Ys=ys, Xt=Xt)
    result = run("adapt", tmp_path / "both.npz", tmp_path / "both.npz", "-m", "nn")
    assert result.exit_code == 0
    assert "is given as source and as target" not in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="needs links")
@pytest.mark.parametrize("place", ["source", "target", "output"])
def test_a_link_to_itself_is_a_mistake_and_no_bug(files, tmp_path, place):
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    source, target, output = (
        loop if name == place else path
        for name, path in zip(("source", "target", "output"), (*files, tmp_path / "o.csv"), strict=True)
    )
    result = run("adapt", source, target, "-l", "kind", "-m", "nn", "-o", output, "--force")
    assert result.exit_code == (Exit.OUTPUT if place == "output" else Exit.INPUT)
    assert "loop.csv" in result.stderr
