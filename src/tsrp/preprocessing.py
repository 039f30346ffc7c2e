"""Preprocessing of each domain on its own.

What the benchmarks need is in scikit-learn: row sums are ``Normalizer("l1")`` (for counts), unit rows
``Normalizer()``, z-scores ``StandardScaler()``. What scikit-learn has no place for is that each domain gets its own
fit, and that samples to come belong to the target's: `PerDomain` is that place.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from tsrp._types import FloatArray, LabelArray
from tsrp.adaptation import Callback
from tsrp.confidence import Judgement
from tsrp.products import Products
from tsrp.projections.contract import adapts
from tsrp.validation import check_domains, forget


class PerDomain(TransformerMixin, ClassifierMixin, Products, BaseEstimator):
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
        `predict` and `transform` use the target's: samples to come belong to the target's world.
    method_ : estimator
        The fitted method.
    labels_, confident_, picked_, history_, n_iter_, classes_, n_features_in_
        As the method found them.

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
        if not (hasattr(self.transformer, "fit") and hasattr(self.transformer, "transform")):
            raise TypeError(f"transformer must be a scikit-learn transformer, but it is {self.transformer!r}.")
        if not adapts(self.method):
            raise TypeError(f"method must be one of this package, such as TSRP(DICD()), but it is {self.method!r}.")
        # The transformers see one domain each, and would not notice what does not fit together.
        domains = check_domains(self, Xs, ys, Xt)
        source, target = clone(self.transformer).fit(Xs), clone(self.transformer).fit(Xt)
        method = clone(self.method).fit(source.transform(Xs), ys, target.transform(Xt), callback=callback)
        self.source_transformer_, self.target_transformer_, self.method_ = source, target, method
        for name in ("labels_", "confident_", "picked_", "history_", "n_iter_", "classes_"):
            if hasattr(method, name):
                setattr(self, name, getattr(method, name))
        self._remember(domains, Xt)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "method_")

    def predict(self, X: npt.ArrayLike) -> LabelArray:
        """Label samples of the target's world."""
        check_is_fitted(self)
        return self.method_.predict(self.target_transformer_.transform(X))

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Project samples of the target's world."""
        check_is_fitted(self)
        return self.method_.transform(self.target_transformer_.transform(X))

    def predict_confidence(self, X: npt.ArrayLike) -> Judgement:
        """Label samples of the target's world, and say which of the labels to trust (see the method)."""
        check_is_fitted(self)
        return self.method_.predict_confidence(self.target_transformer_.transform(X))

    def get_feature_names_out(self, input_features: npt.ArrayLike | None = None) -> npt.NDArray[Any]:
        """Names of the columns of `transform`, as the method has them."""
        check_is_fitted(self)
        return self.method_.get_feature_names_out()

    def _project_seen(self) -> tuple[FloatArray, FloatArray]:
        return self.method_._project_seen()
