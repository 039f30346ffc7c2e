"""The results file keeps what it is given, lets one runner have a run at a time, and refuses what is not its own."""

import sqlite3
import threading
import time

import pytest

from tests.support.fakes import fake
from tsrp.exceptions import ResultsError
from tsrp.experiments import store as module
from tsrp.experiments.runs import Run, grid
from tsrp.experiments.store import Results
from tsrp.spec import MethodSpec

RUNS = grid(["digits"], ["nn", "jda", "dicd"])


def test_what_is_saved_is_there_when_the_file_is_opened_again(path):
    saved = {run: fake(run) for run in RUNS}
    with Results(path) as results:
        for result in saved.values():
            results.save(result)
    with Results(path) as results:
        assert results.all() == saved


def test_the_file_is_in_wal_mode_and_says_whose_it_is(results, path):
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA application_id").fetchone() == (int.from_bytes(b"tsrp", "big"),)
    db.close()


def test_a_failure_is_replaced_by_a_result_and_never_the_other_way_round(results):
    failed, good, better = fake(RUNS[0], error="broken"), fake(RUNS[0], 0.5), fake(RUNS[0], 0.6)
    for result, standing in ((failed, failed), (good, good), (failed, good), (better, better)):
        results.save(result)
        assert results.all() == {RUNS[0]: standing}


def test_what_is_of_the_past_may_not_stand(results):
    results.save(fake(RUNS[0], error="broken"))
    results.save(fake(RUNS[1]))
    now = time.time()
    assert set(results.settled(failed_since=now + 1)) == {RUNS[1]}
    assert set(results.settled(failed_since=now - 60)) == {RUNS[0], RUNS[1]}
    assert set(results.settled(good_since=now + 1)) == {RUNS[0]}


def test_a_run_is_claimed_by_one(results, path):
    with Results(path) as other:
        assert results.claim(RUNS[0], "me")
        assert not other.claim(RUNS[0], "you")
        assert other.claim(RUNS[1], "you")


def test_a_finished_run_cannot_be_claimed_but_an_old_failure_can(results):
    results.save(fake(RUNS[0]))
    results.save(fake(RUNS[1], error="broken"))
    later, earlier = time.time() + 1, time.time() - 60
    assert not results.claim(RUNS[0], "me", failed_since=later)
    assert results.claim(RUNS[0], "me", good_since=later)
    assert not results.claim(RUNS[1], "me", failed_since=earlier)
    assert results.claim(RUNS[1], "me", failed_since=later)


def test_claims_lapse_unless_their_owner_renews_them(results, path, monkeypatch):
    monkeypatch.setattr(module, "LEASE", 1.5)
    monkeypatch.setattr(module, "RENEWAL", 0.05)
    results.claim(RUNS[0], "the dead")
    with Results(path) as other, results.owner() as me:
        results.claim(RUNS[1], me)
        time.sleep(2.0)
        assert other.claim(RUNS[0], "you")
        assert not other.claim(RUNS[1], "you")
    with Results(path) as other:
        assert other.claim(RUNS[1], "you")


