"""Five cheap signs that a label is right, none of which asks the classifier that gave it.

Each signal is a small model that says how much speaks for each class of a sample (`support`). How much speaks for the
label that a sample was given is its entry (`of_label`), or how far that is above the best other class (`margin`).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from tsrp._types import FloatArray, IntArray
from tsrp.numerics.cosines import nearest_cosines
from tsrp.numerics.rows import unit_rows
from tsrp.trust.graph import NEIGHBOURS, affinity, closeness

# On rows of unit length scikit-learn's default of 1 leaves all classes about equally probable.
INVERSE_PENALTY = 10.0
# Picks and ranks compare probabilities: rounding, which differs between processors, must not grow in a fit cut short.
CONVERGED = 1e-12
# How much of its neighbours' classes a sample takes over in each step.
SPREAD, SPREAD_STEPS = 0.95, 50
# Cosines this near to 1 are of the same sample; nodes are kept in single precision.
SAME_DIRECTION = 1e-6
RIDGE = 1.0


def of_label(support: FloatArray, codes: IntArray) -> FloatArray:
    """What speaks for the class that each sample was given."""
    return support[np.arange(len(codes)), codes]


def margin(support: FloatArray, codes: IntArray) -> FloatArray:
    """How much more speaks for the class that each sample was given than for the best other one."""
    others = support.copy()
    others[np.arange(len(codes)), codes] = -np.inf
    return of_label(support, codes) - others.max(axis=1)


@dataclass(frozen=True, eq=False)
class Logistic:
    """Class probabilities by logistic regression on the projected source."""

    weights: FloatArray
    intercepts: FloatArray

    @classmethod
    def fit(cls, units: FloatArray, codes: IntArray, weight: float = 1.0) -> Logistic:
        """Learn from samples of unit length, in which every class 0..C-1 occurs; each counts so much."""
        if units.shape[1] == 0:
            # Of samples that do not vary only the shares of the classes are known.
            sizes = np.bincount(codes)
            return cls(np.zeros((len(sizes), 0)), np.log(sizes / len(codes)))
        with warnings.catch_warnings():
            # A line search that cannot improve on rounding ends a fit, too.
            warnings.simplefilter("ignore")
            model = LogisticRegression(C=weight * INVERSE_PENALTY, solver="newton-cg", tol=CONVERGED).fit(units, codes)
        if len(model.classes_) > 2:
            return cls(model.coef_, model.intercept_)
        # Of two classes scikit-learn keeps the difference.
        return cls(np.vstack([0 * model.coef_, model.coef_]), np.append(0.0, model.intercept_))

    def support(self, units: FloatArray) -> FloatArray:
        """The probability of each class."""
        return softmax(units @ self.weights.T + self.intercepts, axis=1)


@dataclass(frozen=True, eq=False)
class Propagation:
    """The source's labels, spread over a graph of the most similar samples of both domains.

    Attributes
    ----------
    nodes : array of shape (n, k)
        The samples, of unit length.
    spread : array of shape (n, n_classes)
        The classes that have come to each, in shares.
    """

    nodes: FloatArray
    spread: FloatArray

    @classmethod
    def fit(cls, nodes: FloatArray, known: FloatArray) -> Propagation:
        """Spread what is `known` of the classes: shares for source samples, zeros for those of the target.

        References
        ----------
        D. Zhou, O. Bousquet, T. Lal, J. Weston, B. Schoelkopf: Learning with local and global consistency. NIPS 2003.
        """
        graph = affinity(nodes)
        spread = known
        for _ in range(SPREAD_STEPS):
            spread = SPREAD * (graph @ spread) + (1 - SPREAD) * known
        return cls(nodes.astype(np.float32), _shares(spread / known.sum(axis=0)))

    def support(self, units: FloatArray) -> FloatArray:
        """The shares of the most similar nodes, the closest counting most; of a node itself, its own."""
        nodes = self.nodes.astype(np.float64)
        found, cosines = nearest_cosines(nodes, units.astype(np.float64), NEIGHBOURS)
        same = cosines > 1 - SAME_DIRECTION
        weights = np.where(same.any(axis=1, keepdims=True), same, closeness(cosines))
        return _shares(np.einsum("ij,ijc->ic", weights, self.spread[found]))


def _shares(values: FloatArray) -> FloatArray:
    """Rows that sum to 1; where nothing has come, all classes are equal."""
    total = values.sum(axis=1, keepdims=True)
    return np.where(total > 0, values / np.where(total > 0, total, 1.0), 1 / values.shape[1])


@dataclass(frozen=True, eq=False)
class Linear:
    """Ridge regression from the source's original features, scaled, to its classes: it sees no projection.

    Attributes
    ----------
    weights : array of shape (m, n_classes)
    shares : array of shape (n_classes,)
        Of the classes in the source.
    """

    weights: FloatArray
    shares: FloatArray

    @classmethod
    def fit(cls, rows: FloatArray, codes: IntArray, n_classes: int) -> Linear:
        """Learn from scaled samples of the source."""
        known = np.eye(n_classes)[codes]
        shares = known.mean(axis=0)
        n, m = rows.shape
        if m > n:
            weights = rows.T @ np.linalg.solve(rows @ rows.T + RIDGE * np.eye(n), known - shares)
        else:
            weights = np.linalg.solve(rows.T @ rows + RIDGE * np.eye(m), rows.T @ (known - shares))
        return cls(weights, shares)

    def support(self, rows: FloatArray) -> FloatArray:
        """The regression's value for each class, of samples that were scaled as their own domain is."""
        return rows @ self.weights + self.shares


@dataclass(frozen=True, eq=False)
class Means:
    """The direction of each class's sum over both domains, in the projection.

    Attributes
    ----------
    directions : array of shape (n_classes, k)
    """

    directions: FloatArray

    @classmethod
    def fit(cls, units: FloatArray, codes: IntArray, n_classes: int) -> Means:
        """Learn from samples of both domains, with true and given labels."""
        return cls(unit_rows(np.eye(n_classes)[codes].T @ units))

    def support(self, units: FloatArray) -> FloatArray:
        """The cosine to each class."""
        return units @ self.directions.T
