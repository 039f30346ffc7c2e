"""Who votes in a panel: recipes of methods that differ, and what comes of each."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from tsrp._types import FloatArray, IntArray
from tsrp.base.records import FitRecord
from tsrp.classifiers.forest import Forest
from tsrp.classifiers.training import predict_codes, predict_shares
from tsrp.exceptions import TsrpError
from tsrp.memory import given_limit, limited_memory
from tsrp.methods.artl import ARTL
from tsrp.methods.dicd import DICD
from tsrp.methods.meda import MEDA
from tsrp.methods.nn import NN
from tsrp.methods.spl import SPL
from tsrp.numerics.sharing import SharedReductions
from tsrp.numerics.threads import one_blas_thread
from tsrp.preprocessing import PerDomain, SoftScaler
from tsrp.progress import Arrival, report
from tsrp.remedy import TSRP
from tsrp.selection.heads import Head
from tsrp.validation import Domains

Inputs: TypeAlias = tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike, npt.ArrayLike | None]
# On rows of unit length scikit-learn's default of 1 leaves all classes about equally probable.
UNIT_PENALTY = 10.0
LOGISTIC_STEPS, LOGISTIC_TOLERANCE = 100, 1e-3
# Shares of the variance in the middle of those that the published settings come to.
LINEAR_RIDGE, PRIMAL_RIDGE = 1e-5, 5e-5
# Labels are about the same as with all samples, in a fraction of the time.
LANDMARKS = 500
# Leaves of a tree at most, about: for the size of a saved panel.
LEAVES = 4000


@dataclass(frozen=True, eq=False)
class Recipe:
    """A method that is to be a member of a panel.

    Attributes
    ----------
    name : str
    family : str
        Members of a family go wrong in the same way: they do not confirm each other.
    estimator : estimator of this package
    head : classifier or None
        Labels the method's last projection as a further member.
    adapts : bool
        Whether it learns from the target more than the scales of its features.
    aligns : bool
        Whether its projection brings the domains together, so that it shows what speaks for a label.
    as_they_are : bool
        Whether it learns from the source alone, and sees features as they are.
    """

    name: str
    family: str
    estimator: Any
    head: Any = None
    adapts: bool = True
    aligns: bool = False
    as_they_are: bool = False


@dataclass(frozen=True, eq=False)
class Member:
    """A member of a panel, fitted.

    Attributes
    ----------
    name, family : str
    adapts, aligns : bool
        As in its recipe.
    model : estimator of this package, or None if it failed
    seconds : float
        Of its fit; a head on another member's projection counts its own. NaN in a panel that was loaded.
    error : str
        Why it takes no part, in a sentence; empty if it does.
    weight, agreement, assortativity : float
        Its share of the vote, and what that depends on (see `tsrp.selection.vote`); 0 if it takes no part.
    right : float
        The share of known rows that it labels rightly, without having learnt from them; NaN if none is known.
    """

    name: str
    family: str
    adapts: bool
    aligns: bool
    model: Any
    seconds: float = np.nan
    error: str = ""
    weight: float = 0.0
    agreement: float = 0.0
    assortativity: float = 0.0
    right: float = np.nan


@dataclass(frozen=True, eq=False)
class Fitted:
    """A member that takes part, while the panel is being fitted.

    Attributes
    ----------
    member : Member
    record : FitRecord
    codes : array of int, shape (n_target,)
        The classes that it gives the target, known rows as if they were not.
    as_they_are : bool
        As in its recipe.
    held_out : sequence of tuples (rows, shares)
        Known rows, and the probabilities of the classes there by a fit that did not know them, if it gives any.
    """

    member: Member
    record: FitRecord
    codes: IntArray
    as_they_are: bool
    held_out: Sequence[tuple[IntArray, FloatArray]]

    def ballot(self) -> IntArray | FloatArray:
        """Its vote on the target: the probabilities of the classes, or codes if its classifier has no probabilities."""
        shares = ballot(self.member.model, self.record.Zt)
        if shares.ndim == 1:
            # Known rows as if they were not.
            return self.codes
        for rows, own in self.held_out:
            shares[rows] = own
        return shares


@dataclass(frozen=True, eq=False)
class Failed:
    """A member that takes no part, and why."""

    member: Member
    reason: Exception


def ballot(model: Any, Z: FloatArray) -> IntArray | FloatArray:
    """A fitted member's vote on projected samples: probabilities of the classes, or codes if it has none."""
    shares = predict_shares(model.classifier_, Z, model.classes_)
    return predict_codes(model.classifier_, Z, model.classes_) if shares is None else shares


