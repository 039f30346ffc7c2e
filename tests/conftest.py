from __future__ import annotations

import os
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import check_random_state

from tsrp.datasets.loading import load_task
from tsrp.datasets.record import Task

BESIDE = Path(__file__).parents[2] / "shared" / "data"


def pytest_collection_modifyitems(items):
    """Skip the docstrings that import skada where it is not installed; where everything is checked they fail."""
    if find_spec("skada") is None and not os.environ.get("CI"):
        for item in items:
            if item.name == "tsrp.skada.FromSkada":
                item.add_marker(pytest.mark.skip('needs skada: run  pip install "tsrp[skada]"'))


def pytest_configure():
    """One thread for each worker process of pytest-xdist: there are as many of them as cores."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def data_dir():
    """The folder of real benchmark files."""
    folder = Path(os.environ.get("TSRP_DATA", BESIDE))
    if not folder.is_dir():
        # Where everything is checked, a missing folder is a failure.
        give_up = pytest.fail if os.environ.get("CI") else pytest.skip
        give_up("needs the benchmark files: set TSRP_DATA to their folder, or put it at ../shared/data")
    return folder


@pytest.fixture
def domains():
    """A small task: four classes in 12 dimensions, the target shifted and stretched; returns Xs, ys, Xt, yt."""
    return make_domains()


def load_thin_task(*arguments, **options):
    """Every fifth sample of a task, for pictures that are not to take long."""
    task = load_task(*arguments, **options)
    return Task(*(replace(domain, X=domain.X[::5], y=domain.y[::5]) for domain in (task.source, task.target)))


def make_domains(seed=0, n_source=60, n_target=50, m=12, n_classes=4, shift=0.6):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(n_classes, m)) * 2
    ys = np.arange(n_source) % n_classes
    yt = rng.integers(n_classes, size=n_target)
    stretch = 1 + 0.3 * rng.normal(size=m)
    Xs = centres[ys] + rng.normal(size=(n_source, m))
    Xt = (centres[yt] + rng.normal(size=(n_target, m))) * stretch + shift * rng.normal(size=m)
    return Xs, ys, Xt, yt


def global_random_state():
    """numpy's global random numbers: which they are, and how many of them were drawn."""
    _, keys, *place = check_random_state(None).get_state()
    return keys.tolist(), place
