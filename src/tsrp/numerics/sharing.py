"""Reductions that several fits to the same samples share: a benchmark or a panel fits many methods to one task."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from tsrp._types import FloatArray
from tsrp.numerics.eigenproblem import Reduction, decompose_samples, reduce_samples, reduction_of
from tsrp.numerics.independent import IndependentFeatures, reduce_for_any_term

# A task with two kinds of preprocessing.
KEPT = 2


class SharedReductions:
    """The last samples that were reduced while reductions were shared, decomposed once for both kernels.

    Threads may share it: who needs what another one is about to compute waits for it.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.eye(3)
    >>> with SharedReductions().shared():
    ...     reduce_once(X, 1) is reduce_once(X.copy(), 1)
    True
    """

    def __init__(self) -> None:
        self._found: deque[_Decomposed] = deque(maxlen=KEPT)
        self._lock = threading.Lock()

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
        with self._lock:
            own = next((known for known in self._found if known.is_of(X)), None)
            if own is None:
                own = _Decomposed(X)
                self._found.append(own)
        return own.reduction(power)


class _Decomposed:
    """Samples, their decomposition, and the reductions that were made of it."""

    def __init__(self, X: FloatArray) -> None:
        self._X = X
        self._lock = threading.Lock()
        self._decomposition: tuple[FloatArray, FloatArray] | None = None
        self._reductions: dict[int, Reduction] = {}

    def is_of(self, X: FloatArray) -> bool:
        return X.dtype == self._X.dtype and np.array_equal(X, self._X)

    def reduction(self, power: int) -> Reduction:
        with self._lock:
            if self._decomposition is None:
                self._decomposition = decompose_samples(self._X)
            if power not in self._reductions:
                self._reductions[power] = reduction_of(self._X, power, self._decomposition)
            return self._reductions[power]


_shared: ContextVar[SharedReductions | None] = ContextVar("shared_reductions", default=None)


def reduce_once(X: FloatArray, power: int) -> Reduction:
    """As `reduce_samples`; where reductions are shared, one of equal samples if it is there."""
    shared = _shared.get()
    return reduce_samples(X, power) if shared is None else shared.reduce(X, power)


def reduce_once_for_any_term(X: FloatArray, power: int) -> Reduction | IndependentFeatures:
    """As `reduce_for_any_term`; where reductions are shared, one of equal samples if it is there."""
    shared = _shared.get()
    return reduce_for_any_term(X, power) if shared is None else shared.reduce(X, power)
