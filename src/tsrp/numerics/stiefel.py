"""Minimisation over matrices with orthonormal columns (the Stiefel manifold)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tsrp._types import FloatArray

# A step must bring this share of what the gradient promises (Armijo's rule).
ENOUGH = 1e-4
MOST_HALVINGS = 40


@dataclass(frozen=True)
class Descent:
    """Where a descent ended.

    Attributes
    ----------
    U : array of shape (p, d)
        Orthonormal columns.
    values : list of float
        The objective at the start and after each step; it never rises.
    converged : bool
        Whether the last step changed less than the tolerance, or none could be made.
    """

    U: FloatArray
    values: list[float]
    converged: bool


def minimise(
    objective: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    *,
    max_steps: int,
    tolerance: float,
    report: Callable[[int, float], object] = lambda step, value: None,
) -> Descent:
    """Gradient descent along the manifold, from an orthonormal start.

    The gradient is projected to the tangent space, a step is taken back to the manifold by QR, and is halved until
    it brings enough. Its first length is Barzilai and Borwein's, from the last two gradients.

    Parameters
    ----------
    objective : callable
        Takes U, returns the value and the gradient with respect to all entries of U.
    start : array of shape (p, d)
    max_steps : int
    tolerance : float
        Ends when a step changes the value by less than this share of it.
    report : callable, optional
        Called with the number of each step and the value after it.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.diag([3.0, 2.0, 1.0])
    >>> start = np.linalg.qr(np.ones((3, 1)))[0]
    >>> found = minimise(lambda U: (float(np.sum(U * (A @ U))), 2 * A @ U), start, max_steps=99, tolerance=1e-12)
    >>> round(found.values[-1], 6)
    1.0
    """
    U = start
    value, gradient = objective(U)
    values = [value]
    slope = _tangent(U, gradient)
    length = 1 / max(float(np.linalg.norm(slope)), 1e-300)
    for step in range(1, max_steps + 1):
        square = float(np.sum(slope**2))
        if square == 0:
            return Descent(U, values, True)
        for _ in range(MOST_HALVINGS):
            there = _retract(U - length * slope)
            value, gradient = objective(there)
            if value <= values[-1] - ENOUGH * length * square:
                break
            length /= 2
        else:
            return Descent(U, values, True)
        new_slope = _tangent(there, gradient)
        moved, turned = there - U, new_slope - slope
        curvature = abs(float(np.sum(moved * turned)))
        length = float(np.sum(moved**2)) / curvature if curvature > 0 else 2 * length
        U, slope = there, new_slope
        values.append(value)
        report(step, value)
        if values[-2] - value <= tolerance * abs(value):
            return Descent(U, values, True)
    return Descent(U, values, False)


def _tangent(U: FloatArray, gradient: FloatArray) -> FloatArray:
    """The part of the gradient along the manifold at U."""
    inner = U.T @ gradient
    return gradient - U @ (inner + inner.T) / 2


def _retract(V: FloatArray) -> FloatArray:
    """An orthonormal basis of V's columns, each with the sign of its own column."""
    Q, R = np.linalg.qr(V)
    return Q * np.where(np.diag(R) < 0, -1.0, 1.0)
