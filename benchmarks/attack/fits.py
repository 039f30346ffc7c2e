"""Fits to small and odd data: every method, alone and wrapped; nothing but the package's own errors may come of it."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np

from tsrp import TSRP, PerDomain, RowScaler
from tsrp.exceptions import TsrpError
from tsrp.registry import methods

SCALES = (1e-300, 1e-30, 1e-3, 1.0, 1e3, 1e8, 1e30, 1e300, 5e-324)


def draw(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Two small domains with something odd about them."""
    n, k, m = rng.integers(2, 14), rng.integers(1, 14), int(rng.choice([1, 2, 3, 24]))
    Xs: Any = rng.normal(size=(n, m))
    Xt: Any = rng.normal(size=(k, m)) + rng.choice([0.0, 1.0, 1e3])
    ys = np.concatenate([[0, 1], rng.integers(0, rng.integers(2, 5), size=n - 2)])
    for X in (Xs, Xt):
        odd = rng.integers(8)
        if odd == 0:
            X[:] = X[rng.integers(len(X), size=len(X))]
        elif odd == 1:
            X[:, rng.integers(m)] = 1.0
        elif odd == 2:
            X[rng.integers(len(X))] = 0.0
        elif odd == 3:
            X *= rng.random(X.shape) < 0.3
        elif odd == 4:
            X += 1e8
    scale = rng.choice(SCALES) if rng.random() < 0.5 else 1.0
    kind = np.float32 if rng.random() < 0.25 else np.float64
    with np.errstate(all="ignore"):
        Xs, Xt = (np.clip(X * scale, np.finfo(kind).min, np.finfo(kind).max).astype(kind) for X in (Xs, Xt))
    return Xs, ys, Xt


def choose(rng: np.random.Generator) -> Any:
    """A method with some settings, alone or within wrappers."""
    kinds = [info.kind for info in methods().values()]
    kind = kinds[int(rng.integers(len(kinds)))]
    method = kind()
    known = method.get_params()
    settings: dict[str, Any] = {}
    if "kernel" in known and rng.random() < 0.6:
        settings["kernel"] = str(rng.choice(["primal", "linear", "rbf"]))
    if "ridge" in known and rng.random() < 0.3:
        settings["ridge"] = float(rng.choice([1e-10, 1e-3, 1e3]))
    if "n_components" in known and rng.random() < 0.5:
        settings["n_components"] = int(rng.integers(1, 6))
    if "max_iter" in known:
        settings["max_iter"] = 3
    method.set_params(**settings)
    if rng.random() < 0.4:
        method = TSRP(method)
    if rng.random() < 0.2:
        method = PerDomain(RowScaler(), method)
    return method


def fit_odd_data(n: int, seed: int = 0) -> Counter[str]:
    """Fit n times; how many fits are sound, refused with a sentence, or something else, which is named."""
    found: Counter[str] = Counter()
    for i in range(n):
        rng = np.random.default_rng([seed, i])
        domains, method = draw(rng), choose(rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            try:
                found[_outcome(method, *domains)] += 1
            except TsrpError:
                found["refused"] += 1
            except Exception as error:
                what = " ".join(repr(method).split())
                found[f"{type(error).__name__}: {error} (draw {seed}, {i}: {what})"[:300]] += 1
    return found


def _outcome(method: Any, Xs: Any, ys: Any, Xt: Any) -> str:
    model = method.fit(Xs, ys, Xt)
    if not set(model.labels_.tolist()) <= set(model.classes_.tolist()):
        return "labels that are not of the source"
    if not np.isfinite(model.transform(Xt)).all():
        return f"projections that are not finite: {' '.join(repr(method).split())}"
    probability = model.probability_
    if not ((probability >= 0) & (probability <= 1)).all():
        return "probabilities beyond 0 and 1"
    if (model.confident_ != (probability >= 0.9)).any():
        return "confident labels below 0.9"
    judged = model.predict_confidence(Xt)
    if not ((judged.probability >= 0) & (judged.probability <= 1)).all():
        return "probabilities of new samples beyond 0 and 1"
    if (judged.labels != model.predict(Xt)).any():
        return "predict and predict_confidence differ"
    return "sound"
