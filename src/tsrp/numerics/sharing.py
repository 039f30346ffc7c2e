"""Reductions that several fits to the same samples share: a benchmark fits many methods to one task."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from tsrp._types import FloatArray
from tsrp.numerics.eigenproblem import Reduction, reduce_samples

# A task with two kinds of preprocessing.
KEPT = 2


class SharedReductions:
    """The last reductions that were computed while they were shared.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.eye(3)
    >>> with SharedReductions().shared():
    ...     reduce_once(X, 1) is reduce_once(X.copy(), 1)
    True
    """

    def __init__(self) -> None:
        self._found: deque[tuple[FloatArray, int, Reduction]] = deque(maxlen=KEPT)

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Within the body, `reduce_once` looks here first."""
        token = _shared.set(self)
        try:
            yield
        finally:
            _shared.reset(token)

    def reduce(self, X: FloatArray, power: int) -> Reduction:
        """The reduction of these samples, which must not be changed afterwards."""
        for known, known_power, reduction in self._found:
            if power == known_power and X.dtype == known.dtype and np.array_equal(X, known):
                return reduction
        self._found.append((X, power, reduce_samples(X, power)))
        return self._found[-1][-1]


_shared: ContextVar[SharedReductions | None] = ContextVar("shared_reductions", default=None)


def reduce_once(X: FloatArray, power: int) -> Reduction:
    """As `reduce_samples`; where reductions are shared, one of equal samples if it is there."""
    shared = _shared.get()
    return reduce_samples(X, power) if shared is None else shared.reduce(X, power)
