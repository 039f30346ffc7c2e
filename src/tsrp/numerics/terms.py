"""The domain terms: a diagonal plus a few columns, or a sparse graph, never a dense n x n matrix.

Samples are ordered source first, then target. Classes are codes 0..C-1; `yt` is None while the target has no labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from tsrp._types import FloatArray, IntArray
from tsrp.numerics.graphs import scaled_by_degree


@dataclass(frozen=True)
class Term:
    """A symmetric n x n matrix: diag(diagonal) + columns @ diag(coefficients) @ columns.T + links.

    The columns say the same of all samples of a group, such as a class in a domain.

    Attributes
    ----------
    diagonal : array of shape (n,)
    groups : array of int, shape (n,)
        The group of each sample.
    values : sparse array of shape (g, p)
        The row of the columns that belongs to each group.
    coefficients : array of shape (p,)
    links : sparse array of shape (n, n), or None
        Symmetric: what a graph adds.
    """

    diagonal: FloatArray
    groups: IntArray
    values: sparse.csr_array
    coefficients: FloatArray
    links: sparse.csr_array | None = None

    @classmethod
    def without_columns(cls, diagonal: FloatArray, links: sparse.csr_array | None = None) -> Term:
        """A diagonal and a graph: all samples are one group, of which nothing is said."""
        return cls(diagonal, np.zeros(len(diagonal), dtype=np.intp), sparse.csr_array((1, 0)), np.zeros(0), links)

    @property
    def columns(self) -> sparse.csr_array:
        """The columns themselves, of shape (n, p)."""
        return self.values[self.groups]

    def __add__(self, other: Term) -> Term:
        links = [term.links for term in (self, other) if term.links is not None]
        groups, own, others = _common_groups(self.groups, other.groups)
        return Term(
            self.diagonal + other.diagonal,
            groups,
            sparse.csr_array(sparse.hstack([self.values[own], other.values[others]])),
            np.concatenate([self.coefficients, other.coefficients]),
            sparse.csr_array(sum(links[1:], links[0])) if links else None,
        )

    def __mul__(self, factor: float) -> Term:
        links = None if self.links is None else self.links * factor
        return Term(self.diagonal * factor, self.groups, self.values, self.coefficients * factor, links)

    def norm(self) -> float:
        """Frobenius norm, from p x p matrices, the groups and the graph's edges only."""
        sizes = np.bincount(self.groups, minlength=self.values.shape[0])
        gram = (self.values.T @ (self.values * sizes[:, None])).toarray() * self.coefficients
        on_diagonal = ((self.values**2) @ self.coefficients)[self.groups]
        square = np.sum(self.diagonal**2) + 2 * np.sum(self.diagonal * on_diagonal) + np.sum(gram * gram.T)
        if self.links is not None:
            columns = self.columns
            along = (columns * (self.links @ columns)).sum(axis=0) @ self.coefficients
            square += np.sum(self.links.data**2) + 2 * (np.sum(self.diagonal * self.links.diagonal()) + along)
        return float(np.sqrt(square))

    def normalised(self) -> Term:
        """The same direction with Frobenius norm 1; a term of zeros stays one."""
        norm = self.norm()
        return self * (1 / norm) if norm > 0 else self

    @property
    def is_low_rank(self) -> bool:
        """Whether the term is columns with positive coefficients only: positive semi-definite and of small rank."""
        return self.links is None and not self.diagonal.any() and bool((self.coefficients >= 0).all())


def marginal_mmd(n_source: int, n_target: int) -> Term:
    """M0 = e e', the maximum mean discrepancy of the domains: e is 1/n_source on one, -1/n_target on the other."""
    domains = np.repeat([0, 1], [n_source, n_target])
    e = sparse.csr_array(np.array([[1 / n_source], [-1 / n_target]]))
    return Term(np.zeros(n_source + n_target), domains, e, np.ones(1))


def mmd(ys: IntArray, yt: IntArray | None, n_target: int, n_classes: int, marginal: float, conditional: float) -> Term:
    """Maximum mean discrepancy: ``marginal * M0 + conditional * sum_c Mc``, each ``e e'`` of weighted means.

    A class without target samples keeps its source part, as in the methods' own programs.
    """
    n_source = len(ys)
    if yt is None:
        return marginal_mmd(n_source, n_target) * marginal
    source, target = (sparse.diags_array(1 / np.maximum(np.bincount(y, minlength=n_classes), 1)) for y in (ys, yt))
    domains = np.repeat([1 / n_source, -1 / n_target], n_classes)
    return Term(
        np.zeros(n_source + n_target),
        np.concatenate([ys, n_classes + yt]),
        sparse.csr_array(sparse.hstack([sparse.csr_array(domains[:, None]), sparse.vstack([source, -target])])),
        np.concatenate([[marginal], np.full(n_classes, conditional)]),
    )


def scatter(ys: IntArray, yt: IntArray | None, n_target: int, n_classes: int, repulsion: float) -> Term:
    """DICD's discriminative term Q, a block for the source and, once there are labels, one for the target.

    In a block of n samples, n_c of them in class c: same class -n/n_c, other class +repulsion, and
    n - repulsion * (n - n_c) on the diagonal.
    """
    source = _scatter_block(ys, n_classes, repulsion)
    target = Term.without_columns(np.zeros(n_target)) if yt is None else _scatter_block(yt, n_classes, repulsion)
    return block_diagonal(source, target)


def _scatter_block(y: IntArray, n_classes: int, repulsion: float) -> Term:
    n = len(y)
    sizes = np.bincount(y, minlength=n_classes)
    weight = n / np.maximum(sizes, 1)
    # repulsion everywhere, taken back within each class together with n/n_c; the diagonal mends what both did to it.
    return Term(
        (n - repulsion * (n - sizes) + weight)[y],
        y,
        sparse.csr_array(sparse.hstack([sparse.csr_array(np.ones((n_classes, 1))), sparse.eye_array(n_classes)])),
        np.concatenate([[repulsion], -(repulsion + weight)]),
    )


def block_diagonal(*blocks: Term) -> Term:
    """A term for each of several groups of samples, one group after the other."""
    links = None
    if any(block.links is not None for block in blocks):
        empty = (sparse.csr_array((len(block.diagonal),) * 2) for block in blocks)
        parts = [none if block.links is None else block.links for block, none in zip(blocks, empty, strict=True)]
        links = sparse.csr_array(sparse.block_diag(parts))
    starts = np.cumsum([0, *(block.values.shape[0] for block in blocks)])
    return Term(
        np.concatenate([block.diagonal for block in blocks]),
        np.concatenate([start + block.groups for start, block in zip(starts[:-1], blocks, strict=True)]),
        sparse.csr_array(sparse.block_diag([block.values for block in blocks])),
        np.concatenate([block.coefficients for block in blocks]),
        links,
    )


def laplacian(W: sparse.csr_array, *, normalised: bool = False) -> Term:
    """D - W of a symmetric graph W, D the sums of its rows; I - D^-1/2 W D^-1/2 if `normalised`.

    A sample without neighbours has zeros, or (`normalised`) a one on the diagonal.
    """
    degree = np.asarray(W.sum(axis=1)).ravel()
    if normalised:
        W, degree = scaled_by_degree(W), np.ones(W.shape[0])
    return Term.without_columns(degree, -W)


def _common_groups(first: IntArray, second: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Groups of samples that are of one group in both, and which these are."""
    step = int(second.max(initial=0)) + 1
    pairs, groups = np.unique(first.astype(np.int64) * step + second, return_inverse=True)
    return groups, *np.divmod(pairs, step)
