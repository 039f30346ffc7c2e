"""Connected components of a graph whose edges come a part at a time, and are not kept."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from tsrp._types import IntArray


class Components:
    """The components of n nodes, joined by one part of the edges after the other.

    Attributes
    ----------
    labels : array of int, shape (n,)
        The component of each node, from 0.

    Examples
    --------
    >>> import numpy as np
    >>> components = Components(4)
    >>> components.join(np.array([0, 1]), np.array([1, 3]))
    >>> components.labels.tolist()
    [0, 0, 1, 0]
    """

    def __init__(self, n: int) -> None:
        self.labels: IntArray = np.arange(n)
        self._count = n

    def join(self, i: IntArray, j: IntArray) -> None:
        """Join the nodes i with the nodes j."""
        i, j = self.labels[i], self.labels[j]
        apart = i != j
        if apart.any():
            edges = adjacency(self._count, i[apart], j[apart])
            self._count, merged = csgraph.connected_components(edges, directed=False)
            self.labels = merged[self.labels]

    def edges(self) -> tuple[IntArray, IntArray]:
        """Edges (i, j) that connect the same nodes: one to each node, from the first of its component."""
        return np.unique(self.labels, return_index=True)[1][self.labels], np.arange(len(self.labels))


def adjacency(n: int, i: IntArray, j: IntArray) -> sparse.csr_array:
    """The sparse matrix of n nodes and the edges (i, j), each in one direction.

    Examples
    --------
    >>> import numpy as np
    >>> adjacency(2, np.array([0]), np.array([1])).toarray()
    array([[0, 1],
           [0, 0]], dtype=int8)
    """
    return sparse.csr_array((np.ones(len(i), dtype=np.int8), (i, j)), shape=(n, n))
