"""How much memory files and fits may take: what needs more is refused before it begins.

The limit is three quarters of what is free, unless `limited_memory` sets another.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from tsrp.exceptions import InputError, UsageError

SHARE = 0.75
# So many blocks of rows or of pairs fit into the limit.
BLOCKS = 16
UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
SIZE = re.compile(r"(\d+(?:\.\d+)?) *([KMGT]?)B?", re.IGNORECASE)
MEMINFO, CONTROL_GROUPS = Path("/proc/meminfo"), Path("/sys/fs/cgroup")
# What a container may have and what it has taken: the files of control groups in version 2, and in version 1.
CONTAINERS = (("", "memory.max", "memory.current"), ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes"))
_limit: ContextVar[float | None] = ContextVar("max_memory", default=None)


@contextmanager
def limited_memory(max_memory: float | str | None) -> Iterator[None]:
    """Let what the body reads and fits take at most so much memory.

    What is known beforehand is compared with it: the arrays that a file declares, and the large matrices of a fit. It
    is not enforced by the operating system.

    Parameters
    ----------
    max_memory : number of bytes, str such as "500MB" or "2G", or None
        None leaves the limit as it is.

    Examples
    --------
    >>> with limited_memory("500MB"):
    ...     memory_limit()
    500000000.0
    """
    token = _limit.set(_limit.get() if max_memory is None else parse_size(max_memory))
    try:
        yield
    finally:
        _limit.reset(token)


def memory_limit() -> float:
    """In bytes: what `limited_memory` says, else three quarters of what is free; infinite if the system is silent."""
    given = _limit.get()
    return SHARE * free_memory() if given is None else given


def given_limit() -> float | None:
    """What `limited_memory` says, for threads and processes that do not know of it; None if it says nothing."""
    return _limit.get()


def held_at_a_time(count: int, size: int = 1) -> int:
    """How many things of so many bytes a block has: `count`, or fewer if `limited_memory` sets a low limit.

    What is free has no say in it: blocks must not differ from run to run.

    Examples
    --------
    >>> held_at_a_time(1000, 8)
    1000
    >>> with limited_memory("64KB"):
    ...     held_at_a_time(1000, 8)
    500
    """
    given = _limit.get()
    return count if given is None else max(1, min(count, int(given / BLOCKS / size)))


def check_memory(what: str, needed: float, advice: str) -> None:
    """Refuse what needs more bytes than the limit."""
    limit = memory_limit()
    if needed > limit:
        raise InputError(
            f"{what} needs about {show_size(needed)} of memory, more than the {show_size(limit)} that it may take; "
            f"{advice}, or allow more with `max_memory`."
        )


def parse_size(size: float | str) -> float:
    """Bytes, from a number or from text such as "1.5GB".

    Examples
    --------
    >>> parse_size("1.5 GB")
    1500000000.0
    """
    found = SIZE.fullmatch(str(size).strip())
    if found is None or not float(found[1]):
        raise UsageError(f"`max_memory` must be a size such as 500MB or 2GB, but it is {size!r}.")
    return float(found[1]) * UNITS[found[2].upper()]


def show_size(size: float) -> str:
    """Bytes as people read them.

    Examples
    --------
    >>> show_size(1.5e9)
    '1.5 GB'
    """
    unit = next((unit for unit in "TGMK" if size >= UNITS[unit]), "")
    return f"{size / UNITS[unit]:,.3g} {unit}B" if size < 1e15 else f"{size / 1e12:,.0f} TB"


def free_memory() -> float:
    """Bytes that this machine, or the container around this process, has left; infinite if it does not say."""
    try:
        [available] = re.findall(r"^MemAvailable: *(\d+) kB", MEMINFO.read_text(), re.MULTILINE)
        free = 1024.0 * int(available)
    except (OSError, ValueError):
        # Other systems tell how much there is, if not how much of it is free.
        silent = "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {})
        free = math.inf if silent else float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(free, *(_left_in_container(CONTROL_GROUPS / folder, *names) for folder, *names in CONTAINERS))


def _left_in_container(folder: Path, limit: str, taken: str) -> float:
    """Bytes that the container around this process has left; infinite without one, or if it has no limit."""
    try:
        most = float((folder / limit).read_text())
        used = float((folder / taken).read_text())
        # Copies of files that nobody has used for a while make room for others.
        copies = re.findall(r"^inactive_file (\d+)", (folder / "memory.stat").read_text(), re.MULTILINE)
    except (OSError, ValueError):
        return math.inf
    return max(0.0, most - max(0.0, used - sum(map(float, copies))))
