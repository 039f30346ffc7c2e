"""Preprocessing of each domain on its own.

What the benchmarks need is in scikit-learn: row sums are ``Normalizer("l1")`` (for counts), unit rows
``Normalizer()``, z-scores ``StandardScaler()``. What scikit-learn has no place for is that each domain gets its own
fit, and that samples to come belong to the target's: `PerDomain` is that place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from tsrp._types import FloatArray, IntArray, LabelArray
from tsrp.base.callers import refuse_scikit_learns_tools
from tsrp.base.contract import adapts
from tsrp.base.delegation import Wrapper
from tsrp.base.fitted import FittedModel
from tsrp.exceptions import WrongTypeError
from tsrp.progress import Callback
from tsrp.validation import asking, check_domains, forget


class PerDomain(TransformerMixin, ClassifierMixin, Wrapper, FittedModel, BaseEstimator):
    """A method whose input goes through a transformer fitted to the source and to the target separately.

    Parameters
    ----------
    transformer : scikit-learn transformer or pipeline
        Fitted without labels, once to the source and once to the target.
    method : estimator of this package
        Fitted to the transformed domains.

    Attributes
    ----------
    source_transformer_, target_transformer_ : transformers
        `predict` and `transform` use the target's: samples to come belong to the target domain.
    method_ : estimator
        The fitted method.
    labels_, picked_, history_, n_iter_, classes_, classifier_, n_features_in_
        As the method found them.
    trust_, probability_, confident_, estimated_accuracy_
        How far to trust the labels (see `TSRP`), by the features before the transformer and by the projection.

    Examples
    --------
    Office-Caltech's preprocessing: row sums to one, then z-scores in each domain.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import Normalizer, StandardScaler
    >>> from tsrp import JDA, TSRP, PerDomain
    >>> model = PerDomain(make_pipeline(Normalizer("l1"), StandardScaler()), TSRP(JDA()))
    """

    def __init__(self, transformer: Any, method: Any) -> None:
        self.transformer = transformer
        self.method = method

    def fit(
        self, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike, *, callback: Callback | None = None
    ) -> PerDomain:
        """Transform each domain by itself and fit the method; arguments as for the method."""
        forget(self)
        refuse_scikit_learns_tools()
        is_transformer = hasattr(self.transformer, "fit") and hasattr(self.transformer, "transform")
        if isinstance(self.transformer, type) or not is_transformer:
            raise WrongTypeError(f"transformer must be a scikit-learn transformer, but it is {self.transformer!r}.")
        if not adapts(self.method):
            raise WrongTypeError(
                f"method must be one of this package, such as TSRP(DICD()), but it is {self.method!r}."
            )
        # The transformers see one domain each, and would not notice what does not fit together.
        domains = check_domains(self, Xs, ys, Xt)
        with asking(self.transformer):
            source, target = clone(self.transformer).fit(Xs), clone(self.transformer).fit(Xt)
            transformed = source.transform(Xs), target.transform(Xt)
        method = clone(self.method).fit(transformed[0], ys, transformed[1], callback=callback)
        self.source_transformer_, self.target_transformer_, self.method_ = source, target, method
        # The method's record goes along: it is this model that says how far to trust the labels.
        self.fit_record_ = replace(vars(method).pop("fit_record_"), given=domains)
        self._note_rows(Xt)
        return self

    def fit_transform(self, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike, **options: Any) -> FloatArray:
        """Fit, and project the source; the projected target is ``transform(Xt)``."""
        return self.fit(Xs, ys, Xt, **options).project_source(Xs)

    def predict(self, X: npt.ArrayLike) -> LabelArray:
        """Label samples of the target domain."""
        check_is_fitted(self)
        return self.method_.predict(self.target_transformer_.transform(X))

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Project samples of the target domain."""
        check_is_fitted(self)
        return self.method_.transform(self.target_transformer_.transform(X))

    def project_source(self, X: npt.ArrayLike) -> FloatArray:
        """Project samples of the source domain, transformed as the source was."""
        check_is_fitted(self)
        return self.method_.project_source(self.source_transformer_.transform(X))

    def _project_and_label(self, X: npt.ArrayLike) -> tuple[FloatArray, IntArray]:
        return self.method_._project_and_label(self.target_transformer_.transform(X))

    def get_feature_names_out(self, input_features: npt.ArrayLike | None = None) -> npt.NDArray[Any]:
        """Names of the columns of `transform`, as the method has them."""
        check_is_fitted(self)
        return self.method_.get_feature_names_out()
