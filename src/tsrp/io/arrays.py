"""Files with unnamed columns: one array (.npy), or several under keys (.npz, .mat)."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tsrp._types import FloatArray, LabelArray
from tsrp.exceptions import InputError
from tsrp.io.declared import check_array
from tsrp.io.files import kind_of, listed, reading
from tsrp.io.matlab import mat_keys, read_mat
from tsrp.io.stored import read_header
from tsrp.validation import NO_TEXT, no_text

Pairs: TypeAlias = Sequence[tuple[str, str]]

KEYED = (".npz", ".mat")
# As NumPy packs arrays. What others unpack to is not known before they are unpacked, a whole block of them at a time.
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ARRAYS = (*KEYED, ".npy")
# The key of the only array of an .npy file, which has no name of its own.
ONLY = "the array"
# Keys under which published files hold features and labels; the last lines are for files that hold both domains.
EITHER = (("X", "y"), ("X", "Y"), ("fea", "gnd"), ("fts", "labels"), ("feas", "labels"))
SOURCE = (*EITHER, ("X_src", "Y_src"), ("Xs", "Ys"))
TARGET = (*EITHER, ("X_tar", "Y_tar"), ("Xt", "Yt"))


def array_keys(path: Path) -> list[str]:
    """The names of the arrays in a file."""
    kind = kind_of(path)
    if kind == ".mat":
        return mat_keys(path)
    if kind == ".npy":
        return [ONLY]
    with reading(path, "NPZ"), zipfile.ZipFile(path) as archive:
        return [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]


def choose_features(path: Path, keys: list[str], pairs: Pairs, label: str | None, given: str | None) -> str:
    """The key given, else the known one (that goes with the label, if possible), else the only one."""
    if given is not None:
        if given not in keys:
            raise InputError(f"{path} has no key {given!r} (its keys: {listed(keys)}): correct `features_key`.")
        return given
    known = [(key, name) for key, name in pairs if key in keys]
    choices = (
        {key for key, name in known if name == label}
        or {key for key, _ in known}
        or {key for key in keys if key != label}
    )
    if len(choices) != 1:
        raise InputError(
            f"{path} does not tell which key holds the features (its keys: {listed(keys) or 'none'}): "
            "name it with `features_key`."
        )
    return choices.pop()


def choose_labels(keys: list[str], pairs: Pairs, key: str, given: str | None) -> str | None:
    """The key given, else the one that goes with the features, else the only known one; None if there is none."""
    if given is not None:
        return given if given in keys else None
    known = [(features, name) for features, name in pairs if name in keys and name != key]
    choices = {name for features, name in known if features == key} or {name for _, name in known}
    return choices.pop() if len(choices) == 1 else None


def read_features(path: Path, key: str) -> FloatArray:
    """An array of two dimensions as float32 if it was, else as float64."""
    array = _read_array(path, key)
    check_features_array(path, key, array.dtype, array.shape)
    return array.astype(np.float32 if array.dtype in (np.float16, np.float32) else np.float64, copy=False)


def check_features_array(path: Path, key: str, dtype: np.dtype[Any], shape: Sequence[int]) -> None:
    """Refuse an array that cannot be features, by its type and size."""
    if dtype.kind not in "biuf":
        raise InputError(f"{path}: {key} holds no plain numbers, so it cannot be the features; name another array.")
    if len(shape) != 2:
        raise InputError(
            f"{path}: {key} has {len(shape)} dimensions, but features need two, samples and features; reshape it."
        )
    if 0 in shape:
        raise InputError(f"{path}: {key} is empty ({_size(shape)}): it needs samples and features.")


def read_labels(path: Path, key: str) -> LabelArray:
    """An array of one dimension, or with one row or column: text, numbers or booleans."""
    array = _read_array(path, key)
    if array.dtype.kind not in "biufUS":
        raise InputError(f"{path}: {key} holds no text, numbers or booleans, so it cannot be the labels.")
    if array.ndim == 0 or array.size != max(array.shape):
        raise InputError(f"{path}: {key} is {_size(array.shape)}, but labels are one for each sample; reshape it.")
    labels = array.ravel()
    if labels.dtype.kind == "S":
        with reading(path, "UTF-8 labels"):
            return np.char.decode(labels, "utf-8")
    wrong = no_text(labels)
    if wrong is not None:
        raise InputError(f"{path}: row {wrong + 1} of {key} {NO_TEXT}.")
    # No other format has numbers of more digits.
    if labels.dtype == np.longdouble and labels.dtype != np.float64:
        double = labels.astype(np.float64)
        if not np.array_equal(double, labels):
            raise InputError(f"{path}: {key} holds numbers of more digits than labels may have; use text or integers.")
        return double
    # MATLAB stores whole numbers as floating point unless told otherwise.
    if kind_of(path) == ".mat" and labels.dtype.kind == "f" and (abs(labels) < 2**53).all():
        whole = labels.astype(np.int64)
        return whole if np.array_equal(whole, labels) else labels
    return labels


def _size(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape)) or "a single value"


def _read_array(path: Path, key: str) -> npt.NDArray[Any]:
    kind = kind_of(path)
    if kind == ".mat":
        return read_mat(path, key)
    with reading(path, kind[1:].upper()):
        if kind == ".npy":
            with open(path, "rb") as file:
                return _read_npy(file, path, key, path.stat().st_size)
        with zipfile.ZipFile(path) as archive:
            stored = archive.getinfo(f"{key}.npy")
            if stored.compress_type not in PACKED:
                raise ValueError(f"{key} is packed in another way than NumPy packs arrays")
            with archive.open(stored) as member:
                return _read_npy(member, path, key, stored.file_size)


def _read_npy(file: Any, path: Path, key: str, size: int) -> npt.NDArray[Any]:
    shape, _, dtype = read_header(file)
    if dtype.hasobject:
        raise InputError(
            f"{path}: {key} is an array of Python objects, which can hide programs and is never opened; "
            "save it with a plain type, such as float or str."
        )
    check_array(path, key, shape, dtype)
    if math.prod(shape) * dtype.itemsize > size - file.tell():
        raise ValueError(f"{key} is {_size(shape)}, but there are fewer values")
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)
