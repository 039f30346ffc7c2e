"""What the docstrings and docs/which-labels.md say of a fitted model, as questions to one."""

from __future__ import annotations

import pickle
import statistics
from collections.abc import Iterator
from typing import Any

import numpy as np

from tsrp import TSRP
from tsrp.exceptions import TsrpError
from tsrp.trust.calibration import HIGHEST_MEAN, LEAD, LOWEST_MEAN

# Of a probability: a rank rises steeply between two labels that are almost equal.
ROUNDING = 1e-4
# Samples of which each is asked about alone.
FEW = 4


def broken(model: Any, Xs: Any, Xt: Any) -> str | None:
    """The first statement that a fitted model does not keep; None if it keeps all."""
    return next((words for words, holds in statements(model, Xs, Xt) if not holds), None)


def statements(model: Any, Xs: Any, Xt: Any) -> Iterator[tuple[str, bool]]:
    """Each statement, and whether it holds of a model that was fitted to these samples."""
    yield from _of_the_fit(model, Xs, Xt)
    yield from _of_trust(model)
    yield from _of_equal_rows(model, Xt)
    yield from _of_new_samples(model, Xt)
    yield from _of_copies(model, Xt)
    yield from _of_strangers(model, Xt)


def _of_the_fit(model: Any, Xs: Any, Xt: Any) -> Iterator[tuple[str, bool]]:
    last = model.history_[-1]
    yield "labels_ has a label for each target sample", model.labels_.shape == (len(Xt),)
    yield "labels_ are classes of the source", set(model.labels_.tolist()) <= set(model.classes_.tolist())
    yield "labels_ are those of the last round", bool((last.labels == model.labels_).all())
    if hasattr(model, "n_iter_"):
        yield "n_iter_ counts the rounds", model.n_iter_ == len(model.history_) == last.number
    for X, Z in ((Xt, model.transform(Xt)), (Xs, model.project_source(Xs))):
        yield "a projection is finite, a row for each sample", len(Z) == len(X) and bool(np.isfinite(Z).all())
    if hasattr(model, "picked_"):
        picked, method = model.picked_, getattr(model, "method_", model)
        assert isinstance(method, TSRP)
        yield "picked_ is an inner iteration or 0", bool(((picked >= 0) & (picked <= 3)).all())
        yield "a round's confident samples were picked at first sight", bool((last.confident == (picked == 1)).all())
        changed = last.labels != last.crude
        yield "a label that was picked at first sight is the crude one", not (changed & (picked == 1)).any()


def _of_trust(model: Any) -> Iterator[tuple[str, bool]]:
    trust, p, estimated = model.trust_, model.probability_, model.estimated_accuracy_
    yield "trust_ is from 0 to 1", _within(trust, 0, 1)
    yield "probability_ is from 0 to 1", _within(p, 0, 1)
    yield "trust_ ranks labels as probability_ does", bool((np.diff(p[np.argsort(trust, kind="stable")]) >= 0).all())
    yield "confident_ is probability_ >= 0.9", bool((model.confident_ == (p >= 0.9)).all())
    looked_at = (estimated.reverse, estimated.atc, estimated.votes, estimated.nearby, estimated.home)
    parts = [part for part in looked_at if part is not None]
    shares = np.array([estimated.value, estimated.low, estimated.high, *parts])
    yield "the estimated accuracy and its parts are shares", _within(shares, 0, 1)
    yield "the estimated accuracy lies in its range", estimated.low <= estimated.value <= estimated.high
    guessing = 1 / len(model.classes_)
    if estimated.equal_rows:
        yield "of equal rows, the estimate is the mean of probability_", estimated.value == p.mean()
    elif estimated.votes is None:
        yield "the estimate is the lower part, or guessing", estimated.value == max(min(parts), guessing)
    else:
        median = max(statistics.median(parts), guessing)
        yield "of a panel, the estimate is the median of its parts, or guessing", estimated.value == median
        doubted = model.doubt_ >= 0.5 and bool(np.isfinite(model.source_accuracy_))
        yield (
            "what is right in the source is a part of it where adaptation is in doubt",
            doubted == (estimated.home is not None),
        )
        yield "a doubt has a reason", (model.doubt_reason_ != "") == (model.doubt_ > 0)
    mean = float(np.clip(estimated.value, LOWEST_MEAN, HIGHEST_MEAN))
    yield "the mean of probability_ is the estimate", abs(p.mean() - mean) < 1e-4
    frame = model.to_frame()
    yield (
        "to_frame has the labels and probabilities",
        bool((frame["label"].to_numpy() == model.labels_).all() and (frame["probability"].to_numpy() == p).all()),
    )
    better = model.compare().better
    if better is not None:
        yield (
            "an alternative labels the target with classes of the source",
            set(better.labels.tolist()) <= set(model.classes_.tolist()),
        )


