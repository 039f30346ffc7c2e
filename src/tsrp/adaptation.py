"""The outer loop: project, label, remedy, until the labels settle; and the estimator that every method shares."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tsrp._types import BoolArray, FloatArray, IntArray, LabelArray
from tsrp._utsp import DEFAULT_TRUST, ClassPick, confident_mask, pick_classes
from tsrp.classifiers import check_classifier, predict_codes, train
from tsrp.confidence import Judgement, Trusted
from tsrp.linalg.threads import one_blas_thread
from tsrp.products import Products
from tsrp.projections.contract import BaseMethod, Rounds
from tsrp.validation import Domains, check_domains, check_number, check_samples, forget


@dataclass(frozen=True, eq=False)
class Round:
    """What happened in one round of the outer loop.

    Attributes
    ----------
    number, limit : int
        Which round, counted from 1, and how many there are at most.
    crude : array of shape (n_target,)
        The weak classifier's labels.
    labels : array of shape (n_target,)
        The labels after the remedy (the crude ones if there is none).
    confident : array of bool, shape (n_target,), or None
        Which labels `utsp` trusted at first sight; None without a remedy.
    n_confident, n_remedied, n_moved : int
        How many were trusted; how many the remedy changed; how many differ from the round before (all, in the first).
    seconds : float
        Time of this round.
    """

    number: int
    limit: int
    crude: LabelArray
    labels: LabelArray
    confident: BoolArray | None
    n_moved: int
    seconds: float

    @property
    def n_confident(self) -> int:
        return 0 if self.confident is None else int(self.confident.sum())

    @property
    def n_remedied(self) -> int:
        return int((self.crude != self.labels).sum())


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a round made of the crude labels.

    Attributes
    ----------
    codes : array of shape (n_target,)
        The labels, mended or not.
    picked : array of int, shape (n_target,), or None
        In which inner iteration a sample was found confident, from 1; 0 if never. None if nothing was picked.
    picks : list of ClassPick, or None
        How the classes of the crude labels were judged at first sight.
    pool : tuple of arrays
        Samples and labels that the final classifier learns from.
    """

    codes: IntArray
    picked: IntArray | None
    picks: list[ClassPick] | None
    pool: tuple[FloatArray, IntArray]

    @property
    def confident(self) -> BoolArray | None:
        """The samples that were found confident at first sight."""
        return None if self.picked is None else self.picked == 1


Callback = Callable[[Round], object]
Self = TypeVar("Self", bound="Adapter")


