"""Samples of Dask: blocks that its scheduler reads and works on, in threads or on a cluster."""

from __future__ import annotations

import logging
import re
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from inspect import signature
from itertools import islice, pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tsrp._types import FloatArray
from tsrp.blocked.elsewhere import sending
from tsrp.blocked.samples import BlockedSamples, Step, as_type
from tsrp.exceptions import InputError, TsrpError, UsageError

R = TypeVar("R")
# A task that fails is done again, at most so many times: files may be far away. What was refused is not.
RETRIES = 5
# So many sums are added up by one task.
FAN_IN = 8
# So many calls for each thread of the workers are under way: none of them waits for us.
CALLS_AHEAD = 2
# The part of the workers' memory that samples may take.
SHARE_KEPT = 0.5
ADDRESS = re.compile(r"(\w+://)?[^\s/:]+:\d+|inproc://\S+")
# Seconds to wait for the answer of a scheduler.
PATIENCE = 10.0


class DaskBlocks(BlockedSamples):
    """The chunks of a Dask array, or the partitions of its data frame.

    A pass is a graph of Dask: its scheduler decides which worker reads a block, and computes it again if the worker is
    lost. Sums are added up there, in an order that depends on the number of blocks alone.

    Examples
    --------
    >>> import dask.array
    >>> samples = DaskBlocks.of(dask.array.ones((5, 2), chunks=(2, 1)), "X")
    >>> samples.total(lambda block: block.sum(axis=0))
    array([5., 5.])
    """

    def __init__(
        self,
        parts: Sequence[Any],
        lengths: Sequence[int],
        n_features: int,
        dtype: npt.DTypeLike,
        names: list[str] | None = None,
    ) -> None:
        self._parts, self._lengths = list(parts), list(lengths)
        self.shape, self.dtype, self.names = (sum(lengths), n_features), np.dtype(dtype), names

    @classmethod
    def of(cls, X: Any, name: str) -> DaskBlocks:
        """The blocks of a Dask array or data frame; `name` is what errors call it."""
        with computing():
            if hasattr(X, "to_dask_array"):
                return cls._of_frame(X, name)
            if X.ndim != 2 or X.dtype.kind not in "biuf":
                raise _not_samples(name)
            if any(np.isnan(X.chunks[0])):
                X = X.compute_chunk_sizes()
            X = X.rechunk({1: -1}).astype(_precision(X.dtype))
        return cls(X.to_delayed().ravel(), X.chunks[0], X.shape[1], X.dtype)._without_empty()

    @classmethod
    def _of_frame(cls, X: Any, name: str) -> DaskBlocks:
        kinds = list(getattr(X, "dtypes", []))
        if X.ndim != 2 or not all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in kinds):
            raise _not_samples(name)
        dtype = _precision(np.result_type(*kinds)) if kinds else np.dtype(np.float64)
        # Not by way of a Dask array: the partitions that Dask counts and those that it reads may differ.
        partitions = X.to_delayed()
        parts = _calls(partial(_values, dtype=dtype), [(partition,) for partition in partitions])
        lengths = _compute(_calls(len, [(partition,) for partition in partitions]))
        return cls(parts, lengths, len(kinds), dtype, [str(column) for column in X.columns])._without_empty()

    def _without_empty(self) -> DaskBlocks:
        """Without blocks that have no rows; one of them stays where there are no others."""
        kept = [i for i, length in enumerate(self._lengths) if length] or [0]
        parts, lengths = [self._parts[i] for i in kept], [self._lengths[i] for i in kept]
        return DaskBlocks(parts, lengths, self.shape[1], self.dtype, self.names)

    def map(self, function: Callable[..., R], *beside: npt.NDArray[Any]) -> Iterator[R]:
        """As `BlockedSamples.map`, wherever the scheduler sends the blocks."""
        return iter(_compute(self._tasks(function, beside)))

    def total(self, function: Callable[..., FloatArray], *beside: npt.NDArray[Any]) -> FloatArray:
        """As `BlockedSamples.total`, added up in a tree: one matrix comes back."""
        sums = self._tasks(function, beside)
        while len(sums) > 1:
            sums = _calls(_added, [tuple(sums[start : start + FAN_IN]) for start in range(0, len(sums), FAN_IN)])
        return _compute(sums)[0].copy()

    def then(self, step: Step, dtype: npt.DTypeLike | None = None) -> DaskBlocks:
        """As `BlockedSamples.then`."""
        parts = _calls(step, [(part,) for part in self._parts])
        return DaskBlocks(parts, self._lengths, self.shape[1], dtype or self.dtype, self.names)

    def followed_by(self, other: BlockedSamples) -> DaskBlocks:
        """As `BlockedSamples.followed_by`."""
        assert isinstance(other, DaskBlocks)
        dtype = np.result_type(self.dtype, other.dtype)
        ours, theirs = (
            samples if samples.dtype == dtype else samples.then(partial(as_type, dtype=dtype), dtype)
            for samples in (self, other)
        )
        parts, lengths = [*ours._parts, *theirs._parts], [*ours._lengths, *theirs._lengths]
        return DaskBlocks(parts, lengths, self.shape[1], dtype, self.names)

    def kept_if_small(self) -> DaskBlocks:
        """The same samples, kept by the workers if they take no more than half of their memory; else read each time."""
        client = _client()
        if client is None or self.shape[0] * self.shape[1] * self.dtype.itemsize > SHARE_KEPT * _memory(client):
            return self
        from dask.base import persist

        with computing():
            parts = persist(*self._parts, retries=RETRIES)
        return DaskBlocks(parts, self._lengths, self.shape[1], self.dtype, self.names)

    def whole(self) -> Any:
        """All rows as one array, which a worker of the cluster holds, as a future."""
        client = _client()
        assert client is not None
        [stacked] = _calls(_stacked, [tuple(self._parts)])
        with computing():
            return client.compute(stacked, retries=RETRIES)

    def elsewhere(self) -> AbstractContextManager[None]:
        """As `BlockedSamples.elsewhere`: the cluster's workers, if there is a cluster."""
        return nullcontext() if _client() is None else sending(send)

    def _tasks(self, function: Callable[..., Any], beside: Sequence[npt.NDArray[Any]]) -> list[Any]:
        ends = np.cumsum([0, *self._lengths])
        slices = [tuple(values[start:stop] for values in beside) for start, stop in pairwise(ends.tolist())]
        return _calls(function, [(part, *own) for part, own in zip(self._parts, slices, strict=True)])


