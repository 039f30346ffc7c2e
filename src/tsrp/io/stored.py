"""Arrays in files, of which a block of rows is read at a time."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tsrp._types import FloatArray
from tsrp.blocked.local import block_rows
from tsrp.exceptions import InputError
from tsrp.io.files import Stamp, reading, stamp_of, unchanged
from tsrp.memory import show_size


@dataclass(frozen=True)
class StoredArray:
    """An array of numbers in a file.

    Its blocks are read, not mapped: a mapped file counts as a whole where the address space is limited.

    Attributes
    ----------
    path : Path
    offset : int
        Where its numbers begin.
    shape : tuple of int
        With samples in rows.
    kind : dtype
        As it is stored.
    by_rows : bool
        Whether a row's numbers stand side by side.
    stamp : Stamp
        Of the file, which must not change from one pass to the next.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(Path(folder, "X.npy"), np.arange(6).reshape(3, 2))
    ...     blocks = list(StoredArray.of(Path(folder, "X.npy")).blocks(2))
    >>> blocks
    [array([[0., 1.],
           [2., 3.]]), array([[4., 5.]])]
    """

    path: Path
    offset: int
    shape: tuple[int, ...]
    kind: np.dtype[Any]
    by_rows: bool
    stamp: Stamp

    @classmethod
    def of(cls, path: Path) -> StoredArray:
        """The array of an NPY file, which may be none of numbers or of two dimensions."""
        stamp = stamp_of(path)
        with reading(path, "NPY"), open(path, "rb") as file:
            shape, fortran, kind = read_header(file)
            array = cls(path, file.tell(), shape, kind, not fortran, stamp)
            if array.offset + array.nbytes > path.stat().st_size:
                needed = show_size(array.offset + array.nbytes)
                raise ValueError(f"it has {path.stat().st_size:,} bytes, but its array needs about {needed}")
        return array

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of every block: float32 if the file is no more precise, else float64."""
        return np.dtype(np.float32 if self.kind in (np.float16, np.float32) else np.float64)

    @property
    def nbytes(self) -> int:
        """Of the numbers, as they are stored."""
        return int(np.prod(self.shape, dtype=object)) * self.kind.itemsize

    def transposed(self) -> StoredArray:
        """The same numbers, samples in columns taken for rows."""
        return replace(self, shape=self.shape[::-1], by_rows=not self.by_rows)

    def blocks(self, rows: int) -> Iterator[FloatArray]:
        """All rows, so many at a time."""
        n, m = self.shape
        for start in range(0, n, rows):
            yield self._read(start, min(n, start + rows), m).astype(self.dtype, copy=False)

    def _read(self, start: int, stop: int, m: int) -> npt.NDArray[Any]:
        n = stop - start
        with unchanged(self.path, self.stamp), reading(self.path, "an array"), open(self.path, "rb") as file:
            if self.by_rows:
                file.seek(self.offset + start * m * self.kind.itemsize)
                return np.fromfile(file, self.kind, n * m).reshape(n, m)
            # Column by column. Of a mapped file that is cut short meanwhile, the end would crash the process.
            rows = np.empty((n, m), self.kind)
            for j in range(m):
                file.seek(self.offset + (j * self.shape[0] + start) * self.kind.itemsize)
                rows[:, j] = np.fromfile(file, self.kind, n)
            return rows


def read_header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether it is in Fortran's order, and type of the array in an open NPY file; raises nearly anything."""
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError(f"there is no version {version} of NPY")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, kind = read(file)
    if any(type(side) is not int or side < 0 for side in shape):
        raise ValueError(f"its shape is {shape}")
    return shape, fortran, kind


class StoredRows:
    """The rows of a stored array of two dimensions, in blocks of the usual size."""

    def __init__(self, array: StoredArray) -> None:
        self.array, self.dtype = array, array.dtype
        self.shape = array.shape[0], array.shape[1]

    def __iter__(self) -> Iterator[FloatArray]:
        return self.array.blocks(block_rows(self.shape[1]))


def spooled(blocks: Iterable[FloatArray], n_features: int, path: Path) -> StoredRows:
    """Rows kept as float64 in a temporary file, which goes when they are no longer used.

    Parameters
    ----------
    blocks : iterable of arrays of shape (rows, n_features)
    n_features : int
    path : Path
        Where they come from.
    """
    number, name = tempfile.mkstemp(prefix="tsrp-", suffix=".numbers")
    n = 0
    try:
        with open(number, "wb") as file:
            for block in blocks:
                np.ascontiguousarray(block, dtype=np.float64).tofile(file)
                n += len(block)
        stamp = stamp_of(Path(name))
        rows = StoredRows(StoredArray(Path(name), 0, (n, n_features), np.dtype(np.float64), True, stamp))
    except BaseException as error:
        os.unlink(name)
        if isinstance(error, OSError):
            size = show_size(8 * (n + 1) * n_features)
            raise InputError(
                f"{path}: its numbers are kept in {tempfile.gettempdir()} while they are used, where there is no room "
                f"for {size} ({error.strerror or error}); name another folder in the environment variable TMPDIR."
            ) from error
        raise
    weakref.finalize(rows, os.unlink, name)
    return rows