class Adapter(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, Products, BaseEstimator):
    """What every method of this package is: an estimator fitted to a labelled source and an unlabelled target.

    A subclass either has the contract of `tsrp.projections.contract` itself, or says how a fit begins (`_begin`) and
    how many rounds it takes (`_n_rounds`); it may mend the crude labels (`_remedy`).
    """

    classifier: Any
    max_iter: int | None
    labels_: LabelArray
    confident_: BoolArray
    history_: list[Round]
    n_iter_: int
    classes_: LabelArray
    trusted_: Trusted

    def fit(
        self: Self, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike, *, callback: Callback | None = None
    ) -> Self:
        """Adapt to the target and label it.

        Parameters
        ----------
        Xs : array of shape (n_source, m)
            Samples of the source.
        ys : array of shape (n_source,)
            Their labels: strings, integers or booleans.
        Xt : array of shape (n_target, m)
            Samples of the target, with the same features.
        callback : callable, optional
            Called with a `Round` after each round; what it raises ends the fit.

        Returns
        -------
        self
        """
        forget(self)
        self._check_parameters()
        domains = check_domains(self, Xs, ys, Xt)
        with one_blas_thread():
            rounds = self._begin(domains)
            self._run(rounds, domains, callback)
        self._remember(domains, Xt)
        return self

    def _run(self, rounds: Rounds, domains: Domains, callback: Callback | None) -> None:
        classes = domains.classes
        history: list[Round] = []
        previous: IntArray | None = None
        limit = self._n_rounds()
        for number in range(1, limit + 1):
            began = time.perf_counter()
            Zs, Zt = rounds.project(previous)
            weak = train(self._weak_classifier(), Zs, domains.ys, classes)
            crude = predict_codes(weak, Zt, classes)
            outcome = self._remedy(Zs, Zt, crude, domains)
            moved = len(crude) if previous is None else int((outcome.codes != previous).sum())
            elapsed = time.perf_counter() - began
            history.append(
                Round(number, limit, classes[crude], classes[outcome.codes], outcome.confident, moved, elapsed)
            )
            if callback is not None:
                callback(history[-1])
            previous = outcome.codes
            # The next round would be given what this one was given. (A weight that BDA estimates settles with them.)
            if moved == 0:
                break

        self.classes_ = classes
        self.history_ = history
        self.n_iter_ = len(history)
        self.labels_ = classes[outcome.codes]
        picks = outcome.picks
        if picks is None:
            # A plain method picks nothing while it runs: what would be picked now.
            picks = pick_classes(Zt, outcome.codes, DEFAULT_TRUST, "tree", with_tree=False)
        else:
            assert outcome.picked is not None
            self.picked_ = outcome.picked
        self.confident_ = confident_mask(picks)
        self.trusted_ = Trusted.from_picks(Zt, picks, len(classes))
        self._n_features_out = Zt.shape[1]
        self._projected = Zs, Zt
        self.mapping_ = rounds.mapping()
        self.classifier_ = train(self._final_classifier(), *outcome.pool, classes)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classifier_")

    def _begin(self, domains: Domains) -> Rounds:
        assert isinstance(self, BaseMethod)
        return self.prepare(domains.Xs, domains.ys, domains.Xt, len(domains.classes))

    def _n_rounds(self) -> int:
        assert self.max_iter is not None
        return self.max_iter

    def _weak_classifier(self) -> Any:
        return self.classifier

    def _final_classifier(self) -> Any:
        return self.classifier

    def _remedy(self, Zs: FloatArray, Zt: FloatArray, crude: IntArray, domains: Domains) -> Outcome:
        return Outcome(crude, None, None, (Zs, domains.ys))

    def _check_parameters(self) -> None:
        check_classifier("classifier", self.classifier)
        check_number("max_iter", self.max_iter, low=1, whole=True)

    def _check_new(self, X: npt.ArrayLike) -> FloatArray:
        check_is_fitted(self)
        samples = check_samples(X, "X")
        validate_data(self, X, reset=False, skip_check_array=True)
        return samples

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Project samples of either domain.

        Parameters
        ----------
        X : array of shape (n, m)

        Returns
        -------
        array of shape (n, k)
        """
        samples = self._check_new(X)
        with one_blas_thread():
            return self.mapping_.transform(samples).astype(samples.dtype, copy=False)

    def predict(self, X: npt.ArrayLike) -> LabelArray:
        """Label samples of the target's world, also such as were not seen in `fit`.

        Parameters
        ----------
        X : array of shape (n, m)

        Returns
        -------
        array of shape (n,)
        """
        samples = self._check_new(X)
        with one_blas_thread():
            return self.classifier_.predict(self.mapping_.transform(samples))

    def predict_confidence(self, X: npt.ArrayLike) -> Judgement:
        """Label samples as `predict` does, and say which of the labels to trust.

        A sample is confident if its cosine similarity, in the projection, to a target sample that was trusted in `fit`
        and has its label reaches the threshold that UTSP found for that class: if the tree of the class would have
        been joined to it. A label that no trusted sample has is never confident. With 1-nearest-neighbour as
        classifier every sample of `confident_` is confident here too, and doubtful ones that were relabelled may be.

        Parameters
        ----------
        X : array of shape (n, m)

        Returns
        -------
        Judgement
            With `labels`, `confident` and `similarity`.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from tsrp import JDA, TSRP
        >>> X, y = make_blobs(120, n_features=5, random_state=0)
        >>> model = TSRP(JDA(n_components=4)).fit(X[:60], y[:60], X[60:] + 1.0)
        >>> judged = model.predict_confidence(X[60:63] + 1.0)
        >>> judged.labels.shape, judged.confident.dtype, bool(judged.similarity.max() <= 1)
        ((3,), dtype('bool'), True)
        """
        samples = self._check_new(X)
        with one_blas_thread():
            Z = self.mapping_.transform(samples)
            codes = predict_codes(self.classifier_, Z, self.classes_)
            confident, similarity = self.trusted_.judge(Z, codes)
        return Judgement(self.classes_[codes], confident, similarity)

    def _project_seen(self) -> tuple[FloatArray, FloatArray]:
        """The domains of the fit as the last round projected them, for the report."""
        # Not by `transform`: what a method does to the source may differ from what it does to samples to come.
        return self._projected
