"""`tsrp predict`: labels for new files from a saved model, in blocks, all or nothing."""

import numpy as np
import pandas as pd
import pytest

import tsrp
from tests.support.commands import run
from tests.support.domains import make_domains
from tsrp import JDA, TSRP

USAGE, INPUT, OUTPUT = 2, 3, 4
NAMES = [f"f{i}" for i in range(12)]


@pytest.fixture
def place(tmp_path):
    """A folder with model.tsrp and new.csv."""
    Xs, ys, Xt, _ = make_domains()
    target = pd.DataFrame(Xt, columns=NAMES)
    model = TSRP(JDA(5)).fit(pd.DataFrame(Xs, columns=NAMES), np.array(["ant", "bee", "cat", "dog"])[ys], target)
    model.save(tmp_path / "model.tsrp")
    _, _, Xn, _ = make_domains(3, n_target=70)
    pd.DataFrame(Xn, columns=NAMES).assign(key=[f"k{i}" for i in range(70)]).to_csv(tmp_path / "new.csv", index=False)
    return tmp_path


def refused(result, code, *words):
    assert result.exit_code == code
    sentence = " ".join(result.stderr.split())
    assert sentence.startswith("tsrp: ")
    assert "Traceback" not in sentence
    for word in words:
        assert word in sentence


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_a_file_in_blocks_is_labelled_as_the_model_labels_it_whole(place, suffix):
    path = place / f"out{suffix}"
    result = run("predict", place / "model.tsrp", place / "new.csv", "-o", path, "--id", "key", "--block-rows", 16)
    assert result.exit_code == 0
    assert "70 rows labelled" in result.stdout
    read = {".csv": pd.read_csv, ".parquet": pd.read_parquet}.get(suffix) or (lambda file: pd.read_csv(file, sep="\t"))
    table = read(path)
    judged = tsrp.load(place / "model.tsrp").predict_confidence(pd.read_csv(place / "new.csv")[NAMES])
    assert table.columns.tolist() == ["key", "label", "probability", "confident"]
    assert table["key"].tolist() == [f"k{i}" for i in range(70)]
    assert table["label"].tolist() == judged.labels.tolist()
    assert table["confident"].tolist() == judged.confident.tolist()
    assert table["probability"].tolist() == judged.probability.tolist()


def test_folders_and_patterns_of_parquet_files_are_labelled_as_one_file(place):
    table = pd.read_csv(place / "new.csv")
    (place / "days").mkdir()
    for i in range(7):
        table.iloc[10 * i : 10 * i + 10].to_parquet(place / "days" / f"day{i + 8}.parquet")
    run("predict", place / "model.tsrp", place / "new.csv", "--id", "key")
    expected = (place / "new-labels.csv").read_text()
    for days in (place / "days", place / "days" / "*.parquet"):
        result = run("predict", place / "model.tsrp", days, "--id", "key", "--force")
        assert result.exit_code == 0, result.stderr
        assert "70 rows labelled" in result.stdout
        assert (place / "days-labels.csv").read_text() == expected


@pytest.mark.parametrize("command", ["predict", "adapt"])
def test_a_file_of_the_folder_that_is_read_is_not_replaced(place, command):
    (place / "days").mkdir()
    own = place / "days" / "1.parquet"
    pd.read_csv(place / "new.csv").assign(label=1).to_parquet(own)
    before = own.read_bytes()
    first = place / "model.tsrp" if command == "predict" else own
    refused(run(command, first, place / "days", "-o", own, "--force"), OUTPUT, "1.parquet is an input")
    assert own.read_bytes() == before


def test_confident_at_says_from_which_probability_on(place):
    run("predict", place / "model.tsrp", place / "new.csv", "--confident-at", "0.97")
    table = pd.read_csv(place / "new-labels.csv")
    assert (table["confident"] == (table["probability"] >= 0.97)).all()
    assert 0 < table["confident"].sum() < len(table)
    refused(
        run("predict", place / "model.tsrp", place / "new.csv", "--confident-at", "90"), USAGE, "--confident-at must be"
    )


