"""Extremely randomised trees that are kept as arrays, so that they have a place in a saved model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import ExtraTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tsrp._types import FloatArray, IntArray, LabelArray
from tsrp.exceptions import InputError
from tsrp.parameters import Number, check_parameters

# What scikit-learn writes where a node has no children.
LEAF = -1
# Of the numbers that trees compare.
LARGEST = float(np.finfo(np.float32).max)


def _any_sum() -> np.errstate:
    """scikit-learn looks for NaN in sums of single precision, which may leave its range where no value does."""
    return np.errstate(over="ignore", invalid="ignore")


@dataclass(frozen=True, eq=False)
class _Tree:
    """What is kept of a tree of scikit-learn, which takes much more memory where classes are many."""

    children: IntArray
    features: IntArray
    thresholds: FloatArray
    shares: sparse.csr_matrix
    depth: int

    @classmethod
    def of(cls, grown: ExtraTreeClassifier) -> _Tree:
        tree = grown.tree_
        children = np.stack([tree.children_left, tree.children_right])
        values = tree.value[children[0] == LEAF, 0, :]
        shares = sparse.csr_matrix((values / values.sum(axis=1, keepdims=True)).astype(np.float32))
        return cls(children, tree.feature.copy(), tree.threshold.copy(), shares, int(tree.max_depth))


class Forest(ClassifierMixin, BaseEstimator):
    """scikit-learn's `ExtraTreesClassifier`, its trees as arrays.

    Trees are indifferent to the scale of the features. Where these are of different kinds, as in tables, they often do
    better than anything that measures distances.

    Parameters
    ----------
    n_trees : int, default 150
    min_samples_leaf : int, default 1
        Samples in each leaf: with more of them the trees are smaller.
    random_state : int, default 0

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    n_features_in_ : int

    References
    ----------
    P. Geurts, D. Ernst, L. Wehenkel: Extremely randomized trees. Machine Learning 63, 2006.

    Examples
    --------
    >>> from tsrp.classifiers.forest import Forest
    >>> Forest().fit([[0.0], [0.1], [1.0], [1.1]], ["low", "low", "high", "high"]).predict([[0.2], [0.9]]).tolist()
    ['low', 'high']
    """

    constraints: ClassVar = {
        "n_trees": Number(low=1, whole=True),
        "min_samples_leaf": Number(low=1, whole=True),
        "random_state": Number(low=0, whole=True),
    }

    def __init__(self, n_trees: int = 150, *, min_samples_leaf: int = 1, random_state: int = 0) -> None:
        self.n_trees = n_trees
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: FloatArray | None = None) -> Forest:
        """Grow the trees, from samples that may count differently."""
        samples, codes = self._check(X, y)
        # One by one: scikit-learn's forest resets the warnings of all threads while it grows.
        with _any_sum():
            self._keep([_Tree.of(self._grow(seed).fit(samples, codes, sample_weight)) for seed in self._seeds()])
        return self

    def fit_out_of_bag(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: FloatArray) -> FloatArray:
        """Grow each tree from a bootstrap of the samples, and say what those trees say of a sample that lack it.

        Returns
        -------
        array of shape (n, n_classes)
            The mean share of each class in the leaves; nothing but the classes' shares where every tree has a sample.

        References
        ----------
        L. Breiman: Out-of-bag estimation. University of California, Berkeley, 1996.

        Examples
        --------
        >>> X = np.array([[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5]]).T
        >>> y = [0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1]
        >>> Forest().fit_out_of_bag(X, y, np.ones(12)).argmax(axis=1).tolist()
        [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
        """
        samples, codes = self._check(X, y)
        n = len(samples)
        total, trees = np.zeros((n, len(self.classes_))), []
        for seed in self._seeds():
            drawn = np.bincount(np.random.RandomState(seed).randint(n, size=n), minlength=n)
            out = drawn == 0
            with _any_sum():
                tree = self._grow(seed).fit(samples, codes, sample_weight * drawn)
                if out.any():
                    total[out] += tree.predict_proba(samples[out])
            trees.append(_Tree.of(tree))
        self._keep(trees)
        unheard = total.sum(axis=1) == 0
        total[unheard] = np.bincount(codes, sample_weight, len(self.classes_))
        return total / total.sum(axis=1, keepdims=True)

    def _check(self, X: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, IntArray]:
        check_parameters(self)
        samples, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(labels)
        if np.abs(samples).max() > LARGEST:
            raise InputError("X: trees compare in single precision, which ends at 3e38; rescale the features.")
        self.classes_, codes = np.unique(labels, return_inverse=True)
        return samples.astype(np.float32), codes

    def _seeds(self) -> list[int]:
        random = np.random.RandomState(self.random_state)
        return [random.randint(np.iinfo(np.int32).max) for _ in range(self.n_trees)]

    def _keep(self, trees: list[_Tree]) -> None:
        """All trees in one list of nodes; a leaf leads to itself."""
        sizes = [len(tree.features) for tree in trees]
        self._roots = np.cumsum([0, *sizes[:-1]])
        children = np.concatenate([tree.children for tree in trees], axis=1)
        is_leaf = children[0] == LEAF
        own, offset = np.arange(sum(sizes)), np.repeat(self._roots, sizes)
        self._children = np.where(is_leaf, own, children + offset).astype(np.int32)
        self._features = np.where(is_leaf, 0, np.concatenate([tree.features for tree in trees])).astype(np.int32)
        self._thresholds = np.where(is_leaf, 0.0, np.concatenate([tree.thresholds for tree in trees]))
        self._leaves = np.where(is_leaf, np.cumsum(is_leaf) - 1, 0).astype(np.int32)
        # A leaf has few of many classes: those that it has, leaf by leaf, with their shares.
        shares = sparse.vstack([tree.shares for tree in trees], format="csr")
        self._shares, self._codes, self._starts = shares.data, shares.indices, shares.indptr
        self._depth = max(tree.depth for tree in trees)

    def _grow(self, seed: int) -> ExtraTreeClassifier:
        return ExtraTreeClassifier(min_samples_leaf=self.min_samples_leaf, random_state=seed)

    def predict_proba(self, X: npt.ArrayLike) -> FloatArray:
        """The mean share of each class in the leaves that a sample comes to."""
        check_is_fitted(self)
        samples = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        # Whatever is larger lies on the same side of every threshold.
        samples = np.clip(samples, -LARGEST, LARGEST).astype(np.float32)
        rows = np.arange(len(samples))
        leaves = np.empty((len(samples), len(self._roots)), dtype=np.int32)
        for number, root in enumerate(self._roots):
            node = np.full(len(samples), root)
            for _ in range(self._depth):
                goes_right = samples[rows, self._features[node]] > self._thresholds[node]
                following = self._children[goes_right.astype(np.intp), node]
                if np.array_equal(following, node):
                    break
                node = following
            leaves[:, number] = self._leaves[node]
        n_leaves = len(self._starts) - 1
        starts = np.arange(len(samples) + 1) * len(self._roots)
        reached = sparse.csr_matrix((np.ones(leaves.size), leaves.ravel(), starts), (len(samples), n_leaves))
        shares = sparse.csr_matrix((self._shares, self._codes, self._starts), (n_leaves, len(self.classes_)))
        return (reached @ shares).toarray() / len(self._roots)

    def predict(self, X: npt.ArrayLike) -> LabelArray:
        """The class of the largest share; the first wins a tie."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_roots")
