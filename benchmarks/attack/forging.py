"""Changes to the content of a saved model: its arrays, its values, its attributes, and how its parts are nested."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import math
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

Members: TypeAlias = dict[str, bytes]
Change: TypeAlias = Callable[[Any, list[Any], np.random.Generator], None]
NUMBERS: tuple[Any, ...] = (
    *(0, 1, -1, 2, 0.5, 1e-320, 1e100, -1e100, 1.7e308, -1.7e308, 2**30, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 10**30),
    *(3000, 20_000_000, 10**9, 1e9),
)
WORDS = (
    "",
    "x",
    "precomputed",
    "nan",
    "1e999",
    "\ud800",
    "a" * 100_000,
    "\x1b[2J",
    "linear",
    "minkowski",
    "sklearn.SVC",
)
OTHERS: tuple[Any, ...] = (
    *(None, True, False, [], {}, [[]], {"array": 0}, {"array": -1}, {"array": True}, {"array": 10**6}),
    *({"texts": [], "objects": False}, {"texts": ["a", "b"], "objects": True}, {"class": "tsrp.NN", "state": {}}),
    {"class": "sklearn.Normalizer", "state": {"n_features_in_": 12}},
)
TYPES = ("f8", "f4", "f2", "i8", "i4", "i1", "u8", "u1", "?", "c16", "S4", "U2", "M8[s]", ">f8")
LENGTHS = (0, 1, 2, 5, 1000, 20_000_000)
# How often parts are nested or items repeated.
OFTEN = (2, 30, 3_000)
DEEP = (2, 30, 300)
# Of Python itself; forging needs more than the reader has.
RECURSION = 1_000
# Elements of an array that a forger makes himself, at most.
MOST = 1_000_000


def forged(members: Members, rng: np.random.Generator) -> Members:
    """The file of a model with one to three changes, its checksums made right again."""
    sys.setrecursionlimit(20_000)
    manifest = json.loads(members["manifest.json"])
    arrays = [np.load(io.BytesIO(members[f"arrays/{i}.npy"])) for i in range(len(manifest["arrays"]))]
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        with np.errstate(all="ignore"):
            CHANGES[int(rng.integers(len(CHANGES)))](manifest, arrays, rng)
    changed = packed(manifest, arrays)
    sys.setrecursionlimit(RECURSION)
    return changed


def packed(manifest: Any, arrays: list[Any]) -> Members:
    """The members of a model's file, with right checksums."""
    data = [_npy(array) for array in arrays]
    text = json.dumps({**manifest, "arrays": [hashlib.sha256(each).hexdigest() for each in data]}).encode()
    members = {"manifest.json": text, "manifest.sha256": hashlib.sha256(text).hexdigest().encode()}
    return members | {f"arrays/{i}.npy": each for i, each in enumerate(data)}


def read_members(path: Path) -> Members:
    """What a model's file holds."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_members(path: Path, members: Members) -> None:
    """A file of these members."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def _npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _pick(items: Any, rng: np.random.Generator) -> Any:
    return items[int(rng.integers(len(items)))]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every item of every object and list."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(items):
        yield value, key
        yield from _places(item)


def _parts(manifest: Any) -> list[tuple[Any, Any]]:
    """Where there are parts."""
    found = [(manifest, "model"), *_places(manifest["model"])]
    return [(holder, key) for holder, key in found if isinstance(holder[key], dict) and "state" in holder[key]]


def _change_array(manifest: Any, arrays: list[Any], rng: np.random.Generator) -> None:
    """Another shape, another order, other values everywhere."""
    i = int(rng.integers(len(arrays)))
    array = arrays[i]
    flat = array.reshape(-1)
    shapes: list[Callable[[], Any]] = [
        lambda: array[..., :-1] if array.ndim else array,
        lambda: array[:-1] if array.ndim else array,
        lambda: array[:0] if array.ndim else array,
        lambda: array.T,
        lambda: array.T[..., None],
        lambda: flat,
        lambda: flat[:1].reshape(()) if len(flat) else array,
        lambda: np.concatenate([flat, flat]),
        lambda: np.concatenate([array, array]) if array.ndim else array,
        lambda: array[::-1] if array.ndim else array,
        lambda: np.asfortranarray(array),
        lambda: rng.permutation(flat).reshape(array.shape),
        lambda: np.zeros((0, int(_pick(LENGTHS, rng))), array.dtype),
        lambda: np.full(array.shape, _pick((np.nan, np.inf, 0.0, 1e100, 1e149, 1.7e308, 1e-320), rng)),
        lambda: np.zeros_like(array),
    ]
    arrays[i] = np.asarray(_pick(shapes, rng)())


def _change_type(manifest: Any, arrays: list[Any], rng: np.random.Generator) -> None:
    i = int(rng.integers(len(arrays)))
    with np.errstate(all="ignore"):
        arrays[i] = arrays[i].astype(_pick(TYPES, rng))


