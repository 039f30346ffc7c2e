"""The default on recordings of sensors: time series that come with the package sktime, which `make default` installs.

Source and target are the parts that their authors made for training and for tests, and the same with sensors of another
make: each channel of the target has a gain and an offset of its own.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.default_divided import keep, percents
from benchmarks.default_tables import Domains, by_kind

# All that have classes, but for UnitTest, which is a part of another one.
SERIES = (
    *("ACSF1", "ArrowHead", "BasicMotions", "GunPoint", "ItalyPowerDemand"),
    *("JapaneseVowels", "OSULeaf", "PLAID"),
)
AS_RECORDED, OTHER_MAKE = "as recorded", "sensors of another make"
KINDS = AS_RECORDED, OTHER_MAKE
# Of each channel: series of a set may differ in length.
N_POINTS = 50
# Gains are between its inverse and itself; offsets are deviations of the channel at most.
LARGEST_GAIN, LARGEST_OFFSET = 2.0, 1.0


def is_here() -> bool:
    return find_spec("sktime") is not None


def jobs() -> list[tuple[str, str]]:
    return [(name, kind) for kind in KINDS for name in SERIES] if is_here() else []


def parse(text: str) -> tuple[Any, Any]:
    """Series of a .ts file, each channel at so many points, shape (n, channels, points); and their labels."""
    lines = text.partition("@data\n")[2].splitlines()
    series, labels = [], []
    for line in filter(None, map(str.strip, lines)):
        *channels, label = line.split(":")
        series.append([_resampled(np.array(channel.split(","), dtype=float)) for channel in channels])
        labels.append(label)
    return np.array(series), np.array(labels)


def _resampled(channel: Any) -> Any:
    return np.interp(np.linspace(0, 1, N_POINTS), np.linspace(0, 1, len(channel)), channel)


def load(name: str, kind: str) -> Domains:
    """Source, its labels, target, the truth."""
    # Not by importing it: it is here without what it needs.
    folder = Path(str(distribution("sktime").locate_file(f"sktime/datasets/data/{name}")))
    (source, ys), (target, yt) = (parse((folder / f"{name}_{part}.ts").read_text()) for part in ("TRAIN", "TEST"))
    if kind == OTHER_MAKE:
        target = of_another_make(target, np.random.RandomState(zlib.crc32(name.encode())))
    return source.reshape(len(source), -1), ys, target.reshape(len(target), -1), yt


def of_another_make(series: Any, rng: np.random.RandomState) -> Any:
    """The same with a gain and an offset of each channel."""
    shape = 1, series.shape[1], 1
    gains = LARGEST_GAIN ** rng.uniform(-1, 1, shape)
    return gains * series + rng.uniform(-LARGEST_OFFSET, LARGEST_OFFSET, shape) * series.std(axis=(0, 2), keepdims=True)


def measure(name: str, kind: str) -> dict[str, Any]:
    return keep(name, kind, load(name, kind))


def series(found: Sequence[Mapping[str, Any]]) -> str:
    """The section of the page."""
    table = percents(found)
    about = (
        f"{table['table'].nunique()} sets of time series, as the package sktime has them, divided as their authors "
        f"did; features are the values of each channel at {N_POINTS} points in time, of series of any length. "
        f"*Sensors of another make*: each channel of the target has a gain between 1/{LARGEST_GAIN:g} and "
        f"{LARGEST_GAIN:g} and an offset of up to a deviation, drawn at random."
    )
    return "\n".join(["## Recordings of sensors", "", about, "", *by_kind(table, "series")])
