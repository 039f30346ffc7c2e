"""What passes over samples need: rows in blocks, again and again in the same order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tsrp._types import FloatArray

R = TypeVar("R")
# Changes a block: as many rows come out as went in.
Step = Callable[[FloatArray], FloatArray]


class BlockedSamples(ABC):
    """Samples in rows, a block of which is in memory at a time.

    Every pass sees the same blocks in the same order, and sums are added up in that order: a pass gives the same bits
    each time.

    Attributes
    ----------
    shape : tuple of two int
        Samples and features.
    dtype : dtype
        float32 or float64, of every block.
    names : list of str or None
        The names of the features, if they have any.
    """

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    names: list[str] | None

    def __len__(self) -> int:
        return self.shape[0]

    @abstractmethod
    def map(self, function: Callable[..., R], *beside: npt.NDArray[Any]) -> Iterator[R]:
        """``function(block, *parts)`` of each block, in the order of the blocks.

        Parameters
        ----------
        function : callable
            It must pickle: a block may be elsewhere.
        *beside : arrays of length n
            What belongs to the samples; a function gets the part that belongs to its block.
        """

    @abstractmethod
    def then(self, step: Step, dtype: npt.DTypeLike | None = None) -> BlockedSamples:
        """The same samples, each block changed by a step, which must pickle; `dtype` is what comes out, if another."""

    @abstractmethod
    def followed_by(self, other: BlockedSamples) -> BlockedSamples:
        """These samples, and others behind them."""

    def elsewhere(self) -> AbstractContextManager[None]:
        """While the body runs, other work of a fit goes where the samples are (`tsrp.blocked.elsewhere`)."""
        return nullcontext()

    def total(self, function: Callable[..., FloatArray], *beside: npt.NDArray[Any]) -> FloatArray:
        """The sum of ``function(block, *parts)`` over all blocks, added up in their order."""
        parts = self.map(function, *beside)
        result = next(parts).copy()
        for part in parts:
            result += part
            # It may be a large matrix: not kept while the next block is read.
            del part
        return result

    def rows(self, function: Callable[..., npt.NDArray[Any]], *beside: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """``function(block, *parts)``, a row for each sample, one block below the other: this is in memory."""
        result: npt.NDArray[Any] | None = None
        start = 0
        for part in self.map(function, *beside):
            if result is None:
                result = np.empty((len(self), *part.shape[1:]), dtype=part.dtype)
            result[start : start + len(part)] = part
            start += len(part)
        assert result is not None
        return result


def as_type(X: FloatArray, dtype: npt.DTypeLike) -> FloatArray:
    """A block in another precision."""
    return X.astype(dtype, copy=False)


def through(steps: Sequence[Step], X: FloatArray) -> FloatArray:
    """A block after these steps."""
    for step in steps:
        X = step(X)
    return X
