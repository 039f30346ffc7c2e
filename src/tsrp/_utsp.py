"""UTSP: the confident samples of each pseudo class, by similarity graph and spanning tree."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
from scipy.sparse import csgraph

from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp.blocked.elsewhere import sender
from tsrp.numerics.components import Components, adjacency
from tsrp.numerics.rows import unit_rows
from tsrp.numerics.similarities import Similarities
from tsrp.numerics.threads import parallel_map
from tsrp.parameters import Number, OneOf
from tsrp.validation import check_labels, check_samples

TRUST, PICKER = Number(low=0, high=1), OneOf(("tree", "neighbours"))
DEFAULT_TRUST = 0.9
# A class of so few samples is trusted as a whole.
SMALL_CLASS = 3
# Fewer similarities than this are not worth a second thread.
LIGHT = 1 << 21
# More edges than this are reduced to what they connect.
MANY_EDGES = 1 << 18


@dataclass(frozen=True, eq=False)
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
    trust: float = DEFAULT_TRUST,
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
    TRUST.check("trust", trust)
    PICKER.check("picker", picker)
    picks = pick_classes(directions(samples), np.arange(len(samples)), codes, trust, picker, with_tree=return_details)
    if not return_details:
        return confident_mask(picks)
    return confident_mask(picks), [replace(pick, label=classes[pick.label]) for pick in picks]


def directions(Z: FloatArray) -> FloatArray:
    """All that UTSP asks of samples: rows of unit length, in double precision."""
    return unit_rows(Z.astype(np.float64, copy=False))


def pick_classes(
    units: FloatArray, samples: IntArray, codes: IntArray, trust: float, picker: str, *, with_tree: bool
) -> list[ClassPick]:
    """UTSP on checked input.

    Parameters
    ----------
    units : array of shape (n, k)
        What `directions` gives.
    samples : array of int
        The rows to pick from.
    codes : array of int
        Their class codes.
    trust, picker
        As in `utsp`.
    with_tree : bool
        Whether the picks' `parent` is wanted.

    Returns
    -------
    list of ClassPick
        One for each code that occurs, in ascending order.
    """
    present, sizes = np.unique(codes, return_counts=True)
    members = [samples[codes == code] for code in present]

    def graph(samples: IntArray) -> _Graph | None:
        return _similarity_graph(units[samples], trust, with_edges=with_tree)

    light, send = bool(np.sum(sizes**2) < LIGHT), sender()
    if send is None or light:
        graphs = parallel_map(graph, members, light=light)
    else:
        graphs = send(partial(_graph_to_send, trust=trust, with_edges=with_tree), [(units[own],) for own in members])
    components = Components(len(units))
    edges = [(own[g.i], own[g.j]) for g, own in zip(graphs, members, strict=True) if g]
    if edges:
        components.join(*_together(edges))
    return [
        _judge(code, samples, g, components.labels[samples], picker, with_tree)
        for code, samples, g in zip(present.tolist(), members, graphs, strict=True)
    ]


def confident_mask(picks: list[ClassPick]) -> BoolArray:
    """Whether each sample is confident, from the picks of all classes."""
    confident = np.empty(sum(len(pick.samples) for pick in picks), dtype=bool)
    for pick in picks:
        confident[pick.samples] = pick.confident
    return confident


@dataclass(frozen=True, eq=False)
class _Graph:
    """Threshold and degrees of a class, and edges (i, j) between its samples that connect what its graph connects."""

    threshold: float
    degree: IntArray
    i: IntArray
    j: IntArray


def _similarity_graph(units: FloatArray, trust: float, *, with_edges: bool) -> _Graph | None:
    """The graph of a class, or None if the class is trusted as a whole."""
    n = len(units)
    if n <= SMALL_CLASS:
        return None
    degree = np.zeros(n, dtype=np.int64)
    edges: list[tuple[IntArray, IntArray]] = []
    components, lock = Components(n), threading.Lock()

    def add(i: IntArray, j: IntArray) -> None:
        counts = np.bincount(i, minlength=n) + np.bincount(j, minlength=n)
        with lock:
            np.add(degree, counts, out=degree)
            edges.append((i, j))
            if not with_edges and sum(len(i) for i, _ in edges) > MANY_EDGES:
                components.join(*_together(edges))
                # What they connect is enough, and takes less memory.
                edges[:] = [components.edges()]

    threshold = Similarities(units).each_pair_from_quantile(trust, add)
    if threshold is None or threshold <= 0:
        return None
    return _Graph(threshold, degree, *_together(edges))


def _graph_to_send(units: FloatArray, trust: float, *, with_edges: bool) -> _Graph | None:
    """As `_similarity_graph`, with no more edges than samples unless all are asked for."""
    graph = _similarity_graph(units, trust, with_edges=with_edges)
    if graph is None or with_edges:
        return graph
    components = Components(len(units))
    components.join(graph.i, graph.j)
    i, j = components.edges()
    return replace(graph, i=i, j=j)


def _together(edges: Sequence[tuple[IntArray, IntArray]]) -> tuple[IntArray, IntArray]:
    i, j = zip(*edges, strict=True)
    return np.concatenate(i), np.concatenate(j)


def _judge(
    code: int, samples: IntArray, graph: _Graph | None, component: IntArray, picker: str, with_tree: bool
) -> ClassPick:
    parent = np.full(len(samples), -1)
    if graph is None:
        return ClassPick(code, samples, np.ones(len(samples), dtype=bool), None, None, parent)
    root = int(graph.degree.argmax())
    confident = graph.degree > 0 if picker == "neighbours" else component == component[root]
    if with_tree:
        edges = adjacency(len(samples), graph.i, graph.j)
        _, before = csgraph.breadth_first_order(edges, root, directed=False)
        parent = np.where(before >= 0, samples[np.maximum(before, 0)], -1)
    return ClassPick(code, samples, confident, graph.threshold, int(samples[root]), parent)
