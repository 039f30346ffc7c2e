"""The way back, from the labelled target to the source."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from tsrp._types import LabelArray


def reverse_validation(model: Any, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike) -> float:
    """Circular validation: the share of source labels that come back from the labelled target.

    A copy of the method is fitted in the other direction, from the whole target with the labels that it was given to
    the whole source without its own; what it says there is compared with the truth. Labels that are wrong at random
    do not come back; a mistake that both directions make does.

    Parameters
    ----------
    model : fitted estimator of this package
    Xs, ys, Xt : arrays
        What it was fitted to.

    Returns
    -------
    float in [0, 1]

    References
    ----------
    E. Zhong, W. Fan, Q. Yang, O. Verscheure, J. Ren: Cross validation framework to choose amongst models and datasets
    for transfer learning. ECML PKDD 2010.

    Examples
    --------
    >>> from tsrp import NN
    >>> Xs, ys, Xt = [[0.0], [1.0], [2.0]], ["low", "low", "high"], [[0.1], [2.1]]
    >>> reverse_validation(NN().fit(Xs, ys, Xt), Xs, ys, Xt)
    1.0
    """
    return way_back(model, Xs, ys, Xt, model.labels_)


def way_back(method: Any, Xs: npt.ArrayLike, ys: npt.ArrayLike, Xt: npt.ArrayLike, labels: LabelArray) -> float:
    """The share of source labels that a method brings back from a target with these labels."""
    truth = np.asarray(ys)
    if len(np.unique(labels)) == 1:
        # Nothing can be learnt from one class, which is what every sample would get back.
        return float(np.mean(truth == labels[0]))
    back = clone(method).fit(Xt, labels, Xs)
    return float(np.mean(back.labels_ == truth))
