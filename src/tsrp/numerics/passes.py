"""The reduction of samples in blocks, by passes over them: what is kept has the size of the features or of the result.

Each function here says of `BlockedSamples` what its namesake in `products`, `classes` or `eigenproblem` says of an
array, up to the rounding of another order of summation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.blocked.samples import BlockedSamples
from tsrp.memory import check_memory
from tsrp.numerics import products
from tsrp.numerics.classes import class_sums
from tsrp.numerics.eigenproblem import Reduction, decompose
from tsrp.numerics.forms import ColumnSums
from tsrp.numerics.principal import leading_directions
from tsrp.numerics.terms import Term

# Copies of a matrix of all features that a reduction and its eigenproblems take, and of the projected samples.
GRAM_COPIES, PROJECTED_COPIES = 6, 4
ADVICE = "use fewer"


def times(samples: BlockedSamples, W: FloatArray) -> FloatArray:
    """X W in float64, which is in memory; refused with its size if it is too large for that."""
    n, k = len(samples), W.shape[1]
    what = f"a projection of {n:,} samples to {k:,} components"
    check_memory(what, PROJECTED_COPIES * 8 * n * k, f"{ADVICE} components or samples")
    return samples.rows(partial(products.times, W=W))


def gram_and_sum(samples: BlockedSamples) -> tuple[FloatArray, FloatArray]:
    """X' X and the sum of the samples, in float64."""
    m = samples.shape[1]
    check_memory(f"the Gram matrix of {m:,} features", GRAM_COPIES * 8 * m**2, f"{ADVICE} features")
    both = samples.total(_gram_and_sum)
    return both[:-1], both[-1]


def _gram_and_sum(X: FloatArray) -> FloatArray:
    return np.vstack([products.weighted_gram(X), _sum(X)])


def group_sums(samples: BlockedSamples, groups: IntArray, n_groups: int) -> FloatArray:
    """The sum of each group's samples."""
    return samples.total(partial(class_sums, n_classes=n_groups), groups)


def reduce_blocks(samples: BlockedSamples, power: int) -> Reduction:
    """As `eigenproblem.reduce_samples`: one pass."""
    gram, total = gram_and_sum(samples)
    s, Q = decompose(gram)
    back = Q * s ** (power - 1)
    mean = total @ back / s**power / np.sqrt(len(samples))
    nothing = np.empty((0, samples.shape[1]))
    return BlockedReduction(nothing, s**power, mean, back, plain=True, blocked=samples)


@dataclass(frozen=True)
class BlockedReduction(Reduction):
    """A reduction whose samples are in blocks: what needs them is a pass."""

    blocked: BlockedSamples

    def project(self, Y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """F Y, and the weights ``back @ Y`` that project new samples: one pass."""
        weights = self.back @ Y
        return times(self.blocked, weights), weights

    def column_sums(self, theta: Term, of_samples: ColumnSums | None = None) -> FloatArray:
        """The term's columns' F: one pass, whatever is known from the term before."""
        return (theta.values.T @ group_sums(self.blocked, theta.groups, theta.values.shape[0])) @ self.back

    def quadratic_forms(self) -> Callable[[Term], FloatArray]:
        """F' Theta F as a function of Theta: one pass each."""
        of_samples = BlockedForms(self.blocked)
        return lambda theta: products.congruent(of_samples(theta), self.back)


class BlockedForms:
    """X' Theta X for terms without links that come one after the other: a pass each.

    As in `products.RunningGram`, only samples whose weight on the diagonal has changed are multiplied, but for a factor
    that all weights have in common.
    """

    def __init__(self, samples: BlockedSamples) -> None:
        self._samples = samples
        self._gram = np.zeros((samples.shape[1],) * 2)
        self._weights = np.zeros(len(samples))

    def __call__(self, theta: Term) -> FloatArray:
        """The matrix for this term."""
        assert theta.links is None
        weights, n_groups = theta.diagonal, theta.values.shape[0]
        if self._weights[0] == 0 or weights[0] == 0:
            self._gram[:], self._weights[:] = 0.0, 0.0
        else:
            factor = weights[0] / self._weights[0]
            self._gram *= factor
            self._weights *= factor
        change = weights - self._weights
        change[np.abs(change) <= products.ROUNDING * np.abs(weights)] = 0.0
        both = self._samples.total(partial(_sums_and_gram, n_groups=n_groups), theta.groups, change)
        self._gram += both[n_groups:]
        self._weights = np.where(change == 0.0, self._weights, weights)
        G = theta.values.T @ both[:n_groups]
        return (G.T * theta.coefficients) @ G + self._gram


def _sums_and_gram(X: FloatArray, groups: IntArray, weights: FloatArray, n_groups: int) -> FloatArray:
    changed = weights != 0.0
    gram = products.weighted_gram(X[changed], weights[changed])
    return np.vstack([class_sums(X, groups, n_groups), gram])


def principal_directions_of_blocks(samples: BlockedSamples, n_components: int) -> tuple[FloatArray, FloatArray]:
    """As `principal.principal_directions`: two passes."""
    mean = samples.total(_sum) / len(samples)
    reduction = reduce_blocks(samples.then(partial(_centred, mean=mean)), power=1)
    return mean, leading_directions(reduction, len(samples), mean, n_components)


def _sum(X: FloatArray) -> FloatArray:
    return X.sum(axis=0, dtype=np.float64)


def _centred(X: FloatArray, mean: FloatArray) -> FloatArray:
    return (X - mean).astype(X.dtype, copy=False)
