"""The results file: SQLite, one row per finished run, safe to kill and to share between runners on one machine."""

from __future__ import annotations

import json
import math
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from tsrp.exceptions import ResultsError, UsageError
from tsrp.experiments.runs import Run
from tsrp.experiments.scoring import Result, RoundScore
from tsrp.spec import MethodSpec

# "tsrp" in ASCII: whose file it is.
APPLICATION = 0x74737270
VERSION = 3
# A claim holds for so many seconds and is renewed long before; a runner that died lets its claims lapse.
LEASE = 10.0
RENEWAL = LEASE / 5
# Seconds to wait for another runner that is writing.
BUSY = 60.0

SCHEMA = """
CREATE TABLE runs (
    dataset TEXT NOT NULL,
    task TEXT NOT NULL,
    method TEXT NOT NULL,
    settings TEXT NOT NULL,        -- JSON: all parameters and the preprocessing
    seed INTEGER NOT NULL,
    accuracy REAL,                 -- from 0 to 1; NULL if the run failed
    confident_share REAL,
    confident_accuracy REAL,
    rounds TEXT NOT NULL,          -- JSON: a list with crude, accuracy, confident, confident_accuracy, seconds
    seconds REAL NOT NULL,
    error TEXT,                    -- NULL if the run did not fail
    notes TEXT NOT NULL,           -- JSON: a list of warnings
    versions TEXT NOT NULL,        -- JSON
    finished REAL NOT NULL,        -- seconds since 1970
    traceback TEXT,                -- NULL if the run did not fail
    cpu_seconds REAL,              -- NULL if it was not measured, as before version 3
    PRIMARY KEY (dataset, task, method, settings, seed)
) WITHOUT ROWID;
CREATE TABLE claims (
    dataset TEXT NOT NULL,
    task TEXT NOT NULL,
    method TEXT NOT NULL,
    settings TEXT NOT NULL,
    seed INTEGER NOT NULL,
    owner TEXT NOT NULL,
    expires REAL NOT NULL,
    PRIMARY KEY (dataset, task, method, settings, seed)
) WITHOUT ROWID;
"""
_SETTLED = "(error IS NULL AND finished >= ?) OR (error IS NOT NULL AND finished >= ?)"
_COLUMNS = "dataset, task, method, settings, seed"
_VALUES = (
    "accuracy, confident_share, confident_accuracy, rounds, seconds, error, notes, versions, traceback, cpu_seconds"
)
_REPLACE = ", ".join(f"{column} = excluded.{column}" for column in f"{_VALUES}, finished".split(", "))
# Steps of a solver were called rounds in the first version.
_RENAMED = """
UPDATE runs SET settings = replace(settings, '"max_iter"', '"max_steps"')
WHERE method LIKE 'tsl%' OR method LIKE 'dtsl%' OR method LIKE 'tjm%'
"""
_KEY = "dataset = ? AND task = ? AND method = ? AND settings = ? AND seed = ?"


