"""CMMS: class centroid matching and local manifold self-learning."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.svm import LinearSVC

from tsrp._types import FloatArray, IntArray, LabelArray
from tsrp.base.adapter import Method
from tsrp.base.contract import Mapping, Rounds
from tsrp.base.maps import LinearMap
from tsrp.base.spectral import Kernel, KernelSpace, SpectralRounds, View
from tsrp.classifiers.nearest_neighbour import NearestNeighbour
from tsrp.known import NOTHING, Known
from tsrp.numerics.classes import class_sums
from tsrp.numerics.graphs import directed_graph, nearest_others
from tsrp.numerics.rows import unit_rows, with_squares
from tsrp.numerics.simplex import project_on_simplex
from tsrp.numerics.terms import Term, block_diagonal, laplacian
from tsrp.parameters import Number
from tsrp.registry import register

# What the scale of the graph's distances is at least: 0 where all neighbours are equally far.
SMALLEST_WIDTH = 1e-12


@register(
    "cmms",
    summary="matches class centroids with target clusters, on a target graph that it learns",
    reference="Tian et al., IEEE TIP 2020",
    cost="an eigenproblem and all distances within the target per round",
    small={"": {"n_components": 5}},
)
class CMMS(Method):
    """Class centroid matching and local manifold self-learning: the target's clusters share the source's centroids.

    With a centroid for each class, the projection minimises the distances of the source's class means from the
    centroids, plus ``clustering`` times those of the target samples from the centroid of their label. To that adds
    ``locality`` times the Laplacian of a graph of the target, and that of the source's classes, whose samples are to
    stay together; each part is divided by its Frobenius norm. The size of the projection costs ``ridge``, and the total
    variance is fixed. After each round the target's graph is learnt again in the projection.

    The first labels are those of a linear support vector machine; each round labels the target by the nearest centroid.
    Rows are scaled to unit length before the projection and, less their mean, after it.

    Parameters
    ----------
    n_components : int, default 100
        Dimensions of the projection. More than the data has are reduced to what it has, with a warning.
    clustering : float, default 0.1
        Weight of the target's clusters (alpha).
    locality : float, default 5.0
        Weight of the graphs (gamma).
    n_neighbors : int, default 10
        Neighbours of a target sample in the graph (k); at most two less than there are target samples.
    ridge : float, default 0.1
        Weight of the regulariser (beta).
    max_iter : int, default 10
        Rounds.
    classifier : scikit-learn classifier, optional
        Labels the target in each round; None is the nearest centroid.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    References
    ----------
    L. Tian, Y. Tang, L. Hu, Z. Ren, W. Zhang: Domain adaptation by class centroid matching and local manifold
    self-learning. IEEE Transactions on Image Processing 29, 2020.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import CMMS
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> CMMS(n_components=4).fit(X[:60], y[:60], X[60:] + 1.0).labels_.shape
    (60,)
    """

    uses_target_labels = True
    labels_itself = True

    constraints: ClassVar = {
        "n_components": Number(low=1, whole=True),
        "clustering": Number(low=0, open_low=True),
        "locality": Number(low=0),
        "n_neighbors": Number(low=1, whole=True),
        "ridge": Number(low=0, open_low=True),
    }

    def __init__(
        self,
        n_components: int = 100,
        *,
        clustering: float = 0.1,
        locality: float = 5.0,
        n_neighbors: int = 10,
        ridge: float = 0.1,
        max_iter: int = 10,
        classifier: Any = None,
        max_fit_rows: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.clustering = clustering
        self.locality = locality
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.max_iter = max_iter
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    def prepare(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
        """Begin a fit (see `tsrp.base.contract`)."""
        space = KernelSpace(Kernel("primal", 1.0, unit_after=False), Xs, Xt)
        view = View(ys, len(Xt), n_classes)
        graph = TargetGraph(self.n_neighbors, space.samples[len(Xs) :])
        objective = CentroidObjective(graph, clustering=self.clustering, locality=self.locality)
        return _CentroidRounds(objective, view, space, ridge=self.ridge, n_components=self.n_components)


class _CentroidRounds(SpectralRounds):
    """Rounds that label by the centroids of the labels that they were given."""

    remembers = True

    def __init__(
        self, objective: CentroidObjective, view: View, space: KernelSpace, *, ridge: float, n_components: int
    ) -> None:
        self._clustering = objective.clustering
        self._known = NOTHING
        source, target = np.split(with_squares(space.samples), [len(view.ys)])
        # Of the primal problem the solution does not depend on random numbers; the seed keeps the user's as they are.
        self._first = LinearSVC(dual=False, random_state=0).fit(source, view.ys).predict(target)
        self._mean = space.samples.mean(axis=0, dtype=np.float64)
        super().__init__(objective, view, space, ridge=ridge, n_components=n_components)

    def know(self, known: Known) -> None:
        self._known = known

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        Z = np.vstack(super().project(self._known.over(self._first) if yt is None else yt))
        Zs, Zt = np.split(unit_rows(Z - Z.mean(axis=0)), [len(self._view.ys)])
        self._view.projected = Zs, Zt
        return Zs, Zt

    def classifier(self, classes: LabelArray) -> NearestNeighbour:
        view = self._view
        assert view.projected is not None
        assert view.yt is not None
        Zs, Zt = view.projected
        means = class_sums(Zs, view.ys, view.n_classes) / np.bincount(view.ys)[:, None]
        sizes = np.bincount(view.yt, minlength=view.n_classes)[:, None]
        sums = means + self._clustering * class_sums(Zt, view.yt, view.n_classes)
        return NearestNeighbour().fit(sums / (1 + self._clustering * sizes), classes)

    def mapping(self) -> Mapping:
        return LinearMap(self._weights, mean=self._mean, unit_before=True, unit_after=True)


class CentroidObjective:
    """What a round minimises, with a graph of the target that every call but the first learns again."""

    def __init__(self, graph: TargetGraph, *, clustering: float, locality: float) -> None:
        self._graph, self.clustering, self._locality = graph, clustering, locality

    def __call__(self, view: View) -> Term:
        assert view.yt is not None
        if view.projected is not None:
            self._graph.learn(view.projected[1])
        matching = centroid_matching(view.ys, view.yt, view.n_classes, self.clustering).normalised()
        graphs = block_diagonal(class_laplacian(view.ys, view.n_classes), self._graph.laplacian())
        return matching + graphs * (self._locality / np.sqrt(2))


def centroid_matching(ys: IntArray, yt: IntArray, n_classes: int, clustering: float) -> Term:
    """The distances of class means and of target samples from the centroids that make their sum the smallest.

    With E the means of the source's classes and G the target's labels, one-hot, the centroids of z are
    ``U (E'Zs + clustering G'Zt)``, U diagonal; what remains of the squares is
    ``blockdiag(E E', clustering I) - B U B'``, B = [E; clustering G].
    """
    means = sparse.diags_array(1 / np.bincount(ys, minlength=n_classes))
    sums = clustering * sparse.eye_array(n_classes)
    weights = 1 / (1 + clustering * np.bincount(yt, minlength=n_classes))
    return Term(
        np.concatenate([np.zeros(len(ys)), np.full(len(yt), clustering)]),
        np.concatenate([ys, n_classes + yt]),
        sparse.csr_array(sparse.block_array([[means, means], [None, sums]])),
        np.concatenate([np.ones(n_classes), -weights]),
    )


def class_laplacian(codes: IntArray, n_classes: int) -> Term:
    """I - sum_c 1_c 1_c' / n_c, each sample's distance from its class's mean, of norm 1."""
    n = len(codes)
    ones = sparse.csr_array(sparse.eye_array(n_classes))
    squares = Term(np.ones(n), codes, ones, -1 / np.bincount(codes, minlength=n_classes))
    # Where every class has one sample this is a matrix of zeros, but for rounding.
    return squares * (1 / np.sqrt(max(n - n_classes, 1)))


class TargetGraph:
    """The graph of the target's neighbours; one width, of the first graph, makes weights of distances in all others."""

    def __init__(self, n_neighbors: int, X: FloatArray) -> None:
        # The first sample that is no neighbour sets the width.
        self._n_neighbors = min(n_neighbors, len(X) - 2)
        self._n = len(X)
        if self._n_neighbors < 1:
            return
        indices, squares = nearest_others(X, self._n_neighbors + 1)
        gaps = squares[:, -1:] - squares[:, :-1]
        total = gaps.sum(axis=1, keepdims=True)
        weights = np.where(total > 0, gaps / np.where(total > 0, total, 1.0), 1 / self._n_neighbors)
        self._width = max(float(total.mean()) / 2, SMALLEST_WIDTH)
        self._graph = directed_graph(indices[:, :-1], weights)

    def learn(self, Z: FloatArray) -> None:
        """Learn it again from projected samples."""
        if self._n_neighbors >= 1:
            indices, squares = nearest_others(Z, self._n_neighbors)
            self._graph = directed_graph(indices, project_on_simplex(-squares / (2 * self._width)))

    def laplacian(self) -> Term:
        """Its Laplacian, of norm 1; zeros if there are too few samples for a graph."""
        if self._n_neighbors < 1:
            return Term.without_columns(np.zeros(self._n))
        return laplacian(sparse.csr_array(self._graph + self._graph.T) * 0.5).normalised()
