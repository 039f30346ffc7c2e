"""The outer loop: project, label, remedy, until the labels settle; and the estimator that every method shares."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from tsrp._types import BoolArray, FloatArray, IntArray, LabelArray
from tsrp.base.blocked import BlockedDomains, check_any_domains, is_blocked, predict_blocks, refusal
from tsrp.base.callers import refuse_scikit_learns_tools
from tsrp.base.contract import LabelsItself, LearnsFromKnown, Rounds
from tsrp.base.contract import Mapping as Projection
from tsrp.base.fitted import FittedModel
from tsrp.base.records import record_of
from tsrp.blocked.samples import BlockedSamples
from tsrp.classifiers.training import is_transductive, predict_codes, trainer
from tsrp.numerics.threads import one_blas_thread
from tsrp.parameters import Classifier, Constraint, Number, Optional, check_parameters
from tsrp.progress import Callback, Round, listening, report
from tsrp.sampling import drawn
from tsrp.validation import Domains, check_new, forget

DEFAULT_ROUNDS = 10


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a round made of the crude labels.

    Attributes
    ----------
    codes : array of shape (n_target,)
        The labels, mended or not.
    picked : array of int, shape (n_target,), or None
        In which inner iteration a sample was found confident, from 1; 0 if never. None if nothing was picked.
    final : callable
        Trains the classifier that `predict` is to ask, and returns it; it is called after the last round.
    """

    codes: IntArray
    picked: IntArray | None
    final: Callable[[], Any]

    @property
    def confident(self) -> BoolArray | None:
        """The samples that were found confident at first sight."""
        return None if self.picked is None else self.picked == 1


Self = TypeVar("Self", bound="Adapter")


