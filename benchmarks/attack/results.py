"""Results files with bytes that were changed, cut off or inserted, or with values that nobody wrote."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.attack.damage import damaged
from tsrp.exceptions import ResultsError
from tsrp.experiments.runs import Run, grid
from tsrp.experiments.scoring import Result, RoundScore
from tsrp.experiments.store import Results

VALUES: tuple[Any, ...] = (
    *("x", "", 9e99, -1, 3, None, True, b"\xff\xfe", 10**18, "null", "3", "[]", "{}", "[[]]", "[null]", '{"a": NaN}'),
    *('["\\ud800"]', "[" * 100_000, '[{"crude": "x"}]', '{"tsrp": 3}', '{"preprocess": 3}', '{"preprocess": "none"}'),
)
COLUMNS = (
    *("dataset", "task", "method", "settings", "seed", "accuracy", "confident_share", "confident_accuracy", "rounds"),
    *("seconds", "error", "notes", "versions", "finished", "traceback", "cpu_seconds"),
)


def damage_files(folder: Path, n: int, seed: int = 0) -> Counter[str]:
    """Damage a file n times and use it as a runner does; how often it served, was refused, or was something else."""
    runs = grid(["digits"], ["nn", "jda", "dicd"])
    good = folder / "good.sqlite"
    _write(good, runs)
    raw, rng = good.read_bytes(), np.random.default_rng(seed)
    found: Counter[str] = Counter()
    for i in range(n):
        path = folder / f"{i}.sqlite"
        path.write_bytes(damaged(raw, rng))
        found[_use(path, runs)] += 1
        for left in folder.glob(f"{i}.sqlite*"):
            left.unlink()
    return found


def odd_values(folder: Path, values: Sequence[Any] = VALUES) -> Counter[str]:
    """Put each odd value into each column of one row, and use the file as a runner does."""
    runs = grid(["digits"], ["nn"])
    found: Counter[str] = Counter()
    for column in COLUMNS:
        for i, value in enumerate(values):
            path = folder / f"{column}-{i}.sqlite"
            _write(path, runs)
            db = sqlite3.connect(path)
            try:
                db.execute(f"UPDATE runs SET {column} = ?", (value,))
                db.commit()
            except sqlite3.IntegrityError:
                continue
            finally:
                db.close()
            found[_use(path, runs)] += 1
    return found


def _write(path: Path, runs: list[Run]) -> None:
    with Results(path) as results:
        for run in runs:
            scores = (RoundScore(0.5, 0.6, 0.7, None, 0.1),)
            results.save(Result(run, 0.6, 0.5, 0.7, scores, 0.1, None, ("a note",), {"tsrp": "1"}))


def _use(path: Path, runs: list[Run]) -> str:
    try:
        with Results(path) as results:
            for result in results.all().values():
                _sums(result)
            with results.owner() as owner:
                results.claim(runs[0], owner)
            results.save(Result(runs[0], 0.6, None, None, (), 0.1, None, (), {}))
    except ResultsError:
        return "refused"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]
    return "served"


def _sums(result: Result) -> float:
    """What tables and pictures do with a result."""
    words = "".join((*result.notes, *result.versions.values(), result.traceback, result.error or ""))
    spent = result.seconds + (result.cpu_seconds or 0)
    return len(words) + spent + (result.accuracy or 0) + sum(score.seconds for score in result.rounds)
