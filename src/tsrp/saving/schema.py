"""What a saved part consists of, and how parts that belong to one another are read together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from tsrp.saving.fields import Field, Reader, Scope, Writer
from tsrp.spec import defaults

# How much of a part is saved: as it was made; with what a base noted while TSRP used it; as it was fitted; as a model
# that says how far to trust its labels.
MADE, USED, FITTED, ASSESSED = range(4)
# Parts within parts, as models have them: a panel's member, its method, that method's classifier, and so on.
DEEPEST = 20


@dataclass(frozen=True)
class Schema:
    """A class that may be a part of a saved model, and its attributes.

    Attributes
    ----------
    place : str
        Module and name of the class.
    parameters : dict of str to Field
        What its constructor takes.
    used, fitted, optional, assessed : dict of str to Field
        What it has beyond that at each stage. Those of `used` and `optional` may be missing.
    left_out : set of str
        Attributes that a saved part does without.
    keeps_width : bool
        Whether it makes as many components as there are features.
    foreign : bool
        Whether it is a class of scikit-learn. Its parameters are saved where they differ from the defaults, and of its
        attributes those that `predict` and `transform` need.
    check : callable, optional
        Is given a fitted part, the sizes and the reader; refuses what fields cannot declare.
    """

    place: str
    parameters: Mapping[str, Field] = field(default_factory=dict)
    used: Mapping[str, Field] = field(default_factory=dict)
    fitted: Mapping[str, Field] = field(default_factory=dict)
    optional: Mapping[str, Field] = field(default_factory=dict)
    assessed: Mapping[str, Field] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()
    keeps_width: bool = False
    foreign: bool = False
    check: Callable[[Any, Scope, Reader], None] | None = None

    @property
    def kind(self) -> Any:
        """The class."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)

    def write(self, made: Any, scope: Scope, writer: Writer) -> dict[str, Any]:
        """The attributes as JSON."""
        fields, usual = self._fields(scope.stage), defaults(self.kind)
        state = {}
        for name, each in fields.items():
            # What is not there can only be what may be missing.
            if not hasattr(made, name) or (self.foreign and self._is_default(made, name, usual)):
                continue
            writer.path.append(name)
            state[name] = each.write(getattr(made, name), scope, writer)
            writer.path.pop()
        if self.foreign:
            left = [name for name in usual if name not in fields and not self._is_default(made, name, usual)]
        else:
            left = [name for name in vars(made) if scope.stage >= FITTED and name not in {*fields, *self.left_out}]
        for name in left:
            writer.path.append(name)
            raise writer.refuse(f"{getattr(made, name)!r:.60}", "leave it as it is by default, or use joblib.dump")
        return state

    def read(self, state: Mapping[str, Any], scope: Scope, reader: Reader) -> Any:
        """The part, made from its attributes."""
        fields, values = self._fields(scope.stage), {}
        for name in state:
            if name not in fields:
                raise ValueError(f"{name!r:.60} is not an attribute that it has in a saved model")
        for name, each in fields.items():
            if name in state:
                reader.path.append(name)
                values[name] = each.read(state[name], scope, reader)
                reader.path.pop()
            elif not (name in self.used or name in self.optional or (self.foreign and name in self.parameters)):
                raise ValueError(f"{name} is missing")
        made = self.kind(**{name: values.pop(name) for name in self.parameters if name in values})
        vars(made).update(values)
        if self.keeps_width and "features" in scope.sizes:
            scope.agree("components", scope.sizes["features"])
        if self.check is not None and scope.stage >= FITTED:
            self.check(made, scope, reader)
        return made

    def _fields(self, stage: int) -> dict[str, Field]:
        groups = (self.used,), (self.fitted, self.optional), (self.assessed,)
        return dict(self.parameters) | {
            name: each for number in range(stage) for group in groups[number] for name, each in group.items()
        }

    def _is_default(self, made: Any, name: str, usual: Mapping[str, Any]) -> bool:
        return name in usual and repr(getattr(made, name)) == repr(usual[name])


