"""Panel: a vote of different methods, which needs no settings."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import joblib
import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from tsrp._cached import cached_property
from tsrp._types import FloatArray, IntArray, LabelArray
from tsrp.base.callers import refuse_scikit_learns_tools
from tsrp.base.fitted import FittedModel
from tsrp.base.records import FitRecord
from tsrp.exceptions import InputError, TsrpError, UsageError
from tsrp.numerics.threads import one_blas_thread
from tsrp.parameters import Constraint, Number, Optional, check_parameters
from tsrp.progress import Callback, Round, listening
from tsrp.sampling import drawn
from tsrp.selection.members import Failed, Fitted, Inputs, ballot, fit_members, recipes
from tsrp.selection.student import join
from tsrp.selection.verdict import Verdict
from tsrp.selection.vote import target_neighbours, vote
from tsrp.trust.calibration import share_out
from tsrp.trust.ranks import Ranks
from tsrp.trust.signals import of_label
from tsrp.validation import Domains, check_domains, check_new, forget

if TYPE_CHECKING:
    import pandas as pd

BUDGETS = ("quick", "normal", "thorough")
DECIMALS = 6
# From this doubt on, members that see features as they are decide.
IN_DOUBT = 0.5
# Estimates that differ by no more are of labels that are equally good.
AS_GOOD = 0.01
# How much more what speaks for a label counts than the members' votes for it, unless adaptation is in doubt.
EVIDENCE = 2.0
# What the weights say of a member.
STANDING = ("weight", "agreement", "assortativity", "right")


@dataclass(frozen=True)
class Budget:
    """How much time a panel may take: one of three words, or seconds."""

    def check(self, name: str, value: Any) -> None:
        if not isinstance(value, str):
            Number(low=0, open_low=True).check(name, value)
        elif value not in BUDGETS:
            raise UsageError(f"`{name}` must be 'quick', 'normal', 'thorough' or a number of seconds, not {value!r}.")


@dataclass(frozen=True)
class Jobs:
    """How many threads, as scikit-learn and joblib have it."""

    def check(self, name: str, value: Any) -> None:
        if value is not None:
            Number(low=-np.inf, whole=True).check(name, value)
            if value == 0:
                raise UsageError(f"{name} must be a whole number other than 0, or None, but it is 0.")


@dataclass(frozen=True, eq=False)
class PanelRecord(FitRecord):
    """What a panel was given, and what the member that it looks at labels with made of it.

    Attributes
    ----------
    best : FitRecord
        What the best member made of it.
    """

    best: FitRecord


class Panel(TransformerMixin, ClassifierMixin, FittedModel, BaseEstimator):
    """A vote of methods that differ, weighed without target labels: what to use where nothing is known of the data.

    Which method suits a pair of domains cannot be known without target labels, and a wrong choice costs more than any
    right one gains. The panel fits several, classifiers without adaptation among them. A member's vote counts by how
    far it agrees with the others and by how much neighbouring rows of the target agree on its labels. docs/DEFAULT.md
    has its measurements.

    Parameters
    ----------
    budget : {"quick", "normal", "thorough"} or float, default "normal"
        How many members there are. A number is a time in seconds for the fit: members that have not finished by then
        take no part, so that the result depends on the machine.
    max_fit_rows : int or None, default 10,000
        Members learn from at most so many rows of each domain, and label all: of the source from some of each class,
        of the target from rows at random and those whose label is known. None: from all rows.
    n_jobs : int or None, default None
        Threads; -1 is one for each core, None is 1 unless `joblib.parallel_config` says otherwise. The result does not
        depend on it.

    Attributes
    ----------
    labels_ : array of shape (n_target,)
        Labels of the target.
    members_ : DataFrame
        A row for each member, the weightiest first: member, weight, agreement, assortativity, same, accuracy
        (estimated), seconds (NaN in a panel that was loaded), error; right (of the known labels), if some are known.
    best_member_ : estimator
        The weightiest member: an ordinary fitted method.
    projecting_member_ : estimator
        The weightiest member whose projection aligns the domains, by which `transform` projects and `trust_` judges;
        the best member if there is none, or if adaptation is in doubt.
    doubt_ : float
        How far it is in doubt that adaptation helps, from 0 to 1: so much of the members' vote, besides their part of
        the rest, have the two that see features as they are. Less, if others are more often right on known labels.
    doubt_reason_ : str
        Why, in words; empty if there is no doubt.
    source_accuracy_ : float
        The share of the source's labels, of 2,000 at most, that logistic regression and a few trees give together
        without having learnt from them, each half by the other one; NaN if there are too few rows of two classes, or
        too few for so many features. From a doubt of 0.5 on, the estimated accuracy looks at it too.
    class_factors_ : array of shape (n_classes,)
        What a vote for each class counts: 1, or less if the class seems to be rarer in the target than in the source.
    others_ : Others or None
        The target's rows that the members did not learn from: `others_.fitted` has the numbers of those they did, and
        the votes are on these.
    student_ : Forest
        Trees that learned the target from the members' vote on it, and vote too.
    student_weight_ : float
        What the student counts; the members together count 1.
    label_votes_ : array of shape (n_target, n_classes)
        The share of each class in the members' vote on each row, if each votes for its label alone.
    member_votes_, votes_ : arrays of shape (n_target, n_classes)
        The share of each class in the vote on each row: of the members alone, who divide their votes as they find
        classes probable, and with the student, which decides.
    adaptation_needed_, adaptation_doubted_ : bool
        False if adaptation is in doubt, or if the best member does not adapt and is estimated to do as well as the
        vote. Whether `doubt_` is so large that members without adaptation decide.
    trust_, probability_, confident_, estimated_accuracy_, known_
        How far to trust the labels, and which were known, as for any method.
    history_ : list of Round
        One round: the best member's labels, and those of the vote.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import Panel
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> model = Panel("quick").fit(X[:60], y[:60], X[60:] + 1.0)
    >>> model.labels_.shape, len(model.members_)
    ((60,), 11)
    """

    constraints: ClassVar[Mapping[str, Constraint]] = {
        "budget": Budget(),
        "max_fit_rows": Optional(Number(low=1, whole=True)),
        "n_jobs": Jobs(),
    }
    method_name = "the panel"

    classes_: LabelArray
    fit_record_: PanelRecord

    def __init__(
        self, budget: str | float = "normal", *, max_fit_rows: int | None = 10_000, n_jobs: int | None = None
    ) -> None:
        self.budget = budget
        self.max_fit_rows = max_fit_rows
        self.n_jobs = n_jobs

    def fit(
        self,
        Xs: npt.ArrayLike,
        ys: npt.ArrayLike,
        Xt: npt.ArrayLike,
        yt: npt.ArrayLike | None = None,
        *,
        callback: Callback | None = None,
    ) -> Panel:
        """Fit the members, and let them vote on the target.

        Parameters
        ----------
        Xs : array of shape (n_source, m)
            Samples of the source.
        ys : array of shape (n_source,)
            Their labels: strings, integers or booleans.
        Xt : array of shape (n_target, m)
            Samples of the target, with the same features.
        yt : array of shape (n_target,), optional
            Labels of the target where they are known; None, NaN or pandas.NA where not. These rows keep their label,
            the members learn from them, and who is right on them counts more.
        callback : callable, optional
            Called with an `Arrival` for each member that is ready, and with a `Stage` after each block of further rows
            that is labelled; what it raises ends the fit.

        Returns
        -------
        self
        """
        began = time.perf_counter()
        forget(self)
        refuse_scikit_learns_tools()
        check_parameters(self)
        domains = check_domains(self, Xs, ys, Xt, yt)
        with nullcontext() if callback is None else listening(callback):
            sample, rows = drawn(domains, self._limit)
            inputs: Inputs = (Xs, ys, Xt, yt)
            if sample is not domains:
                known_as, told = sample.labels
                inputs = self._with_names(sample.Xs), known_as, self._with_names(sample.Xt), told
            fitted = self._fit_members(sample, inputs)
            self._vote(fitted, sample)
            best = self.voters_[self._best].model.labels_
            self.history_ = [Round(1, 1, best, self.fit_labels_, None, len(best), time.perf_counter() - began)]
            self._label_others(domains.Xt, rows)
        self._note_rows(Xt)
        return self

    def _fit_members(self, domains: Domains, inputs: Inputs) -> list[Fitted | Failed]:
        is_timed = not isinstance(self.budget, str)
        chosen = recipes("thorough" if is_timed else str(self.budget), len(domains.Xs))
        seconds = float(self.budget) if is_timed else None
        return fit_members(chosen, domains, inputs, joblib.effective_n_jobs(self.n_jobs), seconds)

    def _vote(self, fitted: Sequence[Fitted | Failed], domains: Domains) -> None:
        done = [own for own in fitted if isinstance(own, Fitted)]
        if not done:
            raise _nobody([own for own in fitted if isinstance(own, Failed)])
        with one_blas_thread():
            verdict = Verdict.of(done, domains)
        standings = zip(*(vars(verdict.weights)[name].tolist() for name in STANDING), strict=True)
        voters = [
            replace(own.member, **dict(zip(STANDING, standing, strict=True)))
            for own, standing in zip(done, standings, strict=True)
        ]
        self.classes_ = domains.classes
        self.doubt_, self.doubt_reason_ = verdict.doubt.share, verdict.doubt.reason
        self.source_accuracy_ = verdict.source_accuracy
        self.class_factors_ = verdict.factors
        self.student_, self.student_weight_ = verdict.student, verdict.student_weight
        self.label_votes_, self.member_votes_, self.votes_ = verdict.label_votes, verdict.member_votes, verdict.votes
        self.fit_labels_ = self.classes_[domains.known.over(self.votes_.argmax(axis=1))]
        self._note_known(domains.known)
        self.voters_ = [*voters, *(own.member for own in fitted if isinstance(own, Failed))]
        seen, best = (replace(done[place].record, given=domains) for place in (self._seen, self._best))
        self.fit_record_ = PanelRecord(seen.given, seen.adapted, seen.Zs, seen.Zt, best)

    @property
    def _best(self) -> int:
        return int(np.argmax([voter.weight for voter in self.voters_]))

    @property
    def _seen(self) -> int:
        """The weightiest member in whose projection labels are looked at: one that aligns the domains, if there is.

        Unless adaptation is in doubt.
        """
        aligned = [voter.weight if voter.aligns and not voter.error else 0.0 for voter in self.voters_]
        return int(np.argmax(aligned)) if max(aligned) > 0 and not self.adaptation_doubted_ else self._best

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "voters_")

    @property
    def best_member_(self) -> Any:
        """The weightiest member, with the data of the fit as long as they are there."""
        if not hasattr(self, "voters_"):
            raise AttributeError("'Panel' object has no attribute 'best_member_'")
        model = copy(self.voters_[self._best].model)
        if hasattr(self, "fit_record_"):
            model.fit_record_ = self.fit_record_.best
        return model

    @property
    def adaptation_needed_(self) -> bool:
        """Whether adaptation is not in doubt, and the best member adapts or is estimated to be worse than the vote."""
        best = self.voters_[self._best]
        if best.adapts or self.adaptation_doubted_:
            return not self.adaptation_doubted_
        return self._accuracy(best.model.labels_, self._target_chances()) < self._fit_probability.mean() - AS_GOOD

    @property
    def adaptation_doubted_(self) -> bool:
        """Whether members that see features as they are decide, because adaptation is in doubt."""
        return self.doubt_ >= IN_DOUBT

    @property
    def members_(self) -> pd.DataFrame:
        """The members, the weightiest first, those that take no part last.

        Columns member, weight, agreement and assortativity (which decide on the weight, but for the part that is in
        doubt: `doubt_`), same (the share of rows whose label the vote gives too), accuracy (estimated: the mean
        probability of its labels), seconds and error. If some labels are known, right is the share of them that it
        gives without having learnt from them, and counts too.
        """
        import pandas as pd

        check_is_fitted(self)
        chances, rows = self._target_chances(), []
        for voter in self.voters_:
            labels = None if voter.error else voter.model.labels_
            rows.append(
                {
                    "member": voter.name,
                    "weight": voter.weight,
                    "agreement": voter.agreement,
                    "assortativity": voter.assortativity,
                    "same": np.nan if labels is None else float(np.mean(labels == self.fit_labels_)),
                    "accuracy": np.nan if labels is None else self._accuracy(labels, chances),
                    "seconds": voter.seconds,
                    "error": voter.error,
                }
            )
        table = pd.DataFrame(rows)
        if self.known_.any():
            table.insert(4, "right", [voter.right for voter in self.voters_])
        return table.sort_values("weight", ascending=False, kind="stable", ignore_index=True)

    def _accuracy(self, labels: LabelArray, chances: FloatArray) -> float:
        """How many of these labels are right by estimate: their mean probability."""
        return float(of_label(chances, self._codes(labels)).mean())

    def _target_chances(self) -> FloatArray:
        """The probability of each class of the target's rows."""
        return share_out(self._codes(self.fit_labels_), self._fit_probability, self._chances(self.votes_))

    def _codes(self, labels: LabelArray) -> IntArray:
        return np.searchsorted(self.classes_, labels)

    @property
    def projecting_member_(self) -> Any:
        """The weightiest member whose projection aligns the domains, or the best one; labels are judged by it."""
        check_is_fitted(self)
        return self.voters_[self._seen].model

    @property
    def classifier_(self) -> Any:
        """The classifier of `projecting_member_`, which labels what `transform` returns as that member does."""
        return self.projecting_member_.classifier_

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Project samples of the target domain as `projecting_member_` does."""
        return self.projecting_member_.transform(X)

    def project_source(self, X: npt.ArrayLike) -> FloatArray:
        """Project samples of the source domain as `projecting_member_` does."""
        return self.projecting_member_.project_source(X)

    def fit_transform(self, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike, **options: Any) -> FloatArray:
        """Fit, and project the source; the projected target is ``transform(Xt)``."""
        return self.fit(Xs, ys, Xt, **options).project_source(Xs)

    def get_feature_names_out(self, input_features: npt.ArrayLike | None = None) -> npt.NDArray[Any]:
        """Names of the columns of `transform`."""
        return self.projecting_member_.get_feature_names_out()

    def predict(self, X: npt.ArrayLike) -> LabelArray:
        """Label samples of the target domain: the members vote, with the weights of the fit.

        Parameters
        ----------
        X : array of shape (n, m)

        Returns
        -------
        array of shape (n,)
        """
        _, codes = self._project_and_label(X)
        return self.classes_[codes]

    def predict_proba(self, X: npt.ArrayLike) -> FloatArray:
        """The probability of each class, in the order of `classes_`.

        `predict` gives the class of the largest probability. It is that of `predict_confidence`, or that of chance,
        one over the number of classes, if that is more. The other classes share the rest as the vote has it; where that
        puts one of them above the label, their shares are evened out.
        """
        Z, member_votes, votes = self._project_and_vote(X)
        codes = votes.argmax(axis=1)
        trust = self._trust(X, Z, codes, member_votes)
        return self._shared_out(codes, self._probability(codes, trust), self._chances(votes))

    def _chances(self, votes: FloatArray) -> FloatArray:
        """How probable each class is by the votes; their shares in the source if all rows of the target are equal."""
        return self.evidence_.chances(votes) if self.evidence_.equal_rows else votes

    def _project(self, X: npt.ArrayLike) -> FloatArray:
        return self.projecting_member_._project(X)

    def _project_and_label(self, X: npt.ArrayLike) -> tuple[FloatArray, IntArray]:
        Z, _, votes = self._project_and_vote(X)
        return Z, votes.argmax(axis=1)

    def _project_and_vote(self, X: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """New samples, projected, and the votes on them: the members', and with the student's."""
        check_new(self, X)
        voters = [voter for voter in self.voters_ if not voter.error]
        projections = [voter.model._project(X) for voter in voters]
        with one_blas_thread():
            ballots = (ballot(voter.model, Z) for voter, Z in zip(voters, projections, strict=True))
            votes = vote(ballots, [voter.weight for voter in voters], len(projections[0]), self.class_factors_)
        shares, taught = self.student_.predict_proba(np.asarray(X, dtype=np.float64)), self.student_.classes_
        return projections[self._seen], votes, join(votes, shares, self.student_weight_, self.classes_, taught)

    @cached_property
    def ranks_(self) -> Ranks:
        """Where a label's share of the members' votes lies among those of the target's labels."""
        return Ranks.among(of_label(self.member_votes_, self._held_out()))

    def _held_out(self) -> IntArray:
        return self.votes_.argmax(axis=1)

    def _unaided_trust(self) -> FloatArray:
        return self._together(self.evidence_.trust, self.ranks_.of(of_label(self.member_votes_, self._held_out())))

    def _label(self, X: npt.ArrayLike) -> tuple[IntArray, FloatArray | None]:
        _, member_votes, votes = self._project_and_vote(X)
        codes = votes.argmax(axis=1)
        return codes, of_label(member_votes, codes)

    def _trust_in(self, X: npt.ArrayLike, codes: IntArray, share: FloatArray | None) -> FloatArray:
        assert share is not None
        return self._together(super()._trust_in(X, codes, share), self.ranks_.of(share))

    def _trust(self, X: npt.ArrayLike, Z: FloatArray, codes: IntArray, member_votes: FloatArray) -> FloatArray:
        with one_blas_thread():
            evidence = self.evidence_.judge(np.asarray(X, dtype=np.float64), Z, codes)
        return self._together(evidence, self.ranks_.of(of_label(member_votes, codes)))

    def _together(self, evidence: FloatArray, share: FloatArray) -> FloatArray:
        """Trust by what speaks for a label where the domains are aligned, and by its share of the votes."""
        weight = EVIDENCE * (1 - self.doubt_)
        return np.round((weight * evidence + share) / (weight + 1), DECIMALS)

    def _judge(self, X: npt.ArrayLike) -> tuple[FloatArray, IntArray, FloatArray, FloatArray]:
        Z, member_votes, votes = self._project_and_vote(X)
        codes = votes.argmax(axis=1)
        trust = self._trust(X, Z, codes, member_votes)
        return Z, codes, trust, self._probability(codes, trust)

    def _further_parts(self) -> dict[str, float]:
        codes, votes = self._held_out(), self.label_votes_
        with one_blas_thread():
            near = target_neighbours(self._fit_data().given.Xt)
        around = [votes[own, codes[:, np.newaxis]].mean() for own in near if own.size]
        share = float(of_label(votes, codes).mean())
        # A single row has no neighbours.
        parts = {"votes": share, "nearby": float(np.mean(around)) if around else share}
        if self.adaptation_doubted_ and np.isfinite(self.source_accuracy_):
            parts["home"] = self.source_accuracy_
        return parts

    def _fitted_again(self) -> Any:
        return self.projecting_member_

    def _adaptation_decides(self) -> bool:
        return not self.adaptation_doubted_


def _nobody(failed: Sequence[Failed]) -> Exception:
    """What to raise if no member takes part."""
    first = failed[0]
    sentence = f"no member of the panel could be fitted; the first, {first.member.name}: {first.member.error}"
    bug = next((own.reason for own in failed if not isinstance(own.reason, TsrpError)), None)
    if bug is None:
        return InputError(sentence)
    error = RuntimeError(sentence)
    error.__cause__ = bug
    return error
