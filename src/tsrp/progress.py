"""Progress of a fit: a `Round` after each round, a `Step` after each step of methods that take many within one, an
`Arrival` for each member of a panel, and a `Stage` of what comes before and after.

>>> from sklearn.datasets import make_blobs
>>> from tsrp import DTSL
>>> X, y = make_blobs(60, n_features=5, random_state=0)
>>> seen = []
>>> model = DTSL().fit(X[:30], y[:30], X[30:] + 1.0, callback=seen.append)
>>> seen[0].number, seen[0].limit, seen[0].what
(1, 100, 'largest residual')
>>> type(seen[-1]).__name__
'Round'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias

from tsrp._types import BoolArray, LabelArray


@dataclass(frozen=True, eq=False)
class Round:
    """What happened in one round of the outer loop.

    Attributes
    ----------
    number, limit : int
        Which round, counted from 1, and how many there are at most.
    crude : array of shape (n_target,)
        The weak classifier's labels.
    labels : array of shape (n_target,)
        The labels after the remedy (the crude ones if there is none).
    confident : array of bool, shape (n_target,), or None
        Which labels `utsp` trusted at first sight; None without a remedy.
    n_confident, n_remedied, n_moved : int
        How many were trusted; how many the remedy changed; how many differ from the round before (all, in the first).
    seconds : float
        Time of this round; NaN in a model that was loaded.
    """

    number: int
    limit: int
    crude: LabelArray
    labels: LabelArray
    confident: BoolArray | None
    n_moved: int
    seconds: float = math.nan

    @property
    def n_confident(self) -> int:
        return 0 if self.confident is None else int(self.confident.sum())

    @property
    def n_remedied(self) -> int:
        return int((self.crude != self.labels).sum())


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


@dataclass(frozen=True)
class Arrival:
    """A member of a panel that is fitted, or has failed.

    Attributes
    ----------
    number, limit : int
        How many have arrived by now, and of how many.
    name : str
        Which one.
    error : str
        Why it takes no part; empty if it does.
    """

    number: int
    limit: int
    name: str
    error: str = ""


@dataclass(frozen=True)
class Stage:
    """Work of a fit beside its rounds and members, such as the labelling of rows that it did not learn from.

    Attributes
    ----------
    number, limit : int
        How much of it is done, and of how much.
    what : str
    """

    number: int
    limit: int
    what: str


Event: TypeAlias = Round | Step | Arrival | Stage
Callback: TypeAlias = Callable[[Event], object]
# Of this thread's call only: fits in other threads have their own callbacks.
_callback: ContextVar[Callback | None] = ContextVar("tsrp_callback", default=None)


@contextmanager
def listening(callback: Callback | None) -> Iterator[None]:
    """Have a callable called with every event of the fits in the body; what it raises ends the fit.

    ``fit(..., callback=...)`` is the short form for one fit.
    """
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


def report(event: Event) -> None:
    """Tell the callback of the fit that is running, if it has one."""
    callback = _callback.get()
    if callback is not None:
        # A fit within the callback is another fit.
        with listening(None):
            callback(event)
