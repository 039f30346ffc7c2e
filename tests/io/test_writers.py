"""Writing: what is written reads back the same, and a failure changes nothing."""

from __future__ import annotations

import importlib
import itertools
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tsrp
from tsrp.exceptions import OutputError
from tsrp.io import writers
from tsrp.io.files import check_apart, replacing
from tsrp.io.readers import read_source
from tsrp.io.writers import check_output, harmless, label_writer, write_labels

COLUMNS = {"row": np.arange(3), "label": np.array(["a", "b", "a"]), "confident": np.array([True, False, True])}
SUFFIXES = [".csv", ".tsv", ".parquet", ".pq"]

# Labels that a text file can hold: no NUL, no half of a surrogate pair, not blank.
texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1, max_size=8)
labels = texts.filter(str.strip)
# Without those that get an apostrophe.
plain = labels.filter(lambda text: harmless(text) == text)


def no_links(*paths):
    raise PermissionError(1, "no links here")


def refused(path, *words, call=check_output, **options):
    with pytest.raises(OutputError) as caught:
        call(path, **options)
    assert len(str(caught.value)) <= 400
    for word in (path.name[:90], *words):
        assert word in str(caught.value)


def read_back(path):
    if path.suffix in (".parquet", ".pq"):
        return pd.read_parquet(path)
    return pd.read_csv(path, sep="\t" if path.suffix == ".tsv" else ",")


@pytest.mark.parametrize("suffix", [*SUFFIXES, ".CSV"])
def test_columns_are_written_in_order(tmp_path, suffix):
    path = tmp_path / ("out" + suffix)
    write_labels(path, COLUMNS)
    back = read_back(path) if suffix != ".CSV" else pd.read_csv(path)
    assert list(back.columns) == list(COLUMNS)
    for name, column in COLUMNS.items():
        assert back[name].tolist() == column.tolist()
    assert os.listdir(tmp_path) == [path.name]


def test_a_csv_is_plain_text_that_people_can_read(tmp_path):
    write_labels(tmp_path / "out.csv", COLUMNS)
    assert (tmp_path / "out.csv").read_bytes() == b"row,label,confident\n0,a,True\n1,b,False\n2,a,True\n"


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(st.floats(allow_nan=False), plain), min_size=1, max_size=6))
def test_text_and_numbers_survive_a_round_trip(tmp_path, suffix, rows):
    path = tmp_path / ("out" + suffix)
    numbers, words = zip(*rows, strict=True)
    # A word among the labels keeps numbers such as "1" from being read as integers.
    write_labels(path, {"a": [*numbers, 0.0], "label": [*words, "word"]}, overwrite=True)
    table = read_source(path)
    assert table.X[:, 0].tolist() == [*numbers, 0.0]
    assert table.y.tolist() == [*words, "word"]


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.integers(-(10**17), 10**17), min_size=1) | st.lists(st.booleans(), min_size=1))
def test_integers_and_booleans_keep_their_type(tmp_path, suffix, values):
    path = tmp_path / ("out" + suffix)
    write_labels(path, {"a": np.zeros(len(values)), "label": np.array(values)}, overwrite=True)
    y = read_source(path).y
    assert y.tolist() == values
    assert y.dtype == np.array(values).dtype


def test_an_existing_file_is_kept_unless_told_otherwise(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("precious")
    refused(path, "exists; pass `overwrite=True` to replace it.")
    refused(path, "overwrite=True", call=write_labels, columns=COLUMNS)
    assert path.read_text() == "precious"
    check_output(path, overwrite=True)
    write_labels(path, COLUMNS, overwrite=True)
    assert path.read_text().startswith("row,label")


def test_a_path_that_cannot_be_written_is_refused_before_and_when_writing(tmp_path, monkeypatch):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "file").touch()
    monkeypatch.setattr(os, "access", lambda path, mode: "locked" not in str(path))
    (tmp_path / "locked").mkdir()
    for path, words in (
        (tmp_path / "folder.csv", "is a folder"),
        (tmp_path / "nowhere" / "out.csv", "does not exist"),
        (tmp_path / "file" / "out.csv", "does not exist"),
        (tmp_path / "locked" / "out.csv", "permission denied"),
        (tmp_path / "out.xlsx", ".csv, .tsv, .parquet, .pq"),
        (tmp_path / "out", "no suffix"),
        (tmp_path / ("x" * 300 + ".csv"), "too long"),
    ):
        refused(path, words, overwrite=True)
        refused(path, words, overwrite=True, call=write_labels, columns=COLUMNS)


def test_checking_leaves_no_trace(tmp_path):
    check_output(tmp_path / "out.parquet")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, suffix, step):
    path = tmp_path / ("out" + suffix)
    path.write_text("precious")

    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    refused(path, "No space left on device", call=write_labels, columns=COLUMNS, overwrite=True)
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == [path.name]


