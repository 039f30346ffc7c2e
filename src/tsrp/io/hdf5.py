"""What lies within an HDF5 file: the format lets a file point to others, which are never opened here.

A file of data from elsewhere could otherwise have any file of this machine copied into the output.
"""

from __future__ import annotations

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
    # A part that was packed is unpacked as a whole, even if it reaches beyond the dataset.
    for shape in filter(None, (item.shape, item.chunks)):
        check_array(path, name, shape, item.dtype)
    if item.dtype.kind == "O" and h5py.check_ref_dtype(item.dtype) is None:
        raise InputError(f"{path}: {name} holds values of various lengths, but only plain arrays are read; save one.")
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
