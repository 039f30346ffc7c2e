"""Files are labelled block by block as the model labels their rows as a whole."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.support.domains import make_domains
from tsrp import JDA
from tsrp.exceptions import InputError
from tsrp.io.dasked import parts_of
from tsrp.saving.labelling import Labelling

NAMES = [f"f{i}" for i in range(12)]
WAYS = ("here", "on_cluster")


@pytest.fixture(scope="module")
def model():
    Xs, ys, Xt, _ = make_domains()
    return JDA(5).fit(pd.DataFrame(Xs, columns=NAMES), np.array(list("abcd"))[ys], pd.DataFrame(Xt, columns=NAMES))


@pytest.fixture(scope="module")
def frame():
    X = make_domains(3, n_target=70)[2]
    return pd.DataFrame(X, columns=NAMES).assign(key=[f"k{i}" for i in range(70)])


@pytest.fixture
def folder(tmp_path, frame):
    """Seven files, and an empty one, in groups of four rows."""
    for i in range(7):
        frame.iloc[10 * i : 10 * i + 10].to_parquet(tmp_path / f"part.{2 * i}.parquet", row_group_size=4)
    frame.iloc[:0].to_parquet(tmp_path / "part.3.parquet")
    return tmp_path


def joined(blocks, name):
    return np.concatenate([getattr(block, name) for block in blocks]).tolist()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("pattern", ["", "part.*.parquet"])
def test_a_folder_is_labelled_as_one_table_would_be(model, frame, folder, way, pattern):
    labelling = Labelling(model, 0.8, 6, {"id_column": "key"})
    blocks = list(getattr(labelling, way)(folder / pattern))
    judged = model.predict_confidence(frame[NAMES], confident_at=0.8)
    assert max(len(block.labels) for block in blocks) <= 6
    assert joined(blocks, "ids") == frame["key"].tolist()
    for name in ("labels", "probability", "confident"):
        assert joined(blocks, name) == getattr(judged, name).tolist()


def test_files_that_only_fsspec_knows_are_labelled_on_a_cluster(model, frame, folder):
    system = pytest.importorskip("fsspec").filesystem("memory")
    for file in folder.iterdir():
        system.pipe(f"/days/{file.name}", file.read_bytes())
    try:
        blocks = list(Labelling(model, rows=7).on_cluster(Path("memory://days/*.parquet")))
    finally:
        system.rm("/days", recursive=True)
    assert joined(blocks, "labels") == model.predict(frame[NAMES]).tolist()


@pytest.mark.parametrize("way", WAYS)
def test_remarks_on_several_files_are_one(model, frame, folder, way):
    frame.iloc[:10].assign(day=1).to_parquet(folder / "part.0.parquet")
    labelling = Labelling(model)
    list(getattr(labelling, way)(folder))
    assert labelling.remarks.sentences == ("not features of the model and left out: key, day",)


@pytest.mark.parametrize("way", WAYS)
def test_a_value_that_is_missing_is_named_with_its_file_and_row(model, frame, folder, way):
    table = frame.iloc[20:30].copy()
    table.iloc[7, 2] = np.nan
    table.to_parquet(folder / "part.4.parquet", row_group_size=4)
    with pytest.raises(InputError, match=r"part\.4\.parquet: 1 value is NaN .* in row 8, column 'f2'"):
        list(getattr(Labelling(model, rows=4), way)(folder))


@pytest.mark.parametrize("way", WAYS)
def test_files_without_rows_are_refused(model, frame, tmp_path, way):
    for name in ("a", "b"):
        frame.iloc[:0].to_parquet(tmp_path / f"{name}.parquet")
    with pytest.raises(InputError, match="has no rows: add samples"):
        list(getattr(Labelling(model), way)(tmp_path))


@pytest.mark.parametrize("way", WAYS)
def test_a_damaged_file_among_others_is_named(model, folder, way):
    (folder / "part.8.parquet").write_bytes(b"PAR1" + bytes(20))
    with pytest.raises(InputError, match=r"part\.8\.parquet cannot be read as Parquet"):
        list(getattr(Labelling(model), way)(folder))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [(1, [((0,), 0), ((1,), 4), ((2,), 8)]), (6, [((0,), 0), ((1, 2), 4)]), (100, [((0, 1, 2), 0)])],
)
def test_a_part_has_as_many_groups_as_have_so_many_rows(folder, rows, expected):
    parts = parts_of(str(folder / "part.0.parquet"), rows)
    assert [(part.groups, part.first) for part in parts] == expected
