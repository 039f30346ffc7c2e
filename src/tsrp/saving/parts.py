"""The classes that a saved model may consist of, under the names that the file has for them, and their attributes.

Only these names are looked up: nothing else is ever imported or called by loading. A class whose attributes change asks
for a new `VERSION` of the format.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np

from tsrp.classifiers.forest import Forest
from tsrp.classifiers.graph_ridge import GraphRidge
from tsrp.classifiers.kernel_ridge import KernelRidge
from tsrp.parameters import Classifier, Flag, Number, OneOf, Optional, constraints_of
from tsrp.registry import method_names, methods
from tsrp.remedy import TSRP, Base
from tsrp.saving import scikit_learn
from tsrp.saving.fields import (
    COUNT,
    NUMBER,
    SHARE,
    WHOLE,
    Array,
    Classes,
    Field,
    Labels,
    Many,
    Maybe,
    Names,
    NumberOrNaN,
    Reader,
    RowNames,
    Scope,
    Size,
    Text,
    Value,
    flags,
    floats,
    indices,
)
from tsrp.saving.schema import MADE, USED, Part, Schema, Steps
from tsrp.saving.scikit_learn import CLASSIFIERS, SMALLEST, TRANSFORMERS
from tsrp.trust.calibration import FAR

METHODS = tuple(f"tsrp.{name.upper()}" for name in method_names())
MODELS = (*METHODS, "tsrp.TSRP", "tsrp.PerDomain", "tsrp.Head", "tsrp.Panel")
MAPS = ("tsrp.LinearMap", "tsrp.RbfMap", "tsrp.Chain", "tsrp.Identity", "tsrp.UnitRows", "tsrp.PlainArrays")
FLAG = Value(Flag())
# Cosines and shares are rounded.
ROUNDED = 1 + 1e-6
# What the methods note beside what every model knows.
NOTED: dict[str, dict[str, Field]] = {
    "tsrp.BDA": {"mu_": SHARE},
    "tsrp.DTSL": {"residuals_": floats("steps", "conditions"), "rank_": COUNT, "explained_": NUMBER},
    "tsrp.GFK": {"n_components_": COUNT, "angles_": floats("angles")},
    "tsrp.MEDA": {"n_components_": COUNT},
    "tsrp.TJM": {"objective_": floats("steps"), "source_weights_": floats("source rows")},
    "tsrp.TSL": {"objective_": floats("steps"), "divergence_": Many(NUMBER, 2)},
}
ASSESSMENT: dict[str, Field] = {
    "evidence_": Part(("tsrp.Evidence",), links={name: name for name in ("features", "components", "classes", "rows")}),
    "estimated_accuracy_": Part(("tsrp.EstimatedAccuracy",)),
    "calibration_": Part(("tsrp.Calibration",)),
}
OPTIONAL: dict[str, Field] = {
    "known_rows_": indices("known rows", below="rows", rising=True),
    "feature_names_in_": Names("features"),
    "target_index_": RowNames("all rows"),
    "others_": Maybe(Part(("tsrp.Others",), links={name: name for name in ("rows", "others", "classes")})),
    "fill_values_": Maybe(floats("features")),
    "categorical_": Many(Text()),
    "decimal_": Value(OneOf((".", ","))),
}
# The data of the fit, and what follows from other attributes or serves a fit only.
LEFT_OUT = frozenset({"fit_record_", "cross_fitted_", "ranks_"})
HISTORY = Many(Part(("tsrp.Round",), links={"rows": "rows"}))
TIMES = frozenset({"seconds"})
VOTES = ("label_votes_", "member_votes_", "votes_")
NAMED: dict[str, Field] = {"n_features_in_": Size("features")}
PROJECTED = {"components": "components", "classes": "classes"}
SAME_MODEL = {"classes": "classes", "rows": "rows"}
LEARNED: dict[str, Field] = {
    "n_features_in_": Size("features"),
    "_n_features_out": Size("components"),
    "classes_": Classes(),
    "fit_labels_": Labels("rows"),
    "history_": HISTORY,
    "n_iter_": COUNT,
    "mapping_": Part(MAPS, links={"features": "features", "components": "components"}),
    "classifier_": Part(CLASSIFIERS, links={"features": "components"}),
}


def _declared(kind: Any) -> dict[str, Field]:
    """Fields for what a class declares of its parameters."""
    fields: dict[str, Field] = {}
    constraints = constraints_of(kind)
    for name in signature(kind).parameters:
        if isinstance(constraints[name], Classifier):
            fields[name] = Maybe(Part(CLASSIFIERS, MADE))
        elif isinstance(constraints[name], Base):
            fields[name] = Part((*METHODS, *TRANSFORMERS), MADE)
        else:
            fields[name] = Value(constraints[name])
    return fields


def _model(
    place: str, parameters: dict[str, Field], fitted: dict[str, Field], check: Any = None, **options: Any
) -> Schema:
    def check_model(model: Any, scope: Scope, reader: Reader) -> None:
        n_rows = scope.sizes["rows"] + scope.sizes.get("others", 0)
        scope.agree("all rows", n_rows)
        if model.others_ is not None and model.others_.fitted[-1] >= n_rows:
            raise ValueError("it learned from rows that the target does not have")
        if check is not None:
            check(model, scope, reader)

    return Schema(
        place,
        parameters,
        fitted=fitted,
        optional=OPTIONAL,
        assessed=ASSESSMENT,
        left_out=LEFT_OUT,
        check=check_model,
        **options,
    )


def _classifier(place: str, parameters: dict[str, Field], fitted: dict[str, Field], **options: Any) -> Schema:
    shared: dict[str, Field] = {**NAMED, "classes_": Labels("classes", distinct=True)}
    return Schema(place, parameters, fitted=shared | fitted, **options)


def _check_rounds(model: Any, scope: Scope, reader: Reader) -> None:
    if not 1 <= model.n_iter_ == len(model.history_):
        raise ValueError("its rounds are not as many as it says")


def _check_panel(panel: Any, scope: Scope, reader: Reader) -> None:
    weights = [voter.weight for voter in panel.voters_ if not voter.error]
    if not sum(weights) > 0 or len(panel.history_) != 1:
        raise ValueError("none of its members has a vote")
    # `transform` is that of one of the members.
    scope.agree("components", len(panel.get_feature_names_out()))


def _check_member(member: Any, scope: Scope, reader: Reader) -> None:
    if (member.model is None) != bool(member.error) or (member.error and member.weight):
        raise ValueError("a member that failed has a vote, or one that did not has none")


def _check_forest(forest: Any, scope: Scope, reader: Reader) -> None:
    """Every way from a root ends in a leaf."""
    if (forest._children < np.arange(scope.sizes["nodes"])).any() or forest._depth > scope.sizes["nodes"]:
        raise ValueError("its trees have no end")
    starts = forest._starts
    if starts[0] != 0 or starts[-1] != scope.sizes["entries"] or forest._leaves.max() >= len(starts) - 1:
        raise ValueError("its leaves are not where it says")


def _check_order(evidence: Any, scope: Scope, reader: Reader) -> None:
    if len(np.unique(evidence.class_order)) != len(evidence.class_order):
        raise ValueError("its signals confuse classes")


EXPANSION: dict[str, Field] = {
    "_gamma": Value(Number(low=0)),
    "_samples": floats("samples", "features"),
    "_weights": floats("samples", "classes"),
}
UNIT: dict[str, Field] = {"unit_before": FLAG, "unit_after": FLAG}
SCHEMAS: dict[str, Schema] = {
    **scikit_learn.SCHEMAS,
    **{
        f"tsrp.{name.upper()}": _model(
            f"tsrp.methods.{name}:{name.upper()}",
            _declared(info.kind),
            LEARNED,
            used=NOTED.get(f"tsrp.{name.upper()}", {}),
            check=_check_rounds,
        )
        for name, info in methods().items()
    },
    "tsrp.TSRP": _model(
        "tsrp.remedy:TSRP",
        _declared(TSRP),
        LEARNED | {"base_": Part((*METHODS, *TRANSFORMERS), USED), "picked_": Array(("rows",), WHOLE, low=0)},
        check=_check_rounds,
    ),
    "tsrp.PerDomain": _model(
        "tsrp.preprocessing:PerDomain",
        {"transformer": Part(TRANSFORMERS, MADE), "method": Part(MODELS, MADE)},
        {
            "n_features_in_": Size("features"),
            **{
                f"{domain}_transformer_": Part(
                    TRANSFORMERS, links={"features": "features", "components": "transformed"}
                )
                for domain in ("source", "target")
            },
            "method_": Part(MODELS, links={"features": "transformed", "components": "components", **SAME_MODEL}),
        },
    ),
    "tsrp.Head": _model(
        "tsrp.selection.heads:Head",
        {"method": Part(MODELS, MADE), "classifier": Part(CLASSIFIERS, MADE)},
        {
            "method_": Part(MODELS, links={"features": "features", "components": "components", **SAME_MODEL}),
            "classifier_": Part(CLASSIFIERS, links={"features": "components"}),
            "fit_labels_": Labels("rows"),
        },
    ),
    "tsrp.Panel": _model(
        "tsrp.selection.panel:Panel",
        {
            "budget": Value(Number(low=0, open_low=True), OneOf(("quick", "normal", "thorough"))),
            "max_fit_rows": Value(Optional(Number(low=1, whole=True))),
            "n_jobs": Value(Optional(Number(low=-np.inf, whole=True))),
        },
        {
            "n_features_in_": Size("features"),
            "classes_": Classes(),
            "fit_labels_": Labels("rows"),
            "voters_": Many(Part(("tsrp.Member",), links={"features": "features", **SAME_MODEL})),
            "doubt_": SHARE,
            "doubt_reason_": Text(),
            "source_accuracy_": NumberOrNaN(),
            "class_factors_": floats("classes", low=SMALLEST),
            "student_": Part(("tsrp.Forest",), links={"features": "features"}),
            "student_weight_": Value(Number(low=0)),
            **{name: floats("rows", "classes", low=0, high=ROUNDED) for name in VOTES},
            "history_": HISTORY,
        },
        check=_check_panel,
    ),
    "tsrp.Member": Schema(
        "tsrp.selection.members:Member",
        {
            **{name: Text() for name in ("name", "family", "error")},
            **dict.fromkeys(("adapts", "aligns"), FLAG),
            "model": Maybe(Part(MODELS, links={"features": "features", **SAME_MODEL})),
            "weight": Value(Number(low=0)),
            **{name: NumberOrNaN() for name in ("agreement", "assortativity", "right")},
        },
        left_out=TIMES,
        check=_check_member,
    ),
    "tsrp.Round": Schema(
        "tsrp.progress:Round",
        {
            **dict.fromkeys(("number", "limit", "n_moved"), COUNT),
            **{name: Labels("rows") for name in ("crude", "labels")},
            "confident": Maybe(flags("rows")),
        },
        left_out=TIMES,
    ),
    "tsrp.RowScaler": Schema(
        "tsrp.preprocessing:RowScaler",
        fitted=NAMED,
        optional={"feature_names_in_": Names("features")},
        keeps_width=True,
    ),
    "tsrp.SoftScaler": Schema(
        "tsrp.preprocessing:SoftScaler",
        fitted={**NAMED, "mean_": floats("features"), "scale_": floats("features", low=SMALLEST)},
        optional={"feature_names_in_": Names("features")},
        keeps_width=True,
    ),
    "tsrp.NearestNeighbour": _classifier(
        "tsrp.classifiers.nearest_neighbour:NearestNeighbour",
        {},
        {"_samples": floats("samples", "features"), "_codes": indices("samples", below="classes")},
    ),
    "tsrp.KernelRidge": _classifier("tsrp.classifiers.kernel_ridge:KernelRidge", _declared(KernelRidge), EXPANSION),
    "tsrp.GraphRidge": _classifier(
        "tsrp.classifiers.graph_ridge:GraphRidge", _declared(GraphRidge), EXPANSION, used={"mu_": SHARE}
    ),
    "tsrp.Prototypes": _classifier(
        "tsrp.methods.spl:Prototypes", {}, {name: floats("classes", "features") for name in ("means_", "clusters_")}
    ),
    "tsrp.Forest": _classifier(
        "tsrp.classifiers.forest:Forest",
        _declared(Forest),
        {
            "_thresholds": floats("nodes"),
            "_shares": floats("entries", low=0, high=ROUNDED),
            "_codes": indices("entries", below="classes"),
            "_starts": Array(("starts",), WHOLE, low=0, rising=True),
            "_children": indices("sides", "nodes", below="nodes"),
            "_roots": indices("trees", below="nodes"),
            "_features": indices("nodes", below="features"),
            "_leaves": indices("nodes", below="starts"),
            "_depth": COUNT,
        },
        check=_check_forest,
    ),
    "tsrp.Others": Schema(
        "tsrp.base.others:Others",
        {
            "fitted": Array(("rows",), WHOLE, low=0, rising=True),
            "codes": indices("others", below="classes"),
            "share": Maybe(floats("others", low=0, high=ROUNDED)),
            "trust": floats("others", low=0, high=1),
        },
    ),
    "tsrp.Evidence": Schema(
        "tsrp.trust.evidence:Evidence",
        {
            "logistic": Part(("tsrp.Logistic",), links=PROJECTED),
            "propagation": Part(("tsrp.Propagation",), links={**PROJECTED, "nodes": "nodes"}),
            "means": Part(("tsrp.Means",), links=PROJECTED),
            "scaling": Part(("tsrp.Scaling",), links={"features": "features"}),
            "principal": Part(("tsrp.Principal",), links={"features": "features", "components": "directions"}),
            "linear": Part(("tsrp.Linear",), links={"features": "features", "classes": "classes"}),
            "surroundings": Part(
                ("tsrp.Propagation",), links={"components": "directions", "classes": "classes", "nodes": "nodes"}
            ),
            "ranks": Many(Part(("tsrp.Ranks",)), 5),
            "class_order": indices("classes", below="classes"),
            "trust": floats("rows", low=0, high=1),
            "atc": SHARE,
            "propagated": Value(Number(low=0, high=ROUNDED)),
            "equal_rows": FLAG,
        },
        check=_check_order,
    ),
    "tsrp.Logistic": Schema(
        "tsrp.trust.signals:Logistic", {"weights": floats("classes", "components"), "intercepts": floats("classes")}
    ),
    "tsrp.Propagation": Schema(
        "tsrp.trust.signals:Propagation",
        {
            "nodes": floats("nodes", "components", low=-ROUNDED, high=ROUNDED),
            "spread": floats("nodes", "classes", low=0, high=ROUNDED),
        },
    ),
    "tsrp.Linear": Schema(
        "tsrp.trust.signals:Linear", {"weights": floats("features", "classes"), "shares": floats("classes")}
    ),
    "tsrp.Means": Schema("tsrp.trust.signals:Means", {"directions": floats("classes", "components")}),
    "tsrp.Scaling": Schema(
        "tsrp.trust.original:Scaling", {"centre": floats("features"), "scale": floats("features", low=SMALLEST)}
    ),
    "tsrp.Principal": Schema(
        "tsrp.trust.original:Principal", {"mean": floats("features"), "directions": floats("features", "components")}
    ),
    "tsrp.Ranks": Schema(
        "tsrp.trust.ranks:Ranks",
        {"values": floats("values", rising=True), "ranks": floats("values", low=0, high=1, rising=True)},
    ),
    "tsrp.Calibration": Schema("tsrp.trust.calibration:Calibration", {"offset": Value(Number(low=-FAR, high=FAR))}),
    "tsrp.EstimatedAccuracy": Schema(
        "tsrp.trust.estimate:EstimatedAccuracy",
        {
            **dict.fromkeys(("value", "low", "high", "atc"), SHARE),
            **dict.fromkeys(("reverse", "votes", "nearby", "home"), Value(Optional(Number(low=0, high=ROUNDED)))),
            "n_known": COUNT,
            "equal_rows": FLAG,
        },
    ),
    "tsrp.LinearMap": Schema(
        "tsrp.base.maps:LinearMap",
        {"weights": floats("features", "components"), "mean": Maybe(floats("features")), **UNIT},
    ),
    "tsrp.RbfMap": Schema(
        "tsrp.base.maps:RbfMap",
        {
            "samples": floats("samples", "features"),
            "weights": floats("samples", "components"),
            "gamma": Value(Number(low=0)),
            **UNIT,
        },
    ),
    "tsrp.Chain": Schema("tsrp.base.maps:Chain", {"maps": Steps(MAPS)}),
    "tsrp.Identity": Schema("tsrp.methods.nn:_Identity", keeps_width=True),
    "tsrp.UnitRows": Schema("tsrp.methods.nn:UnitRows", keeps_width=True),
    "tsrp.PlainArrays": Schema(
        "tsrp.base.contract:_PlainArrays",
        {"transformer": Part(TRANSFORMERS, links={"features": "features", "components": "components"})},
    ),
}
