"""The methods by name. A method is a file of `tsrp.methods`, named as it is, whose class is decorated with `register`.

The names that `tsrp` exports, `tsrp methods`, the classes that a saved model may hold, the tables of the documentation
and the tests that every method passes all come from here.

>>> from tsrp.registry import method_names, methods
>>> "jda" in method_names()
True
>>> methods()["jda"].reference
'Long et al., ICCV 2013'
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from tsrp.exceptions import UsageError

T = TypeVar("T", bound=type)
FOLDER = Path(__file__).parent / "methods"


@dataclass(frozen=True)
class MethodInfo:
    """What is known of a method beside its class.

    Attributes
    ----------
    name : str
        As the command line has it.
    kind : class
    summary, reference, cost : str
        What it does, who published it, and what takes its time, in a few words.
    small : mapping of str to mapping
        Settings for small data, by the name of the variant, for the tests that every method passes; the first is the
        usual one.
    """

    name: str
    kind: Any
    summary: str
    reference: str
    cost: str
    small: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


_registered: dict[str, MethodInfo] = {}


def register(
    name: str,
    *,
    summary: str,
    reference: str,
    cost: str,
    small: Mapping[str, Mapping[str, Any]] | None = None,
) -> Callable[[T], T]:
    """Make a class known as a method; its attributes are those of `MethodInfo`.

    Parameters
    ----------
    name, summary, reference, cost : str
    small : mapping of str to mapping, optional
        None: the defaults do for small data too.
    """

    def add(kind: T) -> T:
        # Old test runners import a file once more, under the name of its path.
        if not kind.__module__.endswith(f"tsrp.methods.{name}") or kind.__name__ != name.upper():
            raise UsageError(
                f"{kind.__module__}.{kind.__name__} is registered as {name!r}, but that is the class {name.upper()} of "
                f"tsrp/methods/{name}.py."
            )
        _registered[name] = MethodInfo(name, kind, summary, reference, cost, small or {"": {}})
        return kind

    return add


@cache
def method_names() -> tuple[str, ...]:
    """The names of all methods, from the names of their files: no method is imported for it."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules([str(FOLDER)])))


@cache
def methods() -> dict[str, MethodInfo]:
    """All methods by name, in alphabetical order."""
    for name in method_names():
        import_module(f"tsrp.methods.{name}")
    return {name: _registered[name] for name in method_names()}


def method_class(class_name: str) -> Any:
    """The class of a method, such as ``"JDA"``, of which only the own file is imported; None if there is none."""
    if class_name.lower() not in method_names():
        return None
    return getattr(import_module(f"tsrp.methods.{class_name.lower()}"), class_name, None)
