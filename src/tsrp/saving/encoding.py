"""Objects as JSON and numbered arrays, and back.

JSON's own values stand for themselves. Everything else is an object with one key that says what it is: ``array`` (a
numbered array), ``scalar``, ``texts`` (an array of texts: the distinct ones, and a number for each element),
``float`` (one that JSON does not have), ``list``, ``tuple``, ``dict``, ``dtype``, ``index`` (of a data frame),
``part`` (a class of `tsrp.saving.parts` and its attributes) and ``refit`` (one that is fitted again when it is loaded).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from tsrp.exceptions import WrongTypeError
from tsrp.memory import memory_limit
from tsrp.saving.checks import check_support
from tsrp.saving.parts import PLACES, name_of, part

Arrays = list[npt.NDArray[Any]]
# The kinds of arrays that a file holds as they are: booleans, numbers, bytes, dates.
PLAIN = "biufcSMm"


def encode(value: Any, arrays: Arrays, where: str) -> Any:
    """A value as JSON; its arrays are appended to `arrays`. `where` is for the error, if it has no place in a file."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else {"float": repr(value)}
    if isinstance(value, np.generic):
        return {"scalar": _append(np.asarray(value), arrays)}
    if isinstance(value, np.ndarray):
        return _encode_array(value, arrays, where)
    if isinstance(value, np.dtype):
        return {"dtype": value.str}
    if isinstance(value, list | tuple):
        items = [encode(item, arrays, f"{where}[{i}]") for i, item in enumerate(value)]
        return {"list" if isinstance(value, list) else "tuple": items}
    if isinstance(value, dict):
        return {"dict": [[encode(k, arrays, where), encode(v, arrays, f"{where}[{k!r}]")] for k, v in value.items()]}
    if isinstance(value, pd.Index):
        # Row names that JSON has no type for, such as dates, are kept as text.
        return {"index": [item if isinstance(item, str | int) else str(item) for item in value.tolist()]}
    return _encode_part(value, arrays, where)


def decode(value: Any, arrays: Arrays) -> Any:
    """What `encode` was given."""
    if not isinstance(value, dict):
        return value
    [(kind, content)] = value.items()
    match kind:
        case "array":
            return arrays[content]
        case "scalar":
            return arrays[content][()]
        case "texts":
            codes, dtype = arrays[content["codes"]], np.dtype(content["dtype"])
            if (codes.size + len(content["values"])) * dtype.itemsize > memory_limit():
                raise MemoryError
            return np.array(content["values"], dtype=dtype)[codes]
        case "float":
            return {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}[content]
        case "list":
            return [decode(item, arrays) for item in content]
        case "tuple":
            return tuple(decode(item, arrays) for item in content)
        case "dict":
            return {decode(k, arrays): decode(v, arrays) for k, v in content}
        case "dtype":
            return np.dtype(content)
        case "index":
            return pd.Index(content)
        case "part":
            return _decode_part(content, arrays)
        case "refit":
            return _refit(content, arrays)
    raise ValueError(f"{kind!r} is not a kind of value")


def _append(array: npt.NDArray[Any], arrays: Arrays) -> int:
    arrays.append(array)
    return len(arrays) - 1


def _encode_array(array: npt.NDArray[Any], arrays: Arrays, where: str) -> Any:
    if array.dtype.kind in PLAIN:
        return {"array": _append(array, arrays)}
    if array.dtype.kind == "U" or all(isinstance(item, str) for item in array.ravel().tolist()):
        values, codes = np.unique(array, return_inverse=True)
        codes = codes.reshape(array.shape).astype(np.min_scalar_type(len(values)))
        return {"texts": {"values": values.tolist(), "codes": _append(codes, arrays), "dtype": array.dtype.str}}
    raise WrongTypeError(
        f"{where} is an array of {array.dtype} values, which the file format has no place for: use text or numbers, or "
        "joblib.dump."
    )


def _encode_part(value: Any, arrays: Arrays, where: str) -> Any:
    name = name_of(type(value))
    if name is None:
        ours = ", ".join(sorted(known.partition(".")[2] for known in PLACES if known.startswith("sklearn.")))
        raise WrongTypeError(
            f"{where} is a {type(value).__name__}, which the file format has no place for: use joblib.dump, or one of "
            f"scikit-learn's {ours}."
        )
    if isinstance(value, KNeighborsClassifier) and hasattr(value, "_fit_X"):
        # Its search tree is not an array; it is built again from the samples.
        content = {"parameters": value.get_params(), "X": value._fit_X, "y": value.classes_[value._y]}
        return {"refit": {"class": name} | {key: encode(v, arrays, where) for key, v in content.items()}}
    state = value.__getstate__() if isinstance(value, BaseEstimator) else vars(value)
    return {"part": {"class": name, "state": {k: encode(v, arrays, f"{where}.{k}") for k, v in state.items()}}}


def _decode_part(content: Any, arrays: Arrays) -> Any:
    kind = part(content["class"])
    state = {key: decode(value, arrays) for key, value in content["state"].items()}
    for key, value in state.items():
        # Where a part of ours would compute with NaN, it would answer nonsense without a word.
        ours = isinstance(value, np.ndarray) and content["class"].startswith("tsrp.")
        if ours and value.dtype.kind in "fc" and not np.isfinite(value).all():
            raise ValueError(f"{content['class']}.{key} holds NaN or infinity")
    made = kind.__new__(kind)
    # scikit-learn's own parts warn here if another version of it has written them.
    if isinstance(made, BaseEstimator):
        made.__setstate__(state)
    else:
        vars(made).update(state)
    if isinstance(made, SVC) and hasattr(made, "support_vectors_"):
        check_support(made)
    return made


def _refit(content: Any, arrays: Arrays) -> Any:
    # No other class: what a fit does, such as a pipeline's that reads pickles from its cache, is not for a file to ask.
    if part(content["class"]) is not KNeighborsClassifier:
        raise ValueError(f"{content['class']!r} is not fitted again")
    fresh = KNeighborsClassifier(**decode(content["parameters"], arrays))
    return fresh.fit(decode(content["X"], arrays), decode(content["y"], arrays))