class Adapter(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, FittedModel, BaseEstimator, ABC):
    """What every method of this package is: an estimator fitted to a labelled source and an unlabelled target.

    A method of adaptation subclasses `Method`; `TSRP`, which wraps one, says itself how a fit begins (`_begin`) and how
    many rounds it takes (`_n_rounds`), and mends the crude labels (`_remedy`).

    Attributes
    ----------
    labels_ : array of shape (n_target,)
        Labels of the target.
    trust_ : array of shape (n_target,)
        How far to trust each of them, from 0 to 1: to sort by.
    probability_ : array of shape (n_target,)
        That the label is right.
    confident_ : array of bool, shape (n_target,)
        Whether that is at least 0.9.
    estimated_accuracy_ : EstimatedAccuracy
        How many labels are right. Like the three above it is computed when it is first asked for.
    known_ : array of bool, shape (n_target,)
        Which labels `fit` was told.
    history_ : list of Round
        What happened in each round.
    n_iter_ : int
        Rounds that were run.
    classes_ : array of shape (n_classes,)
    mapping_ : object
        The last projection: ``mapping_.transform(X)`` projects checked samples as `transform` does.
    classifier_ : classifier
        Trained on projected samples; `predict` asks it.
    others_ : Others or None
        The target's rows that the fit did not learn from (`max_fit_rows`): `others_.fitted` has the numbers of those it
        did, and `history_` and `picked_` are about these.
    fit_record_ : FitRecord
        What the fit was given and made of it, for the report. In memory only: a copy or a saved model has none.
    n_features_in_ : int
    """

    # What each parameter may be; a subclass adds its own.
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "max_iter": Number(low=1, whole=True),
        "classifier": Classifier(),
        "max_fit_rows": Optional(Number(low=1, whole=True)),
    }

    classifier: Any
    n_iter_: int
    mapping_: Projection

    def fit(
        self: Self,
        Xs: npt.ArrayLike,
        ys: npt.ArrayLike,
        Xt: npt.ArrayLike,
        yt: npt.ArrayLike | None = None,
        *,
        callback: Callback | None = None,
    ) -> Self:
        """Adapt to the target and label it.

        Parameters
        ----------
        Xs : array of shape (n_source, m)
            Samples of the source. Some methods (`takes_blocks`) also take samples that are not in memory: arrays and
            data frames of Dask, and arrays that numpy maps into memory from a file.
        ys : array of shape (n_source,)
            Their labels: strings, integers or booleans.
        Xt : array of shape (n_target, m)
            Samples of the target, with the same features.
        yt : array of shape (n_target,), optional
            Labels of the target where they are known; None, NaN or pandas.NA where not. These rows keep their label,
            and classifiers learn from them.
        callback : callable, optional
            Called with a `Round` after each round and, by methods that take many steps within one, with a `Step` after
            each of these, and with a `Stage` after each block of further rows that it labels; what it raises ends the
            fit.

        Returns
        -------
        self
        """
        forget(self)
        refuse_scikit_learns_tools()
        check_parameters(self)
        domains = check_any_domains(self, Xs, ys, Xt, yt)
        elsewhere = domains.Xs.elsewhere() if isinstance(domains, BlockedDomains) else nullcontext()
        with one_blas_thread(), elsewhere, nullcontext() if callback is None else listening(callback):
            sample, rows = drawn(domains, self._limit)
            rounds = self._begin(sample)
            self._run(rounds, sample)
            self._label_others(domains.Xt, rows)
        self._note_rows(Xt)
        return self

    def fit_transform(self, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike, **options: Any) -> FloatArray:
        """Fit, and project the source; the projected target is ``transform(Xt)``.

        Parameters
        ----------
        Xs, ys, Xt, **options
            As for `fit`.

        Returns
        -------
        array of shape (n_source, k)
        """
        return self.fit(Xs, ys, Xt, **options).project_source(Xs)

    def _run(self, rounds: Rounds, domains: Domains) -> None:
        classes, known = domains.classes, domains.known
        if isinstance(rounds, LearnsFromKnown):
            rounds.know(known)
        history: list[Round] = []
        previous: IntArray | None = None
        limit = self._n_rounds()
        for number in range(1, limit + 1):
            began = time.perf_counter()
            if previous is None or self._projects_anew():
                Zs, Zt = rounds.project(previous)
                train = self._weak_trainer(rounds, Zs, Zt, domains)
            weak = train(previous)
            crude = known.over(predict_codes(weak, Zt, classes))
            outcome = self._remedy(Zs, Zt, crude, domains, weak)
            moved = len(crude) if previous is None else int((outcome.codes != previous).sum())
            elapsed = time.perf_counter() - began
            history.append(
                Round(number, limit, classes[crude], classes[outcome.codes], outcome.confident, moved, elapsed)
            )
            report(history[-1])
            previous = outcome.codes
            # The next round would be given what this one was given. (A weight that BDA estimates settles with them.)
            if moved == 0 and not getattr(rounds, "remembers", False):
                break

        self.classes_ = classes
        self.history_ = history
        self.n_iter_ = len(history)
        self.fit_labels_ = classes[outcome.codes]
        if outcome.picked is not None:
            self.picked_ = outcome.picked
        self._n_features_out = Zt.shape[1]
        self._note_known(known)
        self.fit_record_ = record_of(domains, Zs, Zt)
        self.mapping_ = rounds.mapping()
        self.classifier_ = outcome.final()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classifier_")

    @abstractmethod
    def _begin(self, domains: Domains) -> Rounds:
        """What does not depend on target labels; the rounds of this fit."""

    @abstractmethod
    def _n_rounds(self) -> int:
        """How many rounds there are at most."""

    @abstractmethod
    def _projects_anew(self) -> bool:
        """Whether the projection depends on the labels of the round before."""

    @property
    def method_name(self) -> str:
        """What people call the method: ``"DICD"``, ``"DICD+TSRP"``."""
        return type(self).__name__

    @property
    def final_classifier(self) -> Any:
        """The classifier, untrained, that `predict` asks once it is trained; None is 1-nearest-neighbour."""
        return self.classifier

    def _weak_classifier(self) -> Any:
        return self.final_classifier

    def _weak_trainer(
        self, rounds: Rounds, Zs: FloatArray, Zt: FloatArray, domains: Domains
    ) -> Callable[[IntArray | None], Any]:
        classifier, known = self._weak_classifier(), domains.known
        if classifier is None and isinstance(rounds, LabelsItself):
            own = rounds.classifier(domains.classes)
            return lambda guess: own
        pool, weights = known.beside(Zs, domains.ys, Zt), known.weights(len(Zs))
        return trainer(classifier, *pool, domains.classes, Zt, weights)

    def _remedy(self, Zs: FloatArray, Zt: FloatArray, crude: IntArray, domains: Domains, weak: Any) -> Outcome:
        return Outcome(crude, None, lambda: weak)

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Project samples of the target domain.

        Parameters
        ----------
        X : array of shape (n, m)

        Returns
        -------
        array of shape (n, k)
        """
        samples = check_new(self, X)
        with one_blas_thread():
            return self.mapping_.transform(samples).astype(samples.dtype, copy=False)

    def project_source(self, X: npt.ArrayLike) -> FloatArray:
        """Project samples of the source domain; `transform` is for those of the target domain.

        They differ where the domains are preprocessed separately (`PerDomain`).

        Parameters
        ----------
        X : array of shape (n, m)

        Returns
        -------
        array of shape (n, k)
        """
        return self.transform(X)

    def predict(self, X: npt.ArrayLike) -> LabelArray:
        """Label samples of the target domain, also ones that `fit` did not see.

        Parameters
        ----------
        X : array of shape (n, m)

        Returns
        -------
        array of shape (n,)
        """
        if is_blocked(X):
            return predict_blocks(self, X)
        _, codes = self._project_and_label(X)
        return self.classes_[codes]

    def _project(self, X: npt.ArrayLike) -> FloatArray:
        samples = check_new(self, X)
        with one_blas_thread():
            # In single precision a sample's projection would depend on those beside it.
            return self.mapping_.transform(samples.astype(np.float64, copy=False))


class Method(Adapter):
    """A method that projects both domains: an estimator of its own, and a base of `TSRP`.

    It keeps the contract of `tsrp.base.contract`: a subclass says whether its projection depends on the target's labels
    (`uses_target_labels`), and begins a fit (`prepare`).
    """

    uses_target_labels: bool
    # Whether its rounds have a classifier of their own, which `classifier=None` stands for instead of 1-NN.
    labels_itself: ClassVar[bool] = False
    # A method that has no parameter of this name takes more than one round only with a transductive classifier.
    max_iter: int = DEFAULT_ROUNDS

    @abstractmethod
    def prepare(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
        """Begin a fit (see `tsrp.base.contract`)."""

    def prepare_blocks(self, Xs: BlockedSamples, ys: IntArray, Xt: BlockedSamples, n_classes: int) -> Rounds:
        """Begin a fit to samples in blocks, for methods that take them (`takes_blocks`)."""
        raise refusal(self.method_name)

    def _begin(self, domains: Domains) -> Rounds:
        if isinstance(domains, BlockedDomains):
            return self.prepare_blocks(domains.Xs, domains.ys, domains.Xt, len(domains.classes))
        return self.prepare(domains.Xs, domains.ys, domains.Xt, len(domains.classes))

    def _n_rounds(self) -> int:
        return self.max_iter if self.uses_target_labels or is_transductive(self.final_classifier) else 1

    def _projects_anew(self) -> bool:
        return self.uses_target_labels
