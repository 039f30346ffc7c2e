"""The search: fit every candidate, score it without target labels, rank."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import clone

from tsrp._cached import cached_property
from tsrp._types import LabelArray
from tsrp.base.contract import adapts
from tsrp.blocked.samples import BlockedSamples
from tsrp.exceptions import InputError, TsrpError, UsageError
from tsrp.lookup import check_name
from tsrp.memory import given_limit, limited_memory
from tsrp.numerics.threads import one_blas_thread
from tsrp.selection.candidates import Candidate, default_candidates
from tsrp.selection.given import Given
from tsrp.selection.score_table import DEFAULT_SCORE, SCORES
from tsrp.spec import MethodSpec

ESTIMATED = "estimated accuracy"
# Within this share of the scores' whole range two candidates are about as good as each other.
NEARLY = 0.05


@dataclass(frozen=True, eq=False)
class Trial:
    """What came of one candidate.

    Attributes
    ----------
    candidate : Candidate
    labels : array of shape (n_target,) or None
        The labels that it gave the target; None if it failed.
    scores : dict of str to float
        Those that look at one candidate by itself, and the estimated accuracy if it was asked for; empty if it failed.
    seconds : float
        Of the fit and the scores.
    error : str
        Why it failed, in a sentence; empty if it did not.
    traceback : str
        Where it failed, for whoever mends it; empty if it did not.
    is_bug : bool
        Whether it failed in another way than by refusing the data or its settings.
    """

    candidate: Candidate
    labels: LabelArray | None
    scores: dict[str, float]
    seconds: float
    error: str = ""
    traceback: str = ""
    is_bug: bool = False


@dataclass(frozen=True, eq=False)
class Selection:
    """What a search found.

    Attributes
    ----------
    table : DataFrame
        A row for each candidate, the best first, failures last: method, settings, preprocess, the scores, the
        estimated accuracy if it was asked for, seconds, error. Its index counts the candidates as they were given.
    trials : list of Trial
        The candidates as they were given, with their labels.
    score : str
        The score that decided.
    """

    table: pd.DataFrame
    trials: list[Trial]
    score: str
    _given: Given

    @property
    def best(self) -> Candidate:
        """The candidate of the highest score; of several, the first that was given."""
        return self.trials[self.table.index[0]].candidate

    @property
    def n_tied(self) -> int:
        """How many others have about the best score: within a twentieth of the scores' range."""
        scores = self.table.loc[self.table["error"] == "", self.score].to_numpy()
        return int(np.sum(scores >= scores[0] - NEARLY * (scores[0] - scores[-1]))) - 1

    @cached_property
    def model(self) -> Any:
        """The best candidate, fitted; it is fitted again when it is first asked for."""
        return clone(self.best.estimator).fit(*self._given.here())


def search(
    Xs: npt.ArrayLike | BlockedSamples,
    ys: npt.ArrayLike,
    Xt: npt.ArrayLike | BlockedSamples,
    candidates: Iterable[Any] | None = None,
    *,
    score: str | Sequence[str] = DEFAULT_SCORE,
    n_jobs: int = 1,
    on_dask: bool = False,
    estimate: bool = False,
    error_score: str | float = np.nan,
    callback: Callable[[Trial], object] | None = None,
) -> Selection:
    """Try methods and settings on a task, and rank them by a score that needs no target labels.

    Parameters
    ----------
    Xs, ys, Xt : arrays, or samples in blocks
        The source, its labels, the target, as for `fit`. Samples of Dask are tried on its cluster, as `on_dask` says;
        without one they are read into memory.
    candidates : iterable of Candidate, str or estimator, optional
        What to try: `candidate_grid` makes them from names, ``"dicd+tsrp"`` is a method with its defaults, an
        estimator is taken as it is. None: `default_candidates`.
    score : str or sequence of str, optional
        Names of `SCORES`. The first decides, the others stand beside it in the table.
    n_jobs : int, default 1
        Processes of this machine, as in joblib; the result does not depend on it.
    on_dask : bool, default False
        Try the candidates on the Dask cluster that this process is connected to (``distributed.Client``): each on one
        worker, which needs all samples in its memory. The result does not depend on it.
    estimate : bool, default False
        Whether the table has a column with the estimated accuracy of each candidate, which costs another fit of it.
    error_score : "raise" or NaN, default NaN
        NaN: a candidate that fails is a row of the table without scores. "raise": what it raised ends the search.
    callback : callable, optional
        Called with each `Trial`, in the order of the candidates; what it raises ends the search.

    Returns
    -------
    Selection

    Raises
    ------
    UsageError
        If a score or a candidate is unknown.
    InputError
        If the input cannot be used, or every candidate refuses it. A candidate that fails among others is a row of the
        table.
    RuntimeError
        If every candidate failed, and one of them not by refusing the input: a bug.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp.selection import search
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> found = search(X[:60], y[:60], X[60:] + 1.0, ["nn", "jda", "dicd+tsrp"])
    >>> len(found.table), found.model.labels_.shape
    (3, (60,))
    """
    names = [score] if isinstance(score, str) else list(score)
    for name in names:
        check_name("score", name, SCORES)
    if not (error_score == "raise" or (isinstance(error_score, float) and np.isnan(error_score))):
        raise UsageError(f"error_score must be 'raise' or NaN, but it is {error_score!r}.")
    if not names:
        raise UsageError("score is empty: name at least one score.")
    given = Given.of(Xs, ys, Xt, on_dask=on_dask)
    if candidates is None:
        chosen = default_candidates()
    elif isinstance(candidates, str | MethodSpec | Candidate) or adapts(candidates):
        chosen = [Candidate.of(candidates)]
    else:
        chosen = [Candidate.of(candidate) for candidate in candidates]
    if not chosen:
        raise UsageError("candidates is empty: there is nothing to choose from.")
    trials = []
    single = list(dict.fromkeys(own for name in names for own in SCORES[name].weights or (name,)))
    strict, limit = error_score == "raise", given_limit()
    attempt = partial(_try, names=single, estimate=estimate, strict=strict, max_memory=limit)
    for trial in given.each(attempt, chosen, n_jobs):
        trials.append(trial)
        if callback is not None:
            callback(trial)
    return Selection(_rank(trials, names), trials, names[0], given)


