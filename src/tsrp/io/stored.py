"""Arrays in files, of which a block of rows is read at a time."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tsrp._types import FloatArray
from tsrp.blocked.local import block_rows
from tsrp.exceptions import InputError
from tsrp.io.files import reading
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

    @classmethod
    def of(cls, path: Path) -> StoredArray:
        """The array of an NPY file, which may be none of numbers or of two dimensions."""
        with reading(path, "NPY"), open(path, "rb") as file:
            version = np.lib.format.read_magic(file)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, fortran, kind = read(file)
            array = cls(path, file.tell(), shape, kind, not fortran)
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
        return StoredArray(self.path, self.offset, self.shape[::-1], self.kind, not self.by_rows)

    def blocks(self, rows: int) -> Iterator[FloatArray]:
        """All rows, so many at a time."""
        n, m = self.shape
        for start in range(0, n, rows):
            yield self._read(start, min(n, start + rows), m).astype(self.dtype, copy=False)

    def _read(self, start: int, stop: int, m: int) -> npt.NDArray[Any]:
        with reading(self.path, "an array"):
            if self.by_rows:
                place = self.offset + start * m * self.kind.itemsize
                return np.fromfile(self.path, self.kind, (stop - start) * m, offset=place).reshape(stop - start, m)
            array: Any = np.memmap(self.path, self.kind, "r", self.offset, self.shape, order="F")
            return np.ascontiguousarray(array[start:stop])


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
        rows = StoredRows(StoredArray(Path(name), 0, (n, n_features), np.dtype(np.float64), by_rows=True))
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
