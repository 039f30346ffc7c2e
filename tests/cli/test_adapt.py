"""The command line: what it prints, writes, refuses, and with which exit code."""

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

import tsrp
from tests.support.commands import run
from tests.support.domains import make_domains
from tsrp import DICD, JDA, TSRP, Panel, PerDomain
from tsrp.cli import main
from tsrp.datasets import digits, load_domain
from tsrp.experiments import demo_picture
from tsrp.registry import methods
from tsrp.spec import defaults, make_method

USAGE, INPUT, OUTPUT = 2, 3, 4


@pytest.fixture
def frames():
    """The domains as tables with the features f0..f11, string labels in the column `kind`."""
    Xs, ys, Xt, _ = make_domains()
    names = [f"f{i}" for i in range(12)]
    source = pd.DataFrame(Xs, columns=names).assign(kind=np.array(["ant", "bee", "cat", "dog"])[ys])
    return source, pd.DataFrame(Xt, columns=names)


@pytest.fixture
def files(tmp_path, frames):
    for frame, name in zip(frames, ("lab.csv", "field.csv"), strict=True):
        frame.to_csv(tmp_path / name, index=False)
    return tmp_path / "lab.csv", tmp_path / "field.csv"


def expected(frames, model):
    source, target = frames
    return model.fit(source.drop(columns="kind").to_numpy(), source["kind"].to_numpy(), target.to_numpy())


def test_version_and_help():
    assert run("--version").stdout == f"tsrp {tsrp.__version__}\n"
    answer = run("--help").stdout
    assert all(command in answer for command in ("adapt", "demo", "methods", "Exit codes"))


def test_the_command_is_installed_and_a_module():
    for command in ([str(Path(sys.executable).with_name("tsrp"))], [sys.executable, "-m", "tsrp"]):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout == f"tsrp {tsrp.__version__}\n"


def test_importing_the_package_loads_nothing_heavy():
    heavy = ("sklearn", "scipy", "pandas", "matplotlib", "bokeh")
    code = f"import sys, tsrp, tsrp.cli; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_methods_lists_every_name_parameter_and_classifier():
    answer = run("methods").stdout
    for word in (
        *methods(),
        "+tsrp",
        "+tsrp_n",
        "+tsrp_c",
        "repulsion=0.1",
        "mu=0.5",
        "trust=0.9",
        "svm",
        "CVPR 2014",
        "a reconstruction",
    ):
        assert word in answer


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "npz"])
def test_adapt_gives_the_labels_of_the_library(tmp_path, frames, suffix):
    source, target = frames
    paths = [tmp_path / f"{name}.{suffix}" for name in ("source", "target")]
    if suffix == "npz":
        np.savez(paths[0], X=source.drop(columns="kind"), y=source["kind"].to_numpy(str))
        np.savez(paths[1], X=target)
    else:
        for frame, path in zip(frames, paths, strict=True):
            if suffix == "parquet":
                frame.to_parquet(path)
            else:
                frame.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    label = [] if suffix == "npz" else ["--label", "kind"]
    result = run("adapt", *paths, *label, "--set", "n_components=5", "--trust", "0.85", "-o", tmp_path / "out.csv")
    assert result.exit_code == 0, result.stderr
    written = pd.read_csv(tmp_path / "out.csv")
    model = expected(frames, TSRP(DICD(5), trust=0.85))
    assert written["label"].tolist() == model.labels_.tolist()
    assert written["confident"].tolist() == model.confident_.tolist()
    np.testing.assert_allclose(written["probability"], model.probability_, atol=1e-6)
    assert "50 target rows labelled" in result.stdout
    share = 100 * model.confident_.mean()
    assert f"{model.estimated_accuracy_}; {share:.0f} % of the rows at 0.9 or more" in result.stdout


