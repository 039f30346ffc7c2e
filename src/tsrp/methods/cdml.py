"""CDML: cross-domain metric learning based on information theory."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse

from tsrp._types import FloatArray, IntArray
from tsrp.base.components import principal_components
from tsrp.base.contract import Mapping
from tsrp.base.maps import LinearMap
from tsrp.base.once import LearnedOnce
from tsrp.numerics.graphs import neighbour_graph
from tsrp.parameters import Number
from tsrp.registry import register
from tsrp.validation import check_components


@register(
    "cdml",
    summary="a metric for the source's labels and the target's shape; a reconstruction",
    reference="Wang et al., AAAI 2014",
    cost="a neighbour graph, one matrix of 50 x 50",
    small={"": {"n_components": 8}},
)
class CDML(LearnedOnce):
    """Cross-domain metric learning: one metric that fits the source's labels, the target's shape, and both means.

    A reconstruction: no program of the authors is public, and this is built from what their text says. The metric A
    makes Gram matrices ``Xs A Xs'`` and ``Xt A Xt'``; as covariances of Gaussians they should be close, in relative
    entropy, to ideal ones: for the source ``(Y Y' + label_noise I) / (1 + label_noise)`` of its labels as zeros and
    ones, for the target the diffusion kernel ``exp(diffusion N)`` of its neighbour graph N. With the squared distance
    of the domains' means, all this is ``tr(A Q) - log det A`` for one matrix Q, and the best A is ``Q^-1``.

    What is ours: both ideal kernels have diagonals of about 1, since one A must fit both; and a ridge as large as the
    mean of Q, which is the relative entropy of A to the Euclidean metric and keeps it from inflating directions of
    noise. Rows are scaled to unit length and reduced to their principal components before, and scaled again after.

    Principal components, unit rows and 1-nearest-neighbour without any metric come about as close to the published
    average on Office-Caltech as this method does: that it agrees with it proves little.

    Parameters
    ----------
    n_components : int, default 50
        Principal components that the metric is learned in. More than the data has are reduced to what it has, with a
        warning.
    label_noise : float, default 1.0
        How much the ideal source kernel trusts a sample's label: the smaller, the more (delta).
    diffusion : float in [0, 100], default 1.0
        How far the ideal target kernel reaches along the graph (tau).
    n_neighbors : int, default 10
        Of each target sample in the graph.
    alignment : float, default 1.0
        Weight of the squared distance of the domains' means (mu).
    ridge : float, default 1.0
        Weight of the Euclidean metric, in units of the mean eigenvalue of Q without its part for the means (eps).
    classifier : scikit-learn classifier, optional
        Labels the target; None is 1-nearest-neighbour.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    References
    ----------
    H. Wang, W. Wang, C. Zhang, F. Xu: Cross-domain metric learning based on information theory. AAAI 2014.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import CDML
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> CDML(n_components=4).fit(X[:60], y[:60], X[60:] + 1.0).transform(X[:2]).shape
    (2, 4)
    """

    constraints: ClassVar = {
        "n_components": Number(low=1, whole=True),
        "label_noise": Number(low=0, open_low=True),
        "diffusion": Number(low=0, high=100),
        "n_neighbors": Number(low=1, whole=True),
        "alignment": Number(low=0),
        "ridge": Number(low=0, open_low=True),
    }

    def __init__(
        self,
        n_components: int = 50,
        *,
        label_noise: float = 1.0,
        diffusion: float = 1.0,
        n_neighbors: int = 10,
        alignment: float = 1.0,
        ridge: float = 1.0,
        classifier: Any = None,
        max_fit_rows: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.label_noise = label_noise
        self.diffusion = diffusion
        self.n_neighbors = n_neighbors
        self.alignment = alignment
        self.ridge = ridge
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    def _learn(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Mapping:
        mean, directions, X = principal_components(Xs, Xt, self.n_components, unit=True)
        check_components(self.n_components, directions.shape[1])
        source, target = X[: len(Xs)], X[len(Xs) :]
        Q = label_form(source, ys, self.label_noise) / len(source)
        Q += diffusion_form(target, self.n_neighbors, self.diffusion) / len(target)
        ridge = self.ridge * np.trace(Q) / len(Q)
        gap = source.mean(axis=0) - target.mean(axis=0)
        Q += self.alignment * np.outer(gap, gap)
        squares, vectors = linalg.eigh(Q)
        # Without the ridge, a direction that Q does not measure would count without bound.
        root = vectors / np.sqrt(np.maximum(squares, 0) + ridge)
        return LinearMap(directions @ root, mean=mean, unit_before=True, unit_after=True)


def label_form(X: FloatArray, y: IntArray, noise: float) -> FloatArray:
    """X' K^-1 X for K = (Y Y' + noise I) / (1 + noise), Y the labels as zeros and ones, by Woodbury's formula."""
    sizes = np.bincount(y)
    sums = np.vstack([X[y == c].sum(axis=0) for c in range(len(sizes))])
    return (1 + noise) / noise * (X.T @ X - (sums.T / (noise + sizes)) @ sums)


def diffusion_form(X: FloatArray, n_neighbors: int, diffusion: float) -> FloatArray:
    """X' K^-1 X for K = exp(diffusion N), N the symmetrically normalised graph of nearest neighbours."""
    result = X.T @ exponential(-diffusion * diffusion_graph(X, n_neighbors), X)
    return (result + result.T) / 2


def diffusion_graph(X: FloatArray, n_neighbors: int) -> sparse.csr_array:
    """Weights exp(-d^2 / median) between nearest neighbours, divided by the roots of both samples' sums."""
    graph = neighbour_graph(X, n_neighbors, _heat)
    sums = graph.sum(axis=1)
    # A sample so far from all others that its weights vanish stays alone.
    root = 1 / np.sqrt(np.where(sums > 0, sums, 1.0))
    return graph.multiply(root[:, None]).multiply(root).tocsr()


def _heat(squares: FloatArray) -> FloatArray:
    median = np.median(squares)
    return np.exp(-squares / (median if median > 0 else 1.0))


def exponential(A: sparse.csr_array, X: FloatArray) -> FloatArray:
    """exp(A) X by Taylor's series, in steps of norm at most 1.

    scipy's expm_multiply estimates norms from random vectors, and would change the user's random numbers.
    """
    size = abs(A).sum(axis=1).max()
    steps = max(1, int(np.ceil(size)))
    for _ in range(steps):
        term = X
        for order in range(1, 25):
            term = (A @ term) / (steps * order)
            X = X + term
    return X
