"""DTSL: discriminative transfer subspace learning via low-rank and sparse representation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from tsrp._types import FloatArray, IntArray
from tsrp.base.contract import Mapping
from tsrp.base.maps import LinearMap
from tsrp.base.once import LearnedOnce
from tsrp.exceptions import InputError
from tsrp.memory import check_memory
from tsrp.numerics.eigenproblem import reduce_samples
from tsrp.numerics.principal import principal_directions
from tsrp.numerics.rows import stacked_unit_rows
from tsrp.numerics.shrinkage import shrink, shrink_singular_values
from tsrp.numerics.threads import parallel_map
from tsrp.parameters import Number
from tsrp.progress import Step, report
from tsrp.registry import register
from tsrp.validation import warn

# The penalty of ADMM starts here, and stops growing there.
FIRST_PENALTY, LARGEST_PENALTY = 0.1, 1e6
# Matrices that exist at the same time: of n_source x n_target, and of as many rows and columns as the data has rank.
MATRICES, SQUARES = 7, 4
# Rows of them that are updated at a time: what is made of these stays in the cache.
ROWS = 32


@register(
    "dtsl",
    summary="rebuilds the target from the source, with low rank and sparsely",
    reference="Xu et al., IEEE TIP 2016",
    cost="memory for seven matrices of all source-target pairs; a truncated SVD in each of about sixty steps",
)
class DTSL(LearnedOnce):
    """Discriminative transfer subspace learning: the target rebuilt from the source in a space of relaxed labels.

    With samples as columns, a projection P to as many dimensions as there are classes is learned together with a
    reconstruction Z of the target by the source and its errors E::

        minimise    |P'Xs - (Y + B o M)|^2 + ridge |P|^2 + |Z|_* + sparsity |Z|_1 + noise |E|_1
        subject to  P'Xt = P'Xs Z + E,  M >= 0

    Y are the labels as zeros and ones, and B o M lets each be missed on its good side: a one may be more, a zero
    less. The nuclear norm ``|Z|_*`` and the sum of absolute values ``|Z|_1`` keep the reconstruction of low rank and
    sparse. The method is also known as LRSR. Rows are scaled to unit length before the projection and after it.

    It is solved by ADMM: each step solves for one variable at a time, and copies of Z for its two norms are drawn
    together by a growing penalty. The authors' program lets the penalty grow by 1 % a step, with which a hundred
    steps do not converge; with 10 % it takes about sixty, to the same labels but for a few.

    How much the reconstruction matters depends on the weights: with the defaults, which are those of a public
    demonstration, Z explains next to nothing of the target's projection on Office-Caltech W -> D, a third on C -> D
    and most of it on MNIST-USPS (``explained_``); the rest is a regression on relaxed labels.

    Parameters
    ----------
    ridge : float, default 1.0
        Weight of the projection's size (lambda).
    sparsity : float, default 0.01
        Weight of the absolute values of Z (alpha).
    noise : float, default 0.01
        Weight of the absolute values of E (beta).
    growth : float in [1, 10], default 1.1
        Factor of the penalty after each step.
    max_steps : int, default 100
        At most this many steps, two or more; a `ConvergenceWarning` says if they ran out.
    tolerance : float, default 1e-4
        Ends when no entry of the three residuals is larger.
    classifier : scikit-learn classifier, optional
        Labels the target; None is 1-nearest-neighbour.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    residuals_ : array of shape (n_steps, 3)
        Largest entries of ``P'Xt - P'Xs Z - E`` and of the differences of Z from its low-rank and its sparse copy.
    rank_ : int
        Of the low-rank copy of Z in the end.
    explained_ : float
        Share of the target's projection that its reconstruction by the source explains: about 0 for none, 1 for all.
    labels_, trust_, probability_, confident_, estimated_accuracy_, history_, n_iter_, classes_, n_features_in_
        As in `JDA`.

    Notes
    -----
    Memory: seven matrices of n_source x n_target numbers, 56 bytes for each pair of a source and a target sample:
    5.6 GB for 10,000 and 10,000; and four square ones of as many rows as there are features, or samples if these are
    fewer. A fit that would not fit into this machine is refused. The callback of `fit` is told of every step.

    References
    ----------
    Y. Xu, X. Fang, J. Wu, X. Li, D. Zhang: Discriminative transfer subspace learning via low-rank and sparse
    representation. IEEE Transactions on Image Processing 25(2), 2016.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import DTSL
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> model = DTSL().fit(X[:60], y[:60], X[60:] + 1.0)
    >>> bool(model.residuals_[-1].max() <= 1e-4)
    True
    """

    constraints: ClassVar = {
        "ridge": Number(low=0, open_low=True),
        "sparsity": Number(low=0),
        "noise": Number(low=0),
        "growth": Number(low=1, high=10),
        "max_steps": Number(low=2, whole=True),
        "tolerance": Number(low=0, open_low=True),
    }

    def __init__(
        self,
        *,
        ridge: float = 1.0,
        sparsity: float = 0.01,
        noise: float = 0.01,
        growth: float = 1.1,
        max_steps: int = 100,
        tolerance: float = 1e-4,
        classifier: Any = None,
        max_fit_rows: int | None = None,
    ) -> None:
        self.ridge = ridge
        self.sparsity = sparsity
        self.noise = noise
        self.growth = growth
        self.max_steps = max_steps
        self.tolerance = tolerance
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    def _learn(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Mapping:
        rank = min(len(Xs) + len(Xt), Xs.shape[1])
        check_memory(
            f"DTSL's reconstruction of {len(Xt)} target samples by {len(Xs)} of the source",
            8 * (MATRICES * len(Xs) * len(Xt) + SQUARES * rank**2),
            "use fewer samples or another method",
        )
        # P lies in the span of the samples, so that features beyond their number cost nothing.
        samples = stacked_unit_rows(Xs, Xt)
        reduction = reduce_samples(samples, power=1)
        F = reduction.F
        _, first = principal_directions(samples[: len(Xs)], n_classes)
        if first.shape[1] == 0:
            raise InputError(
                f"Xs does not vary (n_features={Xs.shape[1]}): scaled to unit length all its rows are equal; pass "
                "samples that differ, or use another method."
            )
        weights = AdmmWeights(self.ridge, self.sparsity, self.noise, self.growth)
        solver = _Admm(weights, F[: len(Xs)], ys, F[len(Xs) :], reduction.back.T @ first, n_classes)
        residuals = []
        for number in range(1, self.max_steps + 1):
            residuals.append(solver.step())
            report(Step(number, self.max_steps, "largest residual", max(residuals[-1])))
            # The first step has not looked at the labels yet.
            if number > 1 and max(residuals[-1]) <= self.tolerance:
                break
        else:
            warn(
                f"DTSL stopped after max_steps={self.max_steps} with a residual of {max(residuals[-1]):.1e}, above "
                f"tolerance={self.tolerance}; allow more steps, a larger growth or a larger tolerance.",
                ConvergenceWarning,
            )
        self.residuals_ = np.array(residuals)
        self.rank_, self.explained_ = solver.rank, solver.explained()
        return LinearMap(reduction.back @ solver.P, unit_before=True, unit_after=True)


@dataclass(frozen=True)
class AdmmWeights:
    """What the objective weighs; as the parameters of `DTSL`."""

    ridge: float
    sparsity: float
    noise: float
    growth: float


class _Admm:
    """The variables of the fit; samples are rows here, so that P'X of the formulas is X P."""

    def __init__(
        self, weights: AdmmWeights, Xs: FloatArray, ys: IntArray, Xt: FloatArray, first: FloatArray, n_classes: int
    ) -> None:
        self.weights = weights
        self.Xs, self.Xt = Xs, Xt
        self.labels = np.eye(n_classes)[ys]
        self.good_side = 2 * self.labels - 1
        self.slack = np.ones_like(self.labels)
        self.gram = 2 * (Xs.T @ Xs)
        self.gram[np.diag_indices_from(self.gram)] += 2 * weights.ridge
        self.P: FloatArray = np.zeros((Xs.shape[1], n_classes))
        self.P[:, : first.shape[1]] = first
        self.E: FloatArray = np.zeros((len(Xt), n_classes))
        self.Z: FloatArray = np.zeros((len(Xs), len(Xt)))
        # The copies of Z less their multipliers over the penalty, added up; and the multipliers.
        self.drawn_to: FloatArray = np.zeros_like(self.Z)
        self.multiplier_E = np.zeros_like(self.E)
        self.multiplier_low_rank = np.zeros_like(self.Z)
        self.multiplier_sparse = np.zeros_like(self.Z)
        self.penalty = FIRST_PENALTY
        self.rank = 0
        self.is_first = True

    def step(self) -> tuple[float, float, float]:
        """Update every variable once; returns the three residuals."""
        penalty = self.penalty
        if not self.is_first:
            self._update_projection()
        self.is_first = False
        A, D = self.Xs @ self.P, self.Xt @ self.P
        self.slack = np.maximum(self.good_side * (A - self.labels), 0)
        self.E = shrink(D - self.Z.T @ A + self.multiplier_E / penalty, self.weights.noise / penalty)
        self._update_reconstruction(A, D - self.E + self.multiplier_E / penalty)
        missing = D - self.Z.T @ A - self.E
        self.multiplier_E += penalty * missing
        self.penalty = min(self.weights.growth * penalty, LARGEST_PENALTY)
        return float(np.abs(missing).max()), *self._update_copies(penalty)

    def explained(self) -> float:
        """The share of the target's projection that the reconstruction explains."""
        D = self.Xt @ self.P
        size = float(np.sum(D**2))
        return 1 - float(np.sum((D - self.Z.T @ (self.Xs @ self.P)) ** 2)) / size if size > 0 else 0.0

    def _update_projection(self) -> None:
        unexplained = self.Xt - self.Z.T @ self.Xs
        left = self.gram + self.penalty * (unexplained.T @ unexplained)
        right = 2 * self.Xs.T @ (self.labels + self.good_side * self.slack)
        right += unexplained.T @ (self.penalty * self.E - self.multiplier_E)
        self.P = linalg.solve(left, right, assume_a="pos", check_finite=False)

    def _update_reconstruction(self, A: FloatArray, wanted: FloatArray) -> None:
        """(2 I + A A')^-1 of what Z is drawn to, by Woodbury's formula: A has a column a class."""
        right = self.drawn_to
        gram = A.T @ A
        taken = linalg.solve(
            2 * np.eye(len(gram)) + gram, A.T @ right + gram @ wanted.T, assume_a="pos", check_finite=False
        )
        right += A @ (wanted.T - taken)
        right /= 2
        # The place of the old Z is free for what the next one is drawn to.
        self.Z, self.drawn_to = right, self.Z

    def _update_copies(self, penalty: float) -> tuple[float, float]:
        """The copies of Z, of low rank and sparse, and their multipliers; returns how far they are from Z."""
        left, right = shrink_singular_values(self.Z + self.multiplier_low_rank / penalty, 1 / penalty, self.rank)
        self.rank = left.shape[1]
        bound = self.weights.sparsity / penalty

        def update(start: int) -> tuple[float, float]:
            rows = slice(start, start + ROWS)
            Z, low_rank, sparse = self.Z[rows], self.multiplier_low_rank[rows], self.multiplier_sparse[rows]
            copy = left[rows] @ right
            np.multiply(Z + low_rank / penalty - copy, penalty, out=low_rank)
            low_rank_residual = np.abs(Z - copy).max()
            copy -= low_rank / self.penalty
            wanted = Z + sparse / penalty
            np.clip(wanted, -bound, bound, out=sparse)
            wanted -= sparse
            sparse *= penalty
            sparse_residual = np.abs(Z - wanted).max()
            wanted -= sparse / self.penalty
            np.add(copy, wanted, out=self.drawn_to[rows])
            return float(low_rank_residual), float(sparse_residual)

        low_rank_residuals, sparse_residuals = zip(*parallel_map(update, range(0, len(self.Z), ROWS)), strict=True)
        return max(low_rank_residuals), max(sparse_residuals)
