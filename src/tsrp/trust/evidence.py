"""What speaks for each label, from five signals: ranks among the fitted target, of its samples and of those to come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.numerics.rows import unit_rows
from tsrp.trust.estimate import atc
from tsrp.trust.original import Principal, Scaling
from tsrp.trust.ranks import Ranks
from tsrp.trust.signals import Linear, Logistic, Means, Propagation, margin, of_label
from tsrp.trust.view import View

# Enough to sort by, and the same for a sample alone and in a batch.
DECIMALS = 6


@dataclass(frozen=True, eq=False)
class Originals:
    """What the signals that see no projection make of the original features; samples in the order of the view.

    Attributes
    ----------
    scaling : Scaling
        Of the target.
    principal : Principal
    linear : Linear
    units : array of shape (n_source + n_target, k)
        The samples of both domains in the principal directions.
    support : array of shape (n_target, n_classes)
        The ridge regression's, for the target.
    """

    scaling: Scaling
    principal: Principal
    linear: Linear
    units: FloatArray
    support: FloatArray

    @classmethod
    def of(cls, view: View) -> Originals:
        """From samples in memory."""
        source, target = view.source, view.target
        scaling = Scaling.of(target.X)
        rows = np.vstack([Scaling.of(source.X).rows(source.X), scaling.rows(target.X)])
        linear = Linear.fit(rows[: len(source)], source.codes, view.n_classes)
        principal = Principal.of(rows)
        return cls(scaling, principal, linear, principal.units(rows), linear.support(rows[len(source) :]))


@dataclass(frozen=True, eq=False)
class Evidence:
    """The signals of a fit, and how its target's labels rank by them.

    Attributes
    ----------
    logistic, propagation, means
        The signals that see the projection.
    scaling, principal
        The original features, as the others see them.
    linear, surroundings
        The signals that see the original features: a ridge regression, and labels spread among neighbours.
    ranks : tuple of Ranks
        Of the target's labels, by each signal.
    class_order : array of int, shape (n_classes,)
        The signals' number of each class, by its code in the fit.
    trust : array of shape (n_target,)
        The mean rank of each target label, in (0, 1).
    atc, propagated : float
        What the estimate of the accuracy needs: average thresholded confidence, and the propagation's mean signal.
    equal_rows : bool
        Whether the target has several rows and all are equal. Then the signals compare nothing, and only the shares of
        the classes in the source are known.
    """

    logistic: Logistic
    propagation: Propagation
    means: Means
    scaling: Scaling
    principal: Principal
    linear: Linear
    surroundings: Propagation
    ranks: tuple[Ranks, ...]
    class_order: IntArray
    trust: FloatArray
    atc: float
    propagated: float
    equal_rows: bool = False

    @classmethod
    def of(cls, view: View, originals: Originals | None = None) -> Evidence:
        """Fit the signals, and rank the target's labels.

        `originals` are the original features, as the signals see them, if they are not those of the view.
        """
        source, target, n_classes = view.source, view.target, view.n_classes
        both = np.vstack([source.units, target.units])
        logistic = Logistic.fit(source.units, source.codes)
        propagation = _propagation(view, both)
        means = Means.fit(both, np.concatenate([source.codes, target.codes]), n_classes)
        seen = Originals.of(view) if originals is None else originals
        surroundings = _propagation(view, seen.units)
        supports = (
            logistic.support(target.units),
            _of_target(propagation, view),
            means.support(target.units),
            seen.support,
            _of_target(surroundings, view),
        )
        scaling, principal, linear = seen.scaling, seen.principal, seen.linear
        signals = _signals(supports, target.codes)
        ranks = tuple(Ranks.among(signal) for signal in signals)
        return cls(
            *(logistic, propagation, means, scaling, principal, linear, surroundings, ranks, view.class_order),
            trust=target.in_place(_mean(_ranked(ranks, signals))),
            atc=atc(source.units, source.codes, signals[0]),
            propagated=float(signals[1].mean()),
            equal_rows=len(target.first) == 1 < len(target),
        )

    @property
    def class_shares(self) -> FloatArray:
        """The share of each class in the source, in the order of the fit's codes."""
        return self.linear.shares[self.class_order]

    def chances(self, Z: FloatArray) -> FloatArray:
        """How probable each class of projected samples is by the logistic signal, in the order of the fit's codes.

        Their shares in the source if all rows of the target are equal.
        """
        if self.equal_rows:
            return np.tile(self.class_shares, (len(Z), 1))
        return self.logistic.support(unit_rows(Z.astype(np.float64, copy=False)))[:, self.class_order]

    def judge(self, X: FloatArray, Z: FloatArray, codes: IntArray) -> FloatArray:
        """Trust in the labels of new samples: the mean of their ranks."""
        return _mean(self.ranks_of(X, Z, codes))

    def ranks_of(self, X: FloatArray, Z: FloatArray, codes: IntArray) -> FloatArray:
        """The ranks of new samples' labels by each signal, among those of the fitted target.

        Parameters
        ----------
        X, Z : arrays of shape (n, m) and (n, k)
            Samples of the target domain, as the user passes them and projected.
        codes : array of int, shape (n,)
            Their labels.

        Returns
        -------
        array of shape (5, n)
            By logistic, propagation, means, linear and surroundings.
        """
        units = unit_rows(Z.astype(np.float64, copy=False))
        rows = self.scaling.rows(X.astype(np.float64, copy=False))
        supports = (
            self.logistic.support(units),
            self.propagation.support(units),
            self.means.support(units),
            self.linear.support(rows),
            self.surroundings.support(self.principal.units(rows)),
        )
        return _ranked(self.ranks, _signals(supports, self.class_order[codes]))


def _propagation(view: View, units: FloatArray) -> Propagation:
    """The source's labels, spread over both domains. Equal samples are one node: each has ten others around it."""
    source, target = view.source, view.target
    known = np.zeros((len(source.first) + len(target.first), view.n_classes))
    np.add.at(known, (source.group, source.codes), 1.0)
    known[: len(source.first)] /= known[: len(source.first)].sum(axis=1, keepdims=True)
    return Propagation.fit(units[np.append(source.first, len(source) + target.first)], known)


def _of_target(propagation: Propagation, view: View) -> FloatArray:
    return propagation.spread[len(view.source.first) :][view.target.group]


def _signals(supports: Sequence[FloatArray], codes: IntArray) -> list[FloatArray]:
    measures = of_label, of_label, margin, margin, margin
    return [measure(support, codes) for measure, support in zip(measures, supports, strict=True)]


def _ranked(ranks: Sequence[Ranks], signals: Sequence[FloatArray]) -> FloatArray:
    return np.stack([rank.of(signal) for rank, signal in zip(ranks, signals, strict=True)])


def _mean(ranks: FloatArray) -> FloatArray:
    return np.round(ranks.mean(axis=0), DECIMALS)
