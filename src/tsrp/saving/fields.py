"""What an attribute of a saved part may be: each field writes a value as JSON and arrays, and reads and checks it.

A file may be forged, so a field reads nothing but what it declares: the type, the shape in terms of sizes that the
attributes of a part share, and the range of the values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from tsrp._types import LabelArray
from tsrp.exceptions import UsageError, WrongTypeError
from tsrp.parameters import Constraint, Number

if TYPE_CHECKING:
    from tsrp.saving.schema import Schema

# Products of two such numbers are in the range of numbers. Samples reach 1e100.
LARGEST = 1e150
FLOATS = (np.dtype("f8"), np.dtype("f4"))
WHOLE = tuple(np.dtype(f"{kind}{size}") for kind in "iu" for size in (8, 4, 2, 1))
BOOLEAN = (np.dtype(bool),)


@dataclass
class Scope:
    """What the attributes of a part share.

    Attributes
    ----------
    stage : int
        How much of the part is saved; see `tsrp.saving.schema`.
    classes : array of shape (n_classes,) or None
        The classes of the model, once they are known.
    sizes : dict of str to int
        The sizes that are known, such as how many features there are.
    """

    stage: int
    classes: LabelArray | None = None
    sizes: dict[str, int] = field(default_factory=dict)

    def agree(self, name: str, size: int) -> None:
        """Note a size, or refuse one that differs from what is known."""
        known = self.sizes.setdefault(name, size)
        if known != size:
            raise ValueError(f"it has {size} {name} instead of {known}")


class Walk:
    """Where reading or writing is; `path` is for errors."""

    def __init__(self, model: str, schemas: Mapping[str, Schema]) -> None:
        self.schemas, self.path = schemas, [model]

    @property
    def where(self) -> str:
        return ".".join(self.path)


class Writer(Walk):
    """Collects the arrays of a model."""

    def __init__(self, model: str, schemas: Mapping[str, Schema]) -> None:
        super().__init__(model, schemas)
        self.arrays: list[Any] = []

    def keep(self, array: Any) -> dict[str, int]:
        """What stands for an array in JSON."""
        self.arrays.append(array)
        return {"array": len(self.arrays) - 1}

    def refuse(self, what: str, instead: str) -> WrongTypeError:
        """The error for a value that has no place in the format."""
        return WrongTypeError(f"{self.where} is {what}, which the file format has no place for: {instead}.")


class Reader(Walk):
    """Hands out the arrays of a file, each once; `reserve` refuses bytes that go beyond the memory limit."""

    def __init__(
        self, model: str, schemas: Mapping[str, Schema], arrays: list[Any], reserve: Callable[[float], None]
    ) -> None:
        super().__init__(model, schemas)
        self._left, self.reserve = dict(enumerate(arrays)), reserve

    def take(self, content: Any) -> Any:
        """The array that JSON stands for."""
        number = content["array"] if isinstance(content, dict) and list(content) == ["array"] else None
        if type(number) is not int or number not in self._left:
            raise ValueError("it is not an array that only this attribute has")
        return self._left.pop(number)

    def finish(self) -> None:
        """Refuse arrays that nothing has taken."""
        if self._left:
            raise ValueError("it has arrays that belong to no part")


class Field(Protocol):
    """What an attribute may be."""

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        """The value as JSON."""

    def read(self, content: Any, scope: Scope, reader: Reader) -> Any:
        """The value, or a `ValueError` if the content is not what the field declares."""


class Value:
    """A number, a text, true, false or null that satisfies one of some constraints."""

    def __init__(self, *constraints: Constraint) -> None:
        self._constraints = constraints

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        plain = value.item() if isinstance(value, np.generic) else value
        try:
            return self.read(plain, scope, None)
        except ValueError as error:
            raise writer.refuse(f"{plain!r:.60}", f"{error}, or use joblib.dump") from error

    def read(self, content: Any, scope: Scope, reader: Reader | None) -> Any:
        if not (content is None or isinstance(content, str | int | float)):
            raise ValueError("it must be a number, a text, true, false or null")
        for constraint in self._constraints:
            try:
                constraint.check("it", content)
                return content
            except UsageError as error:
                reason = str(error).rstrip(".")
        raise ValueError(reason)


NUMBER, SHARE, COUNT = Value(Number(low=-np.inf)), Value(Number(low=0, high=1)), Value(Number(low=0, whole=True))


@dataclass(frozen=True)
class NumberOrNaN:
    """A number; null stands for NaN, which JSON lacks."""

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        return None if np.isnan(value) else NUMBER.write(value, scope, writer)

    def read(self, content: Any, scope: Scope, reader: Reader) -> Any:
        return np.nan if content is None else NUMBER.read(content, scope, reader)


@dataclass(frozen=True)
class Text:
    """A text that has an encoding."""

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        return str(value)

    def read(self, content: Any, scope: Scope, reader: Reader) -> Any:
        return _text(content)


@dataclass(frozen=True)
class Maybe:
    """What another field declares, or None."""

    given: Field

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        return None if value is None else self.given.write(value, scope, writer)

    def read(self, content: Any, scope: Scope, reader: Reader) -> Any:
        return None if content is None else self.given.read(content, scope, reader)


@dataclass(frozen=True)
class Many:
    """A list of what another field declares; a tuple if its length is known."""

    each: Field
    length: int | None = None

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        return [self.each.write(item, scope, writer) for item in value]

    def read(self, content: Any, scope: Scope, reader: Reader) -> Any:
        if not isinstance(content, list) or self.length not in (None, len(content)):
            raise ValueError("it is not a list of the right length")
        items = [self.each.read(item, scope, reader) for item in content]
        return items if self.length is None else tuple(items)


@dataclass(frozen=True)
class Size:
    """A whole number that is one of the sizes."""

    name: str

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        return int(value)

    def read(self, content: Any, scope: Scope, reader: Reader) -> Any:
        if type(content) is not int or content < 1:
            raise ValueError("it is not a size")
        scope.agree(self.name, content)
        return content


@dataclass(frozen=True)
class Array:
    """An array: the names of its sizes, its types, and the range of its values, which are finite.

    `below` names a size: values are indices into something of it.
    """

    sizes: tuple[str, ...]
    types: tuple[np.dtype[Any], ...] = FLOATS
    low: float = -LARGEST
    high: float = LARGEST
    below: str | None = None
    rising: bool = False

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        return writer.keep(value)

    def read(self, content: Any, scope: Scope, reader: Reader) -> Any:
        array = reader.take(content)
        if array.dtype not in self.types:
            raise ValueError(f"its type is {array.dtype} instead of {' or '.join(map(str, self.types))}")
        expected = tuple(scope.sizes.get(name, name) for name in self.sizes)
        if array.ndim != len(expected) or any(
            a != b for a, b in zip(array.shape, expected, strict=True) if type(b) is int
        ):
            raise ValueError(f"it is of shape {array.shape} instead of ({', '.join(map(str, expected))})")
        for name, size in zip(self.sizes, array.shape, strict=True):
            scope.agree(name, size)
        low, high = (0, scope.sizes[self.below] - 1) if self.below else (self.low, self.high)
        # Comparisons with NaN are false.
        if array.size and not (array.min() >= low and array.max() <= high):
            raise ValueError(f"it holds NaN, infinity or values that are not from {low:,} to {high:,}")
        if self.rising and not (array[:-1] < array[1:]).all():
            raise ValueError("its values do not rise")
        return array


def floats(*sizes: str, low: float = -LARGEST, high: float = LARGEST, rising: bool = False) -> Array:
    """An array of finite numbers."""
    return Array(sizes, low=low, high=high, rising=rising)


def indices(*sizes: str, below: str, rising: bool = False) -> Array:
    """An array of indices into something of a size that is known."""
    return Array(sizes, WHOLE, below=below, rising=rising)


def flags(*sizes: str) -> Array:
    """An array of booleans."""
    return Array(sizes, BOOLEAN, low=0, high=1)


@dataclass(frozen=True)
class Classes:
    """The classes of a model: two or more, sorted."""

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        scope.classes = value
        if value.dtype in FLOATS + WHOLE + BOOLEAN:
            return writer.keep(value)
        if all(isinstance(item, str) for item in value.tolist()):
            return {"texts": value.tolist(), "objects": value.dtype.kind != "U"}
        raise writer.refuse(f"an array of {value.dtype} values", "use text or numbers, or joblib.dump")

    def read(self, content: Any, scope: Scope, reader: Reader) -> Any:
        if isinstance(content, dict) and content.keys() == {"texts", "objects"}:
            classes = _texts(content["texts"], object if content["objects"] is True else str, reader)
        else:
            classes = Array(("classes",), FLOATS + WHOLE + BOOLEAN).read(content, scope, reader)
        if len(classes) < 2 or not (classes[:-1] < classes[1:]).all():
            raise ValueError("it is not an array of classes in order")
        if scope.classes is not None and not np.array_equal(classes, scope.classes):
            raise ValueError("it is not the classes of the whole model")
        scope.agree("classes", len(classes))
        scope.classes = classes
        return classes


@dataclass(frozen=True)
class Labels:
    """An array of labels: each is the number of a class of the model. `distinct` is for those of a classifier."""

    size: str
    distinct: bool = False

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        classes = _known(scope)
        return writer.keep(np.searchsorted(classes, value).astype(np.min_scalar_type(len(classes))))

    def read(self, content: Any, scope: Scope, reader: Reader) -> Any:
        classes = _known(scope)
        inner = Scope(scope.stage, sizes={"of the model": len(classes)})
        codes = indices("labels", below="of the model", rising=self.distinct).read(content, inner, reader)
        scope.agree(self.size, len(codes))
        # Numbers of one byte may stand for long texts.
        reader.reserve(codes.size * classes.dtype.itemsize)
        return classes[codes]


@dataclass(frozen=True)
class Names:
    """An array of texts, as scikit-learn keeps the names of features."""

    size: str

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        return value.tolist()

    def read(self, content: Any, scope: Scope, reader: Reader) -> Any:
        names = _texts(content, object, reader)
        scope.agree(self.size, len(names))
        return names


@dataclass(frozen=True)
class RowNames:
    """The index of a data frame; what is neither text nor a whole number, such as a date, is kept as text."""

    size: str

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        return [item if type(item) in (str, int) else str(item) for item in value.tolist()]

    def read(self, content: Any, scope: Scope, reader: Reader) -> Any:
        if not isinstance(content, list):
            raise ValueError("it is not a list")
        names = pd.Index([item if type(item) is int else _text(item) for item in content])
        scope.agree(self.size, len(names))
        return names


def _known(scope: Scope) -> LabelArray:
    if scope.classes is None:
        raise ValueError("it has labels, but no classes")
    return scope.classes


def _text(content: Any) -> str:
    if not isinstance(content, str):
        raise ValueError("it is not a text")
    content.encode()
    return content


def _texts(content: Any, kind: type, reader: Reader) -> Any:
    if not isinstance(content, list):
        raise ValueError("it is not a list of texts")
    texts = [_text(item) for item in content]
    # An array of texts takes four bytes for each character of the longest.
    reader.reserve(len(texts) * (8 if kind is object else 4 * max(map(len, texts), default=0)))
    return np.array(texts, dtype=kind)