def test_confident_at_says_from_which_probability_on(files, tmp_path):
    out = tmp_path / "out.csv"
    command = ("adapt", *files, "--label", "kind", "--set", "n_components=5", "-o", out, "--confident-at")
    assert "of the rows at 0.99 or more" in run(*command, "0.99").stdout
    written = pd.read_csv(out)
    assert (written["confident"] == (written["probability"] >= 0.99)).all()
    assert 0 < written["confident"].sum() < len(written)
    refusal = run(*command, "1.5", "--force")
    assert refusal.exit_code == USAGE
    assert "--confident-at must be a probability from 0 to 1, but it is 1.5" in " ".join(refusal.stderr.split())


@pytest.mark.parametrize("report", [False, True])
def test_adapt_says_first_of_all_if_a_linear_model_looks_better(tmp_path, frames, report, without_planes):
    source, target = frames
    # A target that lies on the other side: the projection aligns classes that do not belong together.
    target = target.assign(**{name: -target[name] for name in target})
    source.to_csv(tmp_path / "lab.csv", index=False)
    target.to_csv(tmp_path / "field.csv", index=False)
    options = ["--label", "kind", "--method", "pca", "--set", "n_components=1", "-o", tmp_path / "out.csv"]
    options += ["--report", tmp_path / "report.html", "--confident-at", "0.75"] if report else []
    result = run("adapt", tmp_path / "lab.csv", tmp_path / "field.csv", *options)
    first = result.stdout.splitlines()[0]
    assert "without adaptation looks better than PCA" in first
    assert "--method nn --set classifier=logistic" in first
    if report:
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert "without adaptation looks better than PCA" in page
        assert '"confident_at":0.75' in page


def test_labels_of_an_npy_file_come_from_another_file(tmp_path, frames):
    source, target = frames
    np.save(tmp_path / "s.npy", source.drop(columns="kind"))
    np.save(tmp_path / "t.npy", target)
    source["kind"].to_csv(tmp_path / "names.txt", index=False, header=False)
    arguments = ["--labels-file", tmp_path / "names.txt", "-m", "nn", "-o", tmp_path / "o.parquet"]
    result = run("adapt", tmp_path / "s.npy", tmp_path / "t.npy", *arguments)
    assert result.exit_code == 0, result.stderr
    written = pd.read_parquet(tmp_path / "o.parquet")
    assert written["label"].tolist() == expected(frames, tsrp.NN()).labels_.tolist()
    assert list(written) == ["label", "probability", "confident"]


def test_a_key_for_the_source_does_not_disturb_a_csv_target(tmp_path, frames, files):
    source, _ = frames
    np.savez(tmp_path / "s.npz", other=np.zeros(3), mine=source.drop(columns="kind"), y=source["kind"].to_numpy(str))
    arguments = ["--features-key", "mine", "-l", "y", "-m", "nn", "-o", tmp_path / "o.csv"]
    result = run("adapt", tmp_path / "s.npz", files[1], *arguments)
    assert result.exit_code == 0, result.stderr
    assert pd.read_csv(tmp_path / "o.csv")["label"].tolist() == expected(frames, tsrp.NN()).labels_.tolist()


def test_mat_files_of_the_benchmarks_are_read(tmp_path, data_dir):
    file = data_dir / "coil20" / "COIL_2.mat"
    result = run("adapt", file, file, "-m", "nn+tsrp", "-o", tmp_path / "o.csv")
    assert result.exit_code == 0, result.stderr
    truth = load_domain("coil20", "COIL2", data_dir=data_dir).y
    assert round(100 * np.mean(pd.read_csv(tmp_path / "o.csv")["label"] == truth), 2) == 88.75


def test_columns_of_the_target_in_another_order_are_put_right(tmp_path, frames, files):
    shuffled = frames[1][frames[1].columns[::-1]].assign(note="x")
    shuffled.to_csv(files[1], index=False)
    result = run("adapt", *files, "-l", "kind", "-m", "jda", "-s", "n_components=5", "-o", tmp_path / "o.csv")
    assert result.exit_code == 0, result.stderr
    assert "note" in result.stderr
    assert pd.read_csv(tmp_path / "o.csv")["label"].tolist() == expected(frames, JDA(5)).labels_.tolist()


