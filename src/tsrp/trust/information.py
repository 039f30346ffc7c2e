"""How much a sample's label says about those of its neighbours, in a space that no method made."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import mutual_info_score

from tsrp._types import FloatArray, IntArray
from tsrp.numerics.cosines import nearest_cosines
from tsrp.trust.original import Scaling

NEIGHBOURS = 5


def original_neighbours(X: FloatArray) -> IntArray:
    """The five others of largest cosine of each sample, among the z-scores of its domain.

    Examples
    --------
    >>> import numpy as np
    >>> original_neighbours(np.array([[0.0], [5.0], [1.0]])).shape
    (3, 2)
    """
    rows = Scaling.of(X).rows(X)
    return nearest_cosines(rows, rows, NEIGHBOURS, others=True)[0]


def neighbour_information(codes: IntArray, neighbours: IntArray) -> float:
    """Mutual information of a sample's class and those of its neighbours, at least 0.

    Examples
    --------
    >>> import numpy as np
    >>> round(neighbour_information(np.array([0, 0, 1, 1]), np.array([[1], [0], [3], [2]])), 3)
    0.693
    """
    if neighbours.size == 0:
        return 0.0
    return max(0.0, float(mutual_info_score(np.repeat(codes, neighbours.shape[1]), codes[neighbours].ravel())))
