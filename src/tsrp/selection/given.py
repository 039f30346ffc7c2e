"""The samples that candidates are tried on, and who tries them: processes of this machine, or a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
from joblib import delayed

from tsrp._types import LabelArray
from tsrp.base.blocked import check_blocked_domains, is_blocked
from tsrp.blocked.cluster import DaskBlocks, in_order, is_connected, on_worker, smallest_memory
from tsrp.blocked.local import TIMES_IN_MEMORY
from tsrp.blocked.samples import BlockedSamples
from tsrp.exceptions import InputError, UsageError
from tsrp.memory import check_memory, show_size
from tsrp.methods.nn import NN
from tsrp.processes import parallel
from tsrp.selection.candidates import Candidate
from tsrp.validation import check_domains

R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Given:
    """Checked samples of both domains, which fit into memory.

    Attributes
    ----------
    Xs, ys, Xt : arrays
        As they were given; samples in blocks are `BlockedSamples`.
    on_dask : bool
        Whether a cluster tries the candidates.
    """

    Xs: Any
    ys: npt.ArrayLike
    Xt: Any
    on_dask: bool

    @classmethod
    def of(cls, Xs: Any, ys: Any, Xt: Any, *, on_dask: bool) -> Given:
        """Refused if they cannot be used, or are too large for whoever tries the candidates."""
        if on_dask and not is_connected():
            raise UsageError("on_dask needs a connection to a Dask cluster: make a distributed.Client first.")
        if not (is_blocked(Xs) or is_blocked(Xt)):
            check_domains(NN(), Xs, ys, Xt)
            return cls(Xs, ys, Xt, on_dask)
        domains = check_blocked_domains(NN(), Xs, ys, Xt)
        of_dask = isinstance(domains.Xs, DaskBlocks) and is_connected()
        found = cls(domains.Xs, np.asarray(ys), domains.Xt, on_dask or of_dask)
        found._check_size()
        return found

    def _check_size(self) -> None:
        n, m = len(self.Xs) + len(self.Xt), self.Xs.shape[1]
        needed = TIMES_IN_MEMORY * n * m * self.Xs.dtype.itemsize
        what = f"each candidate on all {n:,} samples of {m:,} features"
        if not self.on_dask:
            check_memory(what, needed, "use some of the samples")
        elif needed > smallest_memory():
            raise InputError(
                f"{what} needs about {show_size(needed)} of memory, more than the {show_size(smallest_memory())} that "
                "a worker has: use some of the samples."
            )

    def each(
        self, attempt: Callable[[Candidate, Any, Any, Any], R], candidates: Iterable[Candidate], n_jobs: int
    ) -> Iterator[R]:
        """``attempt(candidate, Xs, ys, Xt)`` of each candidate, in their order."""
        if not self.on_dask:
            Xs, ys, Xt = self.here()
            yield from parallel(n_jobs, return_as="generator")(
                delayed(attempt)(candidate, Xs, ys, Xt) for candidate in candidates
            )
            return
        # Each worker that needs them gets them once.
        domains = tuple(_held(values) for values in (self.Xs, self.ys, self.Xt))
        names = (_names(self.Xs), _names(self.Xt))
        yield from in_order(partial(_with_names, attempt, names), ((candidate, *domains) for candidate in candidates))

    def here(self) -> tuple[Any, Any, Any]:
        """Xs, ys and Xt in the memory of this process."""
        Xs, Xt = (_framed(_in_memory(X), _names(X)) for X in (self.Xs, self.Xt))
        return Xs, self.ys, Xt


def _in_memory(X: Any) -> Any:
    return X.rows(np.array) if isinstance(X, BlockedSamples) else X


def _held(values: Any) -> Any:
    return values.whole() if isinstance(values, DaskBlocks) else on_worker(_in_memory(values))


def _names(X: Any) -> list[str] | None:
    """Of samples in blocks, which come as arrays; others have theirs."""
    return X.names if isinstance(X, BlockedSamples) else None


def _with_names(
    attempt: Callable[[Candidate, Any, Any, Any], R],
    names: tuple[list[str] | None, list[str] | None],
    candidate: Candidate,
    Xs: Any,
    ys: LabelArray,
    Xt: Any,
) -> R:
    return attempt(candidate, _framed(Xs, names[0]), ys, _framed(Xt, names[1]))


def _framed(X: Any, names: list[str] | None) -> Any:
    return X if names is None else pd.DataFrame(X, columns=names, copy=False)
