"""Cholesky factors and products with them in blocks, on all threads.

LAPACK has one thread here. These blocks do not depend on the number of threads, so that results do not either.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from tsrp._types import FloatArray
from tsrp.numerics.threads import parallel_map

BLOCK = 256


def cholesky(A: FloatArray) -> FloatArray:
    """The lower triangular C with C C' = A; of A the lower triangle is read.

    Parameters
    ----------
    A : array of shape (m, m)
        Symmetric. If it is not positive definite, `scipy.linalg.LinAlgError` is raised.

    Returns
    -------
    array of shape (m, m)
        Zero above the diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 0.],
           [1., 2.]])
    """
    m = len(A)
    C = np.tril(A)
    for start in range(0, m, BLOCK):
        stop = min(start + BLOCK, m)
        before = C[start:stop, :start]
        own = C[start:stop, start:stop]
        own -= before @ before.T
        own[:] = linalg.cholesky(own, lower=True, check_finite=False)

        def fill(first: int, own: FloatArray = own, before: FloatArray = before) -> None:
            rows = slice(first, first + BLOCK)
            columns = slice(before.shape[1], before.shape[1] + len(own))
            left = C[rows, columns] - C[rows, : columns.start] @ before.T
            C[rows, columns] = linalg.solve_triangular(own, left.T, lower=True, check_finite=False).T

        parallel_map(fill, range(stop, m, BLOCK))
    return C


def solve_lower(C: FloatArray, T: FloatArray) -> FloatArray:
    """C^-1 T of two lower triangular matrices, which is lower triangular too.

    Examples
    --------
    >>> import numpy as np
    >>> solve_lower(np.array([[2.0, 0.0], [1.0, 2.0]]), np.array([[4.0, 0.0], [4.0, 2.0]]))
    array([[2., 0.],
           [1., 1.]])
    """
    m = len(C)
    X = np.zeros_like(T)

    def fill(start: int) -> None:
        columns = slice(start, start + BLOCK)
        for first in range(start, m, BLOCK):
            rows = slice(first, first + BLOCK)
            left = T[rows, columns] - C[rows, start:first] @ X[start:first, columns]
            X[rows, columns] = linalg.solve_triangular(C[rows, rows], left, lower=True, check_finite=False)

    parallel_map(fill, range(0, m, BLOCK))
    return X


def lower_gram(T: FloatArray) -> FloatArray:
    """T' T of a lower triangular matrix, symmetric to the last bit.

    Examples
    --------
    >>> import numpy as np
    >>> lower_gram(np.array([[2.0, 0.0], [1.0, 1.0]]))
    array([[5., 1.],
           [1., 1.]])
    """
    m = len(T)
    result = np.empty((m, m))

    def fill(start: int) -> None:
        own = slice(start, start + BLOCK)
        for first in range(start, m, BLOCK):
            others = slice(first, first + BLOCK)
            part = T[first:, others].T @ T[first:, own]
            if first == start:
                part = np.tril(part) + np.tril(part, -1).T
            result[others, own], result[own, others] = part, part.T

    parallel_map(fill, range(0, m, BLOCK))
    return result
