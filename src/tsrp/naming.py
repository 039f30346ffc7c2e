"""Names that a user types: found, or refused with what there is."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def known(what: str, name: str, names: Iterable[str], of: str = "") -> str:
    """The name itself if it is one of `names`; otherwise an error that lists them and guesses what was meant.

    Examples
    --------
    >>> known("method", "jda", ["nn", "jda"])
    'jda'
    """
    every = list(names)
    if name in every:
        return name
    close = difflib.get_close_matches(name, every, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"there is no {what} {name!r}{of}; there are {', '.join(every)}.{hint}")
