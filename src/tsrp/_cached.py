"""Properties that are computed once."""

from __future__ import annotations

import functools
from typing import Any, TypeVar, overload

T = TypeVar("T")


class cached_property(functools.cached_property[T]):
    """`functools.cached_property` without the lock that it has before Python 3.12.

    That lock is one for all objects of a class: threads that ask different objects wait for each other, and a process
    that was forked meanwhile waits for ever. Two threads that ask one object may both compute; all get the same value.
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> cached_property[T]: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: object, owner: type[Any] | None = None) -> cached_property[T] | T:
        if instance is None:
            return self
        values, name = vars(instance), str(self.attrname)
        # A value that is there is found before this is asked, unless another thread has just computed it.
        value: T = values.setdefault(name, self.func(instance))
        return value
