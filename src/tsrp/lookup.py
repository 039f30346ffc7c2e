"""Names that a user types: found, or refused with what there is."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TypeVar

from tsrp.exceptions import UsageError

T = TypeVar("T")


def look_up(what: str, name: str, table: Mapping[str, T], of: str = "") -> T:
    """What a table has under a name; otherwise an error that lists its names and guesses what was meant.

    Examples
    --------
    >>> look_up("method", "jda", {"nn": 1, "jda": 2})
    2
    """
    return table[check_name(what, name, table, of)]


def check_name(what: str, name: str, names: Iterable[str], of: str = "") -> str:
    """The name itself if it is one of `names`; otherwise the error of `look_up`.

    Examples
    --------
    >>> check_name("method", "jda", ["nn", "jda"])
    'jda'
    """
    every = list(names)
    if name in every:
        return name
    close = difflib.get_close_matches(name, every, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise UsageError(f"there is no {what} {name!r}{of}; there are {', '.join(every)}.{hint}")
