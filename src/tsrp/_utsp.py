"""UTSP: the confident samples of each pseudo class, by similarity graph and spanning tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp.linalg.similarities import Similarities
from tsrp.linalg.threads import parallel_map
from tsrp.validation import check_choice, check_labels, check_number, check_samples

PICKERS = ("tree", "neighbours")
# A class of so few samples is trusted as a whole.
SMALL_CLASS = 3


@dataclass(frozen=True)
class ClassPick:
    """How UTSP judged one pseudo class.

    Attributes
    ----------
    label
        The pseudo class.
    samples : array of int
        Its samples, as rows of `Z`.
    confident : array of bool
        Which of them are confident.
    threshold : float or None
        Pairs at least this similar are joined; None if the class was trusted as a whole.
    root : int or None
        The sample (row of `Z`) with most neighbours, at which the tree starts.
    parent : array of int
        For each sample the row of `Z` through which the tree reaches it; -1 for the root and outside the tree.
    """

    label: Any
    samples: IntArray
    confident: BoolArray
    threshold: float | None
    root: int | None
    parent: IntArray


@overload
def utsp(
    Z: npt.ArrayLike,
    labels: npt.ArrayLike,
    trust: float = ...,
    *,
    picker: str = ...,
    return_details: Literal[False] = ...,
) -> BoolArray: ...


@overload
def utsp(
    Z: npt.ArrayLike, labels: npt.ArrayLike, trust: float = ..., *, picker: str = ..., return_details: Literal[True]
) -> tuple[BoolArray, list[ClassPick]]: ...


def utsp(
    Z: npt.ArrayLike,
    labels: npt.ArrayLike,
    trust: float = 0.9,
    *,
    picker: str = "tree",
    return_details: bool = False,
) -> BoolArray | tuple[BoolArray, list[ClassPick]]:
    """Pick the samples whose pseudo labels can be trusted.

    In each pseudo class, pairs whose cosine similarity is among the highest ``1 - trust`` of the distinct values are
    joined. The sample with most neighbours is the root (the first one, in the order given, if several have as many),
    and what its spanning tree reaches is confident. A class of three samples or fewer, and one whose threshold would
    not be positive, is trusted as a whole.

    Parameters
    ----------
    Z : array of shape (n, k)
        Samples, usually projected.
    labels : array of shape (n,)
        Their pseudo labels, of any type.
    trust : float in [0, 1], default 0.9
        Which quantile of the similarities a pair must reach to be joined. 0 trusts every sample; 1 keeps the most
        similar pair of each class only.
    picker : {"tree", "neighbours"}, default "tree"
        "neighbours" trusts every sample that has a neighbour, without a tree (the paper's ablation TSRP_N).
    return_details : bool, default False
        Also return how each class was judged.

    Returns
    -------
    confident : array of bool, shape (n,)
    details : list of ClassPick
        One for each pseudo class, in ascending order of labels; only with ``return_details=True``.

    Examples
    --------
    >>> import numpy as np
    >>> angle = np.array([0.0, 0.1, 0.2, 0.3, 2.0])
    >>> Z = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> utsp(Z, ["a"] * 5, trust=0.75)
    array([ True,  True,  True,  True, False])
    """
    samples = check_samples(Z, "Z")
    classes, codes = check_labels(labels, "labels", n_samples=len(samples), of="Z", min_classes=1)
    check_number("trust", trust, low=0, high=1)
    check_choice("picker", picker, PICKERS)
    picks = pick_classes(samples, codes, trust, picker, with_tree=return_details)
    if not return_details:
        return confident_mask(picks)
    return confident_mask(picks), [replace(pick, label=classes[pick.label]) for pick in picks]


def pick_classes(Z: FloatArray, codes: IntArray, trust: float, picker: str, *, with_tree: bool) -> list[ClassPick]:
    """UTSP on checked input, a `ClassPick` for each class code that occurs; trees only on request."""

    def pick(code: int) -> ClassPick:
        samples = np.flatnonzero(codes == code)
        return _pick_class(code, samples, Z[samples], trust, picker, with_tree)

    return parallel_map(pick, np.unique(codes).tolist())


def confident_mask(picks: list[ClassPick]) -> BoolArray:
    """Whether each sample is confident, from the picks of all classes."""
    confident = np.empty(sum(len(pick.samples) for pick in picks), dtype=bool)
    for pick in picks:
        confident[pick.samples] = pick.confident
    return confident


def _pick_class(code: int, samples: IntArray, Z: FloatArray, trust: float, picker: str, with_tree: bool) -> ClassPick:
    n = len(samples)
    nobody = np.full(n, -1)
    threshold = None
    if n > SMALL_CLASS:
        similarities = Similarities(Z)
        threshold = similarities.quantile(trust)
    if threshold is None or threshold <= 0:
        return ClassPick(code, samples, np.ones(n, dtype=bool), None, None, nobody)
    degree, component = _graph(similarities, threshold)
    root = int(degree.argmax())
    confident = degree > 0 if picker == "neighbours" else component == component[root]
    parent = _parents(similarities, threshold, root, samples) if with_tree else nobody
    return ClassPick(code, samples, confident, threshold, int(samples[root]), parent)


def _edges(S: FloatArray, start: int, threshold: float) -> tuple[IntArray, IntArray]:
    """The pairs of a block that are joined, as sample numbers."""
    i, j = np.nonzero(threshold <= S)
    return i + start, j + start


def _graph(similarities: Similarities, threshold: float) -> tuple[IntArray, IntArray]:
    """Degree and connected component of each sample, one block of edges at a time."""
    n = len(similarities)
    degree = np.zeros(n, dtype=np.int64)
    component = np.arange(n)
    for start, S in similarities.blocks():
        i, j = _edges(S, start, threshold)
        degree += np.bincount(i, minlength=n) + np.bincount(j, minlength=n)
        links = sparse.coo_array((np.ones(len(i), dtype=np.int8), (component[i], component[j])), shape=(n, n))
        component = csgraph.connected_components(links, directed=False)[1][component]
    return degree, component


def _parents(similarities: Similarities, threshold: float, root: int, samples: IntArray) -> IntArray:
    """The tree: for each sample the one that reaches it first, breadth first from the root."""
    n = len(similarities)
    edges = [_edges(S, start, threshold) for start, S in similarities.blocks()]
    i, j = (np.concatenate(side) for side in zip(*edges, strict=True))
    graph = sparse.csr_array((np.ones(len(i), dtype=np.int8), (i, j)), shape=(n, n))
    _, before = csgraph.breadth_first_order(graph, root, directed=False)
    return np.where(before >= 0, samples[np.maximum(before, 0)], -1)