def _change_values(manifest: Any, arrays: list[Any], rng: np.random.Generator) -> None:
    """A few values of one array: indices beyond their end, and numbers that are none."""
    i = int(rng.integers(len(arrays)))
    array = arrays[i] = arrays[i].copy()
    if array.size == 0 or array.dtype.kind not in "iuf":
        return
    flat = array.reshape(-1)
    places = rng.integers(len(flat), size=int(rng.integers(1, 4)))
    if array.dtype.kind == "f":
        flat[places] = _pick((np.nan, np.inf, -np.inf, 1e300, -1e300, 1e149, 1e-320, 0.0, -1.0), rng)
    else:
        limits = np.iinfo(array.dtype)
        flat[places] = _pick((limits.max, limits.min, min(2**30, limits.max), int(flat.max()), 0, 1), rng)
        if rng.random() < 0.3:
            flat[places] = min(int(flat.max()) + 1, limits.max)
    arrays[i] = flat.reshape(array.shape)


def _change_value(manifest: Any, arrays: list[Any], rng: np.random.Generator) -> None:
    holder, key = _pick(list(_places(manifest["model"])), rng)
    choices: list[Any] = [*NUMBERS, *WORDS, *OTHERS, {"array": int(rng.integers(len(arrays)))}]
    if isinstance(holder[key], int | float):
        choices = [*NUMBERS, holder[key] + 1, holder[key] - 1, -holder[key], 1000 * holder[key], *OTHERS]
    if isinstance(holder[key], str):
        choices = [*WORDS, *(manifest["model"]["class"], "tsrp.Chain", "sklearn.Pipeline", "tsrp.PerDomain"), *NUMBERS]
    holder[key] = copy.deepcopy(_pick(choices, rng))


def _change_attributes(manifest: Any, arrays: list[Any], rng: np.random.Generator) -> None:
    """Attributes removed, renamed, exchanged, or taken from elsewhere."""
    parts = [holder[key]["state"] for holder, key in _parts(manifest)]
    parts = [state for state in parts if isinstance(state, dict) and state]
    state, other = _pick(parts, rng), _pick(parts, rng)
    name, foreign = _pick(sorted(state), rng), _pick(sorted(other), rng)
    kind = int(rng.integers(6))
    if kind == 0:
        del state[name]
    elif kind == 1:
        state[_pick(("n_jobs", "__class__", "__dict__", "_fit_X", "fit", name + "_", "x" * 10_000), rng)] = state.pop(
            name
        )
    elif kind == 2:
        state[foreign] = copy.deepcopy(other[foreign])
    elif kind == 3:
        state[name], other[foreign] = other[foreign], state[name]
    elif kind == 4:
        state[_pick(("n_jobs", "copy", "kernel", "__init__", "metric_params", "memory", "voters_"), rng)] = _pick(
            (*NUMBERS, *OTHERS), rng
        )
    else:
        state[name] = copy.deepcopy(other[foreign])


def _change_nesting(manifest: Any, arrays: list[Any], rng: np.random.Generator) -> None:
    """A part in the place of another, in itself, or in many others."""
    parts = _parts(manifest)
    holder, key = _pick(parts, rng)
    kind, other = int(rng.integers(4)), _pick(parts, rng)
    inner = holder[key]
    if kind == 0:
        holder[key] = copy.deepcopy(other[0][other[1]])
        return
    if kind == 1:
        inner["class"] = _pick([h[k]["class"] for h, k in parts] + ["sklearn.GaussianNB", "os.system"], rng)
        return
    for _ in range(_pick(DEEP, rng)):
        if kind == 2:
            inner = {"class": "sklearn.Pipeline", "state": {"steps": [["step", inner]]}}
        else:
            inner = {"class": "tsrp.Chain", "state": {"maps": [inner]}}
    holder[key] = inner


def _change_lists(manifest: Any, arrays: list[Any], rng: np.random.Generator) -> None:
    """Lists that are longer, shorter or in another order."""
    lists = [(holder, key) for holder, key in _places(manifest["model"]) if isinstance(holder[key], list)]
    if not lists:
        return
    holder, key = _pick(lists, rng)
    items = holder[key]
    changed: tuple[Any, ...] = (items[:-1], [], items[::-1], items * _pick(OFTEN, rng), items[:1] * len(items), [items])
    holder[key] = copy.deepcopy(_pick(changed, rng))


def _change_size(manifest: Any, arrays: list[Any], rng: np.random.Generator) -> None:
    """Another size wherever there is one like it: what is wrong then fits together."""
    sizes = [side for array in arrays for side in array.shape]
    if not sizes:
        return
    old, new = _pick(sizes, rng), _pick((*LENGTHS, _pick(sizes, rng) + 1, _pick(sizes, rng) - 1), rng)
    if new < 0:
        return
    empty = new > 1000
    for i, array in enumerate(arrays):
        if old in array.shape:
            shape = [new if side == old else side for side in array.shape]
            if empty:
                # No bytes are needed for an array that has no rows.
                shape = [side if side == new else 0 for side in shape]
            if math.prod(shape) <= MOST:
                arrays[i] = np.resize(array, shape) if array.size else np.zeros(shape, array.dtype)
    for holder, key in _places(manifest["model"]):
        if type(holder[key]) is int and holder[key] == old and key != "array":
            holder[key] = new


CHANGES: tuple[Change, ...] = (
    *(_change_array, _change_type, _change_values, _change_value, _change_attributes, _change_nesting),
    *(_change_lists, _change_size),
)
