"""A made-up task of any size: 20 classes in 256 features, the target shifted and rotated a little."""

from __future__ import annotations

import numpy as np


def make_domains(
    n_source: int, n_target: int, n_features: int = 256, n_classes: int = 20, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Xs, ys, Xt, yt; classes overlap, and features differ in scale as those of a network or a sensor do."""
    rng = np.random.default_rng(seed)
    scale = 1 / np.sqrt(1 + np.arange(n_features))
    centres = 0.8 * rng.normal(size=(n_classes, n_features)) * scale
    ys, yt = rng.integers(n_classes, size=n_source), rng.integers(n_classes, size=n_target)
    rotation = np.linalg.qr(np.eye(n_features) + 0.02 * rng.normal(size=(n_features, n_features)))[0]
    rotation *= np.sign(np.diag(rotation))
    shift = 1.5 * rng.normal(size=n_features) * scale
    Xs = centres[ys] + rng.normal(size=(n_source, n_features)) * scale
    Xt = (centres[yt] + rng.normal(size=(n_target, n_features)) * scale) @ rotation + shift
    return Xs, ys, Xt, yt


def ridge(n: int) -> float:
    """A ridge for the linear kernel that weighs as much at n samples as 1 does at 1,000.

    It is added to a matrix that grows with the square of the number of samples.
    """
    return (n / 1000) ** 2
