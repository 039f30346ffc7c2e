"""How the files of the catalogue are read: MAT files by their keys, and text."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tsrp.datasets.record import Samples
from tsrp.exceptions import InputError
from tsrp.io.files import reading

if TYPE_CHECKING:
    import pandas as pd

# A line begins with the class and the concentration of the gas; the rest is the format of svmlight.
CLASS_AND_CONCENTRATION = re.compile(rb"^(\d+);[^ ]*", flags=re.MULTILINE)


def arrays(features_key: str, labels_key: str) -> partial[Samples]:
    """A reader of a MAT file's arrays; samples may be in rows or in columns."""
    return partial(_read_arrays, features_key=features_key, labels_key=labels_key)


def _read_arrays(path: Path, features_key: str, labels_key: str) -> Samples:
    from tsrp.io.readers import read_source

    table = read_source(path, labels_key, features_key=features_key)
    assert table.y is not None
    return table.X, table.y.astype(np.int64)


def read_gas_batch(path: Path) -> Samples:
    """A batch of the gas sensors: a sample a line, class;concentration and then index:value for each feature."""
    from sklearn.datasets import load_svmlight_file

    with reading(path, "a batch of gas-sensor samples"):
        text = CLASS_AND_CONCENTRATION.sub(rb"\1", path.read_bytes())
        X, y = load_svmlight_file(io.BytesIO(text), n_features=128, zero_based=False)
        if not np.isfinite(X.data).all():
            raise InputError(f"{path} holds values that are not numbers: download it again.")
    return X.toarray(), y.astype(np.int64)


def table_rows(keep: str, value: str | int, read: Callable[[Path], tuple[pd.DataFrame, Samples]]) -> partial[Samples]:
    """A reader of the rows of a table in which a column has a value: its two values are the domains."""
    return partial(_read_rows, keep=keep, value=value, read=read)


def _read_rows(
    path: Path, keep: str, value: str | int, read: Callable[[Path], tuple[pd.DataFrame, Samples]]
) -> Samples:
    with reading(path, "a table"):
        table, (X, y) = read(path)
        rows = (table[keep] == value).to_numpy()
    return X[rows], y[rows]


def read_mushrooms(path: Path) -> tuple[pd.DataFrame, Samples]:
    """The table, and its 22 columns of letters as zeros and ones; the class is 1 for poisonous."""
    import pandas as pd

    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    letters = table.drop(columns="class")
    return table, (pd.get_dummies(letters).to_numpy(dtype=np.float64), (table["class"] == "p").to_numpy(np.int64))


def read_phishing(path: Path) -> tuple[pd.DataFrame, Samples]:
    """The table, which has no header, and its first 30 columns of -1, 0 and 1; the class is the last one."""
    import pandas as pd

    table = pd.read_csv(path, header=None)
    values = table.to_numpy()
    table.columns = [str(name) for name in table.columns]
    return table, (values[:, :30].astype(np.float64), values[:, 30].astype(np.int64))
