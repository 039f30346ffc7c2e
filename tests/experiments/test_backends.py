"""This process, several processes and a Dask cluster give the same results, also when a process dies."""

import os
import signal
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info

from tests.support.fakes import fake, fake_in_place, fake_or_die, occupy_child
from tsrp.exceptions import ResultsError
from tsrp.experiments import backends
from tsrp.experiments.backends import cluster, processes, serial
from tsrp.experiments.runner import compute_all
from tsrp.experiments.runs import Run, grid, make_run
from tsrp.experiments.store import Results

RUNS = grid(["digits"], ["nn", "jda", "dicd"])
# One worker of pytest-xdist starts the processes that these tests share.
pytestmark = pytest.mark.xdist_group("cluster")


@pytest.fixture(scope="module")
def accuracies():
    return {result.run: result.accuracy for result in serial(None)(RUNS)}


def test_several_processes_give_the_same_results(accuracies):
    assert {result.run: result.accuracy for result in processes(2, None)(RUNS)} == accuracies


def test_a_worker_has_one_thread(monkeypatch):
    """In a process of its own, because the limit is for good."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        result = pool.submit(backends._score, RUNS[0], None).result()
        assert result.error is None
        assert {library["num_threads"] for library in pool.submit(threadpool_info).result()} == {1}


def test_runs_are_taken_as_they_are_needed():
    """So that another runner finds some too."""
    taken = []

    def runs():
        for run in grid(["digits"], ["pca"], "without", seeds=range(8)):
            taken.append(run)
            yield run

    computing = processes(2, None)(runs())
    next(computing)
    assert len(taken) < 8
    assert len(list(computing)) == 7


def test_a_run_that_takes_its_process_with_it_is_a_failure_and_the_others_are_not(monkeypatch, results):
    """The runner goes on with those that were not begun."""
    monkeypatch.setattr(backends, "_score", fake_or_die)
    runs = grid(["digits"], ["nn", "jda", "dicd", "bda"])
    done = {result.run: result for result in compute_all(runs, results, processes(2, None))}
    assert set(done) == set(runs)
    for run, result in done.items():
        assert result.error == backends.DIED if run.spec.name == "dicd" else result == fake(run)
    assert {run.spec.name for run, result in results.all().items() if result.error} == {"dicd"}


@pytest.mark.filterwarnings("default")
def test_a_cluster_gives_the_same_results_though_a_worker_is_killed(dask_cluster, accuracies, tmp_path):
    victim = next(iter(dask_cluster.workers.values())).pid
    measured: dict[Run, float | None] = {}
    with Results(tmp_path / "results.sqlite") as results:
        for result in compute_all(RUNS, results, cluster(dask_cluster.scheduler_address, None)):
            if not measured:
                os.kill(victim, signal.SIGKILL)
            measured[result.run] = result.accuracy
            assert result.error is None
        assert len(results.all()) == len(RUNS)
    assert measured == accuracies


@pytest.mark.filterwarnings("default")
def test_an_error_on_the_cluster_is_a_failure(dask_cluster, tmp_path):
    run = make_run("coil20", "COIL1 -> COIL2", "nn")
    [result] = cluster(dask_cluster.scheduler_address, tmp_path)([run])
    assert "not on this disk" in result.error


@pytest.mark.filterwarnings("default")
def test_a_cluster_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(backends, "PATIENCE", 0.5)
    with pytest.raises(ValueError, match=r"no Dask scheduler at tcp://127\.0\.0\.1:9"):
        cluster("tcp://127.0.0.1:9", None)


@pytest.mark.filterwarnings("default")
def test_a_scheduler_that_goes_away_is_one_error_of_the_run(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(backends, "_score", fake_in_place)
    # Its worker is a thread: nothing is fitted.
    dask = distributed.LocalCluster(n_workers=1, processes=False, protocol="tcp", dashboard_address=":0")
    computing = cluster(dask.scheduler_address, None)(RUNS)
    assert next(computing).error is None
    dask.close()
    with pytest.raises(ResultsError, match="is gone"):
        list(computing)


@pytest.mark.parametrize("address", ["", "garbage", "tcp://", "tcp://host", "http://host/path"])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(ValueError, match="must be a scheduler's"):
        cluster(address, None)


def test_children_end_when_the_runner_is_killed():
    """Though they have work for ten minutes."""
    context = get_context("forkserver")
    receiver, sender = context.Pipe(duplex=False)
    runner = context.Process(target=occupy_child, args=(sender,))
    runner.start()
    sender.close()
    child = Path("/proc", str(receiver.recv()))
    assert child.exists()
    runner.kill()
    runner.join()
    for _ in range(100):
        if not child.exists():
            break
        time.sleep(0.1)
    else:
        pytest.fail("the child lives on")


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ValueError, match=r'pip install "tsrp\[cluster\]"'):
        cluster("tcp://127.0.0.1:9", None)