def _try(
    candidate: Candidate,
    Xs: npt.ArrayLike,
    ys: npt.ArrayLike,
    Xt: npt.ArrayLike,
    names: Sequence[str],
    estimate: bool,
    strict: bool,
    max_memory: float | None,
) -> Trial:
    began = time.perf_counter()
    try:
        with warnings.catch_warnings(), one_blas_thread(), limited_memory(max_memory):
            # Which settings are too large for the data is no news here: all are tried.
            warnings.simplefilter("ignore")
            model = clone(candidate.estimator).fit(Xs, ys, Xt)
            scores = {name: SCORES[name].function(model, Xs, ys, Xt) for name in names}
            if estimate:
                scores[ESTIMATED] = model.estimated_accuracy_.value
        for name, value in scores.items():
            if not np.isfinite(value):
                raise InputError(f"its {name} is not a number.")
    # Whatever a method raises is a row of the table: the others go on.
    except Exception as error:
        if strict:
            raise
        is_bug = not isinstance(error, TsrpError)
        reason = " ".join((f"{type(error).__name__}: {error}" if is_bug else f"{error}").split())
        trace = "".join(traceback.format_exception(error))
        return Trial(candidate, None, {}, time.perf_counter() - began, reason, trace, is_bug)
    return Trial(candidate, model.labels_, scores, time.perf_counter() - began)


def _rank(trials: Sequence[Trial], names: Sequence[str]) -> pd.DataFrame:
    done = [number for number, trial in enumerate(trials) if trial.labels is not None]
    if not done:
        first = trials[0]
        sentence = f"every candidate failed; the first, {first.candidate}: {first.error}"
        bug = next((trial for trial in trials if trial.is_bug), None)
        if bug is not None:
            raise RuntimeError(f"{sentence}\n{bug.candidate}: {bug.traceback}")
        raise InputError(sentence)
    estimated = [ESTIMATED] if ESTIMATED in trials[done[0]].scores else []
    table = pd.DataFrame(
        {
            "method": [trial.candidate.method for trial in trials],
            "settings": [trial.candidate.options for trial in trials],
            "preprocess": [trial.candidate.preprocess for trial in trials],
            **{name: [trial.scores.get(name, np.nan) for trial in trials] for name in [*names, *estimated]},
            "seconds": [trial.seconds for trial in trials],
            "error": [trial.error for trial in trials],
        }
    )
    labels = np.stack([np.asarray(trials[number].labels) for number in done])
    for name in names:
        weights = SCORES[name].weights
        if weights:
            votes = np.prod([[trials[number].scores[weight] for weight in weights] for number in done], axis=1)
            table.loc[done, name] = SCORES[name].function(labels, votes)
    # A stable order: of equals, the first that was given.
    return table.sort_values(names[0], ascending=False, kind="stable", na_position="last")
