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
    from tsrp.projections.cdml import CDML
    from tsrp.projections.dicd import DICD
    from tsrp.projections.dtsl import DTSL
    from tsrp.projections.gfk import GFK
    from tsrp.projections.jda import JDA
    from tsrp.projections.nn import NN
    from tsrp.projections.pca import PCA
    from tsrp.projections.rtml import RTML
    from tsrp.projections.tca import TCA
    from tsrp.projections.tjm import TJM
    from tsrp.projections.tsl import TSL
    from tsrp.remedy import TSRP
    from tsrp.saving.archive import load

_HOMES = {
    "Adapter": "tsrp.adaptation",
    "BDA": "tsrp.projections.bda",
    "CDML": "tsrp.projections.cdml",
    "ClassPick": "tsrp._utsp",
    "DICD": "tsrp.projections.dicd",
    "DTSL": "tsrp.projections.dtsl",
    "GFK": "tsrp.projections.gfk",
    "JDA": "tsrp.projections.jda",
    "NN": "tsrp.projections.nn",
    "NearestNeighbour": "tsrp.classifiers",
    "PCA": "tsrp.projections.pca",
    "PerDomain": "tsrp.preprocessing",
    "RTML": "tsrp.projections.rtml",
    "Round": "tsrp.adaptation",
    "TCA": "tsrp.projections.tca",
    "TJM": "tsrp.projections.tjm",
    "TSL": "tsrp.projections.tsl",
    "TSRP": "tsrp.remedy",
    "load": "tsrp.saving.archive",
    "utsp": "tsrp._utsp",
}

__all__ = [
    "BDA",
    "CDML",
    "DICD",
    "DTSL",
    "GFK",
    "JDA",
    "NN",
    "PCA",
    "RTML",
    "TCA",
    "TJM",
    "TSL",
    "TSRP",
    "Adapter",
    "ClassPick",
    "NearestNeighbour",
    "PerDomain",
    "Round",
    "load",
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
