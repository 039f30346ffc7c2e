"""The layout of MAT files of version 5 to 7: what they hold, and whether scipy can read it.

A file is a row of elements: type and size, of 4 bytes each, then the content, filled up to 8 bytes. A variable is an
element that holds others: flags, dimensions, name, and values. It may be compressed, and then carries a checksum; where
it is not, damaged types and sizes could crash scipy, and are looked for here.
"""

from __future__ import annotations

import math
import mmap
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from tsrp.io.files import reading

Bytes: TypeAlias = bytes | mmap.mmap

HEADER = 128
# Enough of a compressed variable to hold its flags, dimensions and name.
START = 4096
# Types of elements.
INT32, UINT32, MATRIX, COMPRESSED = 5, 6, 14, 15
NUMBERS = {*range(1, 8), 9, 12, 13}
TEXT = {16, 17, 18}
# Classes of matrices by number, and the flags of logical and complex ones.
CLASSES = (
    *("", "cell", "struct", "object", "char", "sparse", "double", "single"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "function", "opaque"),
)
NUMERIC = range(6, 16)
LOGICAL, COMPLEX = 0x200, 0x800


def variables(path: Path) -> dict[str, str]:
    """The name of each variable and its class, such as "double"; refuses a damaged file."""
    found = {}
    with reading(path, "MAT"), open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        order = "<" if data[126:128] == b"IM" else ">"
        for kind, start, stop in _elements(data, HEADER, len(data), order):
            if kind == COMPRESSED:
                content: Bytes = zlib.decompressobj().decompress(data[start:stop], START)
                name, matrix = _title(content, 8, len(content), order)
            else:
                name, matrix = _title(data, start, stop, order)
                _check_matrix(data, start, stop, order)
            found[name] = matrix
        if not found:
            raise ValueError("no variables")
    # MATLAB keeps what objects refer to in a variable without a name.
    return {name: matrix for name, matrix in found.items() if name}


def _elements(data: Bytes, start: int, stop: int, order: str) -> Iterator[tuple[int, int, int]]:
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


def _title(data: Bytes, start: int, stop: int, order: str) -> tuple[str, str]:
    """Name and class of a variable."""
    elements = _elements(data, start, stop, order)
    _, begin, _ = next(elements)
    flags = struct.unpack_from(f"{order}I", data, begin)[0]
    matrix = CLASSES[flags & 0xFF]
    # Opaque objects have no dimensions.
    if matrix != "opaque":
        next(elements)
    _, begin, end = next(elements)
    logical = flags & LOGICAL and (flags & 0xFF) in NUMERIC
    return data[begin:end].decode(), "logical" if logical else matrix


def _check_matrix(data: Bytes, start: int, stop: int, order: str) -> None:
    """Refuse a matrix whose parts are not those of its class."""
    if start == stop:  # an empty cell
        return
    elements = list(_elements(data, start, stop, order))
    kinds = [kind for kind, _, _ in elements]
    flags = struct.unpack_from(f"{order}I", data, elements[0][1])[0]
    matrix = CLASSES[flags & 0xFF]
    if matrix == "opaque":
        return
    _, begin, end = elements[1]
    dimensions = struct.unpack_from(f"{order}{(end - begin) // 4}i", data, begin)
    values = set(kinds[3:])
    parts = 2 if flags & COMPLEX else 1
    fits = True
    if matrix == "cell":
        fits = values <= {MATRIX} and len(kinds) - 3 == math.prod(dimensions)
        for _, begin, end in elements[3:]:
            _check_matrix(data, begin, end, order)
    elif matrix == "char":
        fits = values <= NUMBERS | TEXT and len(kinds) == 4
    elif matrix == "sparse":
        fits = values <= NUMBERS and len(kinds) == 5 + parts
    elif (flags & 0xFF) in NUMERIC:
        fits = values <= NUMBERS and len(kinds) == 3 + parts
    if kinds[:2] != [UINT32, INT32] or len(dimensions) < 2 or min(dimensions) < 0 or not fits:
        raise ValueError(f"wrong parts of a matrix at byte {start}")
