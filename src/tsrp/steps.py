"""Progress within a round: methods that take many small steps say how far they are, whoever listens.

>>> from sklearn.datasets import make_blobs
>>> from tsrp import DTSL
>>> from tsrp.steps import listening
>>> X, y = make_blobs(60, n_features=5, random_state=0)
>>> seen = []
>>> with listening(seen.append):
...     model = DTSL().fit(X[:30], y[:30], X[30:] + 1.0)
>>> seen[0].number, seen[0].limit, seen[0].what
(1, 100, 'largest residual')
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One step of a method that iterates within a round.

    Attributes
    ----------
    number, limit : int
        Which step, counted from 1, and how many there are at most.
    what : str
        The quantity that the method watches.
    value : float
        That quantity after the step.
    """

    number: int
    limit: int
    what: str
    value: float


Listener = Callable[[Step], object]
# Of this thread's call only: fits in other threads have their own listeners.
_listener: ContextVar[Listener | None] = ContextVar("tsrp_listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have a callable called with every `Step` of the fits in the body; what it raises ends the fit."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(number: int, limit: int, what: str, value: float) -> None:
    """Tell the listener, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(Step(number, limit, what, value))