def _of_equal_rows(model: Any, Xt: Any) -> Iterator[tuple[str, bool]]:
    is_equal = len(Xt) > 1 and bool((Xt == Xt[0]).all())
    yield "the estimate says whether all rows are equal", model.estimated_accuracy_.equal_rows == is_equal
    if not is_equal:
        return
    classes = np.bincount(model.fit_record_.given.ys)
    shares = np.clip(classes / classes.sum(), LOWEST_MEAN, HIGHEST_MEAN)
    codes = np.searchsorted(model.classes_, model.labels_)
    chances = model.predict_proba(Xt)
    yield "labels of equal rows are as probable as their classes are frequent", _near(model.probability_, shares[codes])
    yield "classes of equal rows are as probable as they are frequent", _near(chances, shares)
    yield "no label of equal rows is confident for another reason", _near(model.confident_, shares[codes] >= 0.9)
    yield "nothing looks better on equal rows", model.compare().helps


def _near(values: Any, expected: Any) -> bool:
    return bool(np.allclose(values, expected, rtol=0, atol=1e-12))


def _of_new_samples(model: Any, Xt: Any) -> Iterator[tuple[str, bool]]:
    judged, chances = model.predict_confidence(Xt), model.predict_proba(Xt)
    codes = np.searchsorted(model.classes_, judged.labels)
    yield "predict_confidence labels as predict does", bool((judged.labels == model.predict(Xt)).all())
    yield "probabilities of new samples are from 0 to 1", _within(judged.probability, 0, 1)
    yield "trust of new samples is from 0 to 1", _within(judged.trust, 0, 1)
    yield "a new label is confident from 0.9 on", bool((judged.confident == (judged.probability >= 0.9)).all())
    yield "predict_proba has a column for each class", chances.shape == (len(Xt), len(model.classes_))
    yield "predict_proba is from 0 to 1", _within(chances, 0, 1)
    yield "rows of predict_proba sum to 1", bool(np.allclose(chances.sum(axis=1), 1, rtol=0, atol=1e-12))
    own = chances[np.arange(len(Xt)), codes]
    # Of a target whose rows are equal, `_of_equal_rows` says what the probabilities are.
    if not model.estimated_accuracy_.equal_rows:
        expected = np.maximum(judged.probability, 1 / len(model.classes_) + LEAD)
        yield "predict_proba has the probability of the label, or chance", bool((own == expected).all())
        yield "predict gives the class of the largest probability", bool((chances.argmax(axis=1) == codes).all())
    alone = [model.predict_confidence(Xt[i : i + 1]) for i in range(len(Xt))[:FEW]]
    same = np.array([a.labels[0] for a in alone]) == judged.labels[:FEW]
    # Rounding decides where a classifier of another package has a tie.
    ours = type(model.classifier_).__module__.startswith("tsrp.")
    yield "a sample alone has its label of the batch", bool(same.all()) or not ours
    differences = np.array([a.probability[0] for a in alone]) - judged.probability[:FEW]
    yield "a sample alone has its probability of the batch", _within(differences[same], -ROUNDING, ROUNDING)


def _of_copies(model: Any, Xt: Any) -> Iterator[tuple[str, bool]]:
    copy = pickle.loads(pickle.dumps(model))
    yield "a copy has the labels", bool((copy.labels_ == model.labels_).all())
    yield "a copy has the probabilities", bool((copy.probability_ == model.probability_).all())
    here, there = model.predict_confidence(Xt), copy.predict_confidence(Xt)
    yield (
        "a copy judges as the model does",
        bool((here.labels == there.labels).all() and (here.probability == there.probability).all()),
    )


def _of_strangers(model: Any, Xt: Any) -> Iterator[tuple[str, bool]]:
    few = Xt[:FEW].astype(np.float64)
    for factors in ((0.0, -1.0, 1e-200, 1e-12), (1e12,), (1e200,)):
        try:
            judged = model.predict_confidence(np.vstack([np.clip(few * f, -1e300, 1e300) for f in factors]))
        except TsrpError:
            continue
        yield "strange samples get classes of the source", set(judged.labels.tolist()) <= set(model.classes_.tolist())
        yield "strange samples get probabilities", _within(judged.probability, 0, 1)


def _within(values: Any, low: float, high: float) -> bool:
    return bool(((values >= low) & (values <= high)).all())
