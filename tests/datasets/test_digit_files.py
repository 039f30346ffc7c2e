"""The embedded digits as files."""

import numpy as np
import pytest

from tests.support.commands import run
from tsrp.datasets import load_digit_pair
from tsrp.datasets.digit_files import LATER, write_digit_files
from tsrp.exceptions import OutputError
from tsrp.io.readers import read_source, read_target


def test_the_files_hold_the_digits(tmp_path):
    written = write_digit_files(tmp_path)
    assert sorted(path.name for path in written) == ["handwritten.csv", "printed.csv", "tomorrow.csv"]
    pair = load_digit_pair()
    source = read_source(tmp_path / "printed.csv")
    target = read_target(tmp_path / "handwritten.csv", source, beside=["truth"])
    later = read_target(tmp_path / "tomorrow.csv", source)
    np.testing.assert_array_equal(source.X, pair.Xs)
    np.testing.assert_array_equal(source.y, pair.ys)
    np.testing.assert_array_equal(np.vstack([target.X, later.X]), pair.Xt)
    assert target.beside["truth"].astype(int).tolist() == pair.yt[:-LATER].tolist()


def test_a_file_that_exists_is_left_alone(tmp_path):
    (tmp_path / "tomorrow.csv").write_text("precious")
    with pytest.raises(OutputError, match=r"tomorrow\.csv exists"):
        write_digit_files(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["tomorrow.csv"]


def test_demo_writes_them_and_says_so(tmp_path):
    result = run("demo", "--files", tmp_path)
    assert result.exit_code == 0
    assert "printed.csv: 1,400 printed digits" in result.stdout
    refused = run("demo", "--files", tmp_path / "nowhere")
    assert refused.exit_code == 4
    assert "does not exist" in refused.stderr
