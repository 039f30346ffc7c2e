"""The graph of the most similar samples that labels spread along."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from tsrp._types import FloatArray
from tsrp.numerics.cosines import nearest_cosines
from tsrp.numerics.graphs import scaled_by_degree, symmetric_graph

NEIGHBOURS = 10
# A neighbour whose cosine is lower by this much counts less by a factor of e.
WIDTH = 0.1


def closeness(cosines: FloatArray) -> FloatArray:
    """The weight of a neighbour: 1 in the same direction, less by a factor of e for each `WIDTH` of cosine.

    Examples
    --------
    >>> import numpy as np
    >>> closeness(np.array([1.0, 0.9])).round(2)
    array([1.  , 0.37])
    """
    return np.exp((cosines.astype(np.float64) - 1.0) / WIDTH)


def affinity(units: FloatArray, n_neighbors: int = NEIGHBOURS) -> sparse.csr_array:
    """The symmetric graph of the most similar samples, normalised: D^-1/2 W D^-1/2.

    Each sample is joined to its neighbours of largest cosine and to those that it is a neighbour of.

    Parameters
    ----------
    units : array of shape (n, k)
        Rows of unit length.
    n_neighbors : int, default 10
        As many as there are, if fewer.

    Examples
    --------
    >>> import numpy as np
    >>> affinity(np.array([[1.0, 0.0], [0.8, 0.6], [0.6, 0.8]]), 1).toarray().round(2)
    array([[0.  , 0.41, 0.  ],
           [0.41, 0.  , 0.91],
           [0.  , 0.91, 0.  ]])
    """
    indices, cosines = nearest_cosines(units, units, n_neighbors, others=True)
    return scaled_by_degree(symmetric_graph(indices, closeness(cosines)))