def test_an_interruption_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupt(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(pd.DataFrame, "to_csv", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_labels(tmp_path / "out.csv", COLUMNS)
    assert os.listdir(tmp_path) == []


# Of a file that was opened in this very moment.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize(("overwrite", "links"), [(True, True), (False, True), (False, False)])
def test_an_interruption_at_any_moment_leaves_a_whole_file_or_none(tmp_path, monkeypatch, overwrite, links):
    """Python looks for signals where functions begin and end, and so does this."""
    path = tmp_path / "out.csv"
    if not links:
        monkeypatch.setattr(os, "link", no_links)

    def write(moment):
        left = moment

        def interrupt(frame, event, argument):
            nonlocal left
            left -= argument is not sys.setprofile
            if left == 0 and argument is not sys.setprofile:
                raise KeyboardInterrupt

        sys.setprofile(interrupt)
        try:
            with replacing(path, overwrite) as file:
                file.write(b"whole")
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)
        return left <= 0

    moments = itertools.takewhile(write, itertools.count(1))
    for n, _ in enumerate(moments, start=1):
        assert os.listdir(tmp_path) in ([], ["out.csv"]), f"interrupted at event {n}"
        assert not path.exists() or path.read_bytes() == b"whole"
        path.unlink(missing_ok=True)
    assert n > 50


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_text_that_is_no_unicode_is_refused(tmp_path, suffix):
    path = tmp_path / ("out" + suffix)
    refused(path, "cannot hold these columns", call=write_labels, columns={"label": np.array(["\ud800"], dtype=object)})
    assert os.listdir(tmp_path) == []


def test_columns_must_be_of_one_length_and_one_dimension(tmp_path):
    for columns in ({"a": [1, 2], "b": [1]}, {"a": [[1, 2]]}):
        with pytest.raises(ValueError, match="same length"):
            write_labels(tmp_path / "out.csv", columns)
    assert os.listdir(tmp_path) == []


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.csv").touch()
    (tmp_path / "link.csv").symlink_to("real.csv")
    write_labels(tmp_path / "link.csv", COLUMNS, overwrite=True)
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("row")


def test_permissions_follow_the_umask_or_the_file_that_is_replaced(tmp_path):
    path = tmp_path / "out.csv"
    mask = os.umask(0o027)
    try:
        write_labels(path, COLUMNS)
        assert path.stat().st_mode & 0o777 == 0o640
        path.chmod(0o604)
        write_labels(path, COLUMNS, overwrite=True)
        assert path.stat().st_mode & 0o777 == 0o604
    finally:
        os.umask(mask)


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "out.csv"

    def write_while_another_does():
        with label_writer(path) as write:
            write(COLUMNS)
            path.write_text("precious")

    with pytest.raises(OutputError, match=r"out\.csv exists; pass `overwrite=True`"):
        write_while_another_does()
    assert path.read_text() == "precious"
    path.unlink()
    write_labels(path, COLUMNS)
    assert os.listdir(tmp_path) == ["out.csv"]


@pytest.mark.parametrize(
    "text", ["=1+1", "+x", "-x", "@SUM(A1)", "\tx", "\rx", "\nx", "-", "=cmd|' /C calc'!A0", "-1-2"]
)
def test_text_that_spreadsheets_would_run_gets_an_apostrophe(tmp_path, text):
    for suffix, separator in ((".csv", ","), (".tsv", "\t")):
        path = tmp_path / f"out{suffix}"
        write_labels(path, {"id": np.array([text], dtype=object), text: np.array([text])})
        table = pd.read_csv(path, sep=separator, dtype=str)
        assert table.columns[1] == f"'{text}"
        assert table.iloc[0].tolist() == [f"'{text}", f"'{text}"]
    write_labels(tmp_path / "out.parquet", {"id": np.array([text])})
    assert pd.read_parquet(tmp_path / "out.parquet")["id"].tolist() == [text]


@pytest.mark.parametrize("text", ["-1", "+1.5e-3", "-.5", "a=b", "", "'x"])
def test_numbers_and_other_text_stay_as_they_are(tmp_path, text):
    write_labels(tmp_path / "out.csv", {"id": np.array([text]), "n": [-1.5]})
    table = pd.read_csv(tmp_path / "out.csv", dtype=str, keep_default_na=False)
    assert table.iloc[0].tolist() == [text, "-1.5"]


def test_the_longest_name_that_the_system_allows_works(tmp_path):
    path = tmp_path / ("x" * 251 + ".csv")
    write_labels(path, COLUMNS)
    assert path.exists()


def test_a_missing_package_is_noticed_by_the_check(tmp_path, monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    refused(tmp_path / "out.parquet", "pyarrow", 'pip install "tsrp[files]"')
    check_output(tmp_path / "out.csv")


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        ("=1+1", "'=1+1"),
        ("a;=1+1", "a;'=1+1"),
        ("a,@b\t+c", "a,'@b\t'+c"),
        ('a;"=1+1"', 'a;"\'=1+1"'),
        ("a\n=1", "a\n'=1"),
        ("-1.5", "-1.5"),
        ("a; =1", "a; =1"),
        ("1,2-dichloroethane", "1,2-dichloroethane"),
    ],
)
def test_text_is_no_formula_whatever_separates_the_cells(text, guarded):
    assert harmless(text) == guarded


def test_the_page_of_the_report_has_the_same_rule():
    script = (Path(tsrp.__file__).parent / "report" / "page" / "common.js").read_text()
    assert f"/^{writers.FORMULA.pattern}/" in script
    assert f"/{writers.FORMULA_WITHIN.pattern}/g" in script
    assert f"/^{writers.NUMBER.pattern}$/i" in script


def test_numbers_that_parquet_has_no_type_for_are_refused_in_a_sentence(tmp_path):
    path = tmp_path / "out.parquet"
    with pytest.raises(OutputError, match="use plain text and numbers"):
        write_labels(path, {"label": np.array([1, 2], dtype=np.longdouble)})
    assert not path.exists()


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_a_link_to_itself_is_no_place_to_write(tmp_path):
    path = tmp_path / "out.csv"
    path.symlink_to(path)
    refused(path, "cannot be written", overwrite=True)
    check_apart([path, tmp_path / "other.csv"], [tmp_path / "in.csv"])
