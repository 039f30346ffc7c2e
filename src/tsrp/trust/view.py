"""A fit as the signals see it: in an order that depends on nothing but the samples themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.numerics.rows import unit_rows


@dataclass(frozen=True, eq=False)
class Side:
    """One domain, its samples ordered by content.

    Attributes
    ----------
    X : array of shape (n, m)
        As the user passed them; empty if they are in blocks.
    units : array of shape (n, k)
        Projected, of unit length.
    codes : array of int, shape (n,)
        True classes of the source, given ones of the target.
    order : array of int, shape (n,)
        Where each sample stood.
    first, group : arrays of int
        The first of each group of equal samples, and the group of each sample.
    """

    X: FloatArray
    units: FloatArray
    codes: IntArray
    order: IntArray
    first: IntArray
    group: IntArray

    @classmethod
    def of(cls, X: FloatArray, Z: FloatArray, codes: IntArray) -> Side:
        """Order the samples of a domain."""
        side = cls.by_keys(content_keys(X), Z, codes)
        return replace(side, X=X[side.order])

    @classmethod
    def by_keys(cls, keys: IntArray, Z: FloatArray, codes: IntArray) -> Side:
        """Order the samples of a domain, which are not here, by their `content_keys`."""
        order = np.argsort(keys, kind="stable")
        _, first, group = np.unique(keys[order], return_index=True, return_inverse=True)
        units = unit_rows(Z[order].astype(np.float64, copy=False))
        return cls(np.empty((0, 0)), units, codes[order], order, first, group)

    def __len__(self) -> int:
        return len(self.codes)

    def in_place(self, values: FloatArray) -> FloatArray:
        """Values of the ordered samples, where the samples stood."""
        back = np.empty_like(values)
        back[self.order] = values
        return back


@dataclass(frozen=True, eq=False)
class View:
    """Both domains of a fit. Classes are numbered as they first occur in the ordered source.

    Attributes
    ----------
    source, target : Side
    class_order : array of int, shape (n_classes,)
        The number of each class here, by its code in the fit.
    """

    source: Side
    target: Side
    class_order: IntArray

    @classmethod
    def of(
        cls,
        Xs: FloatArray,
        Zs: FloatArray,
        ys: IntArray,
        Xt: FloatArray,
        Zt: FloatArray,
        labels: IntArray,
        n_classes: int,
    ) -> View:
        """Order both domains, given original and projected samples and their class codes."""
        class_order = order_of_classes(content_keys(Xs), ys, n_classes)
        return cls(Side.of(Xs, Zs, class_order[ys]), Side.of(Xt, Zt, class_order[labels]), class_order)

    @property
    def n_classes(self) -> int:
        """How many classes the source has."""
        return len(self.class_order)


def order_of_classes(keys: IntArray, ys: IntArray, n_classes: int) -> IntArray:
    """The number of each class by its code: classes count as they first occur among samples ordered by their keys."""
    seen = ys[np.argsort(keys, kind="stable")]
    _, first = np.unique(seen, return_index=True)
    order = np.empty(n_classes, dtype=np.intp)
    order[seen[np.sort(first)]] = np.arange(n_classes)
    return order


def content_keys(X: FloatArray) -> IntArray:
    """A number for each row that depends on its values alone; equal rows have the same.

    Examples
    --------
    >>> import numpy as np
    >>> keys = content_keys(np.array([[1.0, 2.0], [0.0, 2.0], [1.0, 2.0]]))
    >>> bool(keys[0] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    # Adding 0 turns the other zero, -0.0, into it.
    digests = b"".join(blake2b((row + 0.0).tobytes(), digest_size=8).digest() for row in X)
    return np.frombuffer(digests, dtype=">u8").astype(np.uint64)
