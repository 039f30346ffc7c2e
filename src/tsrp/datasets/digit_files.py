"""The embedded digits as files of the kind that users have, to try the commands on."""

from __future__ import annotations

from pathlib import Path

import numpy.typing as npt

from tsrp._types import FloatArray
from tsrp.datasets.digits import load_digit_pair
from tsrp.io.writers import check_output, write_labels

# So many of the handwritten digits come later.
LATER = 297


def write_digit_files(folder: Path, seed: int = 0) -> dict[Path, str]:
    """Write the digits as files of the kind that users have, none of which may exist.

    Parameters
    ----------
    folder : Path
        An existing folder.
    seed : int, default 0
        Of the printed digits.

    Returns
    -------
    dict of Path to str
        The files, and what is in them.
    """
    pair = load_digit_pair(seed)
    source = folder / "printed.csv", _columns(pair.Xs) | {"label": pair.ys}
    target = folder / "handwritten.csv", _columns(pair.Xt[:-LATER]) | {"truth": pair.yt[:-LATER]}
    later = folder / "tomorrow.csv", _columns(pair.Xt[-LATER:])
    for path, _ in (source, target, later):
        check_output(path)
    for path, columns in (source, target, later):
        write_labels(path, columns)
    return {
        source[0]: f"{len(pair.Xs):,} printed digits, labelled in the column label",
        target[0]: f"{len(pair.Xt) - LATER:,} handwritten digits; the column truth is for a report only",
        later[0]: f"{LATER} more handwritten digits, for predict",
    }


def _columns(X: FloatArray) -> dict[str, npt.ArrayLike]:
    return {f"pixel{j}": column for j, column in enumerate(X.T.astype(int))}