def test_each_domain_can_be_preprocessed(tmp_path, frames, files):
    arguments = ["-l", "kind", "-m", "jda", "-s", "n_components=5", "--preprocess", "zscore", "-o", tmp_path / "o.csv"]
    assert run("adapt", *files, *arguments).exit_code == 0
    labels = expected(frames, PerDomain(StandardScaler(), JDA(5))).labels_
    assert pd.read_csv(tmp_path / "o.csv")["label"].tolist() == labels.tolist()


def test_the_output_has_a_default_name_and_is_not_replaced_unasked(files):
    assert run("adapt", *files, "-l", "kind", "-m", "nn", "-q").stdout == ""
    output = files[1].with_name("field-labels.csv")
    before = output.read_bytes()
    result = run("adapt", *files, "-l", "kind", "-m", "nn")
    assert result.exit_code == OUTPUT
    assert "--force" in result.stderr
    assert output.read_bytes() == before
    assert run("adapt", *files, "-l", "kind", "-m", "nn", "--force").exit_code == 0


def test_a_terminal_without_the_characters_of_the_data_is_no_obstacle(tmp_path, files, frames, monkeypatch):
    frames[0].assign(kind=frames[0]["kind"].str.replace("ant", "Ameise, süß")).to_csv(files[0], index=False)
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="ascii") for _ in range(2)]
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    output = tmp_path / "süß.csv"
    monkeypatch.setattr(sys, "argv", ["tsrp", "adapt", *map(str, files), "-l", "kind", "-m", "nn", "-o", str(output)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, None)
    assert b"s??.csv" in streams[0].buffer.getvalue()
    assert "Ameise, süß" in output.read_text(encoding="utf-8")


@pytest.mark.parametrize("method", [name for name in methods() if name not in ("jda", "bda", "dicd")])
def test_every_method_labels_a_file(files, frames, tmp_path, method):
    output = tmp_path / "out.csv"
    settings = ["--set", "n_components=5"] if "n_components" in defaults(methods()[method].kind) else []
    result = run("adapt", *files, "--label", "kind", "-m", method, *settings, "-o", output)
    assert result.exit_code == 0, result.stderr
    model = make_method(method, {"n_components": 5} if settings else {})
    np.testing.assert_array_equal(pd.read_csv(output)["label"], expected(frames, model).labels_)


def test_steps_that_ran_out_are_noted(files, tmp_path):
    result = run("adapt", *files, "--label", "kind", "-m", "dtsl", "--set", "max_steps=3", "-o", tmp_path / "out.csv")
    assert result.exit_code == 0
    assert "note: DTSL stopped after max_steps=3" in result.stderr


def test_a_reduced_number_of_components_is_noted_to_those_who_asked_for_it(files, tmp_path):
    options = ["-l", "kind", "-m", "jda", "-o", tmp_path / "o.csv", "--force"]
    result = run("adapt", *files, *options, "--set", "n_components=100")
    assert result.exit_code == 0
    assert "note: n_components=100 is more than the 12 directions" in " ".join(result.stderr.split())
    assert "n_components" not in run("adapt", *files, *options).stderr


def test_the_accuracy_is_printed_where_true_labels_are_known(files, tmp_path, frames):
    truth = np.array(["ant", "bee", "cat", "dog"])[make_domains()[3]]
    frames[1].assign(truth=truth).to_csv(files[1], index=False)
    result = run("adapt", *files, "-l", "kind", "-m", "nn", "--truth", "truth", "-o", tmp_path / "o.csv")
    assert result.exit_code == 0, result.stderr
    accuracy = (pd.read_csv(tmp_path / "o.csv")["label"] == truth).mean()
    assert f"{100 * accuracy:.1f} % of the {len(truth)} rows with a true label are right" in result.stdout


@pytest.mark.parametrize(
    "command",
    [[], ["adapt"], ["predict"], ["tune"], ["bench"], ["datasets"], ["datasets", "fetch"]],
    ids=lambda command: " ".join(command) or "tsrp",
)
def test_help_shows_no_type_of_options_that_are_there_or_not(command):
    assert "bool" not in run(*command, "--help").stdout.lower()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-m", "dcid"], "there is no method 'dcid'"),
        (["-s", "n_components"], "'n_components' is not of the form NAME=VALUE"),
        (["-s", "colour=red"], "there is no parameter 'colour' of dicd+tsrp"),
        (["-s", "trust=0.8", "--trust", "0.9"], "trust is given twice"),
        (["-m", "jda", "--trust", "0.9"], "there is no parameter 'trust' of jda"),
        (["--preprocess", "wash"], "there is no preprocessing 'wash'; there are none, unit"),
        (["--trust", "7"], "trust must be a number of at least 0 and at most 1, but it is 7.0"),
        (["-s", "max_iter=0"], "max_iter must be a whole number of at least 1, but it is 0"),
        (["-s", "ridge=inf"], "ridge must be a number greater than 0, but it is inf"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(files, tmp_path, options, sentence):
    result = run("adapt", *files, "-l", "kind", *options, "-o", tmp_path / "o.csv")
    assert result.exit_code == USAGE
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "o.csv").exists()


def holes(source, target):
    target.loc[[3, 8], "f7"] = np.nan


def one_class(source, target):
    source["kind"] = "ant"


def too_few_columns(source, target):
    del target["f3"]


def words(source, target):
    target["f3"] = "wide"


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (holes, "field.csv: 2 values are NaN or infinity (inf), the first in line 5, column 'f7'"),
        (one_class, "lab.csv (labels) holds one class only"),
        (too_few_columns, "f3"),
        (words, "f3"),
    ],
)
def test_input_that_cannot_be_used_is_one_sentence_and_exit_code_3(frames, tmp_path, spoil, sentence):
    source, target = (frame.copy() for frame in frames)
    spoil(source, target)
    source.to_csv(tmp_path / "lab.csv", index=False)
    target.to_csv(tmp_path / "field.csv", index=False)
    arguments = ["-l", "kind", "-s", "n_components=5", "-o", tmp_path / "o.csv"]
    result = run("adapt", tmp_path / "lab.csv", tmp_path / "field.csv", *arguments)
    assert result.exit_code == INPUT
    assert sentence in " ".join(result.stderr.split())
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "o.csv").exists()


