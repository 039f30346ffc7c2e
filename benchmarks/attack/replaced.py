"""Data files that another program replaces, writes to or cuts short while a command reads them."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from typer.testing import CliRunner

KINDS = (".csv", ".parquet", ".npy")
COMMANDS = ("adapt", "predict")
WAYS = ("replaced", "written over", "appended to", "cut short")
# Rows of the two versions, read in many blocks.
ROWS = (1_500, 1_200)
# What the model calls them.
VERSIONS = ("first", "second")


def change_files(folder: Path, n: int, seed: int = 0) -> Counter[str]:
    """Change n files while they are read; how often they were refused, served as one of the versions, or else."""
    rng, usual = np.random.default_rng(seed), dict[tuple[str, str], float]()
    versions = {kind: _versions(folder, kind) for kind in KINDS}
    model = _saved_model(folder)
    found: Counter[str] = Counter()
    for i in range(n):
        kind, command = KINDS[i % len(KINDS)], COMMANDS[i // len(KINDS) % len(COMMANDS)]
        way, path = WAYS[rng.integers(len(WAYS))], folder / f"new{kind}"
        first, second = versions[kind]
        path.write_bytes(first)
        if (kind, command) not in usual:
            usual[kind, command] = _seconds(folder, model, command, path)
        delay, share = rng.uniform(0, usual[kind, command]), rng.uniform(0.1, 0.9)
        other = threading.Timer(delay, _change, (path, way, second, share))
        other.start()
        outcome = _use(folder, model, command, path)
        other.join()
        found[outcome if outcome in ("refused", "served") else f"{command} of {kind}, {way}: {outcome}"] += 1
        path.unlink()
    return found


def _use(folder: Path, model: Path, command: str, path: Path) -> str:
    """Run a command on a file that changes."""
    from tsrp.cli import app

    output = folder / "labels.csv"
    first = model if command == "predict" else folder / "source.csv"
    options: list[Any] = ["--block-rows", 50] if command == "predict" else ["--method", "nn", "--label", "label"]
    words = [command, first, path, *options, "-o", output, "--quiet"]
    result = CliRunner().invoke(app, [str(word) for word in words], env={"TERM": "dumb"})
    left = sorted(file.name for file in folder.iterdir() if file.suffix == ".tmp" or file == output)
    if result.exit_code == 3:
        sentence = result.stderr.strip()
        return "refused" if "\n" not in sentence and not left else f"{left} left, {sentence}"[:200]
    if result.exit_code or left != [output.name]:
        return f"exit code {result.exit_code}, {result.stderr}"[:200]
    labels = pd.read_csv(output)["label"].tolist()
    output.unlink()
    # What was changed before it was read is another file: the start of the second version, and the end of the first.
    versions = [VERSIONS[0]] * ROWS[0], [VERSIONS[1]] * ROWS[1], _labels(path)
    return "served" if labels in versions else f"{len(labels)} rows that are of no version"


def _change(path: Path, way: str, second: bytes, share: float) -> None:
    if way == "replaced":
        other = path.with_suffix(".other")
        other.write_bytes(second)
        os.replace(other, path)
    elif way == "cut short":
        os.truncate(path, int(share * path.stat().st_size))
    else:
        # In one piece: of a file that is read while its writer pauses, nobody can know that half of it is to come.
        with open(path, "r+b" if way == "written over" else "ab", buffering=0) as file:
            file.write(second)


def _labels(path: Path) -> list[str]:
    """Of the rows of the file as it is in the end; none if it cannot be read any more."""
    try:
        if path.suffix == ".npy":
            first_column = np.load(path)[:, 0]
        else:
            first_column = (pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path))["a"]
        return [VERSIONS[int(value > 0)] for value in first_column]
    except Exception:
        return []


def _seconds(folder: Path, model: Path, command: str, path: Path) -> float:
    """How long a command takes, the second time."""
    for _ in range(2):
        began = time.perf_counter()
        assert _use(folder, model, command, path) == "served"
    return time.perf_counter() - began


def _versions(folder: Path, kind: str) -> list[bytes]:
    """The bytes of a file whose rows are all of the first class, and of one whose rows are of the second."""
    found, rng = [], np.random.default_rng(1)
    for place, n_rows in zip((-10, 10), ROWS, strict=True):
        X, path = rng.normal(place, 1, size=(n_rows, 5)), folder / f"version{kind}"
        table = pd.DataFrame(X, columns=[*"abcde"])
        if kind == ".npy":
            np.save(path, X)
        elif kind == ".csv":
            table.to_csv(path, index=False)
        else:
            table.to_parquet(path, row_group_size=100)
        found.append(path.read_bytes())
        path.unlink()
    return found


def _saved_model(folder: Path) -> Path:
    """The model that labels rows as their version, and the source that it was fitted to."""
    from tsrp import NN

    rng = np.random.default_rng(2)
    X = pd.DataFrame(np.vstack([rng.normal(place, 1, size=(10, 5)) for place in (-10, 10)]), columns=[*"abcde"])
    y = np.repeat(VERSIONS, 10)
    X.assign(label=y).to_csv(folder / "source.csv", index=False)
    NN().fit(X, y, X).save(folder / "model.tsrp")
    return folder / "model.tsrp"