def test_many_writers_lose_nothing(path):
    def write(part):
        with Results(path) as results:
            for run in part:
                results.save(fake(run))

    runs = grid(["digits"], ["nn", "jda", "bda", "dicd"], seeds=range(5))
    threads = [threading.Thread(target=write, args=(runs[i::4],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Results(path) as results:
        assert results.all() == {run: fake(run) for run in runs}


def test_a_file_that_is_no_database_is_refused_and_left_alone(path):
    path.write_text("my thesis, the only copy; " * 100)
    with pytest.raises(ResultsError, match=r"results\.sqlite cannot be used as a results file"):
        Results(path)
    assert path.read_text().startswith("my thesis")


def test_a_database_of_another_program_is_refused_and_left_alone(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE mine (x)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(ResultsError, match="database of another program"):
        Results(path)
    assert path.read_bytes() == before


def test_a_file_of_another_version_is_refused(path):
    Results(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(ResultsError, match=r"version 99.*update tsrp"):
        Results(path)


def test_a_folder_and_a_missing_folder_are_refused(tmp_path):
    with pytest.raises(ResultsError, match="is a folder"):
        Results(tmp_path)
    with pytest.raises(ResultsError, match="none is not a folder"):
        Results(tmp_path / "none" / "results.sqlite")


def test_many_may_open_a_new_file_at_once(tmp_path):
    for attempt in range(10):
        errors: list[Exception] = []

        def open_it(path=tmp_path / f"{attempt}.sqlite", errors=errors):
            try:
                Results(path).close()
            except ResultsError as error:
                errors.append(error)

        threads = [threading.Thread(target=open_it) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []


def test_a_file_that_was_removed_meanwhile_is_missed(results, path):
    path.unlink()
    with pytest.raises(ResultsError, match="was removed or replaced while it was in use"):
        results.save(fake(RUNS[0]))


def test_what_sqlite_has_to_say_is_one_sentence(results):
    results._db.execute("PRAGMA max_page_count = 1")
    long = fake(RUNS[0], error="broken " * 10_000)
    with pytest.raises(ResultsError, match=r"results\.sqlite cannot be used .*full"):
        results.save(long)


def test_renewing_goes_on_after_a_failure(results, path, monkeypatch):
    monkeypatch.setattr(module, "LEASE", 1.5)
    monkeypatch.setattr(module, "RENEWAL", 0.05)
    results._db.execute("PRAGMA busy_timeout = 10")
    with Results(path) as other, results.owner() as me:
        results.claim(RUNS[0], me)
        with other._transaction():
            time.sleep(0.3)
        time.sleep(2.0)
        assert not other.claim(RUNS[0], "you")


def test_a_file_of_the_first_version_is_converted_and_its_results_stand(path):
    run = grid(["digits"], ["nn"], "without")[0]
    with sqlite3.connect(path) as db:
        key = "dataset TEXT, task TEXT, method TEXT, settings TEXT, seed INTEGER"
        unique = "PRIMARY KEY (dataset, task, method, settings, seed)"
        values = "accuracy REAL, confident_share REAL, confident_accuracy REAL, rounds TEXT, seconds REAL, error TEXT"
        db.executescript(
            f"CREATE TABLE cells ({key}, {values}, notes TEXT, versions TEXT, finished REAL, {unique}) WITHOUT ROWID;"
            f"CREATE TABLE claims ({key}, owner TEXT, expires REAL, {unique}) WITHOUT ROWID;"
            f"PRAGMA application_id = {module.APPLICATION}; PRAGMA user_version = 1;"
        )
        gone = '{"colour": "red", "preprocess": "none"}'
        steps = '{"max_iter": 9, "preprocess": "none"}'
        for method, settings in ((run.spec.name, run.spec.record), ("jda", gone), ("dtsl", steps)):
            row = (run.dataset, run.task, method, settings, 0, 0.5, 1.0, 0.5, "[]", 1.0, None, "[]", "{}", 1.0)
            db.execute(f"INSERT INTO cells VALUES ({', '.join('?' * 14)})", row)
    db.close()
    for _ in range(2):
        with Results(path) as results:
            # Of settings that there are not any more nothing is asked, and nothing is said.
            assert [found.accuracy for found in results.all().values()] == [0.5, 0.5]
            assert set(results.all()) == {run, Run(run.dataset, run.task, MethodSpec("dtsl", {"max_steps": 9}))}
            assert [found.cpu_seconds for found in results.all().values()] == [None, None]
    with Results(path) as results:
        results.save(fake(run, error="broken"))
        assert results.all()[run].error is None


def test_a_file_of_the_second_version_learns_of_processor_time(path):
    Results(path).close()
    with sqlite3.connect(path) as db:
        db.executescript("ALTER TABLE runs DROP COLUMN cpu_seconds; PRAGMA user_version = 2;")
    db.close()
    with Results(path) as results:
        results.save(fake(RUNS[0]))
        assert results.all() == {RUNS[0]: fake(RUNS[0])}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("accuracy", "'x'"), ("accuracy", "9e99"), ("accuracy", "NULL"), ("versions", "'[]'"), ("rounds", "'x'")),
        *(
            ("versions", "3"),
            ("versions", """'{"tsrp": 3}'"""),
            ("notes", "'[3]'"),
            ("seconds", "'x'"),
            ("seconds", "-1"),
        ),
        *(("confident_share", "2"), ("traceback", "x'ff'"), ("rounds", """'[{"crude": 1}]'"""), ("seed", "'x'")),
        *(("cpu_seconds", "'x'"), ("cpu_seconds", "-1"), ("dataset", "x'ff'"), ("task", "x'ff'")),
    ],
)
def test_values_that_nobody_wrote_are_named_with_the_file(results, path, column, value):
    results.save(fake(RUNS[0]))
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE runs SET {column} = {value}")
    db.close()
    with pytest.raises(ResultsError, match="holds a row that tsrp did not write"):
        results.all()
