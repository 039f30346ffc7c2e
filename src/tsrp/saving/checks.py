"""Whether what was loaded fits together: if it does not, that must show now, not in service."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from tsrp.classifiers.forest import Forest
from tsrp.classifiers.kernel_ridge import KernelExpansion
from tsrp.classifiers.nearest_neighbour import NearestNeighbour
from tsrp.methods.spl import Prototypes

SAMPLES = 7
# What a model that was asked for probabilities holds, and one of an earlier format does not.
ASSESSMENT = ("evidence_", "estimated_accuracy_", "calibration_")


def check_usable(model: Any) -> None:
    """Let a model label samples, and look at what these do not reach; raises nearly anything if it is unfit."""
    for own in (model, *_members(model)):
        _check_classifier(own.classifier_, len(own.get_feature_names_out()))
    if hasattr(model, "class_factors_"):
        _check_shape("factors of the classes", model.class_factors_, model.classes_.shape)
        if not (np.isfinite(model.class_factors_) & (model.class_factors_ > 0)).all():
            raise ValueError("the factors of the classes are not positive numbers")
    if hasattr(model, "student_"):
        _check_student(model)
        if not 0 <= model.doubt_ <= 1:
            raise ValueError("the doubt in adaptation is not a share")
    _label_something(model)
    # Rows that the target does not have are out of bounds.
    _ = model.known_
    if any(name in vars(model) for name in ASSESSMENT):
        _check_assessment(model, len(model.get_feature_names_out()))
    if model.fill_values_ is not None:
        _check_shape("values for gaps", model.fill_values_, (model.n_features_in_,))
    if model.file_options_ is not None:
        _check_file_options(**model.file_options_)


def _check_file_options(categorical: Any, decimal: Any) -> None:
    if not (isinstance(categorical, list) and all(isinstance(name, str) for name in categorical)):
        raise ValueError("the columns of categories are no names")
    if decimal not in (".", ","):
        raise ValueError("the decimal mark is neither . nor ,")


def _check_student(panel: Any) -> None:
    if not isinstance(panel.student_, Forest) or panel.student_.n_features_in_ != panel.n_features_in_:
        raise ValueError("the student does not know these features")
    _check_forest(panel.student_)
    if not np.isin(panel.student_.classes_, panel.classes_).all():
        raise ValueError("the student knows other classes")
    if not np.isfinite(panel.student_weight_) or panel.student_weight_ < 0:
        raise ValueError("the weight of the student is not a number that can be")


def _members(model: Any) -> list[Any]:
    """The models that vote, of a panel."""
    return [voter.model for voter in getattr(model, "voters_", ()) if not voter.error]


def _check_classifier(classifier: Any, n_components: int) -> None:
    if isinstance(classifier, NearestNeighbour):
        _check_shape("neighbours", classifier._samples, (len(classifier._codes), n_components))
        _check_codes("neighbours", classifier._codes, len(classifier._samples), classifier.classes_)
    if isinstance(classifier, KernelExpansion):
        samples, weights = classifier._samples, classifier._weights
        _check_shape("samples of the kernel", samples, (len(samples), n_components))
        _check_shape("weights of the samples", weights, (len(samples), len(classifier.classes_)))
    if isinstance(classifier, Prototypes):
        for centres in (classifier.means_, classifier.clusters_):
            _check_shape("prototypes", centres, (len(classifier.classes_), n_components))
    if isinstance(classifier, Forest):
        _check_forest(classifier)


def _check_forest(forest: Forest) -> None:
    """Samples must come to a leaf from every root, on whichever way."""
    n_nodes, n_leaves = len(forest._thresholds), len(forest._shares)
    _check_shape("children of the nodes", forest._children, (2, n_nodes))
    _check_shape("shares of the leaves", forest._shares, (n_leaves, len(forest.classes_)))
    for name, numbers, end in (
        ("roots", forest._roots, n_nodes),
        ("children", forest._children.ravel(), n_nodes),
        ("features", forest._features, forest.n_features_in_),
        ("leaves", forest._leaves, n_leaves),
    ):
        if numbers.dtype.kind not in "iu" or numbers.min(initial=0) < 0 or numbers.max(initial=0) >= end:
            raise ValueError(f"the {name} of the trees are not those of the forest")
    for name, numbers in (("features", forest._features), ("leaves", forest._leaves)):
        _check_shape(f"{name} of the nodes", numbers, (n_nodes,))
    if (forest._children < np.arange(n_nodes)).any() or not 0 <= forest._depth <= n_nodes:
        raise ValueError("the trees have no end")


def _check_assessment(model: Any, n_components: int) -> None:
    if not all(name in vars(model) for name in ASSESSMENT):
        raise ValueError("a part of what probabilities need is missing")
    evidence, n_classes, m = model.evidence_, len(model.classes_), model.n_features_in_
    nodes = len(evidence.propagation.nodes)
    _check_shape("weights of the logistic signal", evidence.logistic.weights, (n_classes, n_components))
    k = evidence.principal.directions.shape[1]
    _check_shape("directions of the features", evidence.principal.directions, (m, k))
    for signal, width in ((evidence.propagation, n_components), (evidence.surroundings, k)):
        _check_shape("nodes", signal.nodes, (nodes, width))
        _check_shape("classes of the nodes", signal.spread, (nodes, n_classes))
    _check_shape("weights of the linear signal", evidence.linear.weights, (m, n_classes))
    _check_shape("directions of the classes", evidence.means.directions, (n_classes, n_components))
    _check_shape("trust", evidence.trust, model.labels_.shape)
    if sorted(evidence.class_order.tolist()) != list(range(n_classes)):
        raise ValueError("the classes of the signals are not those of the model")
    _, _, _, _, _ = evidence.ranks
    for ranks in evidence.ranks:
        _check_shape("ranks", ranks.ranks, ranks.values.shape)
    if not 0 <= model.estimated_accuracy_.value <= 1 or not np.isfinite(model.calibration_.offset):
        raise ValueError("the estimated accuracy is not a share")


def check_support(svc: Any) -> None:
    """Refuse support vectors that do not fit together: libsvm's own code would read beyond their end."""
    classes, vectors = len(svc.classes_), len(svc.support_vectors_)
    pairs = (classes * (classes - 1) // 2,)
    _check_shape("support vectors", svc.support_vectors_, (vectors, svc.n_features_in_))
    _check_shape("support vectors' numbers", svc.support_, (vectors,))
    _check_shape("support vectors' counts", svc._n_support, (classes,))
    _check_shape("dual coefficients", svc._dual_coef_, (classes - 1, vectors))
    _check_shape("intercepts", svc._intercept_, pairs)
    for slopes in (svc._probA, svc._probB):
        # None without probabilities.
        _check_shape("probabilities' slopes", slopes, pairs if len(slopes) else (0,))
    if (svc._n_support < 0).any() or svc._n_support.sum() != vectors:
        raise ValueError("the support vectors are not as many as their counts")


def _label_something(model: Any) -> None:
    """Ask for labels of samples of various kinds, one of which a sound model does not refuse."""
    names = getattr(model, "feature_names_in_", None)
    m = model.n_features_in_
    rng = np.random.default_rng(0)
    # Several samples each: what does not fit together may still fit to one.
    kinds = (rng.normal(size=(SAMPLES, m)), rng.uniform(0.1, 1.0, size=(SAMPLES, m)), np.ones((SAMPLES, m)))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for number, X in enumerate(kinds, start=1):
            try:
                _check_answer(model, X if names is None else pd.DataFrame(X, columns=names.tolist()))
                return
            except ValueError as error:
                if number == len(kinds):
                    # Not the mistake of a caller, who has given no samples.
                    raise ValueError(f"it labels no sample: {error}") from error


def _check_answer(model: Any, X: Any) -> None:
    labels = model.predict(X)
    if labels.shape != (len(X),) or not np.isin(labels, model.classes_).all():
        raise ValueError("its labels are not of its classes")
    if _members(model) and not np.isfinite(model._project_and_vote(X)[-1]).all():
        raise ValueError("its members have probabilities that are no numbers")
    if "calibration_" in vars(model):
        probability = model.predict_confidence(X).probability
        if not ((probability >= 0) & (probability <= 1)).all():
            raise ValueError("its probabilities are not from 0 to 1")


def _check_shape(name: str, array: Any, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"the {name} are of shape {array.shape} instead of {shape}")


def _check_codes(name: str, codes: Any, n: int, classes: Any) -> None:
    if codes.shape != (n,) or codes.dtype.kind not in "iu" or not np.isin(codes, np.arange(len(classes))).all():
        raise ValueError(f"the {name} are not of the model's classes")
