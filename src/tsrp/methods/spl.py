"""SPL: selective pseudo-labelling."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import linalg, special
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tsrp._types import BoolArray, FloatArray, IntArray, LabelArray
from tsrp.base.adapter import Method
from tsrp.base.components import principal_components
from tsrp.base.contract import Mapping, Rounds
from tsrp.base.maps import Chain, LinearMap
from tsrp.known import NOTHING, Known
from tsrp.numerics.classes import class_sums
from tsrp.numerics.principal import signs
from tsrp.numerics.rows import unit_rows
from tsrp.parameters import Number
from tsrp.registry import register
from tsrp.validation import check_components

# Steps of k-means, which settles long before on most data.
CLUSTER_STEPS = 100


@register(
    "spl",
    summary="classes made compact with the surest target samples, a few more in each round",
    reference="Wang and Breckon, AAAI 2020",
    cost="an eigenproblem of 128 x 128 and k-means per round",
    small={"": {"n_components": 8}},
)
class SPL(Method):
    """Selective pseudo-labelling: a projection that makes classes compact, learnt from ever more of the target.

    Supervised locality preserving projection: with Y the classes of the labelled samples, one-hot, and D the size of
    each sample's class, it takes the largest generalised eigenvectors of ``X'D X`` and ``X'(D - Y Y')X + ridge I``. At
    first the labelled samples are the source; each round adds those target samples of each pseudo class whose label is
    the most probable: a tenth of them after the first of eleven rounds, all but the last in the end. No term compares
    the domains.

    The label of a target sample is that of the nearest prototype, which is either the mean of a source class or the
    centre of a cluster of the target, found by k-means from these means; the probability falls with the distance. Rows
    are scaled to unit length, reduced to their principal components, and scaled again before the projection and after
    it, where the mean of both domains is subtracted.

    Parameters
    ----------
    n_components : int, default 128
        Principal components, and dimensions of the projection. More than the data has are reduced to what it has, with
        a warning.
    ridge : float, default 1.0
        Weight of the regulariser.
    max_iter : int, default 11
        Rounds; the number of chosen samples grows from none in the first to all but the least sure in the last.
    classifier : scikit-learn classifier, optional
        Labels the target in each round; None is the nearest prototype. The probabilities that choose are always those
        of the prototypes.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    References
    ----------
    Q. Wang, T. P. Breckon: Unsupervised domain adaptation via structured prediction based selective pseudo-labeling.
    AAAI 2020.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import SPL
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> SPL(n_components=4).fit(X[:60], y[:60], X[60:] + 1.0).n_iter_
    11
    """

    uses_target_labels = True
    labels_itself = True

    constraints: ClassVar = {
        "n_components": Number(low=1, whole=True),
        "ridge": Number(low=0, open_low=True),
    }

    def __init__(
        self,
        n_components: int = 128,
        *,
        ridge: float = 1.0,
        max_iter: int = 11,
        classifier: Any = None,
        max_fit_rows: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.max_iter = max_iter
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    def prepare(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
        """Begin a fit (see `tsrp.base.contract`)."""
        return _SelectiveRounds(self.n_components, self.ridge, self.max_iter, Xs, ys, Xt, n_classes)


class _SelectiveRounds:
    """One reduction per fit; a round learns from the source and from the surest target samples of the one before."""

    remembers = True
    _chances: FloatArray

    def __init__(
        self,
        n_components: int,
        ridge: float,
        max_iter: int,
        Xs: FloatArray,
        ys: IntArray,
        Xt: FloatArray,
        n_classes: int,
    ) -> None:
        self._ridge, self._max_iter, self._n_classes = ridge, max_iter, n_classes
        self._ys = ys
        mean, directions, centred = principal_components(Xs, Xt, n_components, unit=True)
        check_components(n_components, directions.shape[1])
        self._components = LinearMap(directions, unit_before=True, unit_after=True)
        # The mean is needed for the directions only.
        self._X = unit_rows((centred + mean @ directions).astype(np.float64, copy=False))
        self._mean = self._X.mean(axis=0)
        self._round = 0
        self._known = NOTHING

    def know(self, known: Known) -> None:
        self._known = known

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        n_source = len(self._ys)
        rows, codes = np.arange(n_source), self._ys
        if yt is not None:
            chosen = surest(yt, self._chances[np.arange(len(yt)), yt], self._round, self._max_iter)
            chosen[self._known.rows] = True
            rows, codes = np.append(rows, n_source + np.flatnonzero(chosen)), np.append(codes, yt[chosen])
        self._round += 1
        weights = preserving_projection(self._X[rows], codes, self._n_classes, self._ridge)
        self._projection = LinearMap(weights * signs(weights), mean=self._mean, unit_after=True)
        Z = self._projection.transform(self._X)
        Zs, Zt = Z[:n_source], Z[n_source:]
        pool, counts = self._known.beside(Zs, self._ys, Zt), self._known.weights(n_source)
        self._prototypes = Prototypes().fit(*pool, Zt, sample_weight=counts)
        self._chances = self._prototypes.chances(Zt)
        return Zs, Zt

    def classifier(self, classes: LabelArray) -> Prototypes:
        self._prototypes.classes_ = classes
        return self._prototypes

    def mapping(self) -> Mapping:
        return Chain([self._components, self._projection])


def preserving_projection(X: FloatArray, codes: IntArray, n_classes: int, ridge: float) -> FloatArray:
    """The eigenvectors p of X'D X p = theta (X'(D - Y Y')X + ridge I) p, largest theta first.

    Parameters
    ----------
    X : array of shape (n, m)
    codes : array of int, shape (n,)
    n_classes : int
    ridge : float

    Returns
    -------
    array of shape (m, m)
        Each scaled by the right side: p'(...)p = 1.
    """
    weighted = X * np.sqrt(np.bincount(codes, minlength=n_classes)[codes])[:, None]
    all_pairs = weighted.T @ weighted
    sums = class_sums(X, codes, n_classes)
    same_class = all_pairs - sums.T @ sums
    same_class[np.diag_indices_from(same_class)] += ridge
    _, vectors = linalg.eigh(all_pairs, same_class)
    return vectors[:, ::-1]


def surest(codes: IntArray, probability: FloatArray, number: int, rounds: int) -> BoolArray:
    """Which samples of each class the next round learns from: after round `number` of some `rounds`.

    Of n samples the most probable n * number / (rounds - 1), never the least probable.

    Examples
    --------
    >>> import numpy as np
    >>> surest(np.zeros(4, int), np.array([0.4, 0.9, 0.6, 0.8]), 1, 3)
    array([False,  True, False, False])
    """
    last = max(rounds - 1, 1)
    chosen = np.zeros(len(codes), dtype=bool)
    for code in np.unique(codes):
        members = np.flatnonzero(codes == code)
        bound = np.sort(probability[members])[len(members) * max(last - number, 0) // last]
        chosen[members] = probability[members] > bound
    return chosen


class Prototypes(ClassifierMixin, BaseEstimator):
    """The class of the nearest prototype: the direction of a class's mean, or of a cluster of other samples.

    The chance of a class falls with the distance: a softmax over the means, another over the clusters, and the larger
    of both. Without other samples there are no clusters.

    Attributes
    ----------
    means_, clusters_ : arrays of shape (n_classes, k)
    classes_ : array of shape (n_classes,)
    n_features_in_ : int
    """

    def fit(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        Xt: FloatArray | None = None,
        *,
        sample_weight: FloatArray | None = None,
    ) -> Prototypes:
        """Learn the means from labelled samples, which may count differently, and the clusters from others."""
        samples, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        weighted = samples if sample_weight is None else samples * sample_weight[:, None]
        self.means_ = unit_rows(class_sums(weighted, codes, len(self.classes_)))
        self.clusters_ = self.means_ if Xt is None else unit_rows(cluster(Xt, self.means_))
        return self

    def chances(self, X: FloatArray) -> FloatArray:
        """The chance of each class; rows need not sum to 1."""
        means, clusters = (
            special.softmax(-euclidean_distances(X, centres), axis=1) for centres in (self.means_, self.clusters_)
        )
        return np.maximum(means, clusters)

    def predict(self, X: npt.ArrayLike) -> LabelArray:
        """The class of the best chance."""
        check_is_fitted(self)
        samples = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return self.classes_[self.chances(samples).argmax(axis=1)]


def cluster(X: FloatArray, centres: FloatArray) -> FloatArray:
    """The centres of Lloyd's k-means from given ones. A cluster that gets no sample keeps its centre and its number.

    scikit-learn's would move it to a sample that is far from all others, which is of no class in particular.
    """
    codes = None
    for _ in range(CLUSTER_STEPS):
        nearest = euclidean_distances(X, centres, squared=True).argmin(axis=1)
        if codes is not None and np.array_equal(nearest, codes):
            break
        codes = nearest
        sizes = np.bincount(codes, minlength=len(centres))[:, None]
        centres = np.where(sizes > 0, class_sums(X, codes, len(centres)) / np.maximum(sizes, 1), centres)
    return centres
