"""What a cluster reads is found in the order in which this machine would read it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tsrp.exceptions import InputError
from tsrp.io.dasked import addresses, read_dask_source, read_dask_target
from tsrp.io.large import impute_mean, read_large_source, read_large_target

pytest.importorskip("dask.dataframe")
fsspec = pytest.importorskip("fsspec")
# Dask's own, when it reads Parquet files with pandas 3.1.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")
X = np.random.default_rng(0).normal(size=(120, 3))
FRAME = pd.DataFrame(X, columns=list("abc")).assign(label=np.arange(120) % 4, key=[f"{i:03}" for i in range(120)])


@pytest.fixture
def folder(tmp_path):
    for i in range(12):
        FRAME.iloc[10 * i : 10 * i + 10].to_parquet(tmp_path / f"part.{i}.parquet")
    return tmp_path


def test_addresses_are_those_of_the_parquet_files(folder):
    (folder / "_metadata").write_text("")
    expected = [str(folder / f"part.{i}.parquet") for i in range(12)]
    assert addresses(folder) == addresses(folder / "*.parquet") == expected
    assert addresses(Path(f"file://{folder}")) == [f"file://{name}" for name in expected]
    with pytest.raises(InputError, match="names no Parquet file"):
        addresses(Path(f"file://{folder}/*.csv"))


def test_addresses_that_only_fsspec_knows():
    system = fsspec.filesystem("memory")
    for name in ("part.10.parquet", "part.2.parquet", "notes.txt"):
        system.pipe(f"/days/{name}", b"1")
    try:
        found = ["memory:///days/part.2.parquet", "memory:///days/part.10.parquet"]
        assert addresses(Path("memory://days")) == found
    finally:
        system.rm("/days", recursive=True)


def test_tables_are_those_that_this_machine_reads(folder):
    ours, theirs = (read(folder, without=["key"]) for read in (read_large_source, read_dask_source))
    tables = [(ours, theirs)]
    target = folder / "part.?.parquet"
    tables.append((read_large_target(target, ours, beside=["key"]), read_dask_target(target, theirs, beside=["key"])))
    for here, there in tables:
        np.testing.assert_array_equal(there.samples.rows(np.array), here.samples.rows(np.array))
        assert (there.names, there.label, there.notes) == (here.names, here.label, here.notes)
        assert {name: list(values) for name, values in there.beside.items()} == {
            name: list(values) for name, values in here.beside.items()
        }
    np.testing.assert_array_equal(theirs.y, ours.y)


def test_gaps_are_filled_as_on_this_machine(folder):
    part = FRAME.iloc[30:40].copy()
    part.loc[[33, 37], "b"] = np.nan
    part.to_parquet(folder / "part.3.parquet")
    whole = FRAME.assign(b=FRAME["b"].mask(FRAME.index.isin([33, 37])))[list("abc")]
    here = impute_mean(read_large_source(folder, without=["key"], gaps=True))
    there = impute_mean(read_dask_source(folder, without=["key"]))
    for table in (here, there):
        np.testing.assert_allclose(table.samples.rows(np.array), whole.fillna(whole.mean()), rtol=1e-14)
        np.testing.assert_allclose(table.fill, whole.mean(), rtol=1e-14)
        assert table.notes == (f"gaps of {folder.name} filled with the mean of their column: 2",)


def test_labels_of_another_file(folder, tmp_path):
    np.save(tmp_path / "ys.npy", np.arange(120) % 3)
    table = read_dask_source(folder, labels_path=tmp_path / "ys.npy", without=["key"])
    assert table.y.max() == 2
    assert table.notes == ("source column label is not a feature and was left out",)


def test_text_among_the_features_is_refused(folder):
    with pytest.raises(InputError, match="hold numbers"):
        read_dask_source(folder)
