"""Is a file what it should be? By SHA-256 if that is known, else by git's id."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tsrp.datasets.record import DataFile

BLOCK = 1 << 20


def fault(path: Path, file: DataFile) -> str | None:
    """What is wrong with a file on disk, as the end of a sentence; None if nothing is, or nothing is known.

    Parameters
    ----------
    path : Path
        The file on disk.
    file : DataFile
        What it should be.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.txt")
    ...     _ = path.write_bytes(b"hello")
    ...     fault(path, DataFile("a.txt", blob="b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0"))
    ...     fault(path, DataFile("a.txt", size=6))
    'it has 5 bytes instead of 6'
    """
    size = path.stat().st_size
    if file.size is not None and size != file.size:
        return f"it has {size:,} bytes instead of {file.size:,}"
    if file.sha256 is not None:
        return _mismatch("SHA-256", sha256(path), file.sha256)
    if file.blob is not None:
        # Git hashes a header with the size before the bytes.
        header = hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
        return _mismatch("git id", _digest(path, header), file.blob)
    return None


def sha256(path: Path) -> str:
    """Of the bytes of a file."""
    return _digest(path, hashlib.sha256())


def _digest(path: Path, digest: hashlib._Hash) -> str:
    with open(path, "rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _mismatch(kind: str, found: str, expected: str) -> str | None:
    return None if found == expected else f"its {kind} is {found[:12]}... instead of {expected[:12]}..."
