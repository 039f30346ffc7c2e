"""Known labels go into `tsrp adapt`, and rows to label come out."""

import json

import numpy as np
import pandas as pd
import PIL.Image
import pytest

from tests.support.commands import run
from tests.support.domains import make_domains
from tsrp import NN

USAGE, INPUT, OUTPUT = 2, 3, 4
KINDS = np.array(["ant", "bee", "cat", "dog"])


@pytest.fixture
def lab(tmp_path):
    """Files of both domains, target rows named in the column `name`; and the true labels."""
    Xs, ys, Xt, yt = make_domains()
    names = [f"f{i}" for i in range(12)]
    pd.DataFrame(Xs, columns=names).assign(kind=KINDS[ys]).to_csv(tmp_path / "lab.csv", index=False)
    target = pd.DataFrame(Xt, columns=names).assign(name=[f"r{i}" for i in range(50)])
    target.to_csv(tmp_path / "field.csv", index=False)
    return tmp_path, KINDS[yt]


def adapt(folder, *options):
    return run("adapt", folder / "lab.csv", folder / "field.csv", "-l", "kind", "-m", "nn", "--id", "name", *options)


def written(folder):
    """What a run may have left behind."""
    return sorted(path.name for path in folder.iterdir() if path.name not in ("lab.csv", "field.csv", "known.csv"))


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_the_file_of_rows_to_label_goes_once_around(lab, suffix):
    folder, truth = lab
    page = folder / f"next{suffix}"
    result = adapt(folder, "--suggest", 6, "--audit", 4, "--to-label", page)
    assert result.exit_code == 0, result.stderr
    assert "6 rows to improve the labels" in result.stdout
    assert "4 rows to measure accuracy: drawn at random" in result.stdout
    assert f"run again with --known {page}" in result.stdout
    read = {".csv": pd.read_csv, ".tsv": lambda path: pd.read_csv(path, sep="\t"), ".parquet": pd.read_parquet}[suffix]
    rows = read(page)
    assert list(rows) == ["name", "row", "label", "probability", "true_label", "classes", "purpose"]
    assert rows["name"].tolist() == [f"r{row}" for row in rows["row"]]
    assert rows["row"].is_unique
    model = NN().fit(*make_domains()[:3])
    assert rows["row"].tolist()[6:] == model.audit(4).rows.tolist()
    assert all(cell.split(" | ")[0] == label for cell, label in zip(rows["classes"], rows["label"], strict=True))
    assert all(sorted(cell.split(" | ")) == KINDS.tolist() for cell in rows["classes"])

    rows["true_label"] = truth[rows["row"]]
    rows.to_csv(folder / "known.csv", index=False)
    result = adapt(folder, "--known", folder / "known.csv", "--force")
    assert result.exit_code == 0, result.stderr
    assert "10 labels were known, and are kept" in result.stdout
    labels = pd.read_csv(folder / "field-labels.csv", index_col="name").loc[rows["name"]]
    assert labels["label"].tolist() == rows["true_label"].tolist()
    assert (labels["probability"] == 1).all()
    assert labels["confident"].all()


def test_labels_are_those_of_the_library(lab):
    folder, truth = lab
    pd.DataFrame({"row": [3, 7, 8], "guess": [truth[3], "", truth[8]]}).to_csv(folder / "known.csv", index=False)
    result = adapt(folder, "--known", folder / "known.csv", "--known-column", "guess", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["known labels"] == 2
    Xs, ys, Xt, _ = make_domains()
    model = NN().fit(Xs, KINDS[ys], Xt, np.where(np.isin(np.arange(50), [3, 8]), truth, None))
    assert pd.read_csv(folder / "field-labels.csv")["label"].tolist() == model.labels_.tolist()


def test_the_file_of_rows_to_label_has_a_name_and_twenty_rows_if_nothing_else_is_asked(lab):
    folder, _ = lab
    assert adapt(folder, "--suggest", 3).exit_code == 0
    assert len(pd.read_csv(folder / "field-to-label.csv")) == 3
    assert adapt(folder, "--to-label", folder / "some.csv", "--force").exit_code == 0
    assert len(pd.read_csv(folder / "some.csv")) == 20


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name,true_label\nr3,fox\n", "known.csv, line 2: 'fox' is not a class of the source (ant, bee, cat, dog)"),
        ("name,true_label\nr99,ant\n", "known.csv, line 2: the target has no row whose name is 'r99'"),
        ("name,true_label\nr3,ant\nr3,bee\n", "known.csv labels the same row as 'ant' and as 'bee', in line 2 and in"),
        ("name,true_label\nr3,ant\nr3,ant\n", "known.csv labels the same row twice, in line 2 and in line 3: remove"),
        (
            "name,label\nr3,ant\n",
            "known.csv has no column 'true_label' (its columns: name, label): name the one of known",
        ),
        ("who,true_label\nr3,ant\n", "known.csv has no column 'name', 'id' or 'row'"),
        ("name,true_label\nr3,\n", "known.csv: column 'true_label' is empty: fill in some labels"),
    ],
)
def test_known_labels_that_cannot_be_used_are_one_sentence_and_nothing_is_written(lab, text, sentence):
    folder, _ = lab
    (folder / "known.csv").write_text(text)
    result = adapt(folder, "--known", folder / "known.csv", "--suggest", 3)
    assert result.exit_code == INPUT
    [line] = result.stderr.strip().splitlines()
    assert sentence in line
    assert "`" not in line
    assert written(folder) == []


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (["--suggest", 0], USAGE, "--suggest and --audit must be whole numbers of at least 1"),
        (["--suggest", 40, "--audit", 11], USAGE, "ask for 51 rows, but the label of only 50 target rows is not known"),
        (["--suggest", 3, "--to-label", "next.docx"], OUTPUT, "next.docx"),
        (["--suggest", 3, "--id", "purpose"], USAGE, "--id purpose: the output has a column of that name"),
        (["--known", "nowhere.csv"], INPUT, "nowhere.csv"),
        (["--show", "text", "name"], USAGE, "--show says what the report shows of rows: add --report"),
        (["--report", "r.html", "--show", "video", "name"], USAGE, "there is no way to show samples 'video'"),
        (["--report", "r.html", "--show", "text", "words"], INPUT, "field.csv has no column 'words'"),
        (["--report", "r.html", "--image-folder", "."], USAGE, "--image-folder is for --show image"),
        (
            ["--report", "r.html", "--show", "image", "name", "--image-folder", "nowhere"],
            INPUT,
            "nowhere is not a folder: correct --image-folder",
        ),
    ],
)
def test_wrong_options_are_refused_before_any_work(lab, options, code, sentence):
    folder, _ = lab
    result = adapt(folder, *options)
    assert result.exit_code == code
    [line] = result.stderr.strip().splitlines()
    assert sentence in line
    assert written(folder) == []


