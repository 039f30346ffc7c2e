"""A method's last projection, labelled by another classifier than the one that led there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from tsrp._types import FloatArray, LabelArray
from tsrp.base.callers import refuse_scikit_learns_tools
from tsrp.base.contract import adapts
from tsrp.base.delegation import passed_on
from tsrp.base.fitted import FittedModel
from tsrp.base.records import FitRecord
from tsrp.classifiers.training import fit_weighted, predict_codes
from tsrp.exceptions import WrongTypeError
from tsrp.numerics.rows import unit_rows
from tsrp.numerics.threads import one_blas_thread
from tsrp.progress import Callback
from tsrp.validation import asking, forget


class Head(TransformerMixin, ClassifierMixin, FittedModel, BaseEstimator):
    """A method whose rounds run as they do, and whose last projection is labelled by a classifier of its own.

    1-nearest-neighbour, which leads the rounds of most methods, follows the shape of classes; a linear classifier on
    the projection that they lead to is less easily misled by single samples. Neither is always better.

    Parameters
    ----------
    method : estimator of this package
    classifier : scikit-learn classifier
        Trained at the end on the projected source, rows scaled to unit length.

    Attributes
    ----------
    method_ : estimator
        The fitted method.
    classifier_ : classifier
        The trained classifier.
    labels_ : array of shape (n_target,)
        What it says of the target.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from sklearn.linear_model import LogisticRegression
    >>> from tsrp import JDA
    >>> from tsrp.selection.heads import Head
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> Head(JDA(n_components=4), LogisticRegression(C=10)).fit(X[:60], y[:60], X[60:] + 1.0).labels_.shape
    (60,)
    """

    method_: Any
    known_rows_ = passed_on("known_rows_")
    history_ = passed_on("history_")
    n_iter_ = passed_on("n_iter_")
    classes_ = passed_on("classes_")
    n_features_in_ = passed_on("n_features_in_")
    feature_names_in_ = passed_on("feature_names_in_")

    def __init__(self, method: Any, classifier: Any) -> None:
        self.method = method
        self.classifier = classifier

    def fit(
        self,
        Xs: npt.ArrayLike,
        ys: npt.ArrayLike,
        Xt: npt.ArrayLike,
        yt: npt.ArrayLike | None = None,
        *,
        callback: Callback | None = None,
    ) -> Head:
        """Fit the method, and train the classifier on its projection; arguments as for the method."""
        forget(self)
        refuse_scikit_learns_tools()
        if not adapts(self.method):
            raise WrongTypeError(
                f"method must be one of this package, such as TSRP(DICD()), but it is {self.method!r}."
            )
        fitted = clone(self.method).fit(Xs, ys, Xt, yt, callback=callback)
        self.fit_record_ = self.crown(fitted, vars(fitted).pop("fit_record_"))
        self._note_rows(Xt)
        return self

    def crown(self, fitted: Any, record: FitRecord) -> FitRecord:
        """Train the classifier on the projection of a method that is fitted already, and return the record of both."""
        classes, known = record.given.classes, record.given.known
        Zs, Zt = _units(record.Zs), _units(record.Zt)
        Z, codes = known.beside(Zs, record.given.ys, Zt)
        with one_blas_thread(), asking(self.classifier):
            self.classifier_ = fit_weighted(clone(self.classifier), Z, classes[codes], known.weights(len(Zs)))
            self.fit_labels_ = classes[known.over(predict_codes(self.classifier_, Zt, classes))]
        self.method_ = fitted
        return replace(record, Zs=Zs, Zt=Zt)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "method_")

    @property
    def method_name(self) -> str:
        """The method, and the classifier on its projection."""
        return f"{self.method.method_name} with {type(self.classifier).__name__}"

    @property
    def final_classifier(self) -> Any:
        """The classifier, untrained, that `predict` asks once it is trained."""
        return self.classifier

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Project samples of the target domain as the method does, rows scaled to unit length."""
        check_is_fitted(self)
        return unit_rows(self.method_.transform(X))

    def project_source(self, X: npt.ArrayLike) -> FloatArray:
        """Project samples of the source domain likewise."""
        check_is_fitted(self)
        return unit_rows(self.method_.project_source(X))

    def predict(self, X: npt.ArrayLike) -> LabelArray:
        """Label samples of the target domain."""
        _, codes = self._project_and_label(X)
        return self.classes_[codes]

    def _project(self, X: npt.ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return _units(self.method_._project(X))

    def get_feature_names_out(self, input_features: npt.ArrayLike | None = None) -> npt.NDArray[Any]:
        """Names of the columns of `transform`, as the method has them."""
        check_is_fitted(self)
        return self.method_.get_feature_names_out()


def _units(Z: FloatArray) -> FloatArray:
    return unit_rows(Z.astype(np.float64, copy=False))
