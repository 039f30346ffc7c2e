"""Tools of scikit-learn that would silently do the wrong thing with a second domain."""

from __future__ import annotations

import sys

from tsrp.exceptions import UsageError

# They cut every array of as many rows as Xs into folds, and Xt is one if it happens to be as long.
FOLDING = ("sklearn.model_selection", "sklearn.calibration", "sklearn.ensemble", "sklearn.feature_selection")


def refuse_scikit_learns_tools() -> None:
    """Refuse a fit that is called by a pipeline or by cross-validation; to be called from `fit` itself."""
    caller = sys._getframe(2).f_globals.get("__name__", "")
    if caller.startswith("sklearn.pipeline"):
        raise UsageError(
            "a scikit-learn Pipeline transforms Xs but not Xt, which would leave the domains in different spaces: use "
            "PerDomain(transformer, method), or transform both domains before fit."
        )
    if caller.startswith(FOLDING):
        raise UsageError(
            "scikit-learn's cross-validation cuts Xt into folds as if its rows belonged to Xs, and scores on the "
            "source: use tsrp.selection.search, which compares settings without target labels, or ParameterGrid and a "
            "loop."
        )