def test_the_file_of_known_labels_is_never_overwritten(lab):
    folder, _ = lab
    (folder / "known.csv").write_text("row,true_label\n3,ant\n")
    result = adapt(folder, "--known", folder / "known.csv", "--to-label", folder / "known.csv", "--force")
    assert result.exit_code != 0
    assert (folder / "known.csv").read_text() == "row,true_label\n3,ant\n"


def test_the_page_asks_about_the_rows_of_the_file(lab):
    folder, _ = lab
    page = folder / "report.html"
    assert adapt(folder, "--report", page, "--suggest", 4, "--audit", 3).exit_code == 0
    rows = pd.read_csv(folder / "field-to-label.csv")
    assert [query["rows"] for query in asked(page)["lists"]] == [rows["row"].tolist()[:4], rows["row"].tolist()[4:]]
    assert adapt(folder, "--report", page, "--suggest", 4, "--force").exit_code == 0
    assert [len(query["rows"]) for query in asked(page)["lists"]] == [4]


def test_a_page_asks_about_twenty_rows_of_each_kind_by_itself(lab):
    folder, _ = lab
    result = adapt(folder, "--report", folder / "report.html")
    assert result.exit_code == 0
    assert "to improve the labels" not in result.stdout
    assert written(folder) == ["field-labels.csv", "report.html"]
    assert [len(query["rows"]) for query in asked(folder / "report.html")["lists"]] == [20, 20]


def test_what_is_shown_is_not_a_feature_and_what_is_missing_is_told(lab):
    folder, _ = lab
    for name in ("lab.csv", "field.csv"):
        rows = pd.read_csv(folder / name)
        rows.assign(photo=range(len(rows))).to_csv(folder / name, index=False)
    result = adapt(folder, "--report", folder / "report.html", "--show", "image", "photo")
    assert result.exit_code == 0, result.stderr
    assert "images are not shown: no such file (" in result.stderr
    model = NN().fit(*make_domains()[:3])
    assert pd.read_csv(folder / "field-labels.csv")["label"].tolist() == KINDS[model.labels_].tolist()


def test_images_are_looked_for_beside_the_target(lab):
    folder, _ = lab
    PIL.Image.new("L", (8, 8)).save(folder / "x.png")
    pd.read_csv(folder / "field.csv").assign(photo="x.png").to_csv(folder / "field.csv", index=False)
    result = adapt(folder, "--report", folder / "report.html", "--show", "image", "photo")
    assert "not shown" not in result.stderr
    assert (folder / "report.html").read_text(encoding="utf-8").count("data:image/png;base64,") >= 40


def asked(page):
    """What the page asks about."""
    text = page.read_text(encoding="utf-8").partition('id="data">')[2].partition("</script>")[0]
    return json.loads(text)["labelling"]


def test_the_file_of_rows_to_label_goes_around_where_rows_share_an_id(lab):
    folder, truth = lab
    field = pd.read_csv(folder / "field.csv").assign(name="same")
    field.to_csv(folder / "field.csv", index=False)
    done = adapt(folder, "--suggest", 5, "--to-label", folder / "known.csv", "--quiet")
    assert done.exit_code == 0, done.stderr
    rows = pd.read_csv(folder / "known.csv")
    rows.assign(true_label=truth[rows["row"]]).to_csv(folder / "known.csv", index=False)
    again = adapt(folder, "--known", folder / "known.csv", "--force")
    assert again.exit_code == 0, again.stderr
    labels = pd.read_csv(folder / "field-labels.csv")["label"]
    assert labels[rows["row"]].tolist() == truth[rows["row"]].tolist()
