"""What lies within an HDF5 file: the format lets a file point to others, which are never opened here.

A file of data from elsewhere could otherwise have any file of this machine copied into the output.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tsrp.exceptions import InputError
from tsrp.io.declared import ADVICE, check_array, footprint
from tsrp.io.files import optional
from tsrp.memory import check_memory, memory_limit

# As many soft links in a row as HDF5 itself follows.
MOST_LINKS = 16
# What a cell costs beside its values.
PER_CELL = 200
# Filters of chunks by HDF5's numbers, and how many times as much as is stored each of the packing ones may unpack to.
DEFLATE, SHUFFLE, CHECKSUM, LZF = 1, 2, 3, 32000
PACKING = {DEFLATE: 1_032, LZF: 90}
PLAIN_FILTERS = {*PACKING, SHUFFLE, CHECKSUM}
# No packing makes a chunk larger than that: a hundredth of it, and some bytes.
STORED_BEYOND = 1.01, 100


def lookup(file: Any, name: str, path: Path) -> Any:
    """The object of a name; links within the file are followed, one to another file is refused."""
    return _follow(file, file, name, path, MOST_LINKS)


def check_dataset(item: Any, path: Path) -> int:
    """Refuse a dataset whose values are in other files or do not fit into memory; bytes that it needs."""
    h5py = optional("h5py", path)
    if not isinstance(item, h5py.Dataset):
        return 0
    name = str(item.name).lstrip("/")
    if item.external:
        raise _elsewhere(path, name, "is stored in another file")
    if item.is_virtual:
        raise _elsewhere(path, name, "is made up of other datasets")
    refers = h5py.check_ref_dtype(item.dtype) is not None
    # A value that is stored once may stand in each element.
    if item.dtype.hasobject and not refers:
        raise InputError(f"{path}: {name} holds values of various lengths, but only plain arrays are read; save one.")
    # A part that was packed is unpacked as a whole, even if it reaches beyond the dataset.
    for shape in filter(None, (item.shape, item.chunks)):
        check_array(path, name, shape, item.dtype)
    if refers:
        check_memory(f"{path}: {name} (a cell array)", PER_CELL * (item.size or 0), ADVICE)
    _check_chunks(item, path, name)
    return footprint(item.size or 0, item.dtype)


def read_cells(file: Any, item: Any, path: Path) -> Iterator[Any]:
    """The datasets of a cell array one by one, as long as all of them fit into memory."""
    needed, limit = 0, memory_limit()
    for reference in item[()].T.ravel():
        cell = file[reference]
        needed += PER_CELL + check_dataset(cell, path)
        if needed > limit:
            check_memory(f"{path}: {item.name.lstrip('/')} (a cell array)", needed, ADVICE)
        yield cell


def check_attribute(item: Any, name: str) -> None:
    """Refuse an attribute of several values: each may be as long as the file."""
    if math.prod(item.attrs.get_id(name).shape) > 1:
        raise ValueError(f"{name} of {item.name} has several values")


def _check_chunks(item: Any, path: Path, name: str) -> None:
    """Refuse packed chunks that unpack to more than they declare, or that nobody can tell of beforehand."""
    settings = item.id.get_create_plist()
    filters = [settings.get_filter(number)[0] for number in range(settings.get_nfilters())]
    packing = [number for number in filters if number not in (SHUFFLE, CHECKSUM)]
    if not packing:
        return
    # What was packed last is unpacked first.
    if len(packing) > 1 or not PLAIN_FILTERS.issuperset(filters) or SHUFFLE in filters[filters.index(packing[0]) :]:
        raise InputError(f"{path}: {name} is packed in another way than MATLAB packs arrays; save it with gzip.")
    size, limit = math.prod(item.chunks) * item.dtype.itemsize, memory_limit()
    times, (share, bytes_more) = PACKING[packing[0]], STORED_BEYOND
    for offset, stored in _stored_chunks(item):
        if stored > share * size + bytes_more or (times * stored > limit and _unpacks_beyond(item, offset, size)):
            raise ValueError(f"a part of {name} is larger than it says")


def _stored_chunks(item: Any) -> list[tuple[tuple[int, ...], int]]:
    """Where each packed chunk begins, and its bytes in the file."""
    found: list[tuple[tuple[int, ...], int]] = []

    def note(chunk: Any) -> None:
        found.append((chunk.chunk_offset, chunk.size))

    if hasattr(item.id, "chunk_iter"):
        item.id.chunk_iter(note)
    else:  # with an HDF5 of before 1.12.3
        for number in range(item.id.get_num_chunks()):
            note(item.id.get_chunk_info(number))
    return found


def _unpacks_beyond(item: Any, offset: tuple[int, ...], size: int) -> bool:
    """Whether a chunk that gzip has packed is larger than it should be; of others that is not known."""
    if item.compression != "gzip":
        return False
    skipped, packed = item.id.read_direct_chunk(offset)
    return not skipped and len(zlib.decompressobj().decompress(packed, size + 1)) > size


def _follow(file: Any, group: Any, name: str, path: Path, links_left: int) -> Any:
    h5py = optional("h5py", path)
    item = file if name.startswith("/") else group
    for step in filter(None, name.split("/")):
        link = item.get(step, getlink=True)
        if isinstance(link, h5py.ExternalLink):
            raise _elsewhere(path, f"{item.name}/{step}".lstrip("/"), "is a link to another file")
        if isinstance(link, h5py.SoftLink):
            if not links_left:
                raise InputError(f"{path}: {name} is a chain of too many links; save the values themselves.")
            links_left -= 1
            item = _follow(file, item, link.path, path, links_left)
        else:
            item = item[step]
    check_dataset(item, path)
    return item


def _elsewhere(path: Path, name: str, what: str) -> InputError:
    return InputError(f"{path}: {name} {what}, which is never opened; save the values in this file.")
