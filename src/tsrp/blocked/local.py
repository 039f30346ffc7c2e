"""Samples that this process reads, a block at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from tsrp._types import FloatArray
from tsrp.blocked.samples import BlockedSamples, Step, as_type, through
from tsrp.memory import held_at_a_time

R = TypeVar("R")
# A block has about so many bytes as float64: large enough for products at full speed, small beside any memory.
BLOCK_BYTES = 1 << 25
# A fit to samples in memory takes so many times their size at its peak.
TIMES_IN_MEMORY = 3
FEWEST_ROWS = 256


def block_rows(n_features: int) -> int:
    """How many rows a block has: fewer if a limit of memory was set, whatever is free.

    Examples
    --------
    >>> block_rows(256), block_rows(10**6)
    (16384, 256)
    """
    return max(FEWEST_ROWS, held_at_a_time(BLOCK_BYTES) // (8 * max(1, n_features)))


class Reader(Protocol):
    """Something that hands out all its rows, a block at a time, each time that it is iterated."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of every block."""

    def __iter__(self) -> Iterator[FloatArray]: ...


@dataclass(frozen=True)
class ArrayReader:
    """The rows of an array, which may be one that is mapped into memory from a file.

    Examples
    --------
    >>> import numpy as np
    >>> [block.shape for block in ArrayReader(np.zeros((5, 2)), rows=2)]
    [(2, 2), (2, 2), (1, 2)]
    """

    array: npt.NDArray[Any]
    rows: int | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n, m = self.array.shape
        return n, m

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 if the array is no more precise, else float64."""
        return np.dtype(np.float32 if self.array.dtype in (np.float16, np.float32) else np.float64)

    def __iter__(self) -> Iterator[FloatArray]:
        n, m = self.shape
        rows = self.rows or block_rows(m)
        for start in range(0, n, rows):
            yield np.ascontiguousarray(self.array[start : start + rows], dtype=self.dtype)


class LocalBlocks(BlockedSamples):
    """The rows of some readers, one after the other.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0).reshape(5, 2)
    >>> samples = LocalBlocks.of(ArrayReader(X, rows=2))
    >>> samples.then(np.square).total(lambda block: block.sum(axis=0))
    array([120., 165.])
    """

    def __init__(self, parts: tuple[_Part, ...], names: list[str] | None = None) -> None:
        self._parts, self.names = parts, names
        self.shape = sum(part.reader.shape[0] for part in parts), parts[0].reader.shape[1]
        self.dtype = np.result_type(*(part.dtype for part in parts))

    @classmethod
    def of(cls, reader: Reader, names: list[str] | None = None) -> LocalBlocks:
        """The rows of one reader."""
        return cls((_Part(reader, reader.dtype),), names)

    def map(self, function: Callable[..., R], *beside: npt.NDArray[Any]) -> Iterator[R]:
        """As `BlockedSamples.map`, in this process; one block is in memory at a time."""
        start = 0
        for part in self._parts:
            for block in part.reader:
                stop = start + len(block)
                found = function(through(part.steps, block), *(values[start:stop] for values in beside))
                start = stop
                # Neither is kept while the next block is read.
                del block
                yield found
                del found

    def then(self, step: Step, dtype: npt.DTypeLike | None = None) -> LocalBlocks:
        """As `BlockedSamples.then`."""
        return LocalBlocks(tuple(part.then(step, dtype) for part in self._parts), self.names)

    def followed_by(self, other: BlockedSamples) -> BlockedSamples:
        """As `BlockedSamples.followed_by`."""
        assert isinstance(other, LocalBlocks)
        dtype = np.result_type(self.dtype, other.dtype)
        parts = [
            part if part.dtype == dtype else part.then(partial(as_type, dtype=dtype), dtype)
            for part in (*self._parts, *other._parts)
        ]
        return LocalBlocks(tuple(parts), self.names)


@dataclass(frozen=True)
class _Part:
    reader: Reader
    dtype: np.dtype[Any]
    steps: tuple[Step, ...] = ()

    def then(self, step: Step, dtype: npt.DTypeLike | None) -> _Part:
        return replace(self, steps=(*self.steps, step), dtype=self.dtype if dtype is None else np.dtype(dtype))
