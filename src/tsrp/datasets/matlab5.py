"""The layout of MAT files of version 5: checked before scipy reads one, which can crash on damaged type codes.

A file is a row of elements: type and size, of 4 bytes each, then the content, filled up to 8 bytes. A matrix is an
element that holds others: flags, dimensions, name, and values. Compressed elements need no check, as they carry a
checksum.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Iterator
from pathlib import Path

from tsrp.datasets.files import reading

HEADER = 128
# Types of elements.
INT32, UINT32, MATRIX, COMPRESSED = 5, 6, 14, 15
NUMBERS = {*range(1, 8), 9, 12, 13}
TEXT = {16, 17, 18}
# Classes of matrices, and the flag of complex ones.
CELL, CHAR, SPARSE, NUMERIC, OPAQUE = 1, 4, 5, range(6, 16), 17
COMPLEX = 0x800


def check_elements(path: Path) -> None:
    """Refuse a file whose elements are not where their sizes say, or not of the types that their matrix needs."""
    with reading(path, "MAT"), open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        order = "<" if data[126:128] == b"IM" else ">"
        for kind, start, stop in _elements(data, HEADER, len(data), order):
            if kind == MATRIX:
                _check_matrix(data, start, stop, order)


def _elements(data: mmap.mmap, start: int, stop: int, order: str) -> Iterator[tuple[int, int, int]]:
    """Type, start and end of the content of each element."""
    while start + 8 <= stop:
        kind, size = struct.unpack_from(f"{order}II", data, start)
        begin = start + 8
        # Up to 4 bytes of content stand in place of the size, which then shares its bytes with the type.
        small = kind >> 16
        if small:
            kind, size, begin = kind & 0xFFFF, small, start + 4
        end = begin + size
        if kind not in NUMBERS | TEXT | {MATRIX, COMPRESSED} or small > 4 or end > stop:
            raise ValueError(f"wrong type or size at byte {start}")
        yield kind, begin, end
        start = end if kind == COMPRESSED else start + 8 if small else end + -size % 8


def _check_matrix(data: mmap.mmap, start: int, stop: int, order: str) -> None:
    if start == stop:  # an empty cell
        return
    elements = list(_elements(data, start, stop, order))
    head, values = [kind for kind, _, _ in elements[:3]], [kind for kind, _, _ in elements[3:]]
    flags, _ = struct.unpack_from(f"{order}II", data, elements[0][1])
    matrix, parts = flags & 0xFF, 2 if flags & COMPLEX else 1
    if matrix == OPAQUE:  # an object of a layout of its own, which is listed but never read
        return
    _, begin, end = elements[1]
    dimensions = struct.unpack_from(f"{order}{(end - begin) // 4}i", data, begin)
    if matrix == CELL:
        fits = set(values) <= {MATRIX} and len(values) == math.prod(dimensions)
        for _, begin, end in elements[3:]:
            _check_matrix(data, begin, end, order)
    elif matrix == CHAR:
        fits = len(values) == 1 and set(values) <= NUMBERS | TEXT
    elif matrix == SPARSE:
        fits = len(values) == 2 + parts and set(values) <= NUMBERS
    else:
        fits = matrix not in NUMERIC or (len(values) == parts and set(values) <= NUMBERS)
    if head[:2] != [UINT32, INT32] or len(dimensions) < 2 or min(dimensions) < 0 or not fits:
        raise ValueError(f"wrong parts of a matrix at byte {start}")