@dataclass(frozen=True)
class Part:
    """A part of one of some classes; `links` says which sizes of it are which of the whole."""

    allowed: tuple[str, ...]
    stage: int = FITTED
    links: Mapping[str, str] = field(default_factory=dict)

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        inner = Scope(self.stage, scope.classes)
        content = write_part(value, self.allowed, inner, writer)
        scope.classes = inner.classes if scope.classes is None else scope.classes
        return content

    def read(self, content: Any, scope: Scope, reader: Reader) -> Any:
        known = {own: scope.sizes[whole] for own, whole in self.links.items() if whole in scope.sizes}
        inner = Scope(self.stage, scope.classes, known)
        made = read_part(content, self.allowed, inner, reader)
        for own, whole in self.links.items():
            if own not in inner.sizes:
                raise ValueError(f"it does not say how many {own} it has")
            scope.agree(whole, inner.sizes[own])
        scope.classes = inner.classes if scope.classes is None else scope.classes
        return made


@dataclass(frozen=True)
class Steps:
    """Parts one after the other: each takes what the one before makes. With `last`, they have names, as in pipelines.

    Attributes
    ----------
    allowed, last : tuple of str
        The classes of all parts, and further ones of the last part.
    """

    allowed: tuple[str, ...]
    last: tuple[str, ...] = ()

    def write(self, value: Any, scope: Scope, writer: Writer) -> Any:
        parts = [step[1] for step in value] if self.last else value
        written = [
            write_part(part, self._at(i, len(value)), Scope(scope.stage, scope.classes), writer)
            for i, part in enumerate(parts)
        ]
        return [[step[0], part] for step, part in zip(value, written, strict=True)] if self.last else written

    def read(self, content: Any, scope: Scope, reader: Reader) -> Any:
        if not isinstance(content, list) or not content:
            raise ValueError("it is not a list of steps")
        if self.last and not all(
            isinstance(step, list) and len(step) == 2 and isinstance(step[0], str) for step in content
        ):
            raise ValueError("its steps have no names")
        names = [step[0] for step in content] if self.last else [""] * len(content)
        made, width = [], scope.sizes.get("features")
        for i, step in enumerate(content):
            inner = Scope(scope.stage, scope.classes, {} if width is None else {"features": width})
            made.append(read_part(step[1] if self.last else step, self._at(i, len(content)), inner, reader))
            if i == 0 and scope.stage >= FITTED:
                scope.agree("features", inner.sizes["features"])
            width = inner.sizes.get("components")
        if width is not None:
            scope.agree("components", width)
        return list(zip(names, made, strict=True)) if self.last else made

    def _at(self, i: int, n: int) -> tuple[str, ...]:
        return self.allowed + (self.last if i == n - 1 else ())


def write_part(value: Any, allowed: tuple[str, ...], scope: Scope, writer: Writer) -> dict[str, Any]:
    """A part as JSON."""
    # A subclass is not the class.
    schemas = writer.schemas
    place = f"{type(value).__module__}:{type(value).__name__}"
    name = next((name for name in allowed if _leads_to(schemas[name].place, place)), None)
    if name is None:
        ours = ", ".join(sorted(one.partition(".")[2] for one in allowed if one.startswith("sklearn.")))
        instead = f"use joblib.dump, or one of scikit-learn's {ours}" if ours else "use joblib.dump"
        raise writer.refuse(f"a {type(value).__name__}", instead)
    return {"class": name, "state": schemas[name].write(value, scope, writer)}


def read_part(content: Any, allowed: tuple[str, ...], scope: Scope, reader: Reader) -> Any:
    """A part from JSON. No name but those allowed is ever looked up."""
    if not (isinstance(content, dict) and content.keys() == {"class", "state"} and isinstance(content["state"], dict)):
        raise ValueError("it is not a part")
    if content["class"] not in allowed:
        raise ValueError(f"{content['class']!r:.60} is not a part of a saved model, or not in this place")
    if len(reader.path) > DEEPEST:
        raise ValueError("it is nested too deeply")
    return reader.schemas[content["class"]].read(content["state"], scope, reader)


def _leads_to(place: str, found: str) -> bool:
    """Whether a class is found at a place; scikit-learn's are at home in modules beneath those that export them."""
    module, _, name = place.partition(":")
    home, _, other = found.partition(":")
    return name == other and home.startswith(module)