@pytest.fixture
def without_planes(monkeypatch):
    """Planes cost most of a report's time, and are tested elsewhere."""
    from tsrp.report import findings

    monkeypatch.setattr(findings, "_tsne", lambda X: np.zeros((len(X), 2)))


@pytest.mark.parametrize("suffix", ["csv", "parquet", "npz"])
def test_a_report_knows_the_truth_and_the_ids_which_are_no_features(tmp_path, frames, files, suffix, without_planes):
    source, target = frames
    truth = np.array(["ant", "bee", "cat", "dog"])[make_domains()[3]].astype(object)
    ids = [f"{i:03}" for i in range(50)]
    path = tmp_path / f"t.{suffix}"
    if suffix == "npz":
        np.savez(path, X=target, truth=truth.astype(str), code=ids)
    else:
        truth[::5] = None
        # A column that the source has, too, where it would be a feature.
        source.assign(code=1.0).to_csv(files[0], index=False)
        table = target.assign(truth=truth, code=ids)
        table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path)
    arguments = ["-l", "kind", "-s", "n_components=5", "--truth", "truth", "--id", "code", "-o", tmp_path / "o.csv"]
    result = run("adapt", files[0], path, *arguments, "--report", tmp_path / "report.html")
    assert result.exit_code == 0, result.stderr
    model = expected(frames, TSRP(DICD(5)))
    written = pd.read_csv(tmp_path / "o.csv", dtype={"code": str})
    assert list(written) == ["code", "label", "probability", "confident"]
    assert written["code"].tolist() == ids
    assert written["label"].tolist() == model.labels_.tolist()
    known = np.array([value is not None for value in truth])
    accuracy = f"{100 * (model.labels_ == truth)[known].mean():.1f} %"
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"<strong>{accuracy}</strong>" in page
    assert '"ids":{"0":"000","1":"001"' in page
    assert f'lab.csv <span aria-label="to">→</span> t.{suffix}' in page
    assert str(tmp_path / "report.html") in " ".join(result.stdout.split())


