"""The default on tables that were divided: classes are not as frequent in both halves, and features mean the same.

Tables of scikit-learn, which everybody has: rows up to the median of a feature are the source, the others the target,
and the feature is left out.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from benchmarks.default_runs import BEFORE, FOLDER, VERSION
from tsrp import Panel
from tsrp.exceptions import InputError
from tsrp.selection.panel import IN_DOUBT
from tsrp.spec import MethodSpec

TABLES: dict[str, Callable[..., Any]] = {"Breast cancer": load_breast_cancer, "Wine": load_wine, "Iris": load_iris}
COLUMNS = {
    "panel": "panel",
    BEFORE: BEFORE,
    "LR": "logistic regression",
    "LR-z": "logistic regression, z-scores",
    "trees": "trees",
}
MUCH = 3.0


def divisions() -> list[tuple[str, int]]:
    """Tables and the features that divide them, if the source has all classes of the target."""
    found = []
    for name, load in TABLES.items():
        X, y = load(return_X_y=True)
        for feature in range(X.shape[1]):
            _, ys, _, yt = divide(X, y, feature)
            if np.isin(yt, ys).all():
                found.append((name, feature))
    return found


def divide(X: Any, y: Any, feature: int) -> tuple[Any, Any, Any, Any]:
    is_source = X[:, feature] <= np.median(X[:, feature])
    others = np.delete(X, feature, axis=1)
    return others[is_source], y[is_source], others[~is_source], y[~is_source]


def known(table: str, how: int | str) -> dict[str, Any] | None:
    """What was measured of a table that was divided in a way, if it was."""
    path = FOLDER / f"{table}, {how}.json"
    found = json.loads(path.read_text()) if path.exists() else {}
    return found if found.get("version") == VERSION else None


def keep(table: str, how: int | str, domains: tuple[Any, Any, Any, Any], **more: float) -> dict[str, Any]:
    """Measure the panel, and what a user might do otherwise, on a table that was divided in a way."""
    found = {"version": VERSION, "table": table, "how": how, **more, **accuracies(*domains)}
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{table}, {how}.json").write_text(json.dumps(found))
    return found


def measure(table: str, feature: int) -> dict[str, Any]:
    X, y = TABLES[table](return_X_y=True)
    return keep(table, feature, divide(X, y, feature))


def accuracies(Xs: Any, ys: Any, Xt: Any, yt: Any) -> dict[str, float]:
    """Of the panel, its members and the default before, and how far the panel doubts that adaptation helps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        panel = Panel().fit(Xs, ys, Xt)
        try:
            before = float(np.mean(MethodSpec(BEFORE).build().fit(Xs, ys, Xt).labels_ == yt))
        except InputError:
            # Rows that are all equal, scaled to unit length.
            before = np.nan
    own = {voter.name: float(np.mean(voter.model.labels_ == yt)) for voter in panel.voters_ if not voter.error}
    return {"panel": float(np.mean(panel.labels_ == yt)), BEFORE: before, "doubt": panel.doubt_, **own}


def percents(found: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """A row for each: `COLUMNS` in per cent, the gain over LR and LR-z, and whether adaptation was doubted."""
    kept = pd.DataFrame(found)
    table = 100 * kept[list(COLUMNS.values())].set_axis(list(COLUMNS), axis=1)
    gain = table["panel"] - table[["LR", "LR-z"]].max(axis=1)
    return table.assign(table=kept["table"], how=kept["how"], gain=gain, doubted=kept["doubt"] >= IN_DOUBT)


def divided(found: Sequence[Mapping[str, Any]]) -> str:
    """The section of the page."""
    table = percents(found)
    lines = [
        "## Divided tables",
        "",
        "Tables of scikit-learn: rows up to the median of a feature are the source, the others the target, without "
        "that feature. Classes are not as frequent in both halves, but features mean the same: adaptation may harm. "
        "*Doubted*: divisions in which members without adaptation decide ([the panel](panel.md)).",
        "",
        f"| table (divisions) | {' | '.join(COLUMNS)} | more than {MUCH:g} below LR or LR-z | doubted |",
        "|---|" + "---:|" * (len(COLUMNS) + 2),
    ]
    for name in TABLES:
        own = table[table["table"] == name]
        cells = [f"{own[column].mean():.1f}" for column in COLUMNS]
        cells += [f"{(own['gain'] < -MUCH).sum()}", f"{own['doubted'].sum()}"]
        lines.append(f"| {name} ({len(own)}) | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])
