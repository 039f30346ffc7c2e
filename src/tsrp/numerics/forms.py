"""F' Theta F and the columns of Theta times F, for terms Theta that come one after the other.

What a round's term has in common with that of the round before is not multiplied or summed again.
"""

from __future__ import annotations

from scipy import sparse

from tsrp._types import FloatArray
from tsrp.numerics.classes import RunningSums
from tsrp.numerics.products import RunningGram, signed_gram
from tsrp.numerics.terms import Term

ROW_BLOCK = 8192


class ColumnSums:
    """Columns' F of terms that come one after the other: weighted sums of groups."""

    def __init__(self, F: FloatArray) -> None:
        self._sums = RunningSums(F)

    def __call__(self, theta: Term) -> FloatArray:
        return theta.values.T @ self._sums(theta.groups, theta.values.shape[0])


class QuadraticForms:
    """F' Theta F for terms that come one after the other, never with an n x n matrix.

    What a round's diagonal has in common with that of the round before is not multiplied again.
    """

    def __init__(self, F: FloatArray) -> None:
        self._F = F
        self._column_sums, self._gram = ColumnSums(F), RunningGram(F)

    def __call__(self, theta: Term) -> FloatArray:
        F = self._F
        G = self._column_sums(theta)
        result = signed_gram(G, theta.coefficients)
        if theta.links is None:
            result += self._gram(theta.diagonal)
            return result
        weights = sparse.csr_array(theta.links + sparse.diags_array(theta.diagonal))
        for start in range(0, len(F), ROW_BLOCK):
            part = slice(start, start + ROW_BLOCK)
            result += F[part].T @ (weights[part] @ F)
        return result


def quadratic_form(F: FloatArray, theta: Term) -> FloatArray:
    """F' Theta F, for one term."""
    return QuadraticForms(F)(theta)
