"""The classes that a saved model may consist of, under the names that the file has for them.

A file names its parts, and only these names are looked up: nothing else is ever imported or called by loading. Names
stay when a class moves to another module; a class whose attributes change asks for a new `VERSION` of the format.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tsrp.registry import method_names

_SCIKIT_LEARN = {
    "decomposition": ("PCA", "TruncatedSVD"),
    "discriminant_analysis": ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"),
    "impute": ("SimpleImputer",),
    "linear_model": ("LogisticRegression",),
    "naive_bayes": ("GaussianNB",),
    "neighbors": ("KNeighborsClassifier", "NearestCentroid"),
    "pipeline": ("Pipeline",),
    "preprocessing": (
        "MaxAbsScaler",
        "MinMaxScaler",
        "Normalizer",
        "PowerTransformer",
        "RobustScaler",
        "StandardScaler",
    ),
    "svm": ("SVC", "LinearSVC"),
}
PLACES = {
    **{f"tsrp.{name.upper()}": f"tsrp.methods.{name}:{name.upper()}" for name in method_names()},
    "tsrp.TSRP": "tsrp.remedy:TSRP",
    "tsrp.PerDomain": "tsrp.preprocessing:PerDomain",
    "tsrp.RowScaler": "tsrp.preprocessing:RowScaler",
    "tsrp.SoftScaler": "tsrp.preprocessing:SoftScaler",
    "tsrp.NearestNeighbour": "tsrp.classifiers.nearest_neighbour:NearestNeighbour",
    "tsrp.KernelRidge": "tsrp.classifiers.kernel_ridge:KernelRidge",
    "tsrp.GraphRidge": "tsrp.classifiers.graph_ridge:GraphRidge",
    "tsrp.Forest": "tsrp.classifiers.forest:Forest",
    "tsrp.Panel": "tsrp.selection.panel:Panel",
    "tsrp.Member": "tsrp.selection.members:Member",
    "tsrp.Head": "tsrp.selection.heads:Head",
    "tsrp.Prototypes": "tsrp.methods.spl:Prototypes",
    "tsrp.Round": "tsrp.progress:Round",
    "tsrp.Evidence": "tsrp.trust.evidence:Evidence",
    "tsrp.Logistic": "tsrp.trust.signals:Logistic",
    "tsrp.Propagation": "tsrp.trust.signals:Propagation",
    "tsrp.Linear": "tsrp.trust.signals:Linear",
    "tsrp.Scaling": "tsrp.trust.original:Scaling",
    "tsrp.Principal": "tsrp.trust.original:Principal",
    "tsrp.Means": "tsrp.trust.signals:Means",
    "tsrp.Ranks": "tsrp.trust.ranks:Ranks",
    "tsrp.Calibration": "tsrp.trust.calibration:Calibration",
    "tsrp.EstimatedAccuracy": "tsrp.trust.estimate:EstimatedAccuracy",
    "tsrp.LinearMap": "tsrp.base.maps:LinearMap",
    "tsrp.RbfMap": "tsrp.base.maps:RbfMap",
    "tsrp.Chain": "tsrp.base.maps:Chain",
    "tsrp.Identity": "tsrp.methods.nn:_Identity",
    "tsrp.UnitRows": "tsrp.methods.nn:UnitRows",
    "tsrp.PlainArrays": "tsrp.base.contract:_PlainArrays",
    **{f"sklearn.{name}": f"sklearn.{home}:{name}" for home, names in _SCIKIT_LEARN.items() for name in names},
}


def part(name: str) -> Any:
    """The class of this name."""
    if name not in PLACES:
        raise ValueError(f"{name!r} is not a part of a saved model")
    module, _, attribute = PLACES[name].partition(":")
    return getattr(import_module(module), attribute)


def name_of(kind: type) -> str | None:
    """The name of a class in the file; None if it has no place there. Subclasses have none: they are not the class."""
    for name, place in PLACES.items():
        module, _, attribute = place.partition(":")
        if attribute == kind.__name__ and kind.__module__.startswith(module) and part(name) is kind:
            return name
    return None
