"""What every reader and writer of files shares: checks of paths, and whole files or none."""

from __future__ import annotations

import importlib
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeAlias

from tsrp.exceptions import InputError, OutputError, TsrpError

# An address of fsspec; pathlib takes one of the slashes away.
REMOTE = re.compile(r"([a-z][a-z0-9+]+):/+")


def is_remote(path: Path) -> bool:
    """Whether a path is an address such as ``"s3://days/*.parquet"``.

    Examples
    --------
    >>> is_remote(Path("s3://days/*.parquet")), is_remote(Path("days/*.parquet"))
    (True, False)
    """
    return REMOTE.match(str(path)) is not None


def kind_of(path: Path) -> str:
    """The suffix in lower case, with what lies beneath ``.gz``."""
    *_, before, last = ["", "", *(suffix.lower() for suffix in path.suffixes)]
    return before + last if last == ".gz" else last


def check_kind(path: Path, kinds: Iterable[str], error: type[TsrpError] = InputError) -> str:
    """The suffix, which must be one of `kinds`; `error` says whether the file is read or written."""
    kind = kind_of(path)
    if kind not in kinds:
        found = f"the suffix {kind!r}" if kind else "no suffix"
        raise error(f"{path} has {found}, which names no known format: use {', '.join(kinds)}.")
    return kind


def check_input(path: Path) -> None:
    """Refuse what is not a file, is empty, or may not be read."""
    try:
        if not path.exists():
            if is_remote(path):
                raise InputError(f"{path} is not on this machine: let a Dask cluster read it (`address`).")
            raise InputError(f"{path} does not exist: check the path.")
        if path.is_dir():
            raise InputError(f"{path} is a folder: name a file in it.")
        if not path.is_file():
            raise InputError(f"{path} is not a regular file: save the data in a file first.")
        with open(path, "rb") as file:
            first = file.read(1)
    except PermissionError as error:
        raise InputError(f"{path} cannot be read (permission denied): change its permissions.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be opened ({error.strerror}): check the path.") from error
    if not first:
        raise InputError(f"{path} is empty (0 bytes): write or download it again.")


# A file's number, size and time of its last change: what differs when it was replaced or written to.
Stamp: TypeAlias = tuple[int, int, int]


def stamp_of(path: Path) -> Stamp:
    """What tells a file from the same one after a change."""
    try:
        state = path.stat()
    except OSError as error:
        raise InputError(f"{path} cannot be opened any more ({error.strerror}): check the path.") from error
    return state.st_ino, state.st_size, state.st_mtime_ns


def check_unchanged(path: Path, stamp: Stamp) -> None:
    """Refuse a file that was replaced or written to since it had this stamp: parts of two versions are none of them."""
    if stamp_of(path) != stamp:
        raise InputError(f"{path} was changed while it was read: run this again when nothing writes to it.")


@contextmanager
def unchanged(path: Path, stamp: Stamp | None = None) -> Iterator[None]:
    """Refuse a file that changes while the body reads it, or since it had a stamp, whatever else the body says."""
    stamp = stamp_of(path) if stamp is None else stamp
    try:
        yield
    except TsrpError:
        check_unchanged(path, stamp)
        raise
    check_unchanged(path, stamp)


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever a parser raises on a damaged file into an `InputError`."""
    try:
        yield
    except TsrpError:
        raise
    except MemoryError as error:
        raise _too_large(path) from error
    # The parsers of damaged files raise nearly anything: zlib.error, struct.error, KeyError, IndexError and more.
    except Exception as error:
        # What libraries in C++ say of memory that they did not get.
        if "bad_alloc" in str(error):
            raise _too_large(path) from error
        reason = next(iter(str(error).splitlines()), "").rstrip(".") or type(error).__name__
        raise InputError(
            f"{path} cannot be read as {kind} ({reason}): it is cut short, damaged, or in another format; "
            "write or download it again."
        ) from error


def _too_large(path: Path) -> InputError:
    return InputError(f"{path} does not fit into memory: use a smaller file, or one that is intact.")


def check_place(path: Path, overwrite: bool) -> None:
    """Refuse a place where `replacing` could not write."""
    try:
        if path.is_dir():
            raise OutputError(f"{path} is a folder: name a file in it.")
        if path.exists() and not path.is_file():
            raise OutputError(f"{path} is not a regular file: choose another path.")
        if path.exists() and not overwrite:
            raise _exists(path)
        # A link to itself has no end.
        with suppress(FileNotFoundError, NotADirectoryError):
            path.stat()
        folder = path.resolve().parent
        if not folder.is_dir():
            raise OutputError(f"{path} cannot be written: the folder {folder} does not exist; create it first.")
    except OSError as error:
        raise OutputError(f"{path} cannot be written ({error.strerror}): choose another path.") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"{path} cannot be written: permission denied for the folder {folder}; choose another one.")


def check_apart(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Refuse an output that is an input, or another output."""
    # Not by `Path.resolve`, which fails at a link to itself.
    known = {os.path.realpath(path): "an input" for path in inputs if path is not None}
    for path in outputs:
        if path is not None:
            place = os.path.realpath(path)
            if place in known:
                raise OutputError(f"{path} is {known[place]} too; choose another path.")
            known[place] = "another output"


@contextmanager
def replacing(path: Path, overwrite: bool = True) -> Iterator[IO[bytes]]:
    """A new file that takes the place of `path` when the body has ended well; otherwise nothing has changed.

    Without `overwrite`, a file that has appeared there meanwhile stays, and is an error.
    """
    # A link stays a link: its file is replaced. The other name is short, as names near the limit must work too.
    whole = Path(os.path.realpath(path))
    part = whole.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with removing(part):
            with open(part, "xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            (_replace if overwrite else _put)(part, whole)
    except FileExistsError as error:
        raise _exists(path) from error
    except OSError as error:
        raise OutputError(f"{path} cannot be written ({error.strerror or error}): choose another path.") from error


@contextmanager
def removing(part: Path) -> Iterator[None]:
    """Remove a file, if it is there, when the body has ended in whatever way; an interruption waits for that."""
    try:
        yield
    finally:
        # Where nothing can be written, there is nothing to remove either.
        try:
            with suppress(OSError):
                part.unlink()
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise


def _replace(part: Path, whole: Path) -> None:
    """Put a file in the place of another, whose permissions it gets."""
    with suppress(FileNotFoundError):
        os.chmod(part, stat.S_IMODE(whole.stat().st_mode))
    os.replace(part, whole)


def _put(part: Path, whole: Path) -> None:
    """Give a file another name, which no file has yet."""
    try:
        os.link(part, whole)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        _put_without_links(part, whole)


def _put_without_links(part: Path, whole: Path) -> None:
    try:
        os.close(os.open(whole, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(part, whole)
    except FileExistsError:
        raise
    except BaseException:
        # The empty file that holds the place is ours.
        if part.exists() and whole.exists() and not whole.stat().st_size:
            whole.unlink()
        raise


def _exists(path: Path) -> OutputError:
    return OutputError(f"{path} exists; pass `overwrite=True` to replace it.")


def optional(module: str, path: Path, error: type[TsrpError] = InputError) -> Any:
    """A module of the extra `files`, or a sentence on how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        package = module.partition(".")[0]
        raise error(
            f'{path} needs the package {package}, which is not installed: run  pip install "tsrp[files]".'
        ) from missing


def listed(names: Iterable[object], most: int = 5) -> str:
    """The first few names in a row, and how many more there are."""
    every = [str(name) for name in names]
    more = len(every) - most
    return ", ".join(every[:most]) + (f" and {more} more" if more > 0 else "")
