"""How far to trust the labels of a fitted model: computed when it is first asked, from the data of the fit."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from tsrp._cached import cached_property
from tsrp._types import BoolArray, FloatArray, IntArray, LabelArray
from tsrp.base.others import Others, others_of
from tsrp.base.records import BlockedRecord, FitRecord
from tsrp.blocked.local import block_rows
from tsrp.blocked.samples import BlockedSamples
from tsrp.classifiers.training import predict_codes
from tsrp.exceptions import TsrpError, UsageError
from tsrp.known import Known
from tsrp.numerics.rows import unit_rows
from tsrp.numerics.threads import one_blas_thread, parallel_each
from tsrp.progress import Stage, report
from tsrp.trust.calibration import HIGHEST_MEAN, LOWEST_MEAN, Calibration, share_out, share_out_below
from tsrp.trust.estimate import EstimatedAccuracy, by_chance, corrected, estimate
from tsrp.trust.evidence import Evidence
from tsrp.trust.judgement import CONFIDENT_AT, Judgement, check_confident_at
from tsrp.trust.queries import Query, audited, check_count, row_numbers, suggested
from tsrp.trust.reverse import way_back

if TYPE_CHECKING:
    from tsrp.trust.comparison import Comparison

R = TypeVar("R")


class Assessed:
    """A fitted model that says how far to trust its labels.

    Nothing of this is computed by `fit`. The first question for `trust_` fits the five signals; the first one for
    `estimated_accuracy_`, `probability_`, `confident_` or `predict_confidence` also fits the method once more, from the
    labelled target back to the source. If labels are known, each half of them is first labelled by a fit that knows the
    other half, to see how right such labels are. The answers are kept. A copy, a pickle and a saved model hold them,
    without the data of the fit: making one asks all questions that were not asked yet.
    """

    fit_labels_: LabelArray
    classes_: LabelArray
    n_features_in_: int
    classifier_: Any
    fit_record_: FitRecord
    # The rows that the fit did not learn from, if there are any.
    others_: Others | None = None

    @property
    @abstractmethod
    def method_name(self) -> str:
        """What people call the method."""

    @abstractmethod
    def _project(self, X: npt.ArrayLike) -> FloatArray:
        """New samples, projected in double precision."""

    def _project_and_label(self, X: npt.ArrayLike) -> tuple[FloatArray, IntArray]:
        """New samples, projected in double precision, and the codes of their labels."""
        Z = self._project(X)
        with one_blas_thread():
            return Z, predict_codes(self.classifier_, Z, self.classes_)

    @property
    def labels_(self) -> LabelArray:
        """Labels of the target."""
        if self.others_ is None:
            return self.fit_labels_
        return self.others_.beside(self.fit_labels_, self.classes_[self.others_.codes])

    def _label_others(self, Xt: Any, fitted: IntArray | None) -> None:
        """Label the rows of the target that the fit did not learn from."""
        if fitted is None:
            return
        self.fit_record_ = replace(self.fit_record_, whole=Xt)
        found = self._in_blocks(fitted, "rows labelled", lambda X, _: self._label(X))
        codes, shares = zip(*found, strict=True)
        share = None if shares[0] is None else np.concatenate(shares)
        self.others_ = Others(fitted, np.concatenate(codes), share)

    def _in_blocks(self, fitted: IntArray, what: str, function: Callable[[Any, slice], R]) -> Iterator[R]:
        """A function of the samples in each block of the other rows, and of their place among these."""
        whole = self._fit_data().whole
        others = others_of(fitted, len(whole))
        size = block_rows(whole.shape[1] + len(self.classes_))
        parts = [slice(start, start + size) for start in range(0, len(others), size)]
        results = parallel_each(lambda part: function(self._some(whole, others[part]), part), parts)
        for part, result in zip(parts, results, strict=True):
            report(Stage(min(part.stop, len(others)), len(others), what))
            yield result

    def _some(self, X: Any, rows: IntArray) -> Any:
        """Some rows of samples, as a data frame if the fit was given one."""
        return X.iloc[rows] if hasattr(X, "iloc") else self._with_names(X[rows])

    def _label(self, X: npt.ArrayLike) -> tuple[IntArray, FloatArray | None]:
        """Codes of new samples' labels, and by a panel their share of the members' votes."""
        return self._project_and_label(X)[1], None

    def _trust_in(self, X: npt.ArrayLike, codes: IntArray, share: FloatArray | None) -> FloatArray:
        """Trust in what `_label` said of samples."""
        Z = self._project(X)
        with one_blas_thread():
            return self.evidence_.judge(self._originals(X), Z, codes)

    def _others_trust(self, others: Others) -> FloatArray:
        """Trust in the labels of the rows that the fit did not learn from."""
        if others.trust is None:
            # Not by several threads at a time.
            _ = self.evidence_
            found = self._in_blocks(others.fitted, "labels judged", lambda X, part: self._trust_in(X, *others.of(part)))
            others = self.others_ = replace(others, trust=np.concatenate(list(found)))
        assert others.trust is not None
        return others.trust

    @cached_property
    def evidence_(self) -> Evidence:
        """What speaks for each label: the five signals, fitted."""
        record = self._fit_data()
        with one_blas_thread():
            return record.evidence(self._held_out())

    def _note_known(self, known: Known) -> None:
        """Keep which rows were known, if any were."""
        if len(known):
            self.known_rows_ = known.rows

    @property
    def known_(self) -> BoolArray:
        """Which labels of the target were known to `fit`: they are kept, and their probability is 1."""
        known = self._fit_known
        return known if self.others_ is None else self.others_.beside(known, np.zeros(len(self.others_.codes), bool))

    @property
    def _fit_known(self) -> BoolArray:
        known = np.zeros(len(self.fit_labels_), dtype=bool)
        known[getattr(self, "known_rows_", [])] = True
        return known

    def _held_out(self) -> IntArray:
        """Codes of the labels of the fit's rows, those of known ones as they would be if these were not known."""
        codes = np.searchsorted(self.classes_, self.fit_labels_)
        return self.cross_fitted_ if self._fit_known.any() else codes

    @cached_property
    def cross_fitted_(self) -> IntArray:
        """Codes of the fit's labels, those of each half of the known rows by a fit that knows the other half."""
        given = self._fit_data().given
        codes = np.searchsorted(self.classes_, self.fit_labels_)
        Xs, Xt = (self._with_names(X) for X in (given.Xs, given.Xt))
        with warnings.catch_warnings():
            # Of these samples the fit has warned already.
            warnings.simplefilter("ignore")
            for half, out in given.known.halves():
                yt = half.labels(self.classes_, len(codes))
                told = clone(self._fitted_again()).fit(Xs, self.classes_[given.ys], Xt, yt)
                codes[out] = np.searchsorted(self.classes_, told.fit_labels_[out])
        return codes

    @property
    def trust_(self) -> FloatArray:
        """How far to trust each label of the target, from 0 to 1: to sort by.

        It costs no further fit, or two where labels are known.
        """
        trust = np.where(self._fit_known, 1.0, self._unaided_trust())
        return trust if self.others_ is None else self.others_.beside(trust, self._others_trust(self.others_))

    def _unaided_trust(self) -> FloatArray:
        """Trust in the labels of the fit's rows, those of known ones as if these were not known."""
        return self.evidence_.trust

    @cached_property
    def estimated_accuracy_(self) -> EstimatedAccuracy:
        """How many of the target's labels are right, as far as can be said.

        What is estimated without known labels is corrected by how often the labels of known rows are right that the
        method gives without having learnt from them.
        """
        evidence = self.evidence_
        if evidence.equal_rows:
            return by_chance(self._fit_probability, int(self._fit_known.sum()))
        record, held_out = self._fit_data(), self._held_out()
        given = record.given
        parts = self._reverse(), evidence.atc, evidence.propagated, record.unadapted(held_out, evidence)
        blind = estimate(*parts, len(self.classes_), **self._further_parts())
        known, trust = given.known, self._unaided_trust()
        if len(known) == 0:
            return blind
        expected = Calibration.of(trust, blind.value).probability(trust)[known.rows]
        return corrected(blind, held_out[known.rows] == known.codes, expected, len(held_out))

    def _further_parts(self) -> dict[str, float]:
        """Of a panel, `votes`, `nearby` and `home` for the estimate."""
        return {}

    def _fitted_again(self) -> Any:
        """What is fitted to the samples of the record again: in the other direction, or knowing half of the labels."""
        return self

    def _reverse(self) -> float | None:
        domains = self._fit_data().given
        Xs, Xt = (self._with_names(X) for X in (domains.Xs, domains.Xt))
        with warnings.catch_warnings():
            # Of these samples the fit has warned already.
            warnings.simplefilter("ignore")
            try:
                return way_back(self._fitted_again(), Xs, self.classes_[domains.ys], Xt, self.fit_labels_)
            except TsrpError:
                # What a method can learn from may be too little in the other direction, such as one target sample.
                return None

    @cached_property
    def calibration_(self) -> Calibration:
        """What makes probabilities of trust."""
        known, value = self._fit_known, self.estimated_accuracy_.value
        others = ~known if not known.all() else known
        share = known.mean() if not known.all() else 0.0
        # Of the other rows: with the known ones they come to the estimated accuracy.
        return Calibration.of(self._unaided_trust()[others], (value - share) / (1 - share))

    @property
    def probability_(self) -> FloatArray:
        """The probability of each label of the target to be right.

        The mean over the rows that the fit learned from is the estimated accuracy, or 0.995 if that is higher: nothing
        is certain but known labels.
        """
        if self.others_ is None:
            return self._fit_probability
        others = self._probability(self.others_.codes, self._others_trust(self.others_))
        return self.others_.beside(self._fit_probability, others)

    @property
    def _fit_probability(self) -> FloatArray:
        codes = np.searchsorted(self.classes_, self.fit_labels_)
        return np.where(self._fit_known, 1.0, self._probability(codes, self._unaided_trust()))

    def _probability(self, codes: IntArray, trust: FloatArray) -> FloatArray:
        """The probability of labels to be right, by trust in them; by chance if all rows of the target are equal."""
        if self.evidence_.equal_rows:
            return np.clip(self.evidence_.class_shares, LOWEST_MEAN, HIGHEST_MEAN)[codes]
        return self.calibration_.probability(trust)

    @property
    def confident_(self) -> BoolArray:
        """Which labels of the target are right with a probability of at least 0.9."""
        return self.probability_ >= CONFIDENT_AT

    def compare(self) -> Comparison:
        """Does adaptation help? The labels beside those of what one would do without it.

        Logistic regression on the source alone (on the features as they were passed, and on z-scores of each domain)
        and 1-nearest-neighbour, by what can be said of labels without knowing the truth, or by which known labels they
        give if there are ten or more. Where a panel has adaptation in doubt, classifiers without it decide anyway, and
        only known labels speak for an alternative. docs/TRUST.md says how often the verdict was right.

        Returns
        -------
        Comparison
            With `better`, the alternative that looks better or None, a `sentence`, and the figures.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from tsrp import JDA
        >>> X, y = make_blobs(120, n_features=5, random_state=0)
        >>> JDA(n_components=4).fit(X[:60], y[:60], X[60:] + 1.0).compare().sentence
        'Nothing speaks against JDA: no linear model without adaptation looks better.'
        """
        from tsrp.trust.comparison import compare

        given = self._fit_data_in_memory("a comparison with other labels").given
        codes = np.searchsorted(self.classes_, self.fit_labels_)
        evidence, estimated = self.evidence_, self.estimated_accuracy_
        with one_blas_thread():
            return compare(
                *(given, codes, self._held_out(), self.method_name, evidence, estimated),
                adaptation_decides=self._adaptation_decides(),
            )

    def _adaptation_decides(self) -> bool:
        return True

    def predict_confidence(self, X: npt.ArrayLike, *, confident_at: float = CONFIDENT_AT) -> Judgement:
        """Label samples as `predict` does, and say how far to trust each label.

        A sample is judged by itself: alone, in a batch, and by a model that was saved and loaded it gets the same label
        and, but for rounding, the same probability. (If a classifier of another package has a tie between classes,
        rounding may decide it.) The probability says how the label compares with those of the target that was fitted;
        if the target domain has moved since, adapt again.

        Parameters
        ----------
        X : array of shape (n, m)
        confident_at : float in [0, 1], default 0.9
            The probability from which a label is called confident.

        Returns
        -------
        Judgement
            With `labels`, `probability`, `trust` and `confident`.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from tsrp import JDA, TSRP
        >>> X, y = make_blobs(120, n_features=5, random_state=0)
        >>> model = TSRP(JDA(n_components=4)).fit(X[:60], y[:60], X[60:] + 1.0)
        >>> judged = model.predict_confidence(X[60:63] + 1.0)
        >>> judged.labels.shape, judged.confident.dtype, bool(judged.probability.max() <= 1)
        ((3,), dtype('bool'), True)
        """
        check_confident_at(confident_at)
        _, codes, trust, probability = self._judge(X)
        return Judgement(self.classes_[codes], probability, trust, probability >= confident_at)

    def predict_proba(self, X: npt.ArrayLike) -> FloatArray:
        """The probability of each class, in the order of `classes_`.

        `predict` gives the class of the largest probability. It is that of `predict_confidence`, or that of chance,
        one over the number of classes, if that is more. The other classes share the rest as a logistic regression on
        the projected source would have it; where that puts one of them above the label, their shares are evened out. If
        all rows of the target are equal, the probabilities are the classes' shares in the source, whatever the label.

        Parameters
        ----------
        X : array of shape (n, m)

        Returns
        -------
        array of shape (n, n_classes)
            Rows sum to 1.

        Examples
        --------
        >>> from tsrp import NN
        >>> NN().fit([[0.0], [0.1], [1.0], [1.1]], [0, 0, 1, 1], [[0.2], [0.9]]).predict_proba([[0.3]]).shape
        (1, 2)
        """
        Z, codes, _, probability = self._judge(X)
        with one_blas_thread():
            return self._shared_out(codes, probability, self.evidence_.chances(Z))

    def _shared_out(self, codes: IntArray, probability: FloatArray, chances: FloatArray) -> FloatArray:
        # Labels of equal rows are guesses: the classes' shares in the source say more.
        share = share_out if self.evidence_.equal_rows else share_out_below
        return share(codes, probability, chances)

    def suggest(self, n: int, *, besides: npt.ArrayLike = ()) -> Query:
        """The rows of the target whose labels would help most, if somebody looked them up.

        Rows that many others resemble, doubtful ones above all, and that do not resemble each other or a row whose
        label is known. They are not a random sample: how many of their labels are right says little of the others. For
        that there is `audit`.

        Parameters
        ----------
        n : int
        besides : array of int, default none
            Rows that will be labelled anyway, such as those of `audit`.

        Returns
        -------
        Query
            With `rows`, the most helpful first, and `purpose`.

        Examples
        --------
        >>> from sklearn.datasets import make_blobs
        >>> from tsrp import JDA
        >>> X, y = make_blobs(120, n_features=5, random_state=0)
        >>> JDA(n_components=4).fit(X[:60], y[:60], X[60:] + 1.0).suggest(3).rows.shape
        (3,)
        """
        record, taken = self._fit_data(), self.known_
        taken[row_numbers("besides", besides, len(taken))] = True
        if self.others_ is not None:
            taken = taken[self.others_.fitted]
        check_count(n, self._fit_known)
        with one_blas_thread():
            return self._numbered(suggested(unit_rows(record.Zt), 1 - self._fit_probability, n, taken))

    def ranked_classes(self, rows: npt.ArrayLike) -> LabelArray:
        """The classes of some target rows, the most probable first.

        Parameters
        ----------
        rows : array of int, shape (n,)

        Returns
        -------
        array of shape (n, n_classes)

        Examples
        --------
        >>> from tsrp import NN
        >>> model = NN().fit([[0.0], [0.1], [1.0]], ["low", "low", "high"], [[0.2], [0.9]])
        >>> model.ranked_classes([1]).tolist()
        [['high', 'low']]
        """
        labels, record = self.labels_, self._fit_data()
        wanted = row_numbers("rows", rows, len(labels))
        codes = np.searchsorted(self.classes_, labels[wanted])
        Z = record.Zt[wanted] if record.whole is None else self._project(self._some(record.whole, wanted))
        with one_blas_thread():
            chances = self.evidence_.chances(Z)
        chances[np.arange(len(wanted)), codes] = np.inf
        return self.classes_[np.argsort(-chances, axis=1, kind="stable")]

    def audit(self, n: int, seed: int = 0) -> Query:
        """Rows of the target at random, to measure how many labels are right: of their labels as many as of all others.

        Parameters
        ----------
        n : int
        seed : int, default 0

        Returns
        -------
        Query
            With `rows` and `purpose`.

        Examples
        --------
        >>> from tsrp import NN
        >>> NN().fit([[0.0], [1.0]], ["low", "high"], [[0.2], [0.9], [0.3]]).audit(2).rows.shape
        (2,)
        """
        return self._numbered(audited(n, self._fit_known, seed))

    def _numbered(self, found: Query) -> Query:
        """Rows of the fit as rows of the whole target: of many rows, those that the fit learned from speak for all."""
        return found if self.others_ is None else replace(found, rows=self.others_.fitted[found.rows])

    def _judge(self, X: npt.ArrayLike) -> tuple[FloatArray, IntArray, FloatArray, FloatArray]:
        """New samples, projected, with codes, trust and probability of their labels."""
        check_is_fitted(self)
        Z, codes = self._project_and_label(X)
        evidence = self.evidence_
        with one_blas_thread():
            trust = evidence.judge(self._originals(X), Z, codes)
        return Z, codes, trust, self._probability(codes, trust)

    def _originals(self, X: npt.ArrayLike) -> FloatArray:
        """New samples as those of the fit are in its record."""
        return np.asarray(X, dtype=np.float64)

    def _fit_data(self) -> FitRecord:
        check_is_fitted(self)
        if not hasattr(self, "fit_record_"):
            raise UsageError(
                f"this {type(self).__name__} does not have the data of its fit: it was loaded or copied, or it is part "
                "of another model, which has them; ask that, or fit again."
            )
        return self.fit_record_

    def _fit_data_in_memory(self, what: str) -> FitRecord:
        """What a fit was given, if that is not in blocks."""
        record = self._fit_data()
        if isinstance(record, BlockedRecord):
            raise UsageError(
                f"{what} needs all samples in memory, but this {type(self).__name__} was fitted to samples in blocks: "
                "fit it to some of them, in memory."
            )
        return record

    def _with_names(self, X: Any) -> Any:
        """Samples as a data frame, if the fit was given one: a transformer may ask for its columns."""
        names = getattr(self, "feature_names_in_", None)
        if names is None or isinstance(X, BlockedSamples):
            return X
        import pandas as pd

        return pd.DataFrame(X, columns=names)
