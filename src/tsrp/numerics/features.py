"""The dense eigenproblem in the coordinates of the features, where these are linearly independent.

`tsrp.numerics.eigenproblem` has F = X B with a square matrix B, and looks for y with B' (N - theta K) B y = 0,

    N = X' Theta X + ridge (B B')^-1        K = X' H X

so that w = B y solves N w = theta K w, and X' Theta X need not be turned by B in every round. With the Cholesky factors
N = C C' and K = T T' the matrix to decompose is G' G, G = C^-1 T: all three are triangular, which saves most of the
products.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from tsrp._types import FloatArray
from tsrp.numerics.leading import leading_of, shifted_until_definite
from tsrp.numerics.products import congruent
from tsrp.numerics.triangular import cholesky, lower_gram, solve_lower


@dataclass(frozen=True, eq=False)
class FeatureProblem:
    """What stays the same from term to term.

    Attributes
    ----------
    penalty : array of shape (m, m)
        (B B')^-1.
    root : array of shape (m, m)
        T.
    """

    penalty: FloatArray
    root: FloatArray

    @classmethod
    def of(cls, back: FloatArray, scale: FloatArray, mean: FloatArray) -> FeatureProblem | None:
        """The problem of a `Reduction` with a square `back`; None if K is not positive definite."""
        # The columns of B are orthogonal, and so are those of X B.
        inverse = (back / np.sum(back**2, axis=0)).T
        whole = scale[:, None] * inverse
        total = mean @ whole
        K = congruent(None, whole)
        K -= np.outer(total, total)
        try:
            return cls(congruent(None, inverse), cholesky(K))
        except linalg.LinAlgError:
            return None

    def solve(self, form: FloatArray, ridge: float, k: int) -> FloatArray:
        """The solutions w of the k smallest eigenvalues, of any length, given X' Theta X, which is overwritten."""
        form += ridge * self.penalty
        factor = shifted_until_definite(form, lambda: self.root @ self.root.T, cholesky)
        G = solve_lower(factor, self.root)
        x = G @ leading_of(lower_gram(G), k)
        w: FloatArray = linalg.solve_triangular(factor, x, lower=True, trans="T", check_finite=False)
        return w
