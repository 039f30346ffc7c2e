"""Bytes that were changed, cut off or inserted, also beneath the checksums of what packs them."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np

# Places at which a file is damaged, at most: with many of them readers get no further than its head.
MOST_PLACES = (1, 3, 30)


def damaged(raw: bytes, rng: np.random.Generator) -> bytes:
    """A file as it may be after an accident, or as somebody would try it."""
    data = bytearray(raw)
    kind = rng.integers(4)
    if kind == 0:
        return bytes(data[: rng.integers(1, len(data))])
    for _ in range(rng.integers(1, 1 + rng.choice(MOST_PLACES))):
        place, other = (int(where) for where in rng.integers(len(data), size=2))
        if kind == 1:
            data[place] = rng.integers(256)
        elif kind == 2:
            data[place:place] = rng.bytes(int(rng.integers(1, 9)))
        else:
            # Bytes that such a file has elsewhere.
            data[place : place + 8] = data[other : other + int(rng.integers(9))]
    return bytes(data)


def damaged_within(raw: bytes, rng: np.random.Generator) -> bytes:
    """The same for a gzip or ZIP file, whose checksums are right again; for others no more."""
    if raw.startswith(b"\x1f\x8b"):
        return gzip.compress(damaged(gzip.decompress(raw), rng))
    if not raw.startswith(b"PK"):
        return damaged(raw, rng)
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = sorted(members)[int(rng.integers(len(members)))]
    members[name] = damaged(members[name], rng)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for member, data in members.items():
            archive.writestr(member, data)
    return packed.getvalue()
