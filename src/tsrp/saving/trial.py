"""Whether a model answers, tried on made-up samples that are like those of its fit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from tsrp.validation import LARGEST_SAMPLE

# Several: what does not fit together may still fit to one.
SAMPLES = 7


def check_usable(model: Any) -> None:
    """Ask a model what it will be asked in service; raises nearly anything if it is unfit."""
    scaling, m = model.evidence_.scaling, model.n_features_in_
    rows = scaling.centre + scaling.scale * np.random.default_rng(0).normal(size=(SAMPLES, m))
    X: Any = np.clip(rows, -LARGEST_SAMPLE, LARGEST_SAMPLE)
    if hasattr(model, "feature_names_in_"):
        X = pd.DataFrame(X, columns=model.feature_names_in_.tolist())
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        judged, chances = model.predict_confidence(X), model.predict_proba(X)
        if not np.array_equal(judged.labels, model.predict(X)) or not np.isin(judged.labels, model.classes_).all():
            raise ValueError("its labels are not of its classes")
        for of_classes in (chances, *_supports(model, X)):
            if not np.isfinite(of_classes).all():
                raise ValueError("it computes NaN or infinity")
        for shares in (judged.probability, judged.trust, model.probability_, model.trust_):
            if not ((shares >= 0) & (shares <= 1)).all():
                raise ValueError("its probabilities are not from 0 to 1")
        if not np.isfinite(model.project_source(X)).all() or len(model.to_frame()) != len(model.labels_):
            raise ValueError("it does not say of its fit what a model says")


def _supports(model: Any, X: Any) -> list[Any]:
    """What the classifiers of a model, or of its members, make of samples before they take the largest."""
    voters = [voter.model for voter in getattr(model, "voters_", []) if not voter.error]
    return [
        getattr(own.classifier_, name)(own._project(X))
        for own in voters or [model]
        for name in ("decision_function", "predict_proba")
        if hasattr(own.classifier_, name)
    ]
