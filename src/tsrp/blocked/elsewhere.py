"""Work that goes elsewhere: a fit whose samples are on a cluster sends its searches and picks there too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

# Calls a function, which must pickle, with each of some tuples of arguments; equal objects are sent once.
Sender: TypeAlias = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]
_sender: ContextVar[Sender | None] = ContextVar("sender", default=None)


@contextmanager
def sending(send: Sender) -> Iterator[None]:
    """Let the body send work elsewhere.

    Examples
    --------
    >>> def here(function, calls):
    ...     return [function(*arguments) for arguments in calls]
    >>> with sending(here):
    ...     sender()(max, [(1, 2), (4, 3)])
    [2, 4]
    """
    token = _sender.set(send)
    try:
        yield
    finally:
        _sender.reset(token)


def sender() -> Sender | None:
    """What sends work elsewhere; None: it is done here."""
    return _sender.get()
