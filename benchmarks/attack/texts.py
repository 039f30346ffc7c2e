"""Labels, identifiers and names of columns that would rewrite a terminal, or are no text at all."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from typer.testing import CliRunner

# A title, a cleared screen, colours in seven and in eight bits, a line written over, a turned direction, a link, and
# markup of the library that prints.
TEXTS = (
    "\x1b]0;title\x07",
    "\x1b[2J\x1b[H",
    "\x1b[31mred",
    "\x9b31mred",
    "ok\rbad",
    "a\x08b",
    "a\x7fb",
    "\u202egnp.exe",
    "\x1b]8;;http://x\x1b\\here",
    "[bold]x[/bold]",
)
# As labels of an array: a surrogate alone, and a code beyond the last character.
CODES = (0xD800, 0xDFFF, 0x110000, 0xFFFFFFFF)
FORMATS = (".csv", ".tsv", ".parquet")


def print_texts(folder: Path, texts: tuple[str, ...] = TEXTS, codes: tuple[int, ...] = CODES) -> Counter[str]:
    """Give each text to each command; how often all that is printed was printable, or what happened."""
    found: Counter[str] = Counter()
    for name, command in itertools.chain(_with_texts(folder, texts), _with_codes(folder, codes)):
        found[_outcome(name, command)] += 1
    return found


def _outcome(name: str, command: list[Any]) -> str:
    """Run a command; whether it was refused or served, and what it printed that no terminal should get."""
    from tsrp.cli import app

    result = CliRunner().invoke(app, [str(word) for word in command], env={"TERM": "dumb", "COLUMNS": "200"})
    shown = result.stdout + result.stderr
    odd = sorted({char for char in shown if not char.isprintable() and char != "\n"})
    if odd:
        return f"{name}: printed {odd}"[:200]
    if result.exit_code in (2, 3, 4):
        # Notes may come before.
        sentences = [line for line in result.stderr.splitlines() if not line.startswith("note: ")]
        return "refused" if len(sentences) == 1 else f"{name}: refused in several lines"
    return "served" if result.exit_code == 0 else f"{name}: exit code {result.exit_code}, {result.stderr[-200:]}"


def _with_texts(folder: Path, texts: tuple[str, ...]) -> Iterator[tuple[str, list[Any]]]:
    """Commands on tables that have the text as label, as name of a column and as identifier."""
    rng = np.random.default_rng(0)
    X, numbers = rng.normal(size=(24, 3)) + np.repeat([[0], [5]], 12, axis=0), np.arange(24)
    for i, (text, suffix) in enumerate(itertools.product(texts, FORMATS)):
        source, target, model = folder / f"source{i}.csv", folder / f"target{i}.csv", folder / f"{i}.tsrp"
        names = ["a", "b", text]
        table = pd.DataFrame(X, columns=names).assign(label=np.repeat([text, "other"], 12))
        table.to_csv(source, index=False)
        # The constant column has a note, and the column that is no feature another.
        late = pd.DataFrame(X, columns=names).assign(extra=numbers, key=[f"{text}{k}" for k in numbers])
        late.rename(columns={"extra": f"{text}extra"}).to_csv(target, index=False)
        late.drop(columns="a").to_csv(folder / f"short{i}.csv", index=False)
        output = ["-o", folder / f"labels{i}{suffix}", "--force"]
        yield f"adapt {text!r}", ["adapt", source, target, "-m", "nn", "--id", "key", "--save", model, *output]
        yield f"predict {text!r}", ["predict", model, target, "--id", "key", *output]
        yield f"predict without a column {text!r}", ["predict", model, folder / f"short{i}.csv", *output]
        yield f"adapt to nothing {text!r}", ["adapt", source, target, "--label", f"{text}none", *output]
        yield f"tune {text!r}", ["tune", source, target, "-m", "nn", "--jobs", 1, "--id", "key", *output]


def _with_codes(folder: Path, codes: tuple[int, ...]) -> Iterator[tuple[str, list[Any]]]:
    """Commands on arrays whose labels are no text, or numbers that only NumPy has."""
    X = np.random.default_rng(0).normal(size=(8, 3))
    for i, (code, suffix) in enumerate(itertools.product([*codes, None], FORMATS)):
        path = folder / f"codes{i}.npz"
        labels: Any = np.repeat(np.array([1, 2], dtype=np.longdouble), 4)
        if code is not None:
            labels = np.array([[ord("a"), code]] * 4 + [[ord("b"), 0]] * 4, dtype=np.uint32).view("<U2").ravel()
        np.savez(path, X=X, y=labels)
        output = ["-o", folder / f"codes{i}{suffix}", "--force"]
        yield f"adapt {code}", ["adapt", path, path, "-m", "nn", *output]
        yield f"tune {code}", ["tune", path, path, "-m", "nn", "--jobs", 1, *output]
