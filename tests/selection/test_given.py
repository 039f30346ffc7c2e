"""Candidates are ranked alike, whoever tries them and wherever the samples are."""

import os
import signal

import numpy as np
import pandas as pd
import pytest

from tests.support.domains import make_domains
from tsrp import JDA
from tsrp.blocked.cluster import connected
from tsrp.blocked.local import ArrayReader, LocalBlocks
from tsrp.exceptions import InputError, UsageError
from tsrp.memory import limited_memory
from tsrp.selection import Candidate, search

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.xdist_group("cluster")]
CANDIDATES = ["nn", Candidate.named("jda+tsrp", {"n_components": 5}, "zscore"), "gfk", JDA(5, kernel="cubic")]
NAMES = [f"f{i}" for i in range(12)]


@pytest.fixture(scope="module")
def domains():
    return make_domains()[:3]


@pytest.fixture(scope="module")
def expected(domains):
    Xs, ys, Xt = domains
    return search(Xs, ys, Xt, CANDIDATES, estimate=True)


def check_same(found, expected):
    tables = (selection.table.drop(columns="seconds") for selection in (found, expected))
    pd.testing.assert_frame_equal(*tables, check_exact=True)
    np.testing.assert_array_equal(found.model.labels_, expected.model.labels_)


def chunked(X):
    return da.from_array(X, chunks=(17, 5))


def framed(X):
    return pd.DataFrame(X, columns=NAMES)


def test_samples_of_dask_without_a_cluster_are_read_into_memory(domains, expected):
    Xs, ys, Xt = domains
    check_same(search(chunked(Xs), da.from_array(ys), chunked(Xt), CANDIDATES, estimate=True), expected)


def test_samples_in_blocks_are_read_into_memory(domains, expected):
    Xs, ys, Xt = domains
    source, target = (LocalBlocks.of(ArrayReader(X, rows=7)) for X in (Xs, Xt))
    check_same(search(source, ys, target, CANDIDATES, estimate=True), expected)


@pytest.mark.parametrize("kind", ["memory", "arrays", "frames"])
def test_a_cluster_ranks_as_this_machine_does(dask_cluster, domains, expected, kind):
    Xs, ys, Xt = domains
    with connected(dask_cluster.scheduler_address):
        if kind == "memory":
            check_same(search(Xs, ys, Xt, CANDIDATES, estimate=True, on_dask=True), expected)
        elif kind == "arrays":
            check_same(search(chunked(Xs), ys, chunked(Xt), CANDIDATES, estimate=True), expected)
        else:
            source, target = (dd.from_pandas(framed(X), npartitions=3) for X in (Xs, Xt))
            found = search(source, ys, target, CANDIDATES, estimate=True)
            check_same(found, search(framed(Xs), ys, framed(Xt), CANDIDATES, estimate=True))
            assert found.model.feature_names_in_.tolist() == NAMES


def test_a_worker_that_is_killed_changes_no_rank(dask_cluster, domains, expected):
    Xs, ys, Xt = domains
    killed: list[int] = []

    def kill(trial):
        if not killed:
            killed.append(next(iter(dask_cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    with connected(dask_cluster.scheduler_address):
        check_same(search(Xs, ys, Xt, CANDIDATES, estimate=True, on_dask=True, callback=kill), expected)
    assert killed


def test_samples_that_a_worker_cannot_hold_are_refused(dask_cluster, domains, monkeypatch):
    Xs, ys, Xt = domains
    with limited_memory("20KB"), pytest.raises(InputError, match=r"each candidate on all .* needs about .* 20 KB"):
        search(chunked(Xs), ys, chunked(Xt), CANDIDATES)
    monkeypatch.setattr("tsrp.selection.given.smallest_memory", lambda: 2e4)
    with (
        connected(dask_cluster.scheduler_address),
        pytest.raises(InputError, match=r"more than the 20 KB that a worker has: use some"),
    ):
        search(chunked(Xs), ys, chunked(Xt), CANDIDATES)


def test_what_cannot_be_used_is_refused(domains):
    Xs, ys, Xt = domains
    with pytest.raises(UsageError, match="on_dask needs a connection to a Dask cluster"):
        search(Xs, ys, Xt, CANDIDATES, on_dask=True)
    with pytest.raises(InputError, match="Xt: 1 value is NaN"):
        search(chunked(Xs), ys, chunked(np.where(np.arange(12) == 3, np.nan, Xt[:1])), CANDIDATES)
