from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from sklearn.base import clone

from tests.support.domains import make_domains
from tsrp import PerDomain
from tsrp.datasets import DATASETS, digits, load_task
from tsrp.spec import PREPROCESSING

BESIDE = Path(__file__).parents[2] / "shared" / "data"


def pytest_collection_modifyitems(items):
    """Mark what needs the benchmark files, and skip the docstrings that import skada where it is not installed.

    Where everything is checked, those fail.
    """
    no_skada = find_spec("skada") is None and not os.environ.get("CI")
    for item in items:
        if "data_dir" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.published)
        if no_skada and item.name.endswith("tsrp.skada.FromSkada"):
            item.add_marker(pytest.mark.skip('needs skada: run  pip install "tsrp[skada]"'))


def pytest_configure():
    """One thread for each worker process of pytest-xdist, as there are as many as cores; no example is too slow."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    settings.register_profile("tsrp", deadline=None)
    settings.load_profile("tsrp")


@pytest.fixture(scope="session")
def data_dir():
    """The folder of real benchmark files."""
    folder = Path(os.environ.get("TSRP_DATA", BESIDE))
    if not folder.is_dir():
        # Where everything is checked, a missing folder is a failure.
        give_up = pytest.fail if os.environ.get("CI") else pytest.skip
        give_up("needs the benchmark files: set TSRP_DATA to their folder, or put it at ../shared/data")
    return folder


@pytest.fixture(scope="session")
def started_cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture
def dask_cluster(started_cluster):
    """A Dask cluster of two worker processes; the tests that share it are one group of pytest-xdist, "cluster"."""
    from distributed import Client

    # A test may have killed one of them.
    with Client(started_cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
    return started_cluster


@pytest.fixture
def accuracy_on(data_dir):
    """Fits a method to a task as its data set is preprocessed, or otherwise; returns its accuracy in per cent."""

    def measure(dataset, name, method, preprocess=None):
        task = load_task(dataset, name, data_dir=data_dir)
        transformer = PREPROCESSING[preprocess or DATASETS[dataset].preprocess]()
        model = clone(method) if transformer is None else PerDomain(transformer, method)
        model.fit(task.source.X, task.source.y, task.target.X)
        return round(100 * np.mean(model.labels_ == task.target.y), 2)

    return measure


@pytest.fixture(scope="session", autouse=True)
def digits_once():
    """Draw the printed digits of a seed once: they stand in for data in many tests."""
    draw = cache(digits.printed_digits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digits, "printed_digits", lambda seed: tuple(array.copy() for array in draw(seed)))
        yield draw.__wrapped__


@pytest.fixture
def domains():
    """A small task: four classes in 12 dimensions, the target shifted and stretched; returns Xs, ys, Xt, yt."""
    return make_domains()
