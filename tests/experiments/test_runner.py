"""The runner: nothing twice, nothing lost, whoever stops it, and however many share the file."""

import random
import threading
import time
from collections import Counter
from collections.abc import Generator

import pytest

from tests.support import commands
from tests.support.fakes import fake
from tsrp.experiments import runner
from tsrp.experiments import store as results_module
from tsrp.experiments.backends import serial
from tsrp.experiments.runner import compute_all, unfinished
from tsrp.experiments.runs import Run, grid
from tsrp.experiments.scoring import Result
from tsrp.experiments.store import Results

RUNS = grid(["digits"], ["nn", "jda", "bda", "dicd"])


class Counting:
    """A backend that remembers what it computed."""

    def __init__(self, pause=0.0, fails=()):
        self.computed, self.pause, self.fails = [], pause, fails

    def __call__(self, runs):
        for run in runs:
            time.sleep(self.pause)
            self.computed.append(run)
            yield fake(run, error="broken") if run.spec.name in self.fails else fake(run)


def test_every_run_is_computed_once_and_kept(results):
    backend = Counting()
    assert {result.run for result in compute_all(RUNS, results, backend)} == set(RUNS)
    assert Counter(backend.computed) == Counter(RUNS)
    assert results.all() == {run: fake(run) for run in RUNS}


def test_what_is_there_is_not_run_again(results):
    list(compute_all(RUNS[:5], results, Counting()))
    backend = Counting()
    assert len(list(compute_all(RUNS, results, backend))) == len(RUNS) - 5
    assert not set(backend.computed) & set(RUNS[:5])
    assert list(compute_all(RUNS, results, Counting())) == []


def test_a_failure_does_not_stop_the_rest_and_is_tried_again_the_next_time(results):
    backend = Counting(fails={"jda"})
    list(compute_all(RUNS, results, backend))
    assert Counter(backend.computed) == Counter(RUNS)
    assert unfinished(RUNS, results) == [run for run in RUNS if run.spec.name == "jda"]
    again = Counting()
    list(compute_all(RUNS, results, again))
    assert [run.spec.name for run in again.computed] == ["jda"]
    assert unfinished(RUNS, results) == []


def test_again_computes_all_and_replaces_what_did_not_fail(results):
    list(compute_all(RUNS, results, Counting()))
    backend = Counting(fails={"jda"})
    list(compute_all(RUNS, results, backend, again=True))
    assert Counter(backend.computed) == Counter(RUNS)
    assert results.all() == {run: fake(run) for run in RUNS}


def test_an_interruption_keeps_what_was_finished_and_gives_up_its_claims(results, path):
    computing = compute_all(RUNS, results, Counting())
    assert isinstance(computing, Generator)
    for _ in range(7):
        next(computing)
    computing.close()
    assert len(results.all()) == 7
    with Results(path) as other:
        assert all(other.claim(run, "another") for run in unfinished(RUNS, other))


def test_two_runners_share_the_work(path):
    backends = [Counting(pause=0.01), Counting(pause=0.01)]
    seen: list[list[Run]] = [[], []]

    def work(i):
        with Results(path) as results:
            seen[i] = [result.run for result in compute_all(RUNS, results, backends[i])]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    computed = [run for backend in backends for run in backend.computed]
    assert Counter(computed) == Counter(RUNS)
    assert all(backend.computed for backend in backends)
    # Each has seen all results, its own and the other's.
    assert Counter(seen[0]) == Counter(seen[1]) == Counter(RUNS)


def test_claims_of_a_runner_that_died_are_taken_over_when_they_lapse(results, monkeypatch):
    monkeypatch.setattr(results_module, "LEASE", 0.5)
    monkeypatch.setattr(runner, "POLL", 0.05)
    results.claim(RUNS[3], "the dead")
    backend = Counting()
    list(compute_all(RUNS, results, backend))
    assert backend.computed[-1] == RUNS[3]
    assert len(results.all()) == len(RUNS)


def test_a_failure_of_another_runner_counts_for_this_one(path, monkeypatch):
    monkeypatch.setattr(runner, "POLL", 0.05)
    with Results(path) as mine, Results(path) as theirs:
        theirs.claim(RUNS[0], "another")

        def finish():
            time.sleep(0.3)
            theirs.save(fake(RUNS[0], error="broken"))

        thread = threading.Thread(target=finish)
        thread.start()
        backend = Counting()
        done = {result.run: result for result in compute_all(RUNS[:3], mine, backend)}
        thread.join()
    assert done[RUNS[0]].error == "broken"
    assert RUNS[0] not in backend.computed


METHODS = ["nn", "jda", "dicd", "jda+tsrp_n", "dicd+tsrp_c"]
GRID = grid(["digits"], METHODS)
# Claims of what was killed are not waited for for long.
SHORT_LEASE = {"tsrp.experiments.store.LEASE": 1.0, "tsrp.experiments.store.RENEWAL": 0.2}


def bench(results, *options):
    return ["bench", "digits", "--methods", ",".join(METHODS), "--results", results, *options]


def write_table(results, table, *options):
    """The table that the command writes when it has computed what is missing."""
    answer = commands.run(*bench(results, "--table", "--write", table, *options))
    assert answer.exit_code == 0, answer.stderr
    return table.read_text()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The results of a run that was left in peace, and their table."""
    folder = tmp_path_factory.mktemp("whole")
    with Results(folder / "results.sqlite") as results:
        list(compute_all(GRID, results, serial(None)))
        return results.all(), write_table(folder / "results.sqlite", folder / "table.csv")


@pytest.mark.xdist_group("killed")
@pytest.mark.parametrize(("jobs", "newly_done"), [(1, (0, 1, 0, 1)), (2, (0, 0, 1, 0))], ids=["one", "two"])
def test_killed_again_and_again_it_ends_with_the_same_table(tmp_path, path, whole, jobs, newly_done):
    """SIGKILL at random moments of its start, or of its work when it may be fitting or writing."""
    moments = random.Random(jobs)
    before: dict[Run, Result] = {}
    for enough in newly_done:
        process = commands.start(*bench(path, "--jobs", jobs), log=tmp_path / "log", constants=SHORT_LEASE)
        with Results(path) as results:
            while process.is_alive() and len(results.all()) < len(before) + enough:
                time.sleep(0.02)
            time.sleep(moments.uniform(0, 0.5))
            process.kill()
            process.join()
            now = results.all()
        assert len(now) >= len(before) + enough, (tmp_path / "log").read_text()
        # What was there stays as it was: the same fit, not a new one.
        assert {run: now.get(run) for run in before} == before
        before = now
    table = write_table(path, tmp_path / "table.csv", "--jobs", jobs)
    with Results(path) as results:
        killed = results.all()
    assert set(killed) == set(GRID)
    assert {run: killed[run] for run in before} == before
    in_peace, its_table = whole
    for run, result in in_peace.items():
        assert killed[run].rounds[-1].accuracy == result.rounds[-1].accuracy
    assert table == its_table


def test_two_commands_on_one_file_do_not_disturb_each_other(path, tmp_path):
    processes = [commands.start(*bench(path, "--jobs", 1), log=tmp_path / f"log{i}") for i in range(2)]
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    with Results(path) as results:
        assert len(results.all()) == 10
        assert all(result.error is None for result in results.all().values())
