"""Labels as people and other programs write them: 1, 1.0 and "1" are one label, and an empty cell is none."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeVar

from tsrp.validation import is_missing

T = TypeVar("T")


def is_unknown(value: Any) -> bool:
    """Whether nothing is written there."""
    return is_missing(value) or (isinstance(value, str) and not value.strip())


def meaning(value: Any, written: Mapping[Any, T], otherwise: T) -> T:
    """What a written label stands for: gaps turn whole numbers into others, and files turn all of them into text.

    Parameters
    ----------
    value
        The label as it is written.
    written : mapping
        From labels, as values or as text, to what they stand for.
    otherwise
        If it is none of these.

    Examples
    --------
    >>> meaning(" 1.0", {1: "one"}, "?"), meaning(1.0, {"1": "one"}, "?"), meaning("2", {1: "one"}, "?")
    ('one', 'one', '?')
    """
    text = str(value).strip()
    number = _number(text)
    forms = (value, text, number) if isinstance(value, str) else (value, text, number, str(number))
    # Cells of Parquet files may be lists.
    return next((written[form] for form in forms if isinstance(form, Hashable) and form in written), otherwise)


def _number(text: str) -> Any:
    """The number that a text stands for, whole if it is, or the truth value; else the text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number
