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
from typing import NamedTuple, TypeAlias

from tsrp.io.declared import ADVICE
from tsrp.io.files import reading
from tsrp.memory import check_memory

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
# Bytes of the widest numbers; and of memory for each byte of a cell array, whose cells are arrays of their own.
WIDEST = 8
PER_BYTE_OF_CELLS = 5


class Variable(NamedTuple):
    """What the first bytes of a variable declare: its class, such as "double", its dimensions, and bytes it needs."""

    kind: str
    shape: tuple[int, ...]
    needed: int


def variables(path: Path, wanted: str | None = None) -> dict[str, Variable]:
    """Each variable by its name; refuses a damaged file, and a variable that is `wanted` but too large."""
    found: dict[str, Variable] = {}
    with reading(path, "MAT"), open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        order = "<" if data[126:128] == b"IM" else ">"
        for kind, start, stop in _elements(data, HEADER, len(data), order):
            if kind == COMPRESSED:
                content: Bytes = zlib.decompressobj().decompress(data[start:stop], START)
                name, variable = _title(content, 8, len(content), order)
                if variable.kind == "cell" and name == wanted:
                    variable = _unpacked_cell(path, name, variable, data[start:stop], order)
            else:
                name, variable = _title(data, start, stop, order)
                _check_matrix(data, start, stop, order)
            if name and name in found:
                raise ValueError(f"several variables {name}")
            found[name] = variable
        if not found:
            raise ValueError("no variables")
    if wanted is not None:
        shape = " x ".join(map(str, found[wanted].shape))
        check_memory(f"{path}: {wanted} ({shape})", found[wanted].needed, ADVICE)
    # MATLAB keeps what objects refer to in a variable without a name.
    return {name: variable for name, variable in found.items() if name}


def _unpacked_cell(path: Path, name: str, variable: Variable, packed: bytes, order: str) -> Variable:
    """A packed cell array, looked at as a whole: nothing else tells what its cells declare."""
    unpack = zlib.decompressobj()
    [size] = struct.unpack_from(f"{order}4xI", unpack.decompress(packed, 8))
    check_memory(f"{path}: {name} (a cell array)", PER_BYTE_OF_CELLS * size, ADVICE)
    content = unpack.decompress(unpack.unconsumed_tail, size + 1)
    if len(content) != size:
        raise ValueError(f"wrong size of {name}")
    _check_matrix(content, 0, size, order)
    return variable._replace(needed=PER_BYTE_OF_CELLS * size)


def _elements(data: Bytes, start: int, stop: int, order: str) -> Iterator[tuple[int, int, int]]:
    """Type, start and end of the content of each element."""
    while start + 8 <= stop:
        kind, begin, end, small = _tag(data, start, order)
        if end > stop:
            raise ValueError(f"wrong type or size at byte {start}")
        yield kind, begin, end
        start = end if kind == COMPRESSED else start + 8 if small else end + -(end - begin) % 8


def _tag(data: Bytes, start: int, order: str) -> tuple[int, int, int, bool]:
    """Type, start and end of the content of the element that begins here, and whether it is a small one."""
    kind, size = struct.unpack_from(f"{order}II", data, start)
    begin = start + 8
    # Up to 4 bytes of content stand in place of the size, which then shares its bytes with the type.
    small = kind >> 16
    if small:
        kind, size, begin = kind & 0xFFFF, small, start + 4
    if kind not in NUMBERS | TEXT | {MATRIX, COMPRESSED} or small > 4:
        raise ValueError(f"wrong type or size at byte {start}")
    return kind, begin, begin + size, bool(small)


def _title(data: Bytes, start: int, stop: int, order: str) -> tuple[str, Variable]:
    """Name and declaration of a variable."""
    elements = _elements(data, start, stop, order)
    _, begin, _ = next(elements)
    flags = struct.unpack_from(f"{order}I", data, begin)[0]
    kind, shape = CLASSES[flags & 0xFF], ()
    # Opaque objects have no dimensions.
    if kind != "opaque":
        _, begin, end = next(elements)
        shape = struct.unpack_from(f"{order}{(end - begin) // 4}i", data, begin)
    _, begin, end = next(elements)
    name = data[begin:end].decode()
    count = math.prod(shape)
    plain = kind == "char" or (flags & 0xFF) in NUMERIC
    if plain and min(shape, default=0) >= 0 and count:
        behind = end + (start - end) % 8
        _, values, values_end, _ = _tag(data, behind, order)
        if values_end - values > WIDEST * count:
            raise ValueError(f"more values than {name} has room for")
    if plain and flags & COMPLEX:
        kind = "complex"
    elif flags & LOGICAL and (flags & 0xFF) in NUMERIC:
        kind = "logical"
    # As the file has them, and as they are used.
    return name, Variable(kind, shape, 2 * WIDEST * count)


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