def recipes(budget: str, n_source: int) -> list[Recipe]:
    """The recipes of a budget, the quickest first.

    Parameters
    ----------
    budget : {"quick", "normal", "thorough"}
    n_source : int

    Examples
    --------
    >>> [recipe.name for recipe in recipes("quick", 2000)][:2]
    ['logistic regression', 'logistic regression, z-scores']
    """
    soft, linear = SoftScaler, _logistic(UNIT_PENALTY)
    primal = TSRP(DICD(kernel="primal", ridge=PRIMAL_RIDGE, ridge_scale="relative"), picker="trust")
    dual = TSRP(DICD(kernel="linear", ridge=LINEAR_RIDGE, ridge_scale="relative"), picker="trust")
    source_only = [
        Recipe("logistic regression", "linear", NN(classifier=plain_logistic()), as_they_are=True),
        Recipe("logistic regression, z-scores", "linear", PerDomain(StandardScaler(), NN(classifier=_logistic()))),
        Recipe("logistic regression, soft", "linear", PerDomain(soft(), NN(unit_rows=True, classifier=linear))),
        Recipe("1-NN, soft", "neighbours", PerDomain(soft(), NN(unit_rows=True))),
        Recipe("trees", "trees", NN(classifier=Forest(min_samples_leaf=-(-n_source // LEAVES))), as_they_are=True),
    ]
    quick = [
        Recipe("SPL, soft", "spl", PerDomain(soft(), SPL()), linear),
        Recipe("DICD+TSRP primal, soft", "dicd", PerDomain(soft(), primal), linear, aligns=True),
        Recipe("DICD+TSRP", "dicd", dual, linear, aligns=True),
    ]
    normal = [
        Recipe("DICD+TSRP primal", "dicd", primal, linear, aligns=True),
        Recipe("MEDA", "graph", MEDA(n_landmarks=LANDMARKS)),
        Recipe("MEDA, soft", "graph", PerDomain(soft(), MEDA(n_landmarks=LANDMARKS))),
    ]
    thorough = [
        Recipe("ARTL", "graph", ARTL(n_landmarks=LANDMARKS)),
        Recipe("ARTL, soft", "graph", PerDomain(soft(), ARTL(n_landmarks=LANDMARKS))),
        Recipe("DICD+TSRP, soft", "dicd", PerDomain(soft(), dual), linear, aligns=True),
    ]
    chosen = {"quick": quick, "normal": quick + normal, "thorough": quick + normal + thorough}[budget]
    return [replace(own, adapts=False) for own in source_only] + chosen


def plain_logistic() -> Pipeline:
    """Logistic regression on features scaled as they are in what it learns from."""
    return make_pipeline(StandardScaler(), _logistic())


def _logistic(inverse_penalty: float = 1.0) -> LogisticRegression:
    return LogisticRegression(C=inverse_penalty, max_iter=LOGISTIC_STEPS, tol=LOGISTIC_TOLERANCE)


def fit_members(
    chosen: Sequence[Recipe], domains: Domains, inputs: Inputs, n_jobs: int, seconds: float | None
) -> list[Fitted | Failed]:
    """Fit recipes on threads; members come in the order of their recipes, whichever was ready first.

    Parameters
    ----------
    chosen : sequence of Recipe
    domains : Domains
    inputs : tuple of Xs, ys, Xt, yt
        As the user passed them: with their columns.
    n_jobs : int
        Threads.
    seconds : float or None
        How long they may take: who is not ready by then takes no part, but for the first, so that there is one.
    """
    deadline = np.inf if seconds is None else time.monotonic() + seconds
    max_memory = given_limit()
    stopped = threading.Event()
    limit, arrived = sum(len(_names(recipe)) for recipe in chosen), 0
    found: dict[int, list[Fitted | Failed]] = {}
    reductions = SharedReductions()
    with warnings.catch_warnings(), one_blas_thread(), ThreadPoolExecutor(n_jobs) as pool:
        # Which settings are too large for the data is no news here. Threads change and restore these filters in any
        # order; leaving this block restores what was before all of them.
        warnings.simplefilter("ignore")
        futures = {
            pool.submit(
                _try, recipe, domains, inputs, _Clock(stopped, deadline if number else np.inf), max_memory, reductions
            ): number
            for number, recipe in enumerate(chosen)
        }
        try:
            for future in as_completed(futures):
                found[futures[future]] = future.result()
                for own in future.result():
                    arrived += 1
                    report(Arrival(arrived, limit, own.member.name, own.member.error))
        except BaseException:
            # An interruption: nothing new begins, and what runs ends after its round.
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [own for number in range(len(chosen)) for own in found[number]]


class OutOfTime(TsrpError):
    """A member was not ready in time."""


class _Clock:
    """A callback of fits that ends them when their time is up, or when all are to stop."""

    def __init__(self, stopped: threading.Event, deadline: float) -> None:
        self._stopped, self._deadline = stopped, deadline

    def __call__(self, event: object = None) -> None:
        if self._stopped.is_set() or time.monotonic() > self._deadline:
            raise OutOfTime("its time was up.")


def _names(recipe: Recipe) -> list[str]:
    return [recipe.name] if recipe.head is None else [recipe.name, f"{recipe.name}, linear head"]


def _try(
    recipe: Recipe,
    domains: Domains,
    inputs: Inputs,
    clock: _Clock,
    max_memory: float | None,
    reductions: SharedReductions,
) -> list[Fitted | Failed]:
    began = time.perf_counter()
    try:
        clock()
        with limited_memory(max_memory), reductions.shared():
            return _fit(recipe, domains, inputs, clock)
    # Whatever a method raises: the others go on.
    except Exception as reason:
        said = " ".join(str(reason).split()) or type(reason).__name__
        spent = time.perf_counter() - began
        members = (
            Member(name, recipe.family, recipe.adapts, recipe.aligns, None, spent, said) for name in _names(recipe)
        )
        return [Failed(member, reason) for member in members]


def _fit(recipe: Recipe, domains: Domains, inputs: Inputs, clock: _Clock) -> list[Fitted | Failed]:
    """The method, and its projection with another head; with known labels also to each half of them, for the others."""
    classes = domains.classes
    found = _models(recipe, inputs, clock)
    codes = [np.searchsorted(classes, model.labels_) for model, _, _ in found]
    held_out: list[list[tuple[IntArray, FloatArray]]] = [[] for _ in found]
    Xs, ys, Xt, _ = inputs
    for half, out in domains.known.halves():
        told = _models(recipe, (Xs, ys, Xt, half.labels(classes, len(domains.Xt))), clock)
        for own, kept, (model, record, _) in zip(codes, held_out, told, strict=True):
            own[out] = np.searchsorted(classes, model.labels_[out])
            if (shares := predict_shares(model.classifier_, record.Zt[out], classes)) is not None:
                kept.append((out, shares))
    return [
        Fitted(
            Member(name, recipe.family, recipe.adapts, recipe.aligns, model, seconds),
            record,
            own,
            recipe.as_they_are,
            kept,
        )
        for name, own, kept, (model, record, seconds) in zip(_names(recipe), codes, held_out, found, strict=True)
    ]


def _models(recipe: Recipe, inputs: Inputs, clock: _Clock) -> list[tuple[Any, FitRecord, float]]:
    """The method and its projection with another head, the record of each, and the seconds that it took."""
    began = time.perf_counter()
    model = clone(recipe.estimator).fit(*inputs, callback=clock)
    # A record goes with the panel, which says how far to trust labels; a member by itself is small.
    record = vars(model).pop("fit_record_")
    found = [(model, record, time.perf_counter() - began)]
    if recipe.head is not None:
        began = time.perf_counter()
        head = Head(clone(recipe.estimator), clone(recipe.head))
        record = head.crown(model, record)
        found.append((head, record, time.perf_counter() - began))
    return found
