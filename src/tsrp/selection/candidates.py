"""What a search chooses from: methods with settings and preprocessing, by name or as estimators."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from tsrp.methods import METHODS, PREPROCESSING, WRAPPERS, defaults, make_method
from tsrp.naming import known
from tsrp.preprocessing import PerDomain
from tsrp.projections.contract import adapts
from tsrp.remedy import TSRP

# The published settings are for at most this many samples in both domains; the matrix that `ridge` is added to grows.
PUBLISHED_SIZE = 4000
FEW_COMPONENTS = 20


@dataclass(frozen=True, eq=False)
class Candidate:
    """One choice: a method, its settings, its preprocessing.

    Attributes
    ----------
    method : str
        As `tsrp.methods.make_method` takes it, such as ``"dicd+tsrp"``; of an estimator, how it prints.
    settings : mapping of str to object
        Parameters that differ from the defaults.
    preprocess : str
        A name of `tsrp.methods.PREPROCESSING`.
    estimator : estimator
        Unfitted, with its preprocessing.

    Examples
    --------
    >>> from tsrp.selection import Candidate
    >>> Candidate.named("jda", {"ridge": 0.1}, "zscore").estimator
    PerDomain(method=JDA(ridge=0.1), transformer=StandardScaler())
    """

    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    preprocess: str = "none"
    estimator: Any = None

    @classmethod
    def named(cls, method: str, settings: Mapping[str, Any] | None = None, preprocess: str = "none") -> Candidate:
        """A candidate by its names; wrong ones are refused with what there is."""
        method = method.strip().lower()
        made = make_method(method, settings)
        transformer = PREPROCESSING[known("preprocessing", preprocess, PREPROCESSING)]()
        estimator = made if transformer is None else PerDomain(transformer, made)
        return cls(method, dict(settings or {}), preprocess, estimator)

    @classmethod
    def of(cls, what: Any) -> Candidate:
        """A candidate from what a user may list: one, a method's name, or an estimator of this package."""
        if isinstance(what, Candidate):
            return what
        if isinstance(what, str):
            return cls.named(what)
        if adapts(what):
            return cls(" ".join(repr(what).split()), estimator=what)
        raise TypeError(
            f"candidates must hold names such as 'dicd+tsrp', Candidate objects or estimators of this package such as "
            f"TSRP(DICD()), but one is {what!r}."
        )

    @property
    def options(self) -> str:
        """The settings as text: ``"n_components=20, kernel=primal"``."""
        return ", ".join(f"{key}={value}" for key, value in self.settings.items())

    @property
    def arguments(self) -> str:
        """What makes `tsrp adapt` run this candidate, quoted for a shell."""
        words = ["--method", self.method]
        for key, value in self.settings.items():
            words += ["--set", f"{key}={value}"]
        return shlex.join([*words, *(() if self.preprocess == "none" else ("--preprocess", self.preprocess))])

    def __str__(self) -> str:
        return ", ".join(part for part in (self.method, self.options, self.preprocess) if part not in ("", "none"))


def default_candidates(
    n_samples: int, n_features: int, preprocess: Iterable[str] = ("none", "zscore")
) -> list[Candidate]:
    """The methods of the paper, without and with TSRP, as they are and on z-scores, in a few settings.

    Parameters
    ----------
    n_samples : int
        In both domains together: beyond the sizes of the benchmarks `ridge` grows as its matrix does.
    n_features : int
        A projection of few components should have fewer than these.
    preprocess : iterable of str, default ("none", "zscore")

    Returns
    -------
    list of Candidate
        11 for each preprocessing; `NN` comes first.

    Examples
    --------
    >>> candidates = default_candidates(2000, 800)
    >>> len(candidates), str(candidates[0]), str(candidates[-1])
    (22, 'nn', 'dicd+tsrp, kernel=primal, ridge=0.1, zscore')
    """
    growth = max(1, n_samples / PUBLISHED_SIZE)
    linear: dict[str, Any] = {} if growth == 1 else {"ridge": growth**2}
    strong = {"ridge": 10 * growth**2}
    primal = {"kernel": "primal", "ridge": 0.1 * growth}
    few = {**linear, "n_components": min(FEW_COMPONENTS, max(1, n_features // 2))}
    recipes: list[tuple[str, dict[str, Any]]] = [
        ("nn", {}),
        ("nn", {"unit_rows": True}),
        ("jda", linear),
        ("jda+tsrp", linear),
        ("jda+tsrp", primal),
        ("bda", {**linear, "mu": "auto"}),
        ("dicd", linear),
        ("dicd+tsrp", linear),
        ("dicd+tsrp", strong),
        ("dicd+tsrp", few),
        ("dicd+tsrp", primal),
    ]
    return [
        Candidate.named(method, settings, prepared)
        for prepared in dict.fromkeys(preprocess)
        for method, settings in recipes
    ]


def candidate_grid(
    methods: Iterable[str],
    settings: Mapping[str, Sequence[Any]] | None = None,
    preprocess: Iterable[str] = ("none",),
) -> list[Candidate]:
    """Every combination of methods, values and preprocessing; a parameter applies to the methods that have it.

    Parameters
    ----------
    methods : iterable of str
    settings : mapping of str to sequence, optional
        The values that each parameter is tried with.
    preprocess : iterable of str, default ("none",)

    Returns
    -------
    list of Candidate

    Raises
    ------
    ValueError
        If a name is unknown, a value is refused, or none of the methods has a parameter.

    Examples
    --------
    >>> [str(candidate) for candidate in candidate_grid(["nn", "jda"], {"ridge": [0.1, 1]})]
    ['nn', 'jda, ridge=0.1', 'jda, ridge=1']
    """
    names = list(dict.fromkeys(method.strip().lower() for method in methods))
    values = settings or {}
    own = {name: _parameters(name) for name in names}
    every = dict.fromkeys(key for keys in own.values() for key in keys)
    for key in values:
        known("parameter", key, every, of=f" of {', '.join(names)}")
    return [
        Candidate.named(name, dict(zip(keys, chosen, strict=True)), prepared)
        for prepared in dict.fromkeys(preprocess)
        for name in names
        for keys in [[key for key in values if key in own[name]]]
        for chosen in product(*(values[key] for key in keys))
    ]


def _parameters(method: str) -> list[str]:
    """The names of a method's parameters, and of its wrapper's."""
    base, plus, wrapper = method.partition("+")
    keys = list(defaults(METHODS[known("method", base, METHODS)].kind))
    if plus:
        known("wrapper", wrapper, WRAPPERS)
        keys += [key for key in defaults(TSRP) if key not in keys]
    return keys
