"""What a search chooses from: methods with settings and preprocessing, by name or as estimators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from tsrp.base.contract import adapts
from tsrp.exceptions import WrongTypeError
from tsrp.lookup import check_name
from tsrp.selection.members import LINEAR_RIDGE, PRIMAL_RIDGE
from tsrp.spec import NO_PREPROCESSING, MethodSpec


@dataclass(frozen=True, eq=False)
class Candidate:
    """One choice: a method, its settings, its preprocessing.

    Attributes
    ----------
    estimator : estimator
        Unfitted, with its preprocessing.
    spec : MethodSpec or None
        The same by names; None if names cannot say all of it.
    method : str
        The name of the method, such as ``"dicd+tsrp"``; of an estimator that has none, how it prints.
    settings : mapping of str to object
        Parameters that differ from the defaults.
    preprocess : str
        A name of `tsrp.spec.PREPROCESSING`.

    Examples
    --------
    >>> from tsrp.selection import Candidate
    >>> Candidate.named("jda", {"ridge": 0.1}, "zscore").estimator
    PerDomain(method=JDA(ridge=0.1), transformer=StandardScaler())
    """

    estimator: Any
    spec: MethodSpec | None = None

    @classmethod
    def named(
        cls, method: str, settings: Mapping[str, Any] | None = None, preprocess: str = NO_PREPROCESSING
    ) -> Candidate:
        """A candidate by its names; wrong ones are refused with what there is."""
        spec = MethodSpec(method, settings or {}, preprocess)
        return cls(spec.build(), spec)

    @classmethod
    def of(cls, what: Any) -> Candidate:
        """A candidate from what a user may list: one, a `MethodSpec` or its text, or an estimator of this package."""
        if isinstance(what, Candidate):
            return what
        if isinstance(what, str):
            what = MethodSpec.parse(what)
        if isinstance(what, MethodSpec):
            return cls(what.build(), what)
        if adapts(what):
            return cls(what, MethodSpec.of(what))
        raise WrongTypeError(
            f"candidates must hold names such as 'dicd+tsrp', Candidate objects or estimators of this package such as "
            f"TSRP(DICD()), but one is {what!r}."
        )

    @property
    def method(self) -> str:
        return " ".join(repr(self.estimator).split()) if self.spec is None else self.spec.name

    @property
    def settings(self) -> Mapping[str, Any]:
        return {} if self.spec is None else self.spec.settings

    @property
    def preprocess(self) -> str:
        return NO_PREPROCESSING if self.spec is None else self.spec.preprocess

    @property
    def options(self) -> str:
        """The settings as text: ``"n_components=20, kernel=primal"``."""
        return "" if self.spec is None else self.spec.options

    def __str__(self) -> str:
        return self.method if self.spec is None else str(self.spec)


def default_candidates(preprocess: Iterable[str] = ("none", "soft")) -> list[Candidate]:
    """Methods that differ, as in a panel, and the defaults of single methods: as they are, and softly scaled.

    Parameters
    ----------
    preprocess : iterable of str, default ("none", "soft")

    Returns
    -------
    list of Candidate
        9 for each preprocessing; `NN` comes first.

    Examples
    --------
    >>> candidates = default_candidates()
    >>> len(candidates), str(candidates[0]), str(candidates[-1])
    (18, 'nn', 'spl, soft')
    """
    linear = {"ridge": LINEAR_RIDGE, "ridge_scale": "relative", "picker": "trust"}
    primal = {"kernel": "primal", "ridge": PRIMAL_RIDGE, "ridge_scale": "relative", "picker": "trust"}
    recipes: list[tuple[str, dict[str, Any]]] = [
        ("nn", {}),
        ("nn", {"unit_rows": True}),
        ("nn", {"classifier": "logistic"}),
        ("jda+tsrp", linear),
        ("dicd+tsrp", {}),
        ("dicd+tsrp", linear),
        ("dicd+tsrp", primal),
        ("meda", {}),
        ("spl", {}),
    ]
    return [
        Candidate.named(method, settings, prepared)
        for prepared in dict.fromkeys(preprocess)
        for method, settings in recipes
    ]


def candidate_grid(
    methods: Iterable[str],
    settings: Mapping[str, Sequence[Any]] | None = None,
    preprocess: Iterable[str] = (NO_PREPROCESSING,),
) -> list[Candidate]:
    """Every combination of methods, values and preprocessing, once; a parameter is for the methods that have it.

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
    UsageError
        If a name is unknown, a value is refused, or none of the methods has a parameter.

    Examples
    --------
    >>> [str(candidate) for candidate in candidate_grid(["nn", "jda"], {"ridge": [0.1, 1]})]
    ['nn', 'jda, ridge=0.1', 'jda, ridge=1']
    """
    specs = list(dict.fromkeys(MethodSpec(method) for method in methods))
    values = settings or {}
    every = dict.fromkeys(key for spec in specs for key in spec.parameters)
    for key in values:
        check_name("parameter", key, every, of=f" of {', '.join(spec.name for spec in specs)}")
    listed = {key: [value] if isinstance(value, str | int | float) else value for key, value in values.items()}
    chosen = dict.fromkeys(
        MethodSpec(spec.name, dict(zip(keys, combination, strict=True)), prepared)
        for prepared in dict.fromkeys(preprocess)
        for spec in specs
        for keys in [[key for key in listed if key in spec.parameters]]
        for combination in product(*(listed[key] for key in keys))
    )
    return [Candidate.of(spec) for spec in chosen]