def test_the_output_is_named_after_the_input(place):
    result = run("predict", place / "model.tsrp", place / "new.csv", "--quiet")
    assert (result.exit_code, result.stdout) == (0, "")
    assert len(pd.read_csv(place / "new-labels.csv")) == 70


def test_what_adapt_saves_predict_uses(place):
    Xs, ys, Xt, _ = make_domains()
    pd.DataFrame(Xs, columns=NAMES).assign(label=ys).to_csv(place / "lab.csv", index=False)
    pd.DataFrame(Xt, columns=NAMES).to_csv(place / "field.csv", index=False)
    done = run(
        *("adapt", place / "lab.csv", place / "field.csv", "-o", place / "adapted.csv", "--save", place / "own.tsrp"),
        *("--preprocess", "zscore", "--method", "jda+tsrp", "--set", "n_components=5"),
    )
    assert done.exit_code == 0, done.stderr
    assert "own.tsrp" in done.stdout
    again = run("predict", place / "own.tsrp", place / "field.csv", "-o", place / "predicted.csv")
    assert again.exit_code == 0, again.stderr
    adapted, predicted = (pd.read_csv(place / name) for name in ("adapted.csv", "predicted.csv"))
    assert adapted["label"].tolist() == predicted["label"].tolist()
    np.testing.assert_allclose(predicted["probability"], adapted["probability"], atol=1e-4)


def test_adapt_refuses_a_model_file_that_exists_before_it_starts(place):
    for name in ("lab.csv", "field.csv"):
        (place / name).write_text("label,a,b\n0,1,2\n1,2,1\n")
    result = run("adapt", place / "lab.csv", place / "field.csv", "-o", place / "o.csv", "--save", place / "model.tsrp")
    refused(result, OUTPUT, "model.tsrp exists")
    assert not (place / "o.csv").exists()


@pytest.mark.parametrize(("save", "word"), [("lab.csv", "is an input"), ("o.csv", "is another output")])
def test_adapt_saves_the_model_over_nothing_else(place, monkeypatch, save, word):
    monkeypatch.chdir(place)
    for name in ("lab.csv", "field.csv"):
        (place / name).write_text("label,a,b\n0,1,2\n1,2,1\n")
    before = {path: path.read_bytes() for path in place.iterdir()}
    refused(run("adapt", "lab.csv", "field.csv", "-o", "o.csv", "--save", save, "--force"), OUTPUT, word)
    assert {path: path.read_bytes() for path in place.iterdir()} == before


