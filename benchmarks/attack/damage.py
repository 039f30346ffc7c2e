"""Bytes that were changed, cut off or inserted."""

from __future__ import annotations

import numpy as np


def damaged(raw: bytes, rng: np.random.Generator) -> bytes:
    """A file as it may be after an accident, or as somebody would try it."""
    data = bytearray(raw)
    kind = rng.integers(3)
    if kind == 0:
        return bytes(data[: rng.integers(1, len(data))])
    for _ in range(rng.integers(1, 30)):
        place = int(rng.integers(len(data)))
        if kind == 1:
            data[place] = rng.integers(256)
        else:
            data[place:place] = rng.bytes(int(rng.integers(1, 9)))
    return bytes(data)
