"""What the scores look at: both domains as a fitted method projects them, and class probabilities there."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from tsrp._types import FloatArray, LabelArray
from tsrp.numerics.rows import unit_rows

# On rows of unit length scikit-learn's default of 1 leaves all classes about equally probable.
INVERSE_PENALTY = 10.0
STEPS = 200


def unit_views(model: Any, Xs: npt.ArrayLike, Xt: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Both domains as a fitted method projects them, rows of unit length, so that methods can be compared."""
    Zs, Zt = np.asarray(model.project_source(Xs)), np.asarray(model.transform(Xt))
    return unit_rows(Zs), unit_rows(Zt)


def probabilities(Zs: FloatArray, ys: LabelArray, Z: FloatArray) -> FloatArray:
    """Class probabilities by multinomial logistic regression on labelled samples of unit length."""
    return _logistic(Zs, ys, INVERSE_PENALTY).predict_proba(Z)


def density_ratios(Zs: FloatArray, Zt: FloatArray, Z: FloatArray) -> FloatArray:
    """How much more often samples occur in the target than in the source, by a logistic regression on the domains."""
    side = np.repeat([0, 1], [len(Zs), len(Zt)])
    odds = _logistic(np.vstack([Zs, Zt]), side, 1.0).decision_function(Z)
    return np.exp(odds) * len(Zs) / len(Zt)


def _logistic(Z: FloatArray, y: LabelArray, inverse_penalty: float) -> LogisticRegression:
    with warnings.catch_warnings():
        # Probabilities that are not exact to the last digit are good enough to compare methods by.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LogisticRegression(C=inverse_penalty, max_iter=STEPS).fit(Z, y)
