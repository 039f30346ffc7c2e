"""Small tasks, and what a fit must leave alone."""

from dataclasses import replace

import numpy as np
from sklearn.utils import check_random_state

from tsrp.datasets.loading import load_task
from tsrp.datasets.record import Task


def make_domains(seed=0, n_source=60, n_target=50, m=12, n_classes=4, shift=0.6):
    """A small task: some classes, the target shifted and stretched; returns Xs, ys, Xt, yt."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_classes, m)) * 2
    ys = np.arange(n_source) % n_classes
    yt = rng.integers(n_classes, size=n_target)
    stretch = 1 + 0.3 * rng.normal(size=m)
    Xs = centres[ys] + rng.normal(size=(n_source, m))
    Xt = (centres[yt] + rng.normal(size=(n_target, m))) * stretch + shift * rng.normal(size=m)
    return Xs, ys, Xt, yt


def load_thin_task(*arguments, **options):
    """Every fifth sample of a task, for pictures that are not to take long."""
    task = load_task(*arguments, **options)
    return Task(*(replace(domain, X=domain.X[::5], y=domain.y[::5]) for domain in (task.source, task.target)))


def global_random_state():
    """numpy's global random numbers: which they are, and how many of them were drawn."""
    _, keys, *place = check_random_state(None).get_state()
    return keys.tolist(), place