def test_a_bad_row_far_down_leaves_nothing(place):
    table = pd.read_csv(place / "new.csv")
    table.loc[65, "f3"] = np.nan
    table.to_csv(place / "new.csv", index=False)
    result = run("predict", place / "model.tsrp", place / "new.csv", "-o", place / "out.csv", "--block-rows", 10)
    refused(result, INPUT, "line 67, column 'f3'")
    assert sorted(path.name for path in place.iterdir()) == ["model.tsrp", "new.csv"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["new.csv", "new.csv"], INPUT, ["new.csv is not a model saved by tsrp"]),
        (["gone.tsrp", "new.csv"], INPUT, ["gone.tsrp does not exist"]),
        (["model.tsrp", "gone.csv"], INPUT, ["gone.csv does not exist"]),
        (["model.tsrp", "new.csv", "-o", "gone/out.csv"], OUTPUT, ["folder", "does not exist"]),
        (["model.tsrp", "new.csv", "-o", "out.xls"], OUTPUT, ["'.xls'"]),
        (["model.tsrp", "new.csv", "-o", "new.csv"], OUTPUT, ["exists; pass --force"]),
        (["model.tsrp", "new.csv", "-o", "new.csv", "--force"], OUTPUT, ["is an input"]),
        (["model.tsrp", "new.csv", "--id", "nowhere"], INPUT, ["no column 'nowhere'"]),
        (["model.tsrp", "new.csv", "--id", "label"], USAGE, ["--id label"]),
        (["model.tsrp", "gone/*.parquet"], INPUT, ["gone/*.parquet matches no file"]),
        (["model.tsrp", "."], INPUT, [". is a folder without Parquet files"]),
        (["model.tsrp", "s3://bucket/days"], USAGE, ["s3:/bucket/days is not on this machine: name"]),
        (["model.tsrp", "s3://bucket/a.parquet", "-o", "out.csv"], INPUT, ["Dask cluster read it (--dask)"]),
        (["model.tsrp", "s3://bucket/*.parquet", "-o", "out.csv"], INPUT, ["Dask cluster read it (--dask)"]),
        (["model.tsrp", "new.csv", "--dask", "garbage"], USAGE, ["--dask must be a scheduler's"]),
    ],
)
def test_bad_input_is_one_sentence_and_an_exit_code(place, monkeypatch, arguments, code, words):
    monkeypatch.chdir(place)
    before = {path: path.read_bytes() for path in place.iterdir()}
    refused(run("predict", *arguments), code, *words)
    assert {path: path.read_bytes() for path in place.iterdir()} == before


def test_wrong_usage_is_said_by_the_parser(place):
    assert run("predict", place / "model.tsrp").exit_code == USAGE
    assert run("predict", place / "model.tsrp", place / "new.csv", "--block-rows", 0).exit_code == USAGE


@pytest.fixture
def tables(tmp_path):
    """Files of both domains with categories, and a comma before fractions."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30, 3)) + np.repeat([[0], [4]], 15, axis=0), columns=[*"abc"])
    X["colour"] = np.array(["red", "blue", "green"])[np.arange(30) % 3]
    y = np.repeat(["low", "high"], 15)
    X.assign(label=y).to_csv(tmp_path / "lab.csv", index=False, sep=";", decimal=",")
    X.to_csv(tmp_path / "field.csv", index=False, sep=";", decimal=",")
    done = run(
        *("adapt", tmp_path / "lab.csv", tmp_path / "field.csv", "-m", "nn", "--decimal", ",", "--quiet"),
        *("--categorical", "colour", "--save", tmp_path / "model.tsrp"),
    )
    assert done.exit_code == 0, done.stderr
    return tmp_path, X


def test_the_file_that_adapt_took_needs_no_options(tables):
    folder, _ = tables
    done = run("predict", folder / "model.tsrp", folder / "field.csv", "-o", folder / "again.csv")
    assert done.exit_code == 0, done.stderr
    labels = [pd.read_csv(folder / name)["label"].tolist() for name in ("field-labels.csv", "again.csv")]
    assert labels[0] == labels[1]


@pytest.mark.parametrize("kind", ["points.csv", "encoded.csv", "array.npy"])
def test_a_file_that_is_not_as_the_one_that_adapt_took_can_be_labelled(tables, kind):
    folder, X = tables
    names = ["a", "b", "c", "colour=blue", "colour=green", "colour=red"]
    encoded = X.drop(columns="colour").join(pd.get_dummies(X["colour"], prefix="colour", prefix_sep="=", dtype=float))
    path, options = folder / kind, []
    if kind == "points.csv":
        X.to_csv(path, index=False)
        options = ["--decimal", "."]
    elif kind == "encoded.csv":
        encoded.to_csv(path, index=False, sep=";", decimal=",")
    else:
        np.save(path, encoded[names].to_numpy())
    done = run("predict", folder / "model.tsrp", path, "-o", folder / "out.csv", *options)
    assert done.exit_code == 0, done.stderr
    expected = pd.read_csv(folder / "field-labels.csv")["label"]
    assert pd.read_csv(folder / "out.csv")["label"].tolist() == expected.tolist()
