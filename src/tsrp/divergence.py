"""How far apart two sets of samples are."""

from __future__ import annotations

import threading
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from tsrp._types import FloatArray

# Python's warning filters belong to the process: two threads that change them at once leave them changed.
_filters = threading.Lock()


def a_distance(Xs: FloatArray, Xt: FloatArray) -> float:
    """Proxy A-distance: 2 (1 - 2 err), err the training error of a linear SVM that tells the two sets apart.

    Parameters
    ----------
    Xs, Xt : arrays of shape (n, m) and (q, m)
        Neither empty.

    Returns
    -------
    float
        2 if the sets can be told apart without error, about 0 if not at all.

    Examples
    --------
    >>> import numpy as np
    >>> a_distance(np.array([[0.0], [0.1]]), np.array([[5.0], [5.1]]))
    2.0
    """
    X = np.vstack([Xs, Xt])
    side = np.repeat([0, 1], [len(Xs), len(Xt)])
    with _filters, warnings.catch_warnings():
        # An SVM that stops early still gives an error rate, which is all that is asked of it.
        warnings.simplefilter("ignore", ConvergenceWarning)
        svm = LinearSVC(random_state=0).fit(X, side)
    error = float(np.mean(svm.predict(X) != side))
    return 2 * (1 - 2 * error)