def test_what_a_report_warns_of_is_noted(tmp_path, frames, files, without_planes):
    # Of the source's four classes the target has two.
    frames[1][make_domains()[3] < 2].to_csv(files[1], index=False)
    arguments = ["-l", "kind", "-m", "nn+tsrp", "-o", tmp_path / "o.csv", "--report", tmp_path / "r.html"]
    result = run("adapt", *files, *arguments)
    assert result.exit_code == 0
    assert "note: Other shares of the classes than in the source: To have" in result.stderr
    assert "Other shares of the classes" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert run("adapt", *files, *arguments, "--force", "--quiet").stderr == ""


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (["--id", "label"], USAGE, "--id label: the output has a column of that name"),
        (["--id", "nobody"], INPUT, "field.csv has no column 'nobody' (its columns: f0, "),
        (["--report", "r.html", "--truth", "nobody"], INPUT, "field.csv has no column 'nobody'"),
        (["--report", "r.html", "--truth", "empty"], INPUT, "truth holds no true label"),
        (["--report", "there.html"], OUTPUT, "there.html exists; pass --force"),
        (["--report", "nowhere/r.html"], OUTPUT, "does not exist; create it first"),
        (["--report", "r.pdf"], OUTPUT, "use .html, .htm"),
    ],
)
def test_a_report_that_cannot_be_made_is_refused_before_the_fit(
    tmp_path, frames, files, monkeypatch, options, code, sentence
):
    monkeypatch.chdir(tmp_path)
    frames[1].assign(empty="").to_csv(files[1], index=False)
    (tmp_path / "there.html").write_text("mine")
    result = run("adapt", "lab.csv", "field.csv", "-l", "kind", "-m", "nn", *options)
    assert result.exit_code == code
    assert sentence in " ".join(result.stderr.split())
    assert len(result.stderr.strip().splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["field.csv", "lab.csv", "there.html"]
    assert (tmp_path / "there.html").read_text() == "mine"


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_an_input_is_never_overwritten(files, force):
    for path in files:
        before = path.read_bytes()
        result = run("adapt", *files, "-l", "kind", "-m", "nn", "-o", path, *force)
        assert result.exit_code == OUTPUT
        assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n" + bytes(200), b"PK\x03\x04 cut short"])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "npz", "npy", "mat", "xyz"])
def test_unreadable_files_are_named(tmp_path, files, suffix, content):
    broken = tmp_path / f"broken.{suffix}"
    broken.write_bytes(content)
    for pair in ((broken, files[1]), (files[0], broken)):
        result = run("adapt", *pair, "-l", "kind", "-o", tmp_path / "o.csv")
        assert result.exit_code == INPUT
        assert str(broken) in " ".join(result.stderr.split())
        assert "Traceback" not in result.stderr
        assert not (tmp_path / "o.csv").exists()


def test_an_output_that_cannot_be_written_is_exit_code_4_before_any_work(files, tmp_path):
    for output in (tmp_path / "nowhere" / "o.csv", tmp_path / "o.xlsx", tmp_path):
        result = run("adapt", *files, "-l", "kind", "-o", output)
        assert result.exit_code == OUTPUT
        assert len(result.stderr.strip().splitlines()) == 1


def test_an_interrupt_leaves_nothing_behind(files, tmp_path, monkeypatch):
    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("tsrp.base.adapter.predict_codes", stop)
    result = run("adapt", *files, "-l", "kind", "-o", tmp_path / "o.csv")
    assert result.exit_code == 130
    assert result.stderr.strip() == "tsrp: interrupted; nothing was written."
    assert sorted(path.name for path in tmp_path.iterdir()) == ["field.csv", "lab.csv"]


def test_the_demo_prints_a_row_for_each_method_and_draws(tmp_path, monkeypatch):
    pair = digits.load_digit_pair()
    thin = digits.DigitPair(pair.Xs[::5], pair.ys[::5], pair.Xt[::5], pair.yt[::5])
    monkeypatch.setattr(digits, "load_digit_pair", lambda seed: thin)
    monkeypatch.setattr(demo_picture, "IN_PLANE", 100)
    result = run("demo", "-o", tmp_path / "demo.png")
    assert result.exit_code == 0, result.stderr
    for method in ("NN", "JDA", "BDA", "DICD"):
        assert f"{method}+TSRP" in result.stdout
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["nowhere/demo.png", "demo.docx"])
def test_a_picture_that_cannot_be_written_is_refused_before_any_work(tmp_path, name):
    result = run("demo", "-o", tmp_path / name)
    assert result.exit_code == OUTPUT
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1