class Results:
    """The results in a file, which is made if it is not there.

    Parameters
    ----------
    path : Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from tsrp.experiments.runs import make_run
    >>> from tsrp.experiments.scoring import score
    >>> with tempfile.TemporaryDirectory() as folder, Results(Path(folder, "results.sqlite")) as results:
    ...     results.save(score(make_run("digits", "printed -> handwritten", "nn")))
    ...     [result.percent for result in results.all().values()]
    [62.83]
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # Backends ask for the next run from threads of their own.
        self._lock = threading.RLock()
        if path.is_dir():
            raise ResultsError(f"{path} is a folder: name a file in it.")
        if not path.resolve().parent.is_dir():
            raise ResultsError(f"{path} cannot be made: {path.parent} is not a folder; create it, or name another one.")
        with self._guarded():
            self._db = sqlite3.connect(path, timeout=BUSY, isolation_level=None, check_same_thread=False)
        try:
            with self._guarded():
                # Before anything is changed: it may be a database of somebody else.
                self._is_new()
                self._use_wal()
                with self._transaction():
                    if self._is_new():
                        for statement in SCHEMA.split(";\n"):
                            self._db.execute(statement)
                        self._db.execute(f"PRAGMA application_id = {APPLICATION}")
                    else:
                        self._convert()
                    self._db.execute(f"PRAGMA user_version = {VERSION}")
            self._file = self._identity()
        except BaseException:
            self._db.close()
            raise

    def _is_new(self) -> bool:
        """Whether there is nothing in the file yet; an error if it is not a results file of this version."""
        [tables] = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        [owner] = self._db.execute("PRAGMA application_id").fetchone()
        version = self._version()
        if tables == 0:
            return True
        if owner != APPLICATION:
            raise ResultsError(f"{self.path} is a database of another program: name another file.")
        if not 1 <= version <= VERSION:
            raise ResultsError(
                f"{self.path} is of version {version}, but this tsrp knows versions up to {VERSION}: update tsrp, or "
                "name another file."
            )
        return False

    def _convert(self) -> None:
        """Give a file of an earlier version what it lacks."""
        version = self._version()
        if version < 2:
            self._db.execute("ALTER TABLE cells RENAME TO runs")
            self._db.execute("ALTER TABLE runs ADD COLUMN traceback TEXT")
            self._db.execute(_RENAMED)
        if version < 3:
            self._db.execute("ALTER TABLE runs ADD COLUMN cpu_seconds REAL")

    def _version(self) -> int:
        [version] = self._db.execute("PRAGMA user_version").fetchone()
        return int(version)

    def _use_wal(self) -> None:
        # SQLite does not wait for others that do the same at the same moment, so we do.
        deadline = time.monotonic() + BUSY
        while True:
            try:
                if self._db.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                    self._db.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        # The file survives a crash of the program in any case; a crash of the machine may lose the last runs.
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _identity(self) -> tuple[int, int] | None:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """What SQLite has to say, as one sentence."""
        try:
            yield
        # Where a name in a damaged file is not text, SQLite's own message cannot be read.
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise ResultsError(
                f"{self.path} cannot be used as a results file ({error}): make room for it, repair it, or name "
                "another one."
            ) from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, self._guarded():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def __enter__(self) -> Results:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def all(self) -> dict[Run, Result]:
        """Every result by its run."""
        return self.settled()

    def settled(self, good_since: float = 0.0, failed_since: float = 0.0) -> dict[Run, Result]:
        """The results that stand: good ones of a time or later, failures of another time or later."""
        with self._lock, self._guarded():
            rows = self._db.execute(
                f"SELECT {_COLUMNS}, {_VALUES} FROM runs WHERE {_SETTLED}",
                (good_since, failed_since),
            ).fetchall()
        try:
            return {result.run: result for row in rows if (result := _result(row)) is not None}
        # Values of any type and any JSON may stand in a file that is damaged.
        except Exception as error:
            reason = next(iter(str(error).splitlines()), "") or type(error).__name__
            raise ResultsError(
                f"{self.path} holds a row that tsrp did not write ({reason}): name another file."
            ) from error

    def save(self, result: Result) -> None:
        """Keep a result, and give up the claim on its run. A good result is never replaced by a failure."""
        if self._identity() != self._file:
            raise ResultsError(f"{self.path} was removed or replaced while it was in use: start again.")
        with self._transaction():
            self._db.execute(
                f"INSERT INTO runs VALUES ({', '.join('?' * 16)}) ON CONFLICT ({_COLUMNS}) DO UPDATE SET {_REPLACE} "
                "WHERE runs.error IS NOT NULL OR excluded.error IS NULL",
                (
                    *_key(result.run),
                    result.accuracy,
                    result.confident_share,
                    result.confident_accuracy,
                    json.dumps([asdict(r) for r in result.rounds]),
                    result.seconds,
                    result.error,
                    json.dumps(result.notes),
                    json.dumps(result.versions),
                    time.time(),
                    result.traceback or None,
                    result.cpu_seconds,
                ),
            )
            self._db.execute(f"DELETE FROM claims WHERE {_KEY}", _key(result.run))

    def claim(self, run: Run, owner: str, good_since: float = 0.0, failed_since: float = 0.0) -> bool:
        """Take a run for oneself; false if it is settled (see `settled`), or if another runner has it."""
        now = time.time()
        with self._transaction():
            settled = self._db.execute(
                f"SELECT 1 FROM runs WHERE {_KEY} AND ({_SETTLED})", (*_key(run), good_since, failed_since)
            ).fetchone()
            if settled:
                return False
            taken = self._db.execute(
                f"INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT ({_COLUMNS}) DO UPDATE "
                "SET owner = excluded.owner, expires = excluded.expires WHERE expires < ?",
                (*_key(run), owner, now + LEASE, now),
            )
            return taken.rowcount == 1

    @contextmanager
    def owner(self) -> Iterator[str]:
        """A name under which to claim runs; its claims are renewed while the body runs, and given up afterwards."""
        name = secrets.token_hex(8)
        done = threading.Event()

        def renew() -> None:
            while not done.wait(RENEWAL):
                # Another time: a claim that lapses costs no more than a run computed twice.
                with suppress(ResultsError), self._transaction():
                    self._db.execute("UPDATE claims SET expires = ? WHERE owner = ?", (time.time() + LEASE, name))

        thread = threading.Thread(target=renew, name="tsrp-claims", daemon=True)
        thread.start()
        try:
            yield name
        finally:
            done.set()
            thread.join()
            # Where this fails, the claims lapse by themselves.
            with suppress(ResultsError), self._transaction():
                self._db.execute("DELETE FROM claims WHERE owner = ?", (name,))


def _key(run: Run) -> tuple[str, str, str, str, int]:
    return run.dataset, run.task, run.spec.name, run.spec.record, run.seed


def _result(row: tuple[Any, ...]) -> Result | None:
    """A row as a result; None if it is of a method or setting that this version does not have: nobody asks for it."""
    dataset, task, method, settings, seed, *values = row
    accuracy, confident_share, confident_accuracy, rounds, seconds, error, notes, versions, trace, cpu_seconds = values
    try:
        spec = MethodSpec.from_record(method, settings)
    except UsageError:
        return None
    _check(error is None or isinstance(error, str), "error", error)
    _check(trace is None or isinstance(trace, str), "traceback", trace)
    for name, text in (("dataset", dataset), ("task", task)):
        _check(isinstance(text, str), name, text)
    _check(type(seed) is int, "seed", seed)
    _check(_is_share(accuracy) or (error is not None and accuracy is None), "accuracy", accuracy)
    for name, share in (("confident_share", confident_share), ("confident_accuracy", confident_accuracy)):
        _check(share is None or _is_share(share), name, share)
    _check(_is_duration(seconds), "seconds", seconds)
    _check(cpu_seconds is None or _is_duration(cpu_seconds), "cpu_seconds", cpu_seconds)
    read_notes, read_versions = json.loads(notes), json.loads(versions)
    _check(isinstance(read_notes, list) and _are_texts(read_notes), "notes", notes)
    _check(isinstance(read_versions, dict) and _are_texts(read_versions.values()), "versions", versions)
    return Result(
        Run(dataset, task, spec, seed),
        accuracy,
        confident_share,
        confident_accuracy,
        tuple(_round(record) for record in json.loads(rounds)),
        seconds,
        error,
        tuple(read_notes),
        read_versions,
        trace or "",
        cpu_seconds,
    )


def _round(record: Any) -> RoundScore:
    score = RoundScore(**record)
    for name in ("crude", "accuracy"):
        _check(_is_share(getattr(score, name)), f"{name} of a round", getattr(score, name))
    for name in ("confident", "confident_accuracy"):
        share = getattr(score, name)
        _check(share is None or _is_share(share), f"{name} of a round", share)
    _check(_is_duration(score.seconds), "seconds of a round", score.seconds)
    return score


def _check(right: bool, name: str, value: object) -> None:
    if not right:
        raise ValueError(f"{name} {value!r:.60}")


def _is_share(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and 0 <= value <= 1


def _is_duration(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and 0 <= value < math.inf


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)
