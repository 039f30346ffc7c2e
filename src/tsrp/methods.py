"""The methods by name: ``"jda"``, ``"dicd+tsrp"``, and their parameters from text."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import SVC

from tsrp.naming import known
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


@dataclass(frozen=True)
class Entry:
    """A method as the command line lists it."""

    kind: Any
    summary: str
    reference: str
    cost: str


METHODS = {
    "nn": Entry(NN, "no adaptation: the source's nearest neighbours", "the baseline", "one search for neighbours"),
    "jda": Entry(JDA, "aligns the domains and their classes", "Long et al., ICCV 2013", "a small eigenproblem a round"),
    "bda": Entry(BDA, "JDA with a balance between the two", "Wang et al., ICDM 2017", "as JDA"),
    "dicd": Entry(
        DICD,
        "JDA that also separates the classes",
        "Li et al., IEEE TIP 2018",
        "a dense eigenproblem of the data's rank a round",
    ),
    "pca": Entry(PCA, "principal components of both domains", "a baseline", "one eigenproblem of the data's rank"),
    "gfk": Entry(GFK, "all subspaces between the two domains'", "Gong et al., CVPR 2012", "two principal subspaces"),
    "tca": Entry(TCA, "aligns the domains' means", "Pan et al., IEEE TNN 2011", "one small eigenproblem"),
    "tsl": Entry(
        TSL,
        "FLDA, PCA or LPP with densities made alike",
        "Si et al., IEEE TKDE 2010",
        "all pairs of samples in each of some hundred steps",
    ),
    "tjm": Entry(
        TJM,
        "TCA that gives up irrelevant source samples",
        "Long et al., CVPR 2014",
        "a small eigenproblem in each of ten reweightings",
    ),
    "dtsl": Entry(
        DTSL,
        "rebuilds the target from the source, with low rank and sparsely",
        "Xu et al., IEEE TIP 2016",
        "memory for seven matrices of all source-target pairs; a truncated SVD in each of about sixty steps",
    ),
    "cdml": Entry(
        CDML,
        "a metric for the source's labels and the target's shape; a reconstruction",
        "Wang et al., AAAI 2014",
        "a neighbour graph, one matrix of 50 x 50",
    ),
    "rtml": Entry(
        RTML,
        "a low-rank metric that aligns and restores; a reconstruction",
        "Ding and Fu, IEEE TIP 2017",
        "five metrics of 100 x 100 a round",
    ),
}
# What the paper puts TSRP around, and what it compares the result with.
IMPROVED = ("nn", "jda", "bda", "dicd")
COMPARED = ("pca", "gfk", "tca", "tsl", "tjm", "dtsl", "cdml", "rtml")
# What stands behind the plus sign, and what it changes.
WRAPPERS: dict[str, tuple[dict[str, Any], str]] = {
    "tsrp": ({}, "picks the confident target samples and remedies the labels of the others"),
    "tsrp_n": ({"picker": "neighbours"}, "ablation: every sample with a neighbour is confident, no tree"),
    "tsrp_c": ({"strong_training": "source"}, "ablation: the strong classifier learns from the source only"),
}
CLASSIFIERS = {
    "1nn": lambda: None,
    "knn": lambda: KNeighborsClassifier(n_neighbors=5),
    "svm": SVC,
    "logistic": lambda: LogisticRegression(max_iter=1000),
}
PREPROCESSING = {
    "none": lambda: None,
    "unit": Normalizer,
    "zscore": StandardScaler,
    "rowsum": lambda: Normalizer("l1"),
    "rowsum-zscore": lambda: make_pipeline(Normalizer("l1"), StandardScaler()),
}


def make_method(name: str, settings: Mapping[str, Any] | None = None) -> Any:
    """An unfitted estimator from its name and its parameters' names.

    Parameters
    ----------
    name : str
        A method, alone or with a wrapper: ``"bda"``, ``"dicd+tsrp"``, ``"jda+tsrp_n"``; case does not matter.
    settings : mapping, optional
        Parameters of the method and of the wrapper together; classifiers by their names in `CLASSIFIERS`.

    Returns
    -------
    estimator

    Examples
    --------
    >>> make_method("dicd+tsrp", {"n_components": 50, "trust": 0.85})
    TSRP(base=DICD(n_components=50), trust=0.85)
    """
    base_name, plus, wrapper_name = name.strip().lower().partition("+")
    method = METHODS[known("method", base_name, METHODS)].kind()
    if plus:
        changes, _ = WRAPPERS[known("wrapper", wrapper_name, WRAPPERS)]
        method = TSRP(method, **changes)
    # What the base has is set there: TSRP takes its rounds and its classifier from the base.
    places = {key: key for key in method.get_params(deep=False) if key != "base"}
    if plus:
        places |= {key: f"base__{key}" for key in method.base.get_params(deep=False)}
    values = {}
    for key, value in (settings or {}).items():
        place = places[known("parameter", key, places, of=f" of {name}")]
        values[place] = _classifier(key, value) if key.endswith("classifier") and isinstance(value, str) else value
    method.set_params(**values)
    for estimator in (method, method.base) if plus else (method,):
        estimator._check_parameters()
    return method


def _classifier(key: str, name: str) -> Any:
    return CLASSIFIERS[known(key, name.lower(), CLASSIFIERS)]()


def parse_settings(texts: Iterable[str]) -> dict[str, Any]:
    """Parameters from texts such as ``"n_components=50"``: numbers, true, false and none are what they say.

    Examples
    --------
    >>> parse_settings(["n_components=50", "kernel=primal", "mu=auto"])
    {'n_components': 50, 'kernel': 'primal', 'mu': 'auto'}
    """
    settings: dict[str, Any] = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            raise ValueError(f"{text!r} is not of the form NAME=VALUE, such as n_components=50.")
        if key in settings:
            raise ValueError(f"{key} is given twice.")
        settings[key] = _value(value)
    return settings


def parse_values(texts: Iterable[str]) -> dict[str, list[Any]]:
    """Several values of each parameter, from texts such as ``"ridge=0.1,1,10"``.

    Examples
    --------
    >>> parse_values(["ridge=0.1,1,10", "kernel=primal"])
    {'ridge': [0.1, 1, 10], 'kernel': ['primal']}
    """
    values: dict[str, list[Any]] = {}
    for text in texts:
        key, _, listed = text.partition("=")
        if key.strip() in values:
            raise ValueError(f"{key.strip()} is given twice.")
        values[key.strip()] = [parse_settings([f"{key}={part}"])[key.strip()] for part in listed.split(",")]
    return values


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def defaults(kind: Any) -> dict[str, Any]:
    """The parameters of an estimator class that have defaults, and these."""
    parameters = inspect.signature(kind).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}
