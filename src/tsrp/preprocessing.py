"""Preprocessing of each domain on its own.

Most of what the benchmarks need is in scikit-learn: row sums are ``Normalizer("l1")`` (for counts), unit rows
``Normalizer()``, z-scores ``StandardScaler()``; `RowScaler` makes z-scores within each row, `SoftScaler` is a z-score
that spares small features. What scikit-learn has no place for is that each domain gets its own fit, and that samples to
come belong to the target's: `PerDomain` is that place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from tsrp._types import BoolArray, FloatArray, LabelArray
from tsrp.base.blocked import check_any_domains, check_new_blocks, is_blocked
from tsrp.base.callers import refuse_scikit_learns_tools
from tsrp.base.contract import adapts
from tsrp.base.delegation import Wrapper
from tsrp.base.fitted import FittedModel
from tsrp.base.scaling import extremes_of, fit_transform_blocks, fits_blocks, named, transformed_blocks
from tsrp.blocked.samples import BlockedSamples
from tsrp.exceptions import UsageError, WrongTypeError
from tsrp.progress import Callback, listening
from tsrp.sampling import drawn
from tsrp.trust.blocked import scaling_of_blocks
from tsrp.trust.original import Scaling
from tsrp.validation import asking, check_new, forget


class RowScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Each sample minus its own mean, divided by its own standard deviation: brightness and contrast of an image.

    A sample whose features are all equal becomes zeros. Nothing is learned from other samples.

    Examples
    --------
    >>> from tsrp import RowScaler
    >>> RowScaler().fit_transform([[1.0, 3.0], [5.0, 5.0]])
    array([[-1.,  1.],
           [ 0.,  0.]])
    """

    def fit(self, X: npt.ArrayLike, y: None = None) -> RowScaler:
        """Note the features; there is nothing to learn."""
        validate_data(self, X, dtype=[np.float64, np.float32])
        return self

    def fit_blocks(self, X: BlockedSamples) -> RowScaler:
        """As `fit`, to samples in blocks: no pass."""
        return self.fit(named(np.zeros((1, X.shape[1])), X.names))

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Centre and scale each row."""
        check_is_fitted(self)
        samples = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        # By a power of two, which changes no digit: the squares of very large and very small values are no numbers.
        _, exponents = np.frexp(np.abs(samples).max(axis=1, keepdims=True))
        samples = np.ldexp(samples, -exponents)
        centred = samples - samples.mean(axis=1, keepdims=True)
        # The deviation of equal values is the rounding of their mean.
        rounding = 8 * np.finfo(samples.dtype).eps * np.abs(samples).max(axis=1, keepdims=True)
        deviation = centred.std(axis=1, keepdims=True)
        return np.where(deviation > rounding, centred / np.where(deviation > 0, deviation, 1.0), 0.0).astype(
            samples.dtype, copy=False
        )


class SoftScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Features minus their mean, divided by their standard deviation plus the median one of all features.

    Between leaving features as they are and z-scores: features that vary much are reined in, and the noise of those
    that hardly vary is not blown up. A common unit of all features does not matter.

    Attributes
    ----------
    mean_, scale_ : arrays of shape (m,)
    n_features_in_ : int

    Examples
    --------
    >>> from tsrp import SoftScaler
    >>> SoftScaler().fit_transform([[0.0, 1.0, 200.0], [0.0, 3.0, 0.0]])
    array([[ 0.        , -0.01941748,  0.66445183],
           [ 0.        ,  0.01941748, -0.66445183]])
    """

    mean_: FloatArray
    scale_: FloatArray

    def fit(self, X: npt.ArrayLike, y: None = None) -> SoftScaler:
        """Learn means and scales."""
        samples = validate_data(self, X, dtype=[np.float64, np.float32])
        return self._soften(Scaling.of(samples), np.any(samples != samples[0], axis=0))

    def fit_blocks(self, X: BlockedSamples) -> SoftScaler:
        """As `fit`, to samples in blocks: three passes."""
        extremes = extremes_of(X)
        validate_data(self, named(extremes, X.names))
        return self._soften(scaling_of_blocks(X), extremes[0] != extremes[1])

    def _soften(self, scaling: Scaling, varies: BoolArray) -> SoftScaler:
        self.mean_ = scaling.centre
        # Of a feature that does not vary the scale is 1, whatever the unit of the others is.
        self.scale_ = scaling.scale + (np.median(scaling.scale[varies]) if varies.any() else 0.0)
        return self

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Centre and scale each feature."""
        check_is_fitted(self)
        samples = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return ((samples - self.mean_) / self.scale_).astype(samples.dtype, copy=False)


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
    labels_, known_, picked_, history_, n_iter_, classes_, classifier_, n_features_in_
        As the method found them.
    trust_, probability_, confident_, estimated_accuracy_
        How far to trust the labels (see `TSRP`), by the features before the transformer and by the projection.

    Notes
    -----
    Data frames with columns of text go to the transformer as they are, such as a `ColumnTransformer` with encoders. It
    must make a dense array of numbers, which is all that the model knows of the samples. Each domain has its own fit:
    give encoders the categories of both.

    Examples
    --------
    Office-Caltech's preprocessing: row sums to one, then z-scores in each domain.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import Normalizer, StandardScaler
    >>> from tsrp import JDA, TSRP, PerDomain
    >>> model = PerDomain(make_pipeline(Normalizer("l1"), StandardScaler()), TSRP(JDA()))
    """

    # Whether the samples of the record are those after the transformer, as those before are no numbers.
    transforms_text_ = False

    def __init__(self, transformer: Any, method: Any) -> None:
        self.transformer = transformer
        self.method = method

    def fit(
        self,
        Xs: npt.ArrayLike,
        ys: npt.ArrayLike,
        Xt: npt.ArrayLike,
        yt: npt.ArrayLike | None = None,
        *,
        callback: Callback | None = None,
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
        if (is_blocked(Xs) or is_blocked(Xt)) and not fits_blocks(self.transformer):
            raise UsageError(
                f"{self.transformer!r} needs all samples in memory: those in blocks go to scikit-learn's Normalizer, "
                "StandardScaler, MinMaxScaler and MaxAbsScaler, to RowScaler and SoftScaler, and to pipelines of these."
            )
        if _has_text(Xs) or _has_text(Xt):
            (source, Zs), (target, Zt) = self._fit_transform(Xs), self._fit_transform(Xt)
            domains = check_any_domains(self, Zs, ys, Zt, yt)
            self.transforms_text_ = True
            sample, rows = drawn(domains, self._limit)
            if sample is not domains:
                Zs, Zt = sample.Xs, sample.Xt
        else:
            # The transformers see one domain each, and would not notice what does not fit together.
            domains = check_any_domains(self, Xs, ys, Xt, yt)
            # As they were checked: single precision has become double where it would not do.
            sample, rows = drawn(domains, self._limit)
            (source, Zs), (target, Zt) = (self._fit_transform(self._with_names(X)) for X in (sample.Xs, sample.Xt))
        if sample is not domains:
            ys, yt = sample.labels
        method = clone(self.method).fit(Zs, ys, Zt, yt, callback=callback)
        self.source_transformer_, self.target_transformer_, self.method_ = source, target, method
        # The method's record goes along: it is this model that says how far to trust the labels.
        self.fit_record_ = replace(vars(method).pop("fit_record_"), given=sample)
        with listening(callback):
            self._label_others(Xt if self.transforms_text_ else domains.Xt, rows)
        self._note_rows(Xt)
        return self

    @property
    def _limit(self) -> int | None:
        return self.method._limit

    @property
    def takes_blocks(self) -> bool:
        """Whether `fit` takes samples in blocks: if the method does, and the transformer is a scaler."""
        return bool(getattr(self.method, "takes_blocks", False)) and fits_blocks(self.transformer)

    def _fit_transform(self, X: Any) -> tuple[Any, Any]:
        """The transformer fitted to a domain, and the domain as it transforms it."""
        with asking(self.transformer):
            if isinstance(X, BlockedSamples):
                return fit_transform_blocks(self.transformer, X)
            fitted = clone(self.transformer).fit(X)
            return fitted, fitted.transform(X)

    def fit_transform(self, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike, **options: Any) -> FloatArray:
        """Fit, and project the source; the projected target is ``transform(Xt)``."""
        return self.fit(Xs, ys, Xt, **options).project_source(Xs)

    def predict(self, X: npt.ArrayLike) -> LabelArray:
        """Label samples of the target domain."""
        if is_blocked(X):
            blocks = check_new_blocks(self, X)
            return self.method_.predict(transformed_blocks(self.target_transformer_, blocks))
        samples = self._transformed(X)
        return self.method_.predict(samples)

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Project samples of the target domain."""
        samples = self._transformed(X)
        return self.method_.transform(samples)

    def project_source(self, X: npt.ArrayLike) -> FloatArray:
        """Project samples of the source domain, transformed as the source was."""
        samples = self._transformed(X, "source_transformer_")
        return self.method_.project_source(samples)

    def _project(self, X: npt.ArrayLike) -> FloatArray:
        samples = self._transformed(X)
        return self.method_._project(samples)

    def _transformed(self, X: npt.ArrayLike, transformer: str = "target_transformer_") -> Any:
        """New samples as the method is given them."""
        check_is_fitted(self)
        samples = X if self.transforms_text_ else self._with_names(check_new(self, X))
        with asking(self.transformer):
            return getattr(self, transformer).transform(samples)

    def _originals(self, X: npt.ArrayLike) -> FloatArray:
        return super()._originals(self._transformed(X) if self.transforms_text_ else X)

    def _fitted_again(self) -> Any:
        return self.method_ if self.transforms_text_ else self

    def get_feature_names_out(self, input_features: npt.ArrayLike | None = None) -> npt.NDArray[Any]:
        """Names of the columns of `transform`, as the method has them."""
        check_is_fitted(self)
        return self.method_.get_feature_names_out()


def _has_text(X: Any) -> bool:
    """Whether a data frame has columns that cannot be read as numbers."""
    if not hasattr(X, "select_dtypes"):
        return False
    try:
        X.select_dtypes(exclude=["number", "bool"]).to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        return True
    return False
