"""The results file keeps what it is given, lets one runner have a cell at a time, and refuses what is not its own."""

import sqlite3
import threading
import time

import pytest
from fakes import fake

from tsrp.bench import results as module
from tsrp.bench.cells import grid
from tsrp.bench.results import Results, ResultsError

CELLS = grid(["digits"], ["nn", "jda", "dicd"])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


@pytest.fixture
def results(path):
    with Results(path) as results:
        yield results


def test_what_is_saved_is_there_when_the_file_is_opened_again(path):
    saved = {cell: fake(cell) for cell in CELLS}
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
    failed, good, better = fake(CELLS[0], error="broken"), fake(CELLS[0], 0.5), fake(CELLS[0], 0.6)
    for result, standing in ((failed, failed), (good, good), (failed, good), (better, better)):
        results.save(result)
        assert results.all() == {CELLS[0]: standing}


def test_failures_of_the_past_do_not_stand(results):
    results.save(fake(CELLS[0], error="broken"))
    results.save(fake(CELLS[1]))
    now = time.time()
    assert set(results.settled(since=now + 1)) == {CELLS[1]}
    assert set(results.settled(since=now - 60)) == {CELLS[0], CELLS[1]}


def test_forgotten_cells_are_gone(results):
    for cell in CELLS:
        results.save(fake(cell))
    results.forget(CELLS[1:])
    assert set(results.all()) == {CELLS[0]}


def test_a_cell_is_claimed_by_one(results, path):
    with Results(path) as other:
        assert results.claim(CELLS[0], "me", since=0)
        assert not other.claim(CELLS[0], "you", since=0)
        assert other.claim(CELLS[1], "you", since=0)


def test_a_finished_cell_cannot_be_claimed_but_an_old_failure_can(results):
    results.save(fake(CELLS[0]))
    results.save(fake(CELLS[1], error="broken"))
    assert not results.claim(CELLS[0], "me", since=time.time() + 1)
    assert not results.claim(CELLS[1], "me", since=time.time() - 60)
    assert results.claim(CELLS[1], "me", since=time.time() + 1)


def test_claims_lapse_unless_their_owner_renews_them(results, path, monkeypatch):
    monkeypatch.setattr(module, "LEASE", 0.3)
    monkeypatch.setattr(module, "RENEWAL", 0.05)
    results.claim(CELLS[0], "the dead", since=0)
    with Results(path) as other, results.owner() as me:
        results.claim(CELLS[1], me, since=0)
        time.sleep(0.6)
        assert other.claim(CELLS[0], "you", since=0)
        assert not other.claim(CELLS[1], "you", since=0)
    with Results(path) as other:
        assert other.claim(CELLS[1], "you", since=0)


def test_many_writers_lose_nothing(path):
    def write(part):
        with Results(path) as results:
            for cell in part:
                results.save(fake(cell))

    cells = grid(["digits"], ["nn", "jda", "bda", "dicd"], seeds=range(5))
    threads = [threading.Thread(target=write, args=(cells[i::4],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Results(path) as results:
        assert results.all() == {cell: fake(cell) for cell in cells}


def test_a_file_that_is_no_database_is_refused_and_left_alone(path):
    path.write_text("my thesis, the only copy; " * 100)
    with pytest.raises(ResultsError, match=r"results\.sqlite cannot be used as a results file"):
        Results(path)
    assert path.read_text().startswith("my thesis")


def test_a_database_of_another_program_is_refused_and_left_alone(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE mine (x)")
    db.close()
    with pytest.raises(ResultsError, match="database of another program"):
        Results(path)
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("mine",)]
    db.close()


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
    with pytest.raises(ResultsError, match="does not exist"):
        Results(tmp_path / "none" / "results.sqlite")
