"""What the parameters of an estimator may be: declared in its class, checked once, when it is fitted or built by name.

A class lists its own parameters in ``constraints``; those of the classes above it are added.

>>> from tsrp.parameters import Number, check_parameters
>>> class Method:
...     constraints = {"ridge": Number(low=0, open_low=True)}
...     def get_params(self, deep):
...         return {"ridge": -1}
>>> check_parameters(Method())
Traceback (most recent call last):
tsrp.exceptions.UsageError: ridge must be a number greater than 0, but it is -1.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.base import is_regressor

from tsrp.exceptions import UsageError, WrongTypeError

# No parameter has a meaning beyond this, and infinity has none at all.
LARGEST = 1e100


class Constraint(Protocol):
    """What a parameter may be."""

    def check(self, name: str, value: Any) -> None:
        """Refuse a value in a sentence that names the parameter."""


@dataclass(frozen=True)
class Number:
    """A (whole) number in [low, high], or in (low, high] with `open_low`."""

    low: float
    high: float = np.inf
    whole: bool = False
    open_low: bool = False

    def __str__(self) -> str:
        what = "a whole number" if self.whole else "a number"
        bounds = f"greater than {self.low}" if self.open_low else f"of at least {self.low}"
        return f"{what} {bounds}" + (f" and at most {self.high}" if np.isfinite(self.high) else "")

    def check(self, name: str, value: Any) -> None:
        kind = numbers.Integral if self.whole else numbers.Real
        if isinstance(value, kind) and not isinstance(value, bool | np.bool_):
            # A float32 could not be compared with numbers beyond its range.
            number: Any = value.item() if isinstance(value, np.generic) else value
            above = self.low < number if self.open_low else self.low <= number
            if -LARGEST < number < LARGEST and above and number <= self.high:
                return
        raise UsageError(f"{name} must be {self}, but it is {value!r}.")


@dataclass(frozen=True)
class NumberOr:
    """A number, or one word that stands for a rule to find it."""

    number: Number
    word: str

    def check(self, name: str, value: Any) -> None:
        if not isinstance(value, str):
            self.number.check(name, value)
        elif value != self.word:
            raise UsageError(f'{name} must be {self.number}, or "{self.word}", but it is {value!r}.')


@dataclass(frozen=True)
class Optional:
    """What another constraint allows, or None."""

    given: Constraint

    def check(self, name: str, value: Any) -> None:
        if value is not None:
            self.given.check(name, value)


@dataclass(frozen=True)
class OneOf:
    """One of a few words."""

    choices: tuple[str, ...]

    def check(self, name: str, value: Any) -> None:
        if not (isinstance(value, str) and value in self.choices):
            listed = ", ".join(repr(choice) for choice in self.choices)
            raise UsageError(f"{name} must be one of {listed}, but it is {value!r}.")


@dataclass(frozen=True)
class Flag:
    """True or False."""

    def check(self, name: str, value: Any) -> None:
        if not isinstance(value, bool | np.bool_):
            raise UsageError(f"{name} must be True or False, but it is {value!r}.")


@dataclass(frozen=True)
class Classifier:
    """A scikit-learn classifier, or None for 1-nearest-neighbour."""

    def check(self, name: str, value: Any) -> None:
        if value is None:
            return
        if isinstance(value, type):
            raise WrongTypeError(f"{name} must be an object, not a class: pass {value.__name__}().")
        if not (hasattr(value, "fit") and hasattr(value, "predict")) or is_regressor(value):
            raise WrongTypeError(
                f"{name} must be a scikit-learn classifier with fit and predict, or None for 1-NN; it is {value!r}."
            )


def constraints_of(kind: type) -> dict[str, Constraint]:
    """The constraints that a class declares, and those of the classes above it that it does not change."""
    merged: dict[str, Constraint] = {}
    for above in reversed(kind.__mro__):
        merged |= vars(above).get("constraints", {})
    return merged


def check_parameters(estimator: Any) -> None:
    """Refuse an estimator with a parameter that is not what its class declares."""
    check_values(type(estimator), estimator.get_params(deep=False))


def check_values(kind: type, values: Mapping[str, Any]) -> None:
    """Refuse values that are not what a class declares of its parameters, without making one."""
    for name, constraint in constraints_of(kind).items():
        if name in values:
            constraint.check(name, values[name])
