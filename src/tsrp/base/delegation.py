"""Models around a fitted method, which answer with what the method found."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from tsrp._types import FloatArray


def passed_on(name: str) -> Any:
    """An attribute of the fitted method, under the same name."""

    def get(self: Any) -> Any:
        # Before the fit, as any fitted attribute: an AttributeError of that name.
        if "method_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.method_, name)

    return property(get, doc="As the method found it.")


class Wrapper:
    """A model that wraps a method: the fitted one is `method_`, what it was made from is `method`."""

    method: Any
    method_: Any

    fit_labels_ = passed_on("fit_labels_")
    known_rows_ = passed_on("known_rows_")
    picked_ = passed_on("picked_")
    history_ = passed_on("history_")
    n_iter_ = passed_on("n_iter_")
    classes_ = passed_on("classes_")
    classifier_ = passed_on("classifier_")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "method_")

    @property
    def method_name(self) -> str:
        """What people call the method within."""
        return self.method.method_name

    @property
    def final_classifier(self) -> Any:
        """The classifier, untrained, of the method within."""
        return self.method.final_classifier

    def project_source(self, X: npt.ArrayLike) -> FloatArray:
        """Project samples of the source domain as the method does."""
        check_is_fitted(self)
        return self.method_.project_source(X)
