"""Data files of every format with bytes that were changed, cut off or inserted, read as the commands read them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.attack.damage import damaged, damaged_within
from benchmarks.synthetic import make_domains
from tsrp.exceptions import InputError
from tsrp.io.blocks import Blocks
from tsrp.io.readers import read_source, read_target
from tsrp.memory import limited_memory

# What a file may take: a damaged size must not take the machine.
LIMIT = 400e6


def damage_data_files(folder: Path, n: int, seed: int = 0) -> Counter[str]:
    """Damage files n times, each format in turn; how often they could be read, were refused, or something else."""
    originals = _write_each_format(folder)
    labels, rng = folder / "labels.csv", np.random.default_rng(seed)
    found: Counter[str] = Counter()
    for i in range(n):
        original = originals[i % len(originals)]
        path = folder / f"damaged-{original.name}"
        damage = damaged if rng.random() < 0.5 else damaged_within
        path.write_bytes(damage(original.read_bytes(), rng))
        found[_use(path, labels)] += 1
        path.unlink()
    return found


def _use(path: Path, labels: Path) -> str:
    """Read a file as source, as target, and as what a model is to label."""
    beside = labels if path.suffix == ".npy" else None
    with warnings.catch_warnings(), limited_memory(LIMIT):
        warnings.simplefilter("ignore")
        try:
            source = read_source(path, labels_path=beside)
            target = read_target(path, source)
            n_rows = sum(len(block.X) for block in Blocks(path, source.names, source.X.shape[1]))
        except InputError:
            return "refused"
        except Exception as error:
            return f"{path.name}: {type(error).__name__}: {error}"[:200]
    assert source.y is not None
    if len(source.y) != len(source.X) or not len(target.X) == len(source.X) == n_rows:
        return f"{path.name}: as a whole and in blocks it has other samples"
    return "served"


def _write_each_format(folder: Path) -> list[Path]:
    import h5py
    from scipy.io import savemat

    X, y, _, _ = make_domains(12, 12, 5, n_classes=3)
    names = np.array(["ant", "bee", "cat"])[y]
    table = pd.DataFrame(X, columns=[*"abcde"]).assign(label=names)
    table.label.to_csv(folder / "labels.csv", index=False)

    def write_hdf5(path: Path) -> None:
        with h5py.File(path, "w") as file:
            file.create_dataset("X", data=X.T, chunks=(2, 12), compression="gzip")
            file["y"] = y[None].astype(float)

    arrays: dict[str, Any] = {"X": X, "y": y}
    writers: dict[str, Callable[[Path], Any]] = {
        "table.csv": lambda path: table.to_csv(path, index=False),
        "table.tsv": lambda path: table.to_csv(path, index=False, sep="\t"),
        "packed.csv.gz": lambda path: table.to_csv(path, index=False),
        "table.parquet": table.to_parquet,
        "arrays.npz": lambda path: np.savez(path, **arrays),
        "packed.npz": lambda path: np.savez_compressed(path, **arrays),
        "array.npy": lambda path: np.save(path, X),
        "matlab5.mat": lambda path: savemat(path, arrays),
        "packed5.mat": lambda path: savemat(path, arrays | {"text": names}, do_compression=True),
        "matlab73.mat": write_hdf5,
    }
    for name, write in writers.items():
        write(folder / name)
    return [folder / name for name in writers]
