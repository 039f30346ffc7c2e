"""Tools of scikit-learn that would silently do the wrong thing with a second domain."""

from __future__ import annotations

import sys
from typing import Any

from tsrp.exceptions import UsageError

# They cut every array of as many rows as Xs into folds, as Xt may be one, or pass it on as it is.
CUTTING = ("calibration", "ensemble", "feature_selection", "model_selection", "multiclass", "multioutput")


def refuse_scikit_learns_tools() -> None:
    """Refuse a fit that is called by a pipeline or by cross-validation; to be called from `fit` itself."""
    frame = sys._getframe(2)
    # `fit_transform` is ours, and scikit-learn puts a frame of its own around it.
    while frame.f_back is not None and (frame.f_code.co_name == "fit_transform" or _module(frame) == "utils"):
        if _module(frame) == "pipeline":
            break
        frame = frame.f_back
    module = _module(frame)
    if module == "pipeline":
        raise UsageError(
            "a scikit-learn Pipeline or FeatureUnion does not transform Xt as it transforms Xs: use "
            "PerDomain(transformer, method), or transform both domains before fit."
        )
    if module in CUTTING:
        raise UsageError(
            f"sklearn.{module} would cut Xt into folds or pass it on as if its rows belonged to Xs: use "
            "tsrp.selection.search, which compares settings without target labels, or ParameterGrid and a loop."
        )


def _module(frame: Any) -> str:
    """Which part of scikit-learn a frame belongs to; "" if none."""
    package, _, rest = (frame.f_globals.get("__name__") or "").partition(".")
    return rest.partition(".")[0] if package == "sklearn" else ""
