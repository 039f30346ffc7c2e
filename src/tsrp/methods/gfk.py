"""GFK: the geodesic flow kernel."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import linalg

from tsrp._types import FloatArray, IntArray
from tsrp.base.contract import Mapping
from tsrp.base.maps import LinearMap
from tsrp.base.once import LearnedOnce
from tsrp.exceptions import InputError
from tsrp.numerics.principal import principal_directions
from tsrp.parameters import Number, NumberOr
from tsrp.registry import register
from tsrp.validation import check_components, check_scale

# Sines whose mean is nearer to 1 than this are right angles: the domains' subspaces have a direction apart.
RIGHT_ANGLE = 1e-3
# Looking for one takes the fourth power of the dimensions looked at.
MOST_DIMENSIONS = 200


@register(
    "gfk",
    summary="all subspaces between the two domains'",
    reference="Gong et al., CVPR 2012",
    cost="two principal subspaces",
    small={"": {"n_components": 3}, "auto": {}},
)
class GFK(LearnedOnce):
    """Geodesic flow kernel: similarities averaged over all subspaces on the way from the source's to the target's.

    The principal subspaces of the two domains are points of a Grassmann manifold; ``Phi(t)`` is the shortest way from
    one (t = 0) to the other (t = 1). The distance of two samples is that of their projections to all of them,
    ``(x - z)' G (x - z)`` with ``G`` the integral of ``Phi(t) Phi(t)'`` over t in [0, 1]. It is known in closed form
    and has rank 2d at most, so that samples are mapped by a root of it and compared as usual.

    Parameters
    ----------
    n_components : int or "auto", default "auto"
        Dimensions d of each domain's subspace; at most as many as each domain has. "auto" takes the smallest d at
        which the subspaces of both domains have a direction at a right angle to that of all samples (the subspace
        disagreement measure); at most half the number of features, and 200.
    classifier : scikit-learn classifier, optional
        Labels the target; None is 1-nearest-neighbour.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    n_components_ : int
        The dimensions d that were used.
    angles_ : array of shape (d,)
        The principal angles between the two subspaces, in radians, ascending.
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    References
    ----------
    B. Gong, Y. Shi, F. Sha, K. Grauman: Geodesic flow kernel for unsupervised domain adaptation. CVPR 2012.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import GFK
    >>> X, y = make_blobs(120, n_features=6, random_state=0)
    >>> model = GFK(n_components=2).fit(X[:60], y[:60], X[60:] + 1.0)
    >>> model.transform(X[:2]).shape
    (2, 4)
    """

    constraints: ClassVar = {
        "n_components": NumberOr(Number(low=1, whole=True), "auto"),
    }

    def __init__(
        self, n_components: int | str = "auto", *, classifier: Any = None, max_fit_rows: int | None = None
    ) -> None:
        self.n_components = n_components
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    def _learn(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Mapping:
        source, target = subspaces(Xs, Xt, self.n_components)
        self.n_components_ = source.shape[1]
        root, self.angles_ = flow_kernel_root(source, target)
        return LinearMap(root)


def subspaces(Xs: FloatArray, Xt: FloatArray, n_components: int | str) -> tuple[FloatArray, FloatArray]:
    """Orthonormal bases of the two domains' principal subspaces, of as many dimensions each, as `GFK` takes them."""
    source, target = _directions(Xs, "Xs"), _directions(Xt, "Xt")
    if isinstance(n_components, str):
        _, both = principal_directions(np.vstack([Xs, Xt]))
        d = disagreement_dimension(source, target, both)
    else:
        there = min(source.shape[1], target.shape[1])
        d = check_components(n_components, there, "directions in which each domain varies")
    return source[:, :d], target[:, :d]


def _directions(X: FloatArray, name: str) -> FloatArray:
    check_scale(X, name)
    _, directions = principal_directions(X)
    if directions.shape[1] == 0:
        raise InputError(
            f"{name} does not vary (n_samples={len(X)}, n_features={X.shape[1]}): a geodesic flow needs the "
            "principal directions of each domain; pass samples that differ, or use another method."
        )
    return directions


def flow_kernel_root(Ps: FloatArray, Pt: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A root L of the geodesic flow kernel, ``L L' = integral of Phi(t) Phi(t)'``, and the principal angles.

    Along the i-th principal angle the flow is ``cos(t angle) start_i + sin(t angle) end_i``, and the integral is a
    2 x 2 matrix in the plane of these two.

    Parameters
    ----------
    Ps, Pt : arrays of shape (m, d)
        Orthonormal bases of the two subspaces.

    Returns
    -------
    root : array of shape (m, 2 d)
    angles : array of shape (d,)
        Ascending, in radians.
    """
    U, cosines, Vt = linalg.svd(Ps.T @ Pt)
    start = Ps @ U
    away = Pt @ Vt.T - start * cosines
    sines = np.linalg.norm(away, axis=0)
    angles = np.arctan2(sines, cosines)
    end = away / np.where(sines > 0, sines, 1.0)
    twice = 2 * angles
    along = np.sinc(twice / np.pi)
    across = np.sin(angles) * np.sinc(angles / np.pi)
    plane = np.array([[1 + along, across], [across, 1 - along]]).T / 2
    squares, vectors = np.linalg.eigh(plane)
    roots = vectors * np.sqrt(np.maximum(squares, 0))[:, None, :]
    root = start[:, :, None] * roots[:, 0] + end[:, :, None] * roots[:, 1]
    return root.reshape(len(Ps), -1), angles


def disagreement_dimension(source: FloatArray, target: FloatArray, both: FloatArray) -> int:
    """The smallest d at which both domains' subspaces have a right angle to that of all samples.

    Parameters
    ----------
    source, target, both : arrays of shape (m, .)
        Principal directions, largest variance first.
    """
    most = min(source.shape[1], target.shape[1], max(1, len(both) // 2), MOST_DIMENSIONS)
    crossings = [P[:, :most].T @ both[:, :most] for P in (source, target)]
    for d in range(1, most):
        # The cosine of the largest angle between the first d directions of each.
        cosines = [min(linalg.svdvals(crossing[:d, :d], check_finite=False)[-1], 1.0) for crossing in crossings]
        if np.mean(np.sqrt(1 - np.square(cosines))) >= 1 - RIGHT_ANGLE:
            return d
    return most
