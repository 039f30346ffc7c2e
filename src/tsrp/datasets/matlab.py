"""MAT files of version 5 to 7 (scipy), and of version 7.3, which are HDF5 (h5py)."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.io

from tsrp.datasets.files import DataFileError, optional, reading

HDF5 = b"\x89HDF\r\n\x1a\n"
# Where the HDF5 part of a MAT file begins: below MATLAB's own header.
HEADER = 512
# The classes that can be read; files that MATLAB did not write may name none.
WHOLE = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
PLAIN = WHOLE | {"", "char", "cell", "logical", "single", "double"}

# Codes of version 5: types of elements, classes of matrices that hold values, and the flag of complex ones.
MATRIX, COMPRESSED = 14, 15
ELEMENTS = {*range(1, 8), 9, 12, 13, MATRIX, COMPRESSED, 16, 17, 18}
VALUED = range(4, 16)
COMPLEX = 0x800


def mat_keys(path: Path) -> list[str]:
    """The names of the variables."""
    if _is_hdf5(path):
        h5py = optional("h5py", path)
        with reading(path, "MAT 7.3"), h5py.File(path) as file:
            return [str(name) for name in file if not name.startswith("#")]
    _check_elements(path)
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


def _check_elements(path: Path) -> None:
    """Refuse a damaged file before scipy reads it, which may crash on a wrong type code.

    A file is a row of elements: a type and a size of 4 bytes each, then the content, filled up to 8 bytes. Those whose
    content is compressed need no check, as they carry a checksum.
    """
    with reading(path, "MAT"), open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        order = "<" if data[126:128] == b"IM" else ">"
        _count_elements(data, 128, len(data), order)


def _count_elements(data: mmap.mmap, start: int, stop: int, order: str) -> int:
    count = 0
    while start + 8 <= stop:
        kind, size = struct.unpack_from(f"{order}II", data, start)
        begin = start + 8
        # Contents of up to 4 bytes stand in place of the size, which shares the first 4 bytes with the type.
        if kind >> 16:
            kind, size, begin = kind & 0xFFFF, kind >> 16, start + 4
        end = begin + size
        if kind not in ELEMENTS or end > stop:
            raise ValueError(f"a wrong type or size at byte {start}")
        if kind == MATRIX and size:
            _check_matrix(data, begin, end, order)
        start = end if kind == COMPRESSED else end + (-end % 8)
        count += 1
    return count


def _check_matrix(data: mmap.mmap, start: int, stop: int, order: str) -> None:
    """A matrix holds flags, dimensions, a name and values; if it is complex, the values of the imaginary part too."""
    flags = struct.unpack_from(f"{order}I", data, start + 8)[0]
    needed = 3 + ((flags & 0xFF) in VALUED) + bool(flags & COMPLEX)
    if _count_elements(data, start, stop, order) < needed:
        raise ValueError(f"a matrix without values at byte {start}")


def _from_cells(cells: list[npt.NDArray[Any]], path: Path, key: str) -> npt.NDArray[Any]:
    """The contents of a cell array, one text or one number in each cell."""
    kinds = {cell.dtype.kind for cell in cells}
    if any(cell.size != 1 for cell in cells) or not (kinds == {"U"} or kinds <= set("biuf")):
        raise DataFileError(
            f"{path}: {key} is a cell array without one text or one number in each cell; save a matrix."
        )
    return np.array([cell.item() for cell in cells])


def _from_hdf5(file: Any, item: Any, path: Path, key: str) -> npt.NDArray[Any]:
    kind = item.attrs.get("MATLAB_class", b"").decode()
    if kind not in PLAIN or "MATLAB_sparse" in item.attrs:
        what = "sparse matrix" if "MATLAB_sparse" in item.attrs else kind
        raise DataFileError(f"{path}: {key} is a MATLAB {what}; save a full matrix or a cell array of text instead.")
    if kind == "cell":
        return _from_cells([_array(file[cell]) for cell in item[()].T.ravel()], path, key)
    return _array(item)


def _array(item: Any) -> npt.NDArray[Any]:
    """A stored array as MATLAB shows it; HDF5 holds it transposed, and characters as numbers."""
    kind = item.attrs.get("MATLAB_class", b"").decode()
    value = np.empty((0, 0)) if "MATLAB_empty" in item.attrs else np.asarray(item[()]).T
    if kind == "char":
        return np.array([row.astype("<u2").tobytes().decode("utf-16-le").rstrip() for row in np.atleast_2d(value)])
    return value.astype(bool) if kind == "logical" else value
