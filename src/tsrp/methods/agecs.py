"""AGE-CS: adaptive graph embedding with consistency and specificity."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from tsrp._types import FloatArray, IntArray, LabelArray
from tsrp.base.adapter import Method
from tsrp.base.contract import Rounds
from tsrp.base.spectral import Kernel, KernelSpace, SpectralRounds, View
from tsrp.classifiers.kernel_ridge import KernelRidge
from tsrp.known import NOTHING, Known
from tsrp.methods.jda import joint_mmd
from tsrp.numerics.graphs import directed_graph, nearest_others
from tsrp.numerics.simplex import project_on_simplex
from tsrp.numerics.terms import Term, laplacian
from tsrp.parameters import Number
from tsrp.registry import register

# What a denominator of a neighbour's weight is at least, so that no weight is lost to rounding.
SMALLEST_WIDTH = 1e-12


@register(
    "agecs",
    summary="aligns the classes, and keeps neighbours of one label together by graphs that it learns",
    reference="Teng et al., IEEE/CAA JAS 2023",
    cost="an eigenproblem and all distances within each domain per round",
    small={"": {"n_components": 5, "n_neighbors": 8}},
)
class AGECS(Method):
    """Adaptive graph embedding: the classes of both domains aligned, each domain smooth on a graph that is learnt too.

    Minimises ``M / |M| + locality * L / |L|`` plus ``ridge`` times the size of the projection, at fixed total variance.
    M is the discrepancy of `BDA`. L is the normalised Laplacian of a graph that joins each sample to its nearest others
    in the same domain, with weights that fall with the distance and prefer neighbours of the same label. After each
    round the graph is learnt again in the projection, with the labels of the round, and averaged with what it was.

    Rows are scaled to unit length before the projection and after it. The first labels, and the labels of each round,
    are those of `KernelRidge`.

    Parameters
    ----------
    n_components : int, default 50
        Dimensions of the projection. More than the data has are reduced to what it has, with a warning.
    mu : float in [0, 1], default 0.3
        As in `BDA`: 0 aligns the domains only, 1 the classes only.
    locality : float, default 5.0
        Weight of the graph (alpha).
    n_neighbors : int, default 32
        Neighbours of a sample in the graph (k); at most one less than the smaller domain has samples.
    preference : float, default 0.001
        How much nearer a neighbour of the same label counts (tau), where the labels at the edge of the neighbourhood do
        not say it.
    smoothing : float in [0, 1], default 0.1
        Share of the newly learnt graph in the average; 0 keeps the first one.
    ridge : float, default 0.1
        Weight of the regulariser (lambda).
    max_iter : int, default 10
        Rounds.
    classifier : scikit-learn classifier, optional
        Labels the target in each round; None is `KernelRidge`.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    References
    ----------
    S. Teng, Z. Zheng, N. Wu, L. Teng, W. Zhang: Adaptive graph embedding with consistency and specificity for domain
    adaptation. IEEE/CAA Journal of Automatica Sinica 10(11), 2023.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import AGECS
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> AGECS(n_components=4).fit(X[:60], y[:60], X[60:] + 1.0).labels_.shape
    (60,)
    """

    uses_target_labels = True
    labels_itself = True

    constraints: ClassVar = {
        "n_components": Number(low=1, whole=True),
        "mu": Number(low=0, high=1),
        "locality": Number(low=0),
        "n_neighbors": Number(low=1, whole=True),
        "preference": Number(low=0),
        "smoothing": Number(low=0, high=1),
        "ridge": Number(low=0, open_low=True),
    }

    def __init__(
        self,
        n_components: int = 50,
        *,
        mu: float = 0.3,
        locality: float = 5.0,
        n_neighbors: int = 32,
        preference: float = 1e-3,
        smoothing: float = 0.1,
        ridge: float = 0.1,
        max_iter: int = 10,
        classifier: Any = None,
        max_fit_rows: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.mu = mu
        self.locality = locality
        self.n_neighbors = n_neighbors
        self.preference = preference
        self.smoothing = smoothing
        self.ridge = ridge
        self.max_iter = max_iter
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    def prepare(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
        """Begin a fit (see `tsrp.base.contract`)."""
        space = KernelSpace(Kernel("primal", 1.0), Xs, Xt)
        view = View(ys, len(Xt), n_classes)
        # With as many neighbours in both domains, both parts of the graph have the same weight.
        n_neighbors = min(self.n_neighbors, len(Xs) - 1, len(Xt) - 1)
        graphs = [LearntGraph(n_neighbors, self.preference, self.smoothing) for _ in range(2)]
        objective = GraphObjective(*graphs, locality=self.locality, mu=self.mu)
        return _GraphRounds(objective, view, space, ridge=self.ridge, n_components=self.n_components)


class _GraphRounds(SpectralRounds):
    """Rounds whose graphs are learnt from the projection before; in the first one, from the samples."""

    remembers = True

    def __init__(
        self, objective: GraphObjective, view: View, space: KernelSpace, *, ridge: float, n_components: int
    ) -> None:
        source, target = np.split(space.samples, [len(view.ys)])
        view.projected = source, target
        self._known = NOTHING
        self._first = KernelRidge().fit(source, view.ys).predict(target)
        super().__init__(objective, view, space, ridge=ridge, n_components=n_components)

    def know(self, known: Known) -> None:
        self._known = known

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        return super().project(self._known.over(self._first) if yt is None else yt)

    def classifier(self, classes: LabelArray) -> KernelRidge:
        assert self._view.projected is not None
        Zs, Zt = self._view.projected
        Z, codes = self._known.beside(Zs, self._view.ys, Zt)
        return KernelRidge().fit(Z, classes[codes], self._known.weights(len(Zs)))


class GraphObjective:
    """What a round minimises, with a graph for each domain that every call learns again."""

    def __init__(self, source: LearntGraph, target: LearntGraph, *, locality: float, mu: float) -> None:
        self._source, self._target, self._locality, self._mu = source, target, locality, mu

    def __call__(self, view: View) -> Term:
        assert view.projected is not None
        assert view.yt is not None
        Zs, Zt = view.projected
        one_way = sparse.block_diag([self._source.learn(Zs, view.ys), self._target.learn(Zt, view.yt)])
        both_ways = sparse.csr_array(one_way + one_way.T)
        return joint_mmd(view, self._mu) + laplacian(both_ways, normalised=True).normalised() * self._locality


class LearntGraph:
    """The graph of one domain: each time it is learnt again, and averaged with what it was."""

    def __init__(self, n_neighbors: int, preference: float, smoothing: float) -> None:
        self._n_neighbors, self._preference, self._smoothing = n_neighbors, preference, smoothing
        self._graph: sparse.csr_array | None = None
        self._width: float | None = None

    def learn(self, X: FloatArray, codes: IntArray) -> sparse.csr_array:
        """Learn it from samples and their labels."""
        new, self._width = labelled_graph(X, codes, self._n_neighbors, self._preference, self._width)
        if self._graph is None:
            self._graph = new
        else:
            self._graph = sparse.csr_array((1 - self._smoothing) * self._graph + self._smoothing * new)
        return self._graph


def labelled_graph(
    X: FloatArray, codes: IntArray, n_neighbors: int, preference: float, width: float | None = None
) -> tuple[sparse.csr_array, float]:
    """Weights of each sample's nearest others, which sum to 1, fall with the distance and prefer the same label.

    The weights of a sample's neighbours j are the point of the simplex nearest to
    ``(-d_j / 2 + beta b_j) / (width + beta)``: d_j is the distance, b_j is 1 for a neighbour of the same label. beta is
    `preference`; but if, of the last neighbour and the first sample beyond it, one has the same label, beta is half of
    what one is farther than the other, negative if that is the neighbour.

    Parameters
    ----------
    X : array of shape (n, m)
    codes : array of int, shape (n,)
    n_neighbors : int
        Less than n.
    preference : float
    width : float, optional
        How fast weights fall. None: for each sample what, labels aside, leaves no weight for its last neighbour.

    Returns
    -------
    graph : sparse array of shape (n, n)
    width : float
        The mean of the samples' own widths.
    """
    n, k = len(X), n_neighbors
    if k == 0:
        return sparse.csr_array((n, n)), 0.0
    indices, squares = nearest_others(X, k + 1)
    distances, same = np.sqrt(squares), (codes[indices] == codes[:, None]).astype(np.float64)
    d, b = distances[:, :k], same[:, :k]
    beta = np.full(n, float(preference))
    if indices.shape[1] > k:
        change = b[:, -1] - same[:, k]
        differ = change != 0
        beta[differ] = (d[differ, -1] - distances[differ, k]) / (2 * change[differ])
    widths = (k * d[:, -1] - d.sum(axis=1)) / 2 + beta * (b.sum(axis=1) - k * b[:, -1] - 1)
    scale = (widths if width is None else width) + beta
    scale = np.where(np.abs(scale) < SMALLEST_WIDTH, SMALLEST_WIDTH, scale)
    weights = project_on_simplex((-d / 2 + beta[:, None] * b) / scale[:, None])
    return directed_graph(indices[:, :k], weights), float(widths.mean())
