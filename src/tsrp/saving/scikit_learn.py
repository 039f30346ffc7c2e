"""The classes of scikit-learn that a saved model may hold: those that the command line names, and a few simple ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tsrp.parameters import Constraint, Flag, Number, OneOf, Optional
from tsrp.saving.fields import (
    NUMBER,
    Array,
    Field,
    Labels,
    Many,
    Maybe,
    Names,
    Reader,
    Scope,
    Size,
    Value,
    floats,
    indices,
)
from tsrp.saving.schema import Schema, Steps

OWN_TRANSFORMERS = ("tsrp.RowScaler", "tsrp.SoftScaler")
TRANSFORMERS = (
    *("sklearn.MaxAbsScaler", "sklearn.MinMaxScaler", "sklearn.Normalizer", "sklearn.PCA", "sklearn.Pipeline"),
    *("sklearn.StandardScaler", *OWN_TRANSFORMERS),
)
OWN_CLASSIFIERS = ("tsrp.NearestNeighbour", "tsrp.KernelRidge", "tsrp.GraphRidge", "tsrp.Forest", "tsrp.Prototypes")
CLASSIFIERS = (
    *("sklearn.KNeighborsClassifier", "sklearn.LogisticRegression", "sklearn.Pipeline", "sklearn.SVC"),
    *OWN_CLASSIFIERS,
)
# More threads than any machine needs for a prediction would be an attack on it.
THREADS = Optional(Number(low=-1, high=64, whole=True))
POSITIVE, NATURAL, ANY = Number(low=0, open_low=True), Number(low=0, whole=True), Number(low=-np.inf)
BALANCED = Optional(OneOf(("balanced",)))
FEATURES: dict[str, Field] = {"n_features_in_": Size("features")}
SMALLEST = float(np.finfo("f8").smallest_subnormal)
INT32 = (np.dtype("i4"),)


def _values(**constraints: Constraint) -> dict[str, Field]:
    return {name: Value(constraint) for name, constraint in constraints.items()}


def _schema(place: str, parameters: Mapping[str, Field], fitted: Mapping[str, Field], **options: Any) -> Schema:
    names: dict[str, Field] = {"feature_names_in_": Names("features")}
    return Schema(f"sklearn.{place}", parameters, {}, fitted, names, foreign=True, **options)


def _check_logistic(model: Any, scope: Scope, reader: Reader) -> None:
    n = scope.sizes["classes"]
    if len(model.coef_) != (1 if n == 2 else n):
        raise ValueError("its coefficients are not as many as its classes need")


def _check_svc(svc: Any, scope: Scope, reader: Reader) -> None:
    """Look at what libsvm takes at its word: it would read beyond the end of its arrays."""
    n = len(svc.classes_)
    pairs = n * (n - 1) // 2
    if n < 2 or svc._n_support.sum() != len(svc.support_vectors_):
        raise ValueError("its support vectors are not as many as their counts")
    has_slopes = getattr(svc, "probability", False) is True
    slopes = pairs if has_slopes else 0
    if (len(svc._dual_coef_), len(svc._intercept_)) != (n - 1, pairs):
        raise ValueError("its coefficients are not as many as its classes need")
    if (len(svc._probA), len(svc._probB)) != (slopes, slopes):
        raise ValueError("its probabilities do not fit its classes")
    svc._effective_probability, svc._sparse = has_slopes, False
    # Of two classes scikit-learn shows these with the other sign.
    sign = -1.0 if n == 2 else 1.0
    svc.dual_coef_, svc.intercept_ = sign * svc._dual_coef_, sign * svc._intercept_


def _grow(knn: Any, scope: Scope, reader: Reader) -> None:
    """Build the search tree of neighbours again, which is no array."""
    X, codes, classes = knn._fit_X, knn._y, knn.classes_
    if len(np.unique(codes)) != len(classes) or not 1 <= knn.n_neighbors <= len(X):
        raise ValueError("its samples do not fit its classes or its number of neighbours")
    # A copy in double precision, and two corners of each node: there are at most two for each sample.
    reader.reserve(5 * 8 * X.size)
    for name in ("_fit_X", "_y", "classes_"):
        delattr(knn, name)
    knn.fit(X, classes[codes])


SCHEMAS: dict[str, Schema] = {
    "sklearn.MaxAbsScaler": _schema(
        "preprocessing:MaxAbsScaler",
        _values(copy=Flag(), clip=Flag()),
        {**FEATURES, "scale_": floats("features", low=SMALLEST)},
        keeps_width=True,
    ),
    "sklearn.MinMaxScaler": _schema(
        "preprocessing:MinMaxScaler",
        {"feature_range": Many(NUMBER, 2), **_values(copy=Flag(), clip=Flag())},
        {**FEATURES, "scale_": floats("features"), "min_": floats("features")},
        keeps_width=True,
    ),
    "sklearn.Normalizer": _schema(
        "preprocessing:Normalizer", _values(norm=OneOf(("l1", "l2", "max")), copy=Flag()), FEATURES, keeps_width=True
    ),
    "sklearn.StandardScaler": _schema(
        "preprocessing:StandardScaler",
        _values(copy=Flag(), with_mean=Flag(), with_std=Flag()),
        {**FEATURES, "mean_": Maybe(floats("features")), "scale_": Maybe(floats("features", low=SMALLEST))},
        keeps_width=True,
    ),
    "sklearn.PCA": _schema(
        "decomposition:PCA",
        {
            "n_components": Value(Optional(Number(low=0)), OneOf(("mle",))),
            "svd_solver": Value(OneOf(("auto", "full", "covariance_eigh", "arpack", "randomized"))),
            **_values(copy=Flag(), whiten=Flag(), tol=Number(low=0), random_state=Optional(NATURAL)),
        },
        {
            **FEATURES,
            "mean_": floats("features"),
            "components_": floats("components", "features"),
            "n_components_": Size("components"),
            "explained_variance_": floats("components", low=0),
            "explained_variance_ratio_": floats("components", low=0, high=1 + 1e-6),
        },
    ),
    "sklearn.Pipeline": _schema("pipeline:Pipeline", {"steps": Steps(TRANSFORMERS, last=CLASSIFIERS)}, {}),
    "sklearn.LogisticRegression": _schema(
        "linear_model:LogisticRegression",
        {
            **_values(C=POSITIVE, tol=POSITIVE, dual=Flag(), fit_intercept=Flag(), intercept_scaling=POSITIVE),
            **_values(penalty=Optional(OneOf(("l1", "l2", "elasticnet"))), l1_ratio=Optional(Number(low=0, high=1))),
            "solver": Value(OneOf(("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"))),
            **_values(max_iter=NATURAL, warm_start=Flag(), class_weight=BALANCED, random_state=Optional(NATURAL)),
            **_values(n_jobs=THREADS),
        },
        {
            **FEATURES,
            "classes_": Labels("classes", distinct=True),
            "coef_": floats("rows of coefficients", "features"),
            "intercept_": floats("rows of coefficients"),
        },
        check=_check_logistic,
    ),
    "sklearn.SVC": _schema(
        "svm:SVC",
        {
            # Precomputed kernels would look samples up by the numbers of support vectors.
            "kernel": Value(OneOf(("linear", "poly", "rbf", "sigmoid"))),
            "gamma": Value(Number(low=0), OneOf(("scale", "auto"))),
            "probability": Value(Flag(), OneOf(("deprecated",))),
            **_values(C=POSITIVE, degree=NATURAL, coef0=ANY, shrinking=Flag(), tol=POSITIVE, cache_size=POSITIVE),
            **_values(class_weight=BALANCED, max_iter=Number(low=-1, whole=True), random_state=Optional(NATURAL)),
            **_values(decision_function_shape=OneOf(("ovo", "ovr")), break_ties=Flag()),
        },
        {
            **FEATURES,
            "classes_": Labels("classes", distinct=True),
            "support_": Array(("vectors",), INT32, low=0, high=np.iinfo("i4").max),
            "support_vectors_": Array(("vectors", "features"), (np.dtype("f8"),)),
            "_n_support": Array(("classes",), INT32, low=0, high=np.iinfo("i4").max),
            "_dual_coef_": floats("coefficients", "vectors"),
            "_intercept_": floats("pairs"),
            "_probA": floats("slopes"),
            "_probB": floats("slopes"),
            "_gamma": Value(Number(low=0)),
        },
        check=_check_svc,
    ),
    "sklearn.KNeighborsClassifier": _schema(
        "neighbors:KNeighborsClassifier",
        {
            **_values(n_neighbors=Number(low=1, whole=True), weights=OneOf(("uniform", "distance")), n_jobs=THREADS),
            **_values(algorithm=OneOf(("auto", "ball_tree", "kd_tree", "brute")), leaf_size=Number(low=1, whole=True)),
            **_values(metric=OneOf(("minkowski", "euclidean", "manhattan", "chebyshev")), p=Number(low=1)),
        },
        {
            **FEATURES,
            "classes_": Labels("classes", distinct=True),
            "_fit_X": floats("samples", "features"),
            "_y": indices("samples", below="classes"),
        },
        check=_grow,
    ),
}
