"""MAT files of version 5 to 7 (scipy), and of version 7.3, which are HDF5 (h5py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.io

from tsrp.datasets.files import DataFileError, optional, reading

HDF5 = b"\x89HDF\r\n\x1a\n"
# Where the HDF5 part of a MAT file begins: below MATLAB's own header.
HEADER = 512


def mat_keys(path: Path) -> list[str]:
    """The names of the variables."""
    if _is_hdf5(path):
        h5py = optional("h5py", path)
        with reading(path, "MAT 7.3"), h5py.File(path) as file:
            return [str(name) for name in file if not name.startswith("#")]
    with reading(path, "MAT"):
        return [str(name) for name, _, _ in scipy.io.whosmat(str(path))]


def read_mat(path: Path, key: str) -> Any:
    """One variable: numbers as an array (perhaps sparse), text and cells of text as an array of strings."""
    if _is_hdf5(path):
        h5py = optional("h5py", path)
        with reading(path, "MAT 7.3"), h5py.File(path) as file:
            return _from_hdf5(file, file[key], path, key)
    with reading(path, "MAT"):
        # With mat_dtype, numbers have the type they had in MATLAB, not the smaller one they were packed into.
        value = scipy.io.loadmat(str(path), variable_names=[key], mat_dtype=True)[key]
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind == "U":
        return np.char.rstrip(value)
    return _from_cells([np.asarray(cell) for cell in value.ravel()], path, key) if value.dtype == object else value


def _is_hdf5(path: Path) -> bool:
    with reading(path, "MAT"), open(path, "rb") as file:
        head = file.read(HEADER + len(HDF5))
    if head.startswith(HDF5) or head[HEADER:] == HDF5:
        return True
    if head[126:128] not in (b"IM", b"MI"):
        raise DataFileError(f"{path} is not a MAT file of version 5 to 7.3: give it its true suffix, or save it again.")
    return False


def _from_cells(cells: list[npt.NDArray[Any]], path: Path, key: str) -> npt.NDArray[Any]:
    """The contents of a cell array, one text or number in each."""
    kinds = {cell.dtype.kind for cell in cells}
    if any(cell.size != 1 for cell in cells) or not (kinds <= set("U") or kinds <= set("biuf")):
        raise DataFileError(
            f"{path}: {key} is a cell array of more than one text or number a cell; save it as a matrix."
        )
    return np.array([cell.item() for cell in cells])


def _from_hdf5(file: Any, item: Any, path: Path, key: str) -> Any:
    kind = item.attrs.get("MATLAB_class", b"")
    if not hasattr(item, "shape"):
        what = (
            "sparse; save full(...) of it"
            if "MATLAB_sparse" in item.attrs
            else "a struct; save its fields by themselves"
        )
        raise DataFileError(f"{path}: {key} is {what}.")
    if "MATLAB_empty" in item.attrs:
        return np.empty((0, 0))
    value = item[()].T
    if kind == b"cell":
        return _from_cells([_text(file[cell]) for cell in value.ravel()], path, key)
    return _text(item) if kind == b"char" else value.astype(bool) if kind == b"logical" else value


def _text(item: Any) -> npt.NDArray[Any]:
    """Characters, which are stored as numbers, as one string for each row; other arrays as they are."""
    value = np.asarray(item[()]).T
    if item.attrs.get("MATLAB_class") != b"char":
        return value
    rows = ["".join(map(chr, row)).rstrip() for row in np.atleast_2d(value)]
    return np.array(rows)
