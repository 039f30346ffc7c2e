"""Fits to small and odd data: every method, alone and wrapped; nothing but the package's own errors may come of it.

Reports of odd data are drawn in processes of their own: compiled code that draws may end one.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context
from typing import Any

import numpy as np

from benchmarks.attack.statements import broken
from tsrp import TSRP, Panel, PerDomain
from tsrp.exceptions import TsrpError
from tsrp.picking import INNER_ITERATIONS
from tsrp.registry import methods
from tsrp.spec import CLASSIFIERS, NO_PREPROCESSING, PREPROCESSING

SCALES = (1e-300, 1e-30, 1e-3, 1.0, 1e3, 1e8, 1e30, 1e300, 5e-324)
PICKERS = tuple(INNER_ITERATIONS)
SETTINGS: dict[str, tuple[Any, ...]] = {
    "kernel": ("primal", "linear", "rbf"),
    "ridge": (1e-10, 1e-3, 1e3),
    "ridge_scale": ("absolute", "relative"),
    "gamma": (1e-3, 10.0),
    "n_components": (1, 2, 5),
    "objective": ("pca", "flda", "lpp"),
    "alignment": (1e-3, 1e3),
    "mu": (0.0, 1.0),
    "n_neighbors": (1, 5),
    "reweighting": ("unit", "constrained"),
    "unit_rows": (True,),
}
# Of all fits: each panel is about ten.
PANELS = 0.01
# Of columns that do not vary: a time in microseconds, and what leaves the range of numbers as a square or as a float32.
LARGE = (1731984000000000.0, 1e30, 1e99, -1e60)
MODELS_OF_REPORTS = ("nn", "nn+tsrp", "dicd+tsrp", "jda")
# Scripts hold names such as NaN.
SCRIPT = re.compile(r"<script.*?</script>", re.DOTALL)


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
        elif odd == 5:
            X[:] = X[0]
    scale: Any = rng.choice(SCALES) if rng.random() < 0.5 else 1.0
    if rng.random() < 0.1:
        scale = 10.0 ** rng.uniform(-300, 99, size=m)
    kind = np.float32 if rng.random() < 0.25 else np.float64
    with np.errstate(all="ignore"):
        Xs, Xt = (np.clip(X * scale, np.finfo(kind).min, np.finfo(kind).max).astype(kind) for X in (Xs, Xt))
    return Xs, ys, Xt


def choose(rng: np.random.Generator, panels: float = PANELS) -> Any:
    """A method with some settings, alone or within wrappers; now and then a panel."""
    if rng.random() < panels:
        return Panel("quick", n_jobs=1)
    kinds = [info.kind for info in methods().values()]
    kind = kinds[int(rng.integers(len(kinds)))]
    method = kind()
    known = method.get_params()
    settings: dict[str, Any] = {}
    for name, choices in SETTINGS.items():
        if name in known and rng.random() < 0.4:
            settings[name] = choices[int(rng.integers(len(choices)))]
    for name in ("max_iter", "max_steps"):
        if name in known:
            settings[name] = 3
    if rng.random() < 0.2:
        settings["classifier"] = CLASSIFIERS[str(rng.choice(list(CLASSIFIERS)))]()
    method.set_params(**settings)
    if rng.random() < 0.4:
        method = TSRP(method, picker=str(rng.choice(PICKERS)))
    scalers = [make for name, make in PREPROCESSING.items() if name != NO_PREPROCESSING]
    if rng.random() < 0.3:
        method = PerDomain(scalers[int(rng.integers(len(scalers)))](), method)
    return method


def fit_odd_data(n: int, seed: int = 0, panels: float = PANELS) -> Counter[str]:
    """Fit n times; how many fits are sound, refused with a sentence, or something else, which is named."""
    found: Counter[str] = Counter()
    for i in range(n):
        rng = np.random.default_rng([seed, i])
        domains, method = draw(rng), choose(rng, panels)
        what = f"(draw {seed}, {i}: {' '.join(repr(method).split())})"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            try:
                found[_outcome(method, *domains, what)] += 1
            except TsrpError:
                found["refused"] += 1
            except Exception as error:
                found[f"{type(error).__name__}: {error} {what}"[:300]] += 1
    return found


def _outcome(method: Any, Xs: Any, ys: Any, Xt: Any, what: str) -> str:
    statement = broken(method.fit(Xs, ys, Xt), Xs, Xt)
    return "sound" if statement is None else f"not so: {statement} {what}"


def draw_reports(n: int, seed: int = 0) -> Counter[str]:
    """Fit n times to data that are odd to draw, and draw the report; how many are drawn, refused, or something else."""
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    found: Counter[str] = Counter()
    for i in range(n):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_report_outcome, args=(seed, i, sender))
        process.start()
        sender.close()
        try:
            outcome = receiver.recv()
        except EOFError:
            process.join()
            outcome = f"exit code {process.exitcode} (report {seed}, {i})"
        process.join()
        found[outcome] += 1
    return found


def odd_to_draw(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Two domains with rows enough for every drawing, and columns or rows that are hard to draw."""
    n, k, m = (int(number) for number in rng.integers((20, 20, 1), (60, 60, 6)))
    ys = np.arange(n) % 2
    Xs, Xt = rng.normal(size=(n, m)) + ys[:, np.newaxis], rng.normal(size=(k, m))
    for odd in rng.integers(7, size=rng.integers(1, 4)):
        value, column = rng.choice(LARGE), rng.integers(Xs.shape[1])
        if odd == 0:
            Xs, Xt = (np.column_stack([X, np.full(len(X), value)]) for X in (Xs, Xt))
        elif odd == 1:
            Xs, Xt = (np.column_stack([X, LARGE[0] + 1e6 * np.arange(len(X))]) for X in (Xs, Xt))
        elif odd == 2:
            (Xs, Xt)[rng.integers(2)][:, column] = value
        elif odd == 3:
            Xt[:] = Xt[0]
        elif odd == 4:
            Xs[:], Xt[:] = Xs[ys], Xs[rng.integers(2, size=k)]
        elif odd == 5:
            (Xs, Xt)[rng.integers(2)][0, column] = value
        else:
            scale = 10.0 ** rng.integers(-150, 90)
            Xs, Xt = (np.clip(scale * X, -1e100, 1e100) for X in (Xs, Xt))
    return Xs, ys, Xt


def _report_outcome(seed: int, i: int, sender: Any) -> None:
    from tsrp.report.findings import find
    from tsrp.report.page import render
    from tsrp.spec import MethodSpec

    rng = np.random.default_rng([seed, i])
    Xs, ys, Xt = odd_to_draw(rng)
    name = str(rng.choice(MODELS_OF_REPORTS))
    what = f"(report {seed}, {i}: {name})"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            findings = find(MethodSpec(name).build().fit(Xs, ys, Xt))
            page = SCRIPT.sub("", render(findings))
            finite = all(np.isfinite(numbers).all() for numbers in _drawn(findings))
            written = re.search(r"\b(nan|inf)\b", page, re.IGNORECASE) is None
            outcome = "drawn" if finite and written else f"a number that is none {what}"
        except TsrpError:
            outcome = "refused"
        except Exception as error:
            outcome = f"{type(error).__name__}: {error} {what}"[:300]
    sender.send(outcome)


def _drawn(findings: Any) -> Iterator[Any]:
    """The numbers that a report shows."""
    for plane in (findings.principal, findings.tsne):
        if plane is not None:
            yield from (plane.before, plane.after)
    yield from (findings.probability, findings.runner_up_probability)
    if findings.distances is not None:
        yield np.array(list(vars(findings.distances).values()))
