"""MAT files of version 5 to 7 (scipy), and of version 7.3, which are HDF5 (h5py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.io

from tsrp.exceptions import InputError
from tsrp.io.files import optional, reading
from tsrp.io.hdf5 import check_attribute, lookup, read_cells
from tsrp.io.matlab5 import variables

HDF5 = b"\x89HDF\r\n\x1a\n"
# Where the HDF5 part of a MAT file begins: below MATLAB's own header.
HEADER = 512
# The classes that can be read; files that MATLAB did not write may name none.
WHOLE = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
UNPACKED = {"double": np.float64, "single": np.float32, "logical": np.bool_}
PLAIN = {"", "char", "cell", *WHOLE, *UNPACKED}


def mat_keys(path: Path) -> list[str]:
    """The names of the variables."""
    if _is_hdf5(path):
        h5py = optional("h5py", path)
        with reading(path, "MAT 7.3"), h5py.File(path) as file:
            return [str(name) for name in file if not name.startswith("#")]
    return list(variables(path))


def read_mat(path: Path, key: str) -> npt.NDArray[Any]:
    """One variable: numbers as an array, text and cells of text as an array of strings."""
    if _is_hdf5(path):
        h5py = optional("h5py", path)
        with reading(path, "MAT 7.3"), h5py.File(path) as file:
            return _from_hdf5(file, lookup(file, key, path), path, key)
    kind = variables(path, key)[key].kind
    if kind not in PLAIN:
        raise _not_plain(path, key, kind)
    with reading(path, "MAT"):
        value: npt.NDArray[Any] = scipy.io.loadmat(str(path), variable_names=[key])[key]
    if kind == "cell":
        return _from_cells([np.asarray(cell) for cell in value.ravel()], path, key)
    if kind == "char":
        return np.char.rstrip(value)
    # MATLAB packs numbers into the smallest type that holds them.
    return value.astype(UNPACKED[kind]) if kind in UNPACKED else value


def _is_hdf5(path: Path) -> bool:
    with reading(path, "MAT"), open(path, "rb") as file:
        head = file.read(HEADER + len(HDF5))
    if head.startswith(HDF5) or head[HEADER:] == HDF5:
        return True
    if head[126:128] not in (b"IM", b"MI"):
        raise InputError(f"{path} is not a MAT file of version 5 to 7.3: give it its true suffix, or save it again.")
    return False


def _not_plain(path: Path, key: str, kind: str) -> InputError:
    what = {"sparse": "sparse matrix", "complex": "complex matrix", "opaque": "object"}.get(kind, kind)
    return InputError(f"{path}: {key} is a MATLAB {what}; save a full matrix or a cell array of text instead.")


def _from_cells(cells: list[npt.NDArray[Any]], path: Path, key: str) -> npt.NDArray[Any]:
    """The contents of a cell array, one text or one number in each cell."""
    kinds = {cell.dtype.kind for cell in cells}
    if any(cell.size != 1 for cell in cells) or not (kinds == {"U"} or kinds <= set("biuf")):
        raise InputError(f"{path}: {key} is a cell array without one text or one number in each cell; save a matrix.")
    return np.array([cell.item() for cell in cells])


def _from_hdf5(file: Any, item: Any, path: Path, key: str) -> npt.NDArray[Any]:
    kind = _class_of(item)
    if kind not in PLAIN or "MATLAB_sparse" in item.attrs:
        raise _not_plain(path, key, "sparse" if "MATLAB_sparse" in item.attrs else kind)
    if kind == "cell":
        return _from_cells([_array(cell) for cell in read_cells(file, item, path)], path, key)
    return _array(item)


def _class_of(item: Any) -> str:
    if "MATLAB_class" not in item.attrs:
        return ""
    check_attribute(item, "MATLAB_class")
    kind = item.attrs["MATLAB_class"]
    return kind.decode() if isinstance(kind, bytes) else str(kind)


def _array(item: Any) -> npt.NDArray[Any]:
    """A stored array as MATLAB shows it; HDF5 holds it transposed, and characters as numbers."""
    kind = _class_of(item)
    value = np.empty((0, 0)) if "MATLAB_empty" in item.attrs else np.asarray(item[()]).T
    if kind == "char":
        return np.array([row.astype("<u2").tobytes().decode("utf-16-le").rstrip() for row in np.atleast_2d(value)])
    return value.astype(bool) if kind == "logical" else value
