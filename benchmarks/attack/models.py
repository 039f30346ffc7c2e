"""Forged models: something in the file is changed, and its checksums are made right again.

python -m benchmarks.attack.models FOLDER BEGIN END SEED    # some of the forgeries, whose outcomes it prints

The forgeries are used in processes of their own: one that crashes the process is counted, and the next one begins with
the forgery behind it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler
from sklearn.svm import SVC

import tsrp
from benchmarks.attack.forging import forged, read_members, write_members
from benchmarks.synthetic import make_domains
from tsrp import JDA, MEDA, NN, SPL, TSRP, KernelRidge, Panel, PerDomain, RowScaler, SoftScaler
from tsrp.classifiers.forest import Forest
from tsrp.exceptions import TsrpError
from tsrp.memory import limited_memory

MODELS: tuple[Any, ...] = (
    TSRP(JDA(5)),
    JDA(5, kernel="rbf", classifier=SVC()),
    PerDomain(make_pipeline(Normalizer("l1"), StandardScaler()), TSRP(JDA(5))),
    NN(classifier=KernelRidge()),
    PerDomain(MinMaxScaler(), NN(classifier=KNeighborsClassifier(3))),
    JDA(5, classifier=LogisticRegression()),
    SPL(n_components=5),
    MEDA(n_components=5),
    TSRP(make_pipeline(StandardScaler(), PCA(4)), strong_classifier=SVC(kernel="poly")),
    PerDomain(SoftScaler(), NN(unit_rows=True, classifier=Forest(5))),
    PerDomain(RowScaler(), NN(classifier=make_pipeline(StandardScaler(), LogisticRegression()))),
    Panel("quick", n_jobs=1),
)
# Bytes that a model may take, those that loading and using one may take beyond them, and seconds of a processor.
LIMIT, BEYOND, SECONDS = 50e6, 100e6, 10.0


def forge(folder: Path, n: int, seed: int = 0) -> Counter[str]:
    """Forge n models and use them; how many are refused, serve, or are something else, which is named."""
    Xs, ys, Xt, yt = make_domains(60, 40, 12, n_classes=4)
    np.save(folder / "target.npy", Xt)
    columns = [f"f{i}" for i in range(Xs.shape[1])]
    for number, model in enumerate(MODELS):
        path = folder / f"{number}.tsrp"
        if number % 2:
            model.fit(Xs, ys, Xt).save(path, overwrite=True)
        else:
            # Names of classes, of features and of rows, and some labels that are known.
            names = np.array(["ant", "bee", "cat", "dog"])
            known = np.where(np.arange(len(yt)) < 6, names[yt], None)
            frames = (
                pd.DataFrame(Xs, columns=columns),
                pd.DataFrame(Xt, columns=columns, index=map(str, range(len(yt)))),
            )
            model.fit(frames[0], names[ys], frames[1], known).save(path, overwrite=True)
    found: Counter[str] = Counter()
    begin = 0
    while begin < n:
        outcomes, ended = _worker(folder, begin, n, seed)
        found.update(outcomes)
        begin += len(outcomes)
        if begin < n:
            found[f"the process ended with {ended} (forgery {seed}, {begin})"] += 1
            begin += 1
    return found


def _worker(folder: Path, begin: int, end: int, seed: int) -> tuple[list[str], str]:
    """What came of the forgeries until the process ended, and how it ended."""
    command = [sys.executable, "-m", __name__, str(folder), str(begin), str(end), str(seed)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    said = process.stderr.strip().splitlines()
    ended = f"exit code {process.returncode}{': ' + said[-1] if said else ''}"[:200]
    return [json.loads(line) for line in process.stdout.splitlines()], ended


def use_forgeries(folder: Path, begin: int, end: int, seed: int) -> None:
    """Forge and use some models in this process, and print what comes of each."""
    originals = [read_members(folder / f"{number}.tsrp") for number in range(len(MODELS))]
    Xt = np.load(folder / "target.npy")
    path = folder / "forged.tsrp"
    for i in range(begin, end):
        write_members(path, forged(originals[i % len(originals)], np.random.default_rng([seed, i])))
        before, began = _peak(), time.process_time()
        outcome = _use(path, Xt)
        grown = _peak(reset=False) - before
        if grown > LIMIT + BEYOND:
            outcome = f"{outcome}, but takes {grown / 1e6:.0f} MB (forgery {seed}, {i})"
        if time.process_time() - began > SECONDS:
            outcome = f"{outcome}, but takes {time.process_time() - began:.0f} s (forgery {seed}, {i})"
        print(
            json.dumps(outcome if outcome in ("refused", "serves") else f"{outcome} (forgery {seed}, {i})"), flush=True
        )


def _use(path: Path, Xt: Any) -> str:
    with warnings.catch_warnings(), np.errstate(all="ignore"), limited_memory(LIMIT):
        warnings.simplefilter("ignore")
        try:
            model = tsrp.load(path)
        except TsrpError as error:
            return "refused" if len(str(error)) <= 400 + len(str(path)) else f"refused at length: {error}"[:200]
        except Exception as error:
            return f"load: {type(error).__name__}: {error}"[:200]
        try:
            return _ask(model, Xt)
        except Exception as error:
            return f"use: {type(error).__name__}: {error}"[:200]


def _ask(model: Any, Xt: Any) -> str:
    """What a model that was loaded may be asked."""
    m = model.n_features_in_
    X = Xt if m == Xt.shape[1] else np.random.default_rng(0).normal(size=(len(Xt), m))
    judged, chances = model.predict_confidence(X), model.predict_proba(X)
    shares = judged.probability, judged.trust, chances, model.probability_, model.trust_
    if not all(((share >= 0) & (share <= 1)).all() for share in shares):
        return "serves probabilities that are none"
    if not np.isfinite(model.transform(X)).all() or not np.isfinite(model.project_source(X)).all():
        return "serves projections that are none"
    labels = np.concatenate([model.predict(X), judged.labels, model.labels_])
    if not np.isin(labels, model.classes_).all():
        return "serves labels that are none"
    rounds = [(own.n_confident, own.n_remedied) for own in model.history_]
    _ = model.to_frame(), model.known_, rounds, repr(model), model.method_name, model.estimated_accuracy_.sentence
    if isinstance(model, Panel):
        _ = model.members_, model.best_member_.predict(X)
    return "serves"


def _peak(reset: bool = True) -> float:
    """Bytes that this process had at most, on Linux since this was last reset; 0 where the system does not say."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    [kilobytes] = re.findall(r"VmHWM:\s*(\d+) kB", status.read_text())
    return 1024 * float(kilobytes)


if __name__ == "__main__":
    place, *numbers = sys.argv[1:]
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    use_forgeries(Path(place), *map(int, numbers))
