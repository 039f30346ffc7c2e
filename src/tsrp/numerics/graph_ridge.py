"""Kernel ridge regression with a graph and a low-rank penalty on the scores.

The scores are F = K b with K the rbf kernel of all samples, the n labelled ones first, and

    b = ((E + Q Q' + smoothness L) K + ridge I)^-1 E Y,

E the identity on the labelled samples and 0 elsewhere, Y the classes of these, L the Laplacian of a graph. Only Q, of a
few columns, changes from round to round: the rest is prepared once.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse
from sklearn.metrics.pairwise import rbf_kernel

from tsrp._types import FloatArray
from tsrp.memory import check_memory
from tsrp.numerics.cosines import nearest_cosines
from tsrp.numerics.graphs import scaled_by_degree, symmetric_graph
from tsrp.numerics.kernels import expansion, landmarks


def cosine_graph(units: FloatArray, n_neighbors: int) -> sparse.csr_array:
    """The normalised graph of the most similar samples, each its own neighbour too; weights are cosines, if positive.

    Parameters
    ----------
    units : array of shape (n, k)
        Rows of unit length, or of zeros.
    n_neighbors : int
        Beside the sample itself; as many as there are, if fewer.

    Returns
    -------
    sparse array of shape (n, n)
        D^-1/2 W D^-1/2; the Laplacian L is the identity minus this.

    Examples
    --------
    >>> import numpy as np
    >>> cosine_graph(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), 1).toarray().round(3)
    array([[0.5, 0.5, 0. ],
           [0.5, 0.5, 0. ],
           [0. , 0. , 1. ]])
    """
    indices, cosines = nearest_cosines(units, units, n_neighbors, others=True)
    weights = symmetric_graph(indices, np.maximum(cosines.astype(np.float64), 0.0))
    # A row of zeros is similar to nothing, not even to itself.
    own = sparse.dia_array((units.any(axis=1, keepdims=True).T.astype(np.float64), [0]), shape=weights.shape)
    return scaled_by_degree(sparse.csr_array(weights + own))


class ExactProblem:
    """The solution by one factorisation of size n x n without Q, and low-rank updates of it (Woodbury's formula).

    Parameters
    ----------
    units : array of shape (n, k)
        All samples, the labelled ones first.
    Y : array of shape (n_labelled, n_classes)
    graph : sparse array of shape (n, n)
        As `cosine_graph` makes it.
    gamma, ridge, smoothness : float
    """

    def __init__(
        self,
        units: FloatArray,
        Y: FloatArray,
        graph: sparse.csr_array,
        *,
        gamma: float,
        ridge: float,
        smoothness: float,
    ) -> None:
        n = len(units)
        # The kernel matrix, the factors, and what they are made from.
        check_memory(f"a kernel matrix of {n} samples", 4 * 8 * n**2, "set n_landmarks to 1000 or use fewer samples")
        self._units = units
        self._K = rbf_kernel(units, gamma=gamma)
        A = self._K - graph @ self._K
        A *= smoothness
        A[: len(Y)] += self._K[: len(Y)]
        A[np.diag_indices_from(A)] += ridge
        # LAPACK reads columns: it factors the transpose, without a copy.
        self._factors = linalg.lu_factor(A.T, overwrite_a=True, check_finite=False)
        self._unaligned = self._inverse(np.vstack([Y, np.zeros((n - len(Y), Y.shape[1]))]))

    def _inverse(self, B: FloatArray) -> FloatArray:
        return linalg.lu_solve(self._factors, B, trans=1, check_finite=False)

    def solve(self, Q: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        """The samples, and their weights b; None: without a penalty of low rank."""
        if Q is None:
            return self._units, self._unaligned
        solved, KQ = self._inverse(Q), self._K @ Q
        inner = np.eye(Q.shape[1]) + KQ.T @ solved
        return self._units, self._unaligned - solved @ linalg.solve(inner, KQ.T @ self._unaligned)


class LandmarkProblem:
    """The same with K = P P' for features P of a few landmarks: nothing of size n x n is built.

    The scores are P w with w = (P' (E + Q Q' + smoothness L) P + ridge I)^-1 P' E Y, which is symmetric.

    Parameters
    ----------
    units, Y, graph, gamma, ridge, smoothness
        As for `ExactProblem`.
    n_landmarks, seed : int
    """

    def __init__(
        self,
        units: FloatArray,
        Y: FloatArray,
        graph: sparse.csr_array,
        *,
        gamma: float,
        ridge: float,
        smoothness: float,
        n_landmarks: int,
        seed: int,
    ) -> None:
        self._landmarks, self._root = landmarks(units, n_landmarks, gamma, seed)
        self._features = P = expansion(units, self._landmarks, self._root, gamma)
        labelled = P[: len(Y)]
        self._A = labelled.T @ labelled + smoothness * (P.T @ P - P.T @ (graph @ P))
        self._A[np.diag_indices_from(self._A)] += ridge
        self._B = labelled.T @ Y

    def solve(self, Q: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        """The landmarks, and their weights in the scores; None: without a penalty of low rank."""
        A = self._A
        if Q is not None:
            PQ = self._features.T @ Q
            A = A + PQ @ PQ.T
        return self._landmarks, self._root @ linalg.solve(A, self._B, assume_a="pos")
