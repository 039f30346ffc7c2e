"""Tables in data frames of some rows at a time, of which one is in memory."""

import gc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tsrp.exceptions import InputError
from tsrp.io.chunks import parquet_chunks
from tsrp.io.files import reading

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")
ROWS, GROUPS = 500, 30
X = np.random.default_rng(0).normal(size=(GROUPS * ROWS, 40))
GROUP_BYTES = X[:ROWS].nbytes


@pytest.fixture
def path(tmp_path):
    frame = pd.DataFrame(X).add_prefix("f")
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=ROWS, use_dictionary=False)
    return tmp_path / "x.parquet"


def test_what_was_read_does_not_stay_in_memory(path):
    before, most, parts = pyarrow.total_allocated_bytes(), 0, []
    for frame in parquet_chunks(path, 200, ()):
        most = max(most, pyarrow.total_allocated_bytes() - before)
        parts.append(frame.to_numpy().copy())
    np.testing.assert_array_equal(np.vstack(parts), X)
    assert most < 6 * GROUP_BYTES < X.nbytes / 4


def test_a_footer_does_not_wait_for_the_search_for_garbage(path):
    kind = pyarrow.parquet.FileMetaData
    gc.collect()
    gc.disable()
    try:
        assert sum(map(len, parquet_chunks(path, 200, ()))) == len(X)
        assert not any(isinstance(thing, kind) for thing in gc.get_objects())
    finally:
        gc.enable()


def test_some_groups_of_an_open_file(path):
    with open(path, "rb") as stream:
        frames = list(parquet_chunks(path, 10**6, (), ["f3"], groups=[2, 7], stream=stream))
    expected = np.concatenate([X[group * ROWS : (group + 1) * ROWS, 3] for group in (2, 7)])
    np.testing.assert_array_equal(pd.concat(frames)["f3"], expected)
    assert list(parquet_chunks(path, 10, (), groups=[])) == []


def test_memory_that_a_library_does_not_get_is_not_called_damage():
    with pytest.raises(InputError, match="does not fit into memory"), reading(Path("x.parquet"), "Parquet"):
        raise OSError("Couldn't deserialize thrift: std::bad_alloc")
