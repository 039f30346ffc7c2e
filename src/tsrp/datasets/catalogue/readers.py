"""How the files of the catalogue are read: MAT files by their keys, and the text of the gas sensors."""

from __future__ import annotations

import io
import re
from functools import partial
from pathlib import Path

import numpy as np

from tsrp.datasets.record import Samples
from tsrp.exceptions import InputError
from tsrp.io.files import reading

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
