"""Forged models: something in the file is changed, and its checksums are made right again."""

from __future__ import annotations

import hashlib
import io
import json
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import SVC

import tsrp
from benchmarks.synthetic import make_domains
from tsrp import JDA, MEDA, NN, SPL, TSRP, KernelRidge, PerDomain
from tsrp.exceptions import TsrpError

MODELS: tuple[Any, ...] = (
    TSRP(JDA(5)),
    JDA(5, kernel="rbf", classifier=SVC()),
    PerDomain(make_pipeline(Normalizer("l1"), StandardScaler()), TSRP(JDA(5))),
    NN(classifier=KernelRidge()),
    NN(classifier=KNeighborsClassifier(3)),
    JDA(5, classifier=LogisticRegression()),
    SPL(n_components=5),
    MEDA(n_components=5),
)


def forge(folder: Path, n: int, seed: int = 0) -> Counter[str]:
    """Forge n models and use them; how many are refused, serve, or load and then fail on every sample."""
    Xs, ys, Xt, _ = make_domains(60, 40, 12, n_classes=4)
    rng = np.random.default_rng(seed)
    originals = []
    for number, model in enumerate(MODELS):
        path = folder / f"{number}.tsrp"
        model.fit(Xs, ys, Xt).save(path, overwrite=True)
        with zipfile.ZipFile(path) as archive:
            originals.append({name: archive.read(name) for name in archive.namelist()})
    found: Counter[str] = Counter()
    for i in range(n):
        members = dict(originals[i % len(originals)])
        path = folder / "forged.tsrp"
        _forge(members, rng)
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        found[_use(path, Xt)] += 1
    return found


def _use(path: Path, Xt: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = tsrp.load(path)
        except TsrpError:
            return "refused"
        except Exception as error:
            return f"load: {type(error).__name__}: {error}"[:200]
        try:
            with np.errstate(all="ignore"):
                model.predict(Xt)
                if "calibration_" in vars(model):
                    model.predict_confidence(Xt)
        except Exception as error:
            return f"predict: {type(error).__name__}: {error}"[:200]
    return "serves"


def _forge(members: dict[str, bytes], rng: np.random.Generator) -> None:
    manifest = json.loads(members["manifest.json"])
    arrays = [name for name in members if name.endswith(".npy")]
    if rng.random() < 0.5:
        name = arrays[int(rng.integers(len(arrays)))]
        members[name] = _packed(_other_array(np.load(io.BytesIO(members[name])), rng))
    else:
        places = list(_places(manifest["model"]))
        holder, key = places[int(rng.integers(len(places)))]
        if rng.random() < 0.2 and isinstance(holder, dict):
            del holder[key]
        else:
            holder[key] = _other_value(holder[key], len(arrays), rng)
    manifest["arrays"] = [hashlib.sha256(members[name]).hexdigest() for name in arrays]
    members["manifest.json"] = json.dumps(manifest).encode()
    members["manifest.sha256"] = hashlib.sha256(members["manifest.json"]).hexdigest().encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every item of every object and list."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(items):
        yield value, key
        yield from _places(item)


def _other_value(value: Any, n_arrays: int, rng: np.random.Generator) -> Any:
    choices: list[Any] = [
        *(None, True, -1, 0, 10**9, 0.5, "x", [], {}, {"float": "nan"}, {"list": []}, {"array": 0}),
        *({"array": int(rng.integers(n_arrays))}, {"part": {"class": "tsrp.NN", "state": {}}}, {"dict": []}),
    ]
    if isinstance(value, int | float):
        choices += [value + 1, -value, 1000 * value]
    return choices[int(rng.integers(len(choices)))]


def _other_array(array: Any, rng: np.random.Generator) -> Any:
    flat = array.reshape(-1)
    changes: list[Callable[[], Any]] = [
        lambda: array[..., :-1] if array.ndim else array,
        lambda: array[:-1] if array.ndim else array,
        lambda: array.T[..., None],
        lambda: flat,
        lambda: np.concatenate([flat, flat]),
        lambda: array.astype("S8"),
        lambda: array.astype(np.int8) if array.dtype.kind in "iufb" else array,
        lambda: array.astype(np.complex128) if array.dtype.kind in "iufb" else array,
        lambda: np.zeros_like(array),
        lambda: np.full_like(array, -1) if array.dtype.kind in "if" else array,
        lambda: np.full(array.shape, np.nan),
        lambda: np.full(array.shape, 1e300),
        lambda: np.empty((0, *array.shape[1:])),
        lambda: array[::-1] if array.ndim else array,
    ]
    return np.asarray(changes[int(rng.integers(len(changes)))]())


def _packed(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()