def test_without_a_method_a_panel_votes(files, frames, tmp_path):
    result = run(
        "adapt", *files, "-l", "kind", "--budget", "quick", "-o", tmp_path / "o.csv", "--save", tmp_path / "m.tsrp"
    )
    assert result.exit_code == 0, result.stderr
    model = expected(frames, Panel("quick"))
    assert pd.read_csv(tmp_path / "o.csv")["label"].tolist() == model.labels_.tolist()
    words = " ".join(result.stdout.split())
    assert words.startswith(
        f"auto: 50 target rows labelled in {words.split()[6]} s, by a vote of {len(model.voters_)};"
    )
    best = sorted(model.voters_, key=lambda voter: -voter.weight)[:3]
    assert "; ".join(voter.name for voter in best) in words
    assert ("no adaptation needed" in words) != model.adaptation_needed_
    again = tsrp.load(tmp_path / "m.tsrp").predict(frames[1])
    np.testing.assert_array_equal(again, model.predict(frames[1].to_numpy()))


def test_adaptation_that_is_in_doubt_is_said_to_be(tmp_path):
    iris = load_iris(as_frame=True).frame
    is_source = iris.iloc[:, 1] <= iris.iloc[:, 1].median()
    rest = iris.drop(columns=iris.columns[1])
    rest[is_source].to_csv(tmp_path / "narrow.csv", index=False)
    rest[~is_source].drop(columns="target").to_csv(tmp_path / "wide.csv", index=False)
    files = tmp_path / "narrow.csv", tmp_path / "wide.csv"
    result = run("adapt", *files, "-l", "target", "--budget", "quick", "-o", tmp_path / "o.csv")
    assert result.exit_code == 0, result.stderr
    words = " ".join(result.stdout.split())
    assert "adaptation in doubt: features seem to mean the same as in the source" in words


def test_members_that_are_not_ready_in_time_are_named_in_one_note(files, tmp_path):
    result = run("adapt", *files, "-l", "kind", "--budget", "1e-9", "-o", tmp_path / "o.csv")
    assert result.exit_code == 0, result.stderr
    [sentence] = [line for line in result.stderr.splitlines() if "no part in the vote" in line]
    assert sentence.endswith("no part in the vote, its time was up.")
    assert "SPL, soft" in sentence
    assert "by a vote of 1;" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--method", "auto", "--trust", "0.8"], "--trust, --set and --preprocess are for one method: name it"),
        (["--method", "jda", "--budget", "quick"], "--budget is for --method auto, and jda is one method."),
        (["--budget", "huge"], "--budget must be 'quick', 'normal', 'thorough' or a number of seconds, not 'huge'."),
    ],
)
def test_options_of_the_panel_and_of_a_method_do_not_mix(files, options, sentence):
    result = run("adapt", *files, "-l", "kind", *options)
    assert result.exit_code == USAGE
    assert sentence in " ".join(result.stderr.split())


def noted(result):
    return [line for line in result.stderr.splitlines() if line.startswith("note:")]


