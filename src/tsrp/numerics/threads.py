"""Threads without a price in reproducibility.

A BLAS that splits one product over threads may round it differently for each number of threads, and a loop over
pseudo labels can turn a last bit into other labels. So every product runs on one BLAS thread, and the parallel work
is ours: whole blocks, whose results do not depend on who computes them.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

import threadpoolctl
from threadpoolctl import ThreadpoolController

T = TypeVar("T")
R = TypeVar("R")


class _BlasLimit:
    """The process-wide BLAS limit, shared by all fits that run at the same time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.workers = 1
        self.n_modules = 0
        self.before: list[int] = []

    def enter(self) -> None:
        with self.lock:
            if self.users == 0:
                self._find_blas()
                self.before = [library.num_threads for library in self.blas.lib_controllers]
                self.workers = max(self.before, default=1)
                self._limit([1] * len(self.before))
            self.users += 1

    def _find_blas(self) -> None:
        """Among all libraries of this process, which takes longer than a small fit: only after further imports."""
        if len(sys.modules) != self.n_modules:
            self.blas = ThreadpoolController().select(user_api="blas")
            self.n_modules = len(sys.modules)

    def _limit(self, numbers: list[int]) -> None:
        # Since 3.8 threadpoolctl does nothing, without a word, if another thread has set a limit before: a host that
        # holds one, or a fit that has ended first. The limit is for all of us, and nobody is kept from setting it.
        let_go = getattr(getattr(threadpoolctl, "OpenBLASController", None), "clear_controlling_thread", None)
        for library, number in zip(self.blas.lib_controllers, numbers, strict=True):
            if let_go is not None:
                let_go(force=True)
            library.set_num_threads(number)
        if let_go is not None:
            let_go(force=True)

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            # A limit that is not ours any more was set by the host meanwhile, and is not undone.
            if self.users == 0 and all(library.num_threads == 1 for library in self.blas.lib_controllers):
                self._limit(self.before)

    def hold(self) -> None:
        """Before a fork: no thread is about to change the limit."""
        self.lock.acquire()

    def release(self) -> None:
        """After a fork, in the parent."""
        self.lock.release()

    def reset(self) -> None:
        """After a fork, in the child: no fit is running here."""
        if self.users:
            self.users = 0
            self._limit(self.before)
        self.lock.release()


_blas = _BlasLimit()
# Whether this thread is one of several that share the cores.
_busy: ContextVar[bool] = ContextVar("tsrp_busy", default=False)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_blas.hold, after_in_parent=_blas.release, after_in_child=_blas.reset)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run the body with one BLAS thread; `parallel_map` uses the threads that BLAS was allowed before."""
    _blas.enter()
    try:
        yield
    finally:
        _blas.leave()


def parallel_map(function: Callable[[T], R], items: Iterable[T], *, light: bool = False) -> list[R]:
    """Apply a function to each item, on as many threads as BLAS was allowed; results in the order of the items.

    Light work stays on this thread: others would cost more than they bring.
    """
    return list(parallel_each(function, items, light=light))


def parallel_each(function: Callable[[T], R], items: Iterable[T], *, light: bool = False) -> Iterator[R]:
    """As `parallel_map`, one result after the other. What such a function maps itself stays on its thread."""
    tasks = list(items)
    with one_blas_thread():
        workers = 1 if light or _busy.get() else min(_blas.workers, len(tasks))
        if workers <= 1:
            yield from map(function, tasks)
            return
        with ThreadPoolExecutor(workers, initializer=_busy.set, initargs=(True,)) as pool:
            yield from pool.map(function, tasks)
