"""What lies within an HDF5 file: the format lets a file point to others, which are never opened here.

A file of data from elsewhere could otherwise have any file of this machine copied into the output.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tsrp.exceptions import InputError
from tsrp.io.files import optional

# As many soft links in a row as HDF5 itself follows.
MOST_LINKS = 16


def lookup(file: Any, name: str, path: Path) -> Any:
    """The object of a name; links within the file are followed, one to another file is refused."""
    return _follow(file, file, name, path, MOST_LINKS)


def check_own(item: Any, path: Path) -> None:
    """Refuse a dataset whose values are in other files, before any of them is opened."""
    h5py = optional("h5py", path)
    if isinstance(item, h5py.Dataset):
        if item.external:
            raise _elsewhere(path, item.name, "is stored in another file")
        if item.is_virtual:
            raise _elsewhere(path, item.name, "is made up of other datasets")


def _follow(file: Any, group: Any, name: str, path: Path, links_left: int) -> Any:
    h5py = optional("h5py", path)
    item = file if name.startswith("/") else group
    for step in filter(None, name.split("/")):
        link = item.get(step, getlink=True)
        if isinstance(link, h5py.ExternalLink):
            raise _elsewhere(path, f"{item.name.rstrip('/')}/{step}", "is a link to another file")
        if isinstance(link, h5py.SoftLink):
            if not links_left:
                raise InputError(f"{path}: {name} is a chain of too many links; save the values themselves.")
            links_left -= 1
            item = _follow(file, item, link.path, path, links_left)
        else:
            item = item[step]
    check_own(item, path)
    return item


def _elsewhere(path: Path, name: str, what: str) -> InputError:
    return InputError(f"{path}: {name.lstrip('/')} {what}, which is never opened; save the values in this file.")
