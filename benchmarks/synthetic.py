"""Made-up tasks of any size: a few classes in features of a sensor, many in those of a network."""

from __future__ import annotations

import numpy as np


def make_domains(
    n_source: int, n_target: int, n_features: int = 256, n_classes: int = 20, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Xs, ys, Xt, yt; classes overlap, features differ in scale, the target is shifted and rotated a little."""
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


def make_features(
    n_source: int, n_target: int, n_features: int = 2048, n_classes: int = 345, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Xs, ys, Xt, yt as a network would give them, in float32: many classes, of which the first have most samples."""
    rng = np.random.default_rng(seed)
    scale = (1 / np.sqrt(1 + np.arange(n_features) / 16)).astype(np.float32)
    centres = rng.standard_normal((n_classes, n_features), dtype=np.float32)
    shares = 1 / np.sqrt(1 + np.arange(n_classes))
    shift = 0.3 * rng.standard_normal(n_features, dtype=np.float32)
    domains = []
    for n, moved in ((n_source, np.zeros_like(shift)), (n_target, shift)):
        # Every class is there.
        y = np.concatenate([np.arange(n_classes), rng.choice(n_classes, n - n_classes, p=shares / shares.sum())])
        X = rng.standard_normal((n, n_features), dtype=np.float32)
        X *= 2.0
        # Row by row: nothing else of this size is made.
        for row, code in zip(X, y, strict=True):
            row += centres[code]
            row += moved
            row *= scale
        domains += [X, y]
    return domains[0], domains[1], domains[2], domains[3]


def ridge(n: int) -> float:
    """A ridge for the linear kernel that weighs as much at n samples as 1 does at 1,000.

    It is added to a matrix that grows with the square of the number of samples.
    """
    return (n / 1000) ** 2
