"""What speaks for labels of samples in blocks: the signals of `Evidence`, by passes over the samples."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import linalg

from tsrp._types import FloatArray, IntArray
from tsrp.blocked.samples import BlockedSamples
from tsrp.memory import check_memory
from tsrp.numerics import products
from tsrp.numerics.classes import class_sums
from tsrp.numerics.neighbours import nearest
from tsrp.numerics.passes import gram_and_sum
from tsrp.trust.evidence import Evidence, Originals
from tsrp.trust.original import N_COMPONENTS, Principal, Scaling
from tsrp.trust.signals import RIDGE, Linear
from tsrp.trust.view import Side, View, content_keys, order_of_classes

# What the signals take for each sample at their peak, as measured: numbers for each class; components and neighbours.
PER_CLASS, PER_SAMPLE = 16, 330
# Directions whose variance is below this share of the largest are the rounding of a Gram matrix.
ROUNDING = 1e-14


def view_of_blocks(
    Xs: BlockedSamples,
    Zs: FloatArray,
    ys: IntArray,
    Xt: BlockedSamples,
    Zt: FloatArray,
    labels: IntArray,
    n_classes: int,
) -> View:
    """As `View.of`: one pass over each domain. Refused with its size if it is too large for memory."""
    n = len(Xs) + len(Xt)
    what = f"how far to trust the labels of {n:,} samples of {n_classes:,} classes"
    check_memory(what, 8 * n * (PER_CLASS * n_classes + PER_SAMPLE), "use fewer samples")
    ours, theirs = Xs.rows(content_keys), Xt.rows(content_keys)
    order = order_of_classes(ours, ys, n_classes)
    return View(Side.by_keys(ours, Zs, order[ys]), Side.by_keys(theirs, Zt, order[labels]), order)


def originals_in_blocks(Xs: BlockedSamples, ys: IntArray, Xt: BlockedSamples, view: View) -> Originals:
    """As `Originals.of`, by five passes over each domain."""
    scaling = scaling_of_blocks(Xt)
    source, target = Xs.then(scaling_of_blocks(Xs).rows, np.float64), Xt.then(scaling.rows, np.float64)
    linear = linear_of_blocks(source, view.class_order[ys], view.n_classes)
    principal = principal_of_blocks(source.followed_by(target))
    k = principal.directions.shape[1]
    found = target.rows(partial(_units_and_support, principal, linear))[view.target.order]
    units = np.vstack([source.rows(principal.units)[view.source.order], found[:, :k]])
    return Originals(scaling, principal, linear, units, found[:, k:].copy())


def nearest_by_components(Xs: BlockedSamples, Xt: BlockedSamples, evidence: Evidence) -> IntArray:
    """The nearest source sample of each target sample, by the principal components of z-scores."""
    ours, theirs = (
        X.then(scaling.rows, np.float64).rows(evidence.principal.units)
        for X, scaling in ((Xs, scaling_of_blocks(Xs)), (Xt, evidence.scaling))
    )
    return nearest(ours, theirs)


def scaling_of_blocks(X: BlockedSamples) -> Scaling:
    """As `Scaling.of`: two passes."""
    total, lows, highs = (np.stack(parts) for parts in zip(*X.map(_moments), strict=True))
    centre, low, high = total.sum(axis=0) / len(X), lows.min(axis=0), highs.max(axis=0)
    reach = np.maximum(np.abs(low - centre), np.abs(high - centre))
    varies = reach > 10 * np.finfo(X.dtype).eps * np.maximum(np.abs(low), np.abs(high))
    unit = np.where(varies, reach, 1.0)
    deviation = unit * np.sqrt(X.total(partial(_squares, centre, unit)) / len(X))
    return Scaling(centre, np.where(varies & (deviation > 0), deviation, 1.0))


def _moments(X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    return X.sum(axis=0, dtype=np.float64), X.min(axis=0), X.max(axis=0)


def _squares(centre: FloatArray, unit: FloatArray, X: FloatArray) -> FloatArray:
    return (((X - centre) / unit) ** 2).sum(axis=0)


def linear_of_blocks(rows: BlockedSamples, codes: IntArray, n_classes: int) -> Linear:
    """As `Linear.fit`: one pass."""
    shares = np.bincount(codes, minlength=n_classes) / len(codes)
    both = rows.total(partial(_gram_and_class_sums, n_classes=n_classes), codes)
    gram, sums = both[:-n_classes], both[-n_classes:]
    gram[np.diag_indices_from(gram)] += RIDGE
    return Linear(np.linalg.solve(gram, sums.T - np.outer(sums.sum(axis=0), shares)), shares)


def _gram_and_class_sums(X: FloatArray, codes: IntArray, n_classes: int) -> FloatArray:
    return np.vstack([products.weighted_gram(X), class_sums(X, codes, n_classes)])


def principal_of_blocks(rows: BlockedSamples) -> Principal:
    """As `Principal.of`, but for the signs of directions: one pass."""
    gram, total = gram_and_sum(rows)
    n, m = rows.shape
    mean = total / n
    # Rows have length 1, so that the mean is no larger than what varies around it and little is lost.
    squares, vectors = linalg.eigh(gram / n - np.outer(mean, mean), driver="evd")
    largest = np.argsort(-squares, kind="stable")[: min(N_COMPONENTS, n, m)]
    return Principal(mean, vectors[:, largest[squares[largest] > ROUNDING]])


def _units_and_support(principal: Principal, linear: Linear, rows: FloatArray) -> FloatArray:
    return np.hstack([principal.units(rows), linear.support(rows)])