def send(function: Callable[..., R], calls: Sequence[tuple[Any, ...]]) -> list[R]:
    """Call a function with each of some tuples of arguments, where Dask's scheduler sends it; arrays are sent once.

    Examples
    --------
    >>> send(max, [(1, 2), (4, 3)])
    [2, 4]
    """
    from dask.delayed import delayed

    shared: dict[int, Any] = {}
    for argument in (argument for arguments in calls for argument in arguments):
        if isinstance(argument, np.ndarray) and id(argument) not in shared:
            shared[id(argument)] = delayed(argument)
    return _compute(_calls(function, [tuple(shared.get(id(value), value) for value in own) for own in calls]))


def in_order(function: Callable[..., R], calls: Iterable[tuple[Any, ...]]) -> Iterator[R]:
    """The results of some calls, in their order, each as soon as it is there: by a cluster's workers, or here.

    A few calls are under way at a time. The function, which must pickle, is sent once.

    Examples
    --------
    >>> list(in_order(divmod, [(7, 2), (9, 4)]))
    [(3, 1), (2, 1)]
    """
    client = _client()
    if client is None:
        yield from (function(*arguments) for arguments in calls)
        return
    with computing():
        held = on_worker(_Held(function))
        ahead = CALLS_AHEAD * max(1, sum(client.nthreads().values()))
    pending: deque[Any] = deque()
    waiting = iter(calls)
    while True:
        with computing():
            for arguments in islice(waiting, ahead - len(pending)):
                pending.append(client.submit(_call, held, *arguments, pure=False, retries=RETRIES))
            if not pending:
                return
            result = _answer(pending.popleft().result())
        yield result


