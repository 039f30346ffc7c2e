"""Unsupervised domain adaptation on feature vectors: labels for the target, and which of them to trust.

>>> from tsrp import DICD, TSRP
>>> model = TSRP(DICD(n_components=100), trust=0.9)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tsrp._moved import find_moved_modules

# What is not a method; the methods come from the registry. Type checkers read __init__.pyi.
_HOMES = {
    "Adapter": "tsrp.base.adapter",
    "Arrival": "tsrp.progress",
    "ClassPick": "tsrp._utsp",
    "Comparison": "tsrp.trust.comparison",
    "EstimatedAccuracy": "tsrp.trust.estimate",
    "GraphRidge": "tsrp.classifiers.graph_ridge",
    "Judgement": "tsrp.trust.judgement",
    "KernelRidge": "tsrp.classifiers.kernel_ridge",
    "Labelling": "tsrp.trust.comparison",
    "Method": "tsrp.base.adapter",
    "MethodSpec": "tsrp.spec",
    "NearestNeighbour": "tsrp.classifiers.nearest_neighbour",
    "Panel": "tsrp.selection.panel",
    "PerDomain": "tsrp.preprocessing",
    "Query": "tsrp.trust.queries",
    "Round": "tsrp.progress",
    "RowScaler": "tsrp.preprocessing",
    "SoftScaler": "tsrp.preprocessing",
    "Step": "tsrp.progress",
    "TSRP": "tsrp.remedy",
    "TsrpError": "tsrp.exceptions",
    "load": "tsrp.saving.archive",
    "utsp": "tsrp._utsp",
}

find_moved_modules()


def __getattr__(name: str) -> Any:
    # Loaded when first asked for, so that `tsrp --version` does not wait for scikit-learn.
    if name == "__version__":
        from importlib.metadata import version

        return version("tsrp")
    if name == "__all__":
        return __dir__()
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    from tsrp.registry import method_class

    method = None if name.startswith("_") else method_class(name)
    if method is None:
        raise AttributeError(f"module 'tsrp' has no attribute {name!r}")
    return method


def __dir__() -> list[str]:
    from tsrp.registry import method_names

    return sorted([*_HOMES, *(name.upper() for name in method_names())])
