"""A method with its settings and its preprocessing as one value, by names: what files, tables and commands speak of.

>>> from tsrp.spec import MethodSpec
>>> spec = MethodSpec.parse("dicd+tsrp, n_components=50, zscore")
>>> spec.build()
PerDomain(method=TSRP(base=DICD(n_components=50)), transformer=StandardScaler())
>>> str(spec)
'dicd+tsrp, n_components=50, zscore'
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import SVC

from tsrp._cached import cached_property
from tsrp.classifiers.graph_ridge import GraphRidge
from tsrp.classifiers.kernel_ridge import KernelRidge
from tsrp.classifiers.nearest_neighbour import NearestNeighbour
from tsrp.exceptions import UsageError, WrongTypeError
from tsrp.lookup import check_name, look_up
from tsrp.parameters import check_values
from tsrp.preprocessing import PerDomain, RowScaler, SoftScaler
from tsrp.registry import MethodInfo, methods
from tsrp.remedy import TSRP

PLUS = "+"
NO_PREPROCESSING = "none"
# What every method has without another, but for those that have one of their own.
NO_CLASSIFIER = "1nn"
# What stands behind the plus sign: what it changes, and what it is.
WRAPPERS: dict[str, tuple[dict[str, Any], str]] = {
    "tsrp": ({}, "picks the confident target samples and remedies the labels of the others"),
    "tsrp_n": ({"picker": "neighbours"}, "ablation: every sample with a neighbour is confident, no tree"),
    "tsrp_c": ({"strong_training": "source"}, "ablation: the strong classifier learns from the source only"),
}
CLASSIFIERS: dict[str, Callable[[], Any]] = {
    NO_CLASSIFIER: lambda: None,
    "knn": lambda: KNeighborsClassifier(n_neighbors=5),
    "svm": SVC,
    "logistic": lambda: LogisticRegression(max_iter=1000),
    "kernel-ridge": KernelRidge,
    "graph-ridge": GraphRidge,
}
PREPROCESSING: dict[str, Callable[[], Any]] = {
    NO_PREPROCESSING: lambda: None,
    "unit": Normalizer,
    "zscore": StandardScaler,
    "rowsum": lambda: Normalizer("l1"),
    "row-zscore": RowScaler,
    "soft": SoftScaler,
    "rowsum-zscore": lambda: make_pipeline(Normalizer("l1"), StandardScaler()),
}


@dataclass(frozen=True, eq=False)
class MethodSpec:
    """A method by name, with settings and preprocessing; wrong names and values are refused when it is made.

    Two are equal if they say the same: 1 and 1.0 are one setting, and a setting of None is none.

    Parameters
    ----------
    name : str
        A method, alone or with a wrapper: ``"bda"``, ``"dicd+tsrp"``, ``"jda+tsrp_n"``; case does not matter.
    settings : mapping of str to object, optional
        Parameters of the method and of the wrapper together, as far as they differ from the defaults; classifiers by
        their names in `CLASSIFIERS`.
    preprocess : str, default "none"
        What happens to each domain by itself: a name of `PREPROCESSING`.

    Examples
    --------
    >>> MethodSpec("dicd+tsrp", {"n_components": 50, "trust": 0.85}).build()
    TSRP(base=DICD(n_components=50), trust=0.85)
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    preprocess: str = NO_PREPROCESSING

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and isinstance(self.settings, Mapping) and isinstance(self.preprocess, str)):
            raise WrongTypeError(
                "a MethodSpec needs a name, a mapping of settings and the name of a preprocessing, but it was given "
                f"{self.name!r}, {self.settings!r} and {self.preprocess!r}."
            )
        object.__setattr__(self, "name", self.name.strip().lower())
        settings = {key: self._by_name(key, value) for key, value in self.settings.items()}
        object.__setattr__(self, "settings", MappingProxyType(settings))
        object.__setattr__(self, "preprocess", self.preprocess.strip().lower())
        check_name("preprocessing", self.preprocess, PREPROCESSING)
        base, wrapper = self._placed()
        check_values(self.info.kind, base)
        check_values(TSRP, wrapper)

    def __reduce__(self) -> tuple[Any, ...]:
        return MethodSpec, (self.name, dict(self.settings), self.preprocess)

    @classmethod
    def parse(cls, text: str) -> MethodSpec:
        """A spec from what `str` makes of it: the name, settings ``name=value``, the preprocessing, with commas.

        Examples
        --------
        >>> MethodSpec.parse("jda, ridge=0.1, kernel=primal").options
        'ridge=0.1, kernel=primal'
        """
        name, *parts = (part.strip() for part in text.split(","))
        preprocess = [part for part in parts if "=" not in part]
        if len(preprocess) > 1:
            raise UsageError(f"{text!r} names more than one preprocessing: {', '.join(preprocess)}.")
        return cls(name, parse_settings(part for part in parts if "=" in part), *preprocess)

    @classmethod
    def of(cls, estimator: Any) -> MethodSpec | None:
        """The spec of an estimator of this package; None if names cannot say all of it.

        Examples
        --------
        >>> from tsrp import DICD, TSRP
        >>> str(MethodSpec.of(TSRP(DICD(ridge=2.0), picker="neighbours")))
        'dicd+tsrp_n, ridge=2.0'
        """
        transformer, method = getattr(estimator, "transformer", None), getattr(estimator, "method", estimator)
        preprocess = _name_of(transformer, PREPROCESSING)
        wrapper, end = {}, ""
        if hasattr(method, "base") and hasattr(method, "get_params"):
            wrapper, method = _changed(method), method.base
            end = next(name for name in reversed(WRAPPERS) if WRAPPERS[name][0].items() <= wrapper.items())
        name = next((name for name, info in methods().items() if info.kind is type(method)), None)
        if name is None or preprocess is None:
            return None
        changed = {key: value for key, value in wrapper.items() if key not in WRAPPERS[end][0]} | _changed(method)
        try:
            spec = cls(name + (PLUS + end if end else ""), changed, preprocess)
        # One that would be refused when it is fitted.
        except UsageError:
            return None
        # What has no name, such as other settings of a classifier, or a parameter of both TSRP and its base.
        return spec if repr(spec.build()) == repr(estimator) else None

    @property
    def base(self) -> str:
        """The method's name without its wrapper."""
        return self.name.partition(PLUS)[0]

    @property
    def wrapper(self) -> str:
        """The wrapper's name; "" without one."""
        return self.name.partition(PLUS)[2]

    @property
    def is_wrapped(self) -> bool:
        return PLUS in self.name

    @property
    def info(self) -> MethodInfo:
        """What is known of the method."""
        return look_up("method", self.base, methods())

    @property
    def options(self) -> str:
        """The settings as text: ``"n_components=20, kernel=primal"``."""
        return ", ".join(f"{key}={value}" for key, value in self.settings.items())

    def __str__(self) -> str:
        return ", ".join(
            part for part in (self.name, self.options, self.preprocess) if part not in ("", NO_PREPROCESSING)
        )

    @property
    def parameters(self) -> list[str]:
        """The names that settings may have."""
        return list(self._places())

    def build(self) -> Any:
        """The estimator, unfitted."""
        base, wrapper = self._placed()
        method = self.info.kind(**base)
        if self.is_wrapped:
            method = TSRP(method, **wrapper)
        transformer = PREPROCESSING[self.preprocess]()
        return method if transformer is None else PerDomain(transformer, method)

    @cached_property
    def record(self) -> str:
        """Settings and preprocessing as JSON in one spelling: equal settings, equal text."""
        said = {key: plain(value) for key, value in self.settings.items() if value is not None}
        return json.dumps({**said, "preprocess": self.preprocess}, sort_keys=True)

    @classmethod
    def from_record(cls, name: str, record: str) -> MethodSpec:
        """The spec of a name and a `record`."""
        settings = json.loads(record)
        if not isinstance(settings, dict):
            raise ValueError("settings are not an object of JSON")
        preprocess = settings.pop("preprocess")
        return cls(name, settings, preprocess)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MethodSpec) and (self.name, self.record) == (other.name, other.record)

    def __hash__(self) -> int:
        return hash((self.name, self.record))

    def _by_name(self, key: str, value: Any) -> Any:
        """A setting as files and commands can say it: numbers of Python's own types, and classifiers by their names."""
        if isinstance(value, np.generic):
            return value.item()
        if not key.endswith("classifier") or value is None:
            return value
        name = value.strip().lower() if isinstance(value, str) else _name_of(value, CLASSIFIERS)
        if name is None:
            raise WrongTypeError(
                f"{key} must be the name of a classifier ({', '.join(CLASSIFIERS)}), but it is {value!r}; another one "
                "goes to the method's class."
            )
        # Of most methods it is the default.
        is_default = name == NO_CLASSIFIER and not (key == "classifier" and self.info.kind.labels_itself)
        return None if is_default else name

    def _places(self) -> dict[str, bool]:
        """Each parameter, and whether it is the method's own; what both have is: TSRP takes it from its base."""
        own = dict.fromkeys(defaults(self.info.kind), True)
        if not self.is_wrapped:
            return own
        check_name("wrapper", self.wrapper, WRAPPERS)
        return dict.fromkeys(defaults(TSRP), False) | own

    def _placed(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The parameters of the method, and those of the wrapper."""
        places = self._places()
        base: dict[str, Any] = {}
        wrapper = dict(WRAPPERS[self.wrapper][0]) if self.is_wrapped else {}
        for key, value in self.settings.items():
            own = look_up("parameter", key, places, of=f" of {self.name}")
            if key.endswith("classifier") and value is not None:
                made = look_up(key, value, CLASSIFIERS)()
                value = NearestNeighbour() if made is None else made
            if not own and wrapper.get(key, value) != value:
                raise UsageError(f"{key}={value} contradicts {self.name}, which is {key}={wrapper[key]}.")
            (base if own else wrapper)[key] = value
        return base, wrapper


def make_method(name: str, settings: Mapping[str, Any] | None = None) -> Any:
    """An unfitted estimator from its name and its parameters' names, without preprocessing.

    Examples
    --------
    >>> make_method("dicd+tsrp", {"n_components": 50, "trust": 0.85})
    TSRP(base=DICD(n_components=50), trust=0.85)
    """
    return MethodSpec(name, settings or {}).build()


def parse_settings(texts: Iterable[str]) -> dict[str, Any]:
    """Parameters from texts such as ``"n_components=50"``: numbers, true, false and none are what they say.

    Examples
    --------
    >>> parse_settings(["n_components=50", "kernel=primal", "mu=auto"])
    {'n_components': 50, 'kernel': 'primal', 'mu': 'auto'}
    """
    settings: dict[str, Any] = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            raise UsageError(f"{text!r} is not of the form NAME=VALUE, such as n_components=50.")
        if key in settings:
            raise UsageError(f"{key} is given twice.")
        settings[key] = _value(value)
    return settings


def parse_values(texts: Iterable[str]) -> dict[str, list[Any]]:
    """Several values of each parameter, from texts such as ``"ridge=0.1,1,10"``.

    Examples
    --------
    >>> parse_values(["ridge=0.1,1,10", "kernel=primal"])
    {'ridge': [0.1, 1, 10], 'kernel': ['primal']}
    """
    values: dict[str, list[Any]] = {}
    for text in texts:
        key, _, listed = text.partition("=")
        if key.strip() in values:
            raise UsageError(f"{key.strip()} is given twice.")
        values[key.strip()] = [parse_settings([f"{key}={part}"])[key.strip()] for part in listed.split(",")]
    return values


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def defaults(kind: Any) -> dict[str, Any]:
    """The parameters of an estimator class that have defaults, and these."""
    parameters = inspect.signature(kind).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}


def plain(value: Any) -> Any:
    """One spelling for equal numbers: 1, not 1.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _changed(estimator: Any) -> dict[str, Any]:
    """The parameters that differ from the defaults, without the base of a wrapper."""
    usual = defaults(type(estimator))
    given = estimator.get_params(deep=False)
    return {key: given[key] for key in usual if repr(given[key]) != repr(usual[key])}


def _name_of(made: Any, table: Mapping[str, Callable[[], Any]]) -> str | None:
    """Under which name a table makes an estimator like this one."""
    return next((name for name, make in table.items() if repr(make()) == repr(made)), None)