def on_worker(value: Any) -> Any:
    """A value that a worker of the cluster holds, as a future: other workers get it from there."""
    client = _client()
    assert client is not None
    with computing():
        # A task, and not data that would be gone with the worker.
        return client.submit(_same, value, pure=False, retries=RETRIES)


def _calls(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    """A task for each call; the function, which may hold a matrix, is in the graph once."""
    from dask.delayed import delayed

    held = delayed(_Held(function), traverse=False)
    return [delayed(_call)(held, *arguments) for arguments in calls]


def _values(frame: Any, dtype: np.dtype[Any]) -> FloatArray:
    return np.ascontiguousarray(frame.to_numpy(dtype=dtype))


def _precision(kind: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float32 if kind in (np.float16, np.float32) else np.float64)


def _not_samples(name: str) -> InputError:
    return InputError(f"{name} must have two dimensions, samples and features, and hold numbers.")


class _Held:
    """A function as Dask takes a value: it is not called, and not looked into."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function


@dataclass(frozen=True)
class _Refusal:
    """An error as a value: Dask does a task that raises one again, and the same input is refused each time."""

    error: TsrpError


def _call(held: _Held, *arguments: Any) -> Any:
    refused = next((argument for argument in arguments if isinstance(argument, _Refusal)), None)
    if refused is not None:
        return refused
    try:
        return held.function(*arguments)
    except TsrpError as error:
        return _Refusal(error)


def _answer(result: Any) -> Any:
    """What a task found; a refusal is raised."""
    if isinstance(result, _Refusal):
        raise result.error
    return result


def _same(value: R) -> R:
    return value


def _stacked(*blocks: FloatArray) -> FloatArray:
    return np.concatenate(blocks)


def _added(first: FloatArray, *others: FloatArray) -> FloatArray:
    total = first.copy()
    for other in others:
        total += other
    return total


def _compute(tasks: Sequence[Any]) -> list[Any]:
    from dask.base import compute

    with computing():
        return [_answer(result) for result in compute(*tasks, retries=RETRIES)]


@contextmanager
def computing() -> Iterator[None]:
    """What a cluster cannot compute is one sentence, like other mistakes that a user can mend."""
    try:
        with warnings.catch_warnings():
            # What has the size of the result has to be sent; Dask advises against it.
            warnings.filterwarnings("ignore", "Sending large graph")
            yield
    except (TsrpError, MemoryError):
        raise
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("distributed", "asyncio", "concurrent"):
            raise
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise UsageError(f"the Dask cluster could not finish the work ({reason}): look at its workers.") from error


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Let Dask work on the cluster of the scheduler at this address.

    Raises
    ------
    UsageError
        If there is none, or if the package distributed is not installed.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError('a Dask cluster needs the package distributed: run  pip install "tsrp[cluster]".') from error
    check_address(address)
    # Its own account of a cluster that is gone runs over many lines; ours is one.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise UsageError(f"`address`: there is no Dask scheduler at {address} ({error}): check its address.") from error
    with client:
        yield


def check_address(address: str) -> None:
    """Refuse what cannot be the address of a scheduler."""
    if not ADDRESS.fullmatch(address):
        raise UsageError(f"`address` must be a scheduler's, such as tcp://host:8786, but it is {address!r}.")


def _client() -> Any:
    """Who sends Dask's work to a cluster; None if it is done here."""
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None


def is_connected() -> bool:
    """Whether Dask's work goes to a cluster."""
    return _client() is not None


def smallest_memory() -> float:
    """Bytes that each worker of the cluster may take; infinite if none has a limit."""
    return min((limit for limit in _limits(_client()) if limit), default=np.inf)


def _memory(client: Any) -> float:
    """Bytes that all workers together may take; a worker without a limit is not counted."""
    return sum(_limits(client))


def _limits(client: Any) -> list[float]:
    """Bytes that each worker may take; 0 for one without a limit."""
    # Newer versions tell of a few workers only, unless they are asked for all.
    every = {"n_workers": -1} if "n_workers" in signature(client.scheduler_info).parameters else {}
    workers = client.scheduler_info(**every)["workers"].values()
    return [float(worker["memory_limit"] or 0) for worker in workers]
