"""Unsupervised domain adaptation on feature vectors: labels for the target, and which of them to trust.

>>> from tsrp import DICD, TSRP
>>> model = TSRP(DICD(n_components=100), trust=0.9)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tsrp._utsp import ClassPick, utsp
    from tsrp.adaptation import Adapter, Round
    from tsrp.classifiers import NearestNeighbour
    from tsrp.preprocessing import PerDomain
    from tsrp.projections.bda import BDA
    from tsrp.projections.dicd import DICD
    from tsrp.projections.jda import JDA
    from tsrp.projections.nn import NN
    from tsrp.remedy import TSRP

_HOMES = {
    "Adapter": "tsrp.adaptation",
    "BDA": "tsrp.projections.bda",
    "ClassPick": "tsrp._utsp",
    "DICD": "tsrp.projections.dicd",
    "JDA": "tsrp.projections.jda",
    "NN": "tsrp.projections.nn",
    "NearestNeighbour": "tsrp.classifiers",
    "PerDomain": "tsrp.preprocessing",
    "Round": "tsrp.adaptation",
    "TSRP": "tsrp.remedy",
    "utsp": "tsrp._utsp",
}

__all__ = [
    "BDA",
    "DICD",
    "JDA",
    "NN",
    "TSRP",
    "Adapter",
    "ClassPick",
    "NearestNeighbour",
    "PerDomain",
    "Round",
    "utsp",
]


def __getattr__(name: str) -> Any:
    # Loaded when first asked for, so that `tsrp --version` does not wait for scikit-learn.
    if name == "__version__":
        from importlib.metadata import version

        return version("tsrp")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'tsrp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