def test_many_constant_columns_are_one_note_without_a_reproach(files, tmp_path):
    for path in files:
        table = pd.read_csv(path)
        pd.concat([table, pd.DataFrame(5.0, table.index, [f"empty{k}" for k in range(61)])], axis=1).to_csv(
            path, index=False
        )
    result = run("adapt", *files, "-l", "kind", "-m", "nn", "-o", tmp_path / "o.csv")
    assert noted(result) == [
        "note: 61 columns have the same value in all rows of both domains: 'empty0', 'empty1', 'empty2', 'empty3', "
        "'empty4' and 56 more."
    ]


@pytest.mark.parametrize(
    ("options", "is_noted"),
    [
        (["--method", "nn"], True),
        (["--method", "nn", "--preprocess", "zscore"], False),
        (["--method", "auto", "--budget", "quick"], False),
    ],
)
def test_a_large_column_is_noted_where_nothing_scales_it_and_never_to_be_dropped(files, tmp_path, options, is_noted):
    for path in files:
        pd.read_csv(path).assign(f0=lambda frame: 10_000 * frame["f0"]).to_csv(path, index=False)
    result = run("adapt", *files, "-l", "kind", *options, "-o", tmp_path / "o.csv")
    assert ("column 'f0' varies more than a hundred times" in result.stderr) == is_noted
    assert "drop" not in result.stderr
    assert "leave it out" not in result.stderr


@pytest.mark.parametrize("options", [["--budget", "quick"], ["--method", "jda", "--set", "n_components=5"]])
def test_all_rows_are_labelled_where_some_were_learnt_from(files, tmp_path, options):
    labels, report, asked = tmp_path / "o.csv", tmp_path / "r.html", tmp_path / "a.csv"
    words = ["adapt", *files, "-l", "kind", *options, "--max-fit-rows", 30, "-o", labels]
    done = run(*words, "--report", report, "--suggest", 3, "--audit", 4, "--to-label", asked)
    assert done.exit_code == 0, done.stderr
    written, wanted = pd.read_csv(labels), pd.read_csv(asked)
    assert len(written) == 50
    assert "50 target rows labelled" in done.stdout
    np.testing.assert_array_equal(written["label"][wanted["row"]], wanted["label"])
    np.testing.assert_allclose(written["probability"][wanted["row"]], wanted["probability"])
    page = report.read_text()
    assert "30 of 50 target rows, drawn at random" in page
    # What was filled in is handed back by the rows' numbers in the file.
    wanted["true_label"] = wanted["label"]
    wanted.to_csv(asked, index=False)
    again = run(*words, "--known", asked, "--force")
    assert again.exit_code == 0, again.stderr
    np.testing.assert_array_equal(pd.read_csv(labels)["probability"][wanted["row"]], 1)


@pytest.mark.parametrize("options", [["--budget", "quick"], ["--method", "dicd+tsrp"]])
def test_a_target_of_equal_rows_is_said_to_be_labelled_by_chance(files, tmp_path, options):
    pd.read_csv(files[1]).assign(**{f"f{k}": 1.5 for k in range(12)}).to_csv(files[1], index=False)
    out, model = tmp_path / "o.csv", tmp_path / "m.tsrp"
    result = run("adapt", *files, "-l", "kind", *options, "-o", out, "--save", model, "--json")
    assert result.exit_code == 0, result.stderr
    summary = json.loads(result.stdout)
    assert summary["estimated accuracy"] == 0.25
    assert summary["confident share"] == 0
    assert "all rows of the target are equal, so that labels are guesses" in summary["warning"]
    assert (pd.read_csv(out)["probability"] == 0.25).all()
    assert run("predict", model, files[1], "-o", tmp_path / "p.csv").exit_code == 0
    assert (pd.read_csv(tmp_path / "p.csv")["probability"] == 0.25).all()


def test_a_column_that_is_a_row_number_is_noted(files, tmp_path):
    for path in files:
        pd.read_csv(path).assign(serial=lambda frame: np.arange(len(frame))).to_csv(path, index=False)
    result = run("adapt", *files, "-l", "kind", "-m", "nn", "-o", tmp_path / "o.csv")
    said = " ".join(result.stderr.split())
    assert "note: column 'serial' looks like a row number" in said
    assert "(--drop)" in said
