"""Getting the files of a data set: from pinned addresses, checked before they take their place."""

from __future__ import annotations

import os
import secrets
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol
from urllib.parse import urljoin

from tsrp.datasets.checksums import fault
from tsrp.datasets.loading import data_folder, find_dataset, is_usable
from tsrp.datasets.record import DataFile
from tsrp.exceptions import DownloadError, UsageError
from tsrp.io.files import removing

GITHUB = "https://raw.githubusercontent.com"
ATTEMPTS = 3
# Seconds to the next attempt, times the number of the last one; and how long a server may say nothing.
PAUSE, TIMEOUT = 1.0, 60.0
# Seconds that a file may take, bytes of one whose size is not known, and servers that may pass us on.
DEADLINE, MOST, REDIRECTS = 1800.0, 100_000_000, 5
# These answers stay what they are, however often one asks.
FINAL = (400, 401, 403, 404, 410)


class Bar(Protocol):
    """A progress bar as pooch drives it."""

    total: int

    def update(self, amount: int) -> None: ...
    def reset(self) -> None: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class Fetched:
    """What became of a file: ``"kept"``, ``"fetched"``, ``"replaced"`` (it was damaged) or ``"no address"``."""

    file: DataFile
    path: Path
    what: str
    reason: str | None = None


def fetch(
    dataset: str,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    mirror: str = GITHUB,
    bar: Bar | None = None,
) -> Iterator[Fetched]:
    """Download the files of a data set that are not on this disk, or cannot be used.

    A file of the same samples, features and classes that is not the published one is kept: it is somebody's own copy.

    Parameters
    ----------
    dataset : str
        Its name.
    data_dir : path, optional
        Where the data sets are; see `tsrp.datasets.data_folder`.
    mirror : str, optional
        What stands before the addresses, for those who cannot reach GitHub.
    bar : object, optional
        A progress bar as pooch takes it, for each file anew.

    Yields
    ------
    Fetched
        For each file, when it is there.

    Raises
    ------
    DownloadError
        If a file cannot be had. Those before it are there, of this one there is nothing.
    """
    about = find_dataset(dataset)
    check_mirror(mirror)
    folder = data_folder(data_dir) / dataset
    for file in about.files:
        path = folder / file.name
        if path.is_dir():
            raise DownloadError(f"{path} is a folder where a file should be: remove it.")
        reason = fault(path, file) if path.is_file() else None
        if path.is_file() and reason is None:
            yield Fetched(file, path, "kept")
        elif path.is_file() and is_usable(about, file, data_dir):
            # Somebody's own copy, which is not ours to replace.
            yield Fetched(file, path, "kept", f"not the published file: {reason}")
        elif file.address is None:
            yield Fetched(file, path, "no address")
        else:
            _download(file, path, f"{mirror.rstrip('/')}/{file.address}", bar)
            yield Fetched(file, path, "replaced" if reason else "fetched", reason)


def check_mirror(mirror: str) -> None:
    """Refuse what is not the address of a server."""
    if not mirror.startswith(("http://", "https://")):
        raise UsageError(f"`mirror` must begin with http:// or https://, but it is {mirror!r}.")


def _download(file: DataFile, path: Path, url: str, bar: Bar | None) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        with _part_of(path) as part:
            reason, final = _attempt(file, part, url, bar)
            if reason is None:
                part.replace(path)
                return
        if final or attempt == ATTEMPTS:
            tried = "" if final else f" after {ATTEMPTS} attempts"
            raise DownloadError(
                f"{file.name} could not be downloaded from {url}{tried} ({reason}): try again later, or get the file "
                f"in another way and put it into {path.parent}."
            )
        time.sleep(PAUSE * attempt)


@contextmanager
def _part_of(path: Path) -> Iterator[Path]:
    """A name beside `path` for what is not complete yet; it is gone afterwards, whatever happens."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DownloadError(
            f"{path.parent} cannot be made ({error.strerror}): name another folder with `data_dir` or TSRP_DATA."
        ) from error
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise DownloadError(
            f"{path.parent} cannot be written to (permission denied): name another folder with `data_dir` or TSRP_DATA."
        )
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    with removing(part):
        yield part


def _attempt(file: DataFile, part: Path, url: str, bar: Bar | None) -> tuple[str | None, bool]:
    """Why it did not work, if it did not, and whether another attempt would be in vain."""
    import pooch
    import requests

    redirects: list[str] = []

    def check_redirect(answer: requests.Response, **_: Any) -> None:
        if answer.is_redirect:
            redirects.append(urljoin(answer.url, answer.headers["location"]))
            if not redirects[-1].startswith("https://"):
                raise _Unwanted(f"the server passes on to {redirects[-1]}, which is not https")
            if len(redirects) > REDIRECTS:
                raise _Unwanted(f"the server passes on more than {REDIRECTS} times")

    get = pooch.HTTPDownloader(bar if bar is not None else False, timeout=TIMEOUT, hooks={"response": check_redirect})
    try:
        with open(part, "xb") as stream:
            get(url, _Bounded(stream, MOST if file.size is None else file.size), None)
    except _Unwanted as error:
        return str(error), True
    except requests.HTTPError as error:
        answer = error.response
        assert answer is not None
        return f"the server answered {answer.status_code} {answer.reason}", answer.status_code in FINAL
    except (requests.RequestException, OSError) as error:
        return f"{type(error).__name__}: {textwrap.shorten(str(error), 300, placeholder=' ...')}", False
    reason = fault(part, file)
    return (None if reason is None else f"what came is not the file: {reason}"), False


class _Unwanted(Exception):
    """An answer that is not worth its end, nor another attempt."""


class _Bounded:
    """A file that takes neither more bytes than it should have nor more time than there is."""

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self.stream, self.most, self.left = stream, most, most
        self.deadline = time.monotonic() + DEADLINE

    def write(self, data: bytes) -> None:
        self.left -= len(data)
        if self.left < 0:
            raise _Unwanted(f"the server sends more than the {self.most:,} bytes of the file")
        if time.monotonic() > self.deadline:
            raise _Unwanted(f"it takes more than {DEADLINE / 60:.0f} minutes")
        self.stream.write(data)

    def flush(self) -> None:
        self.stream.flush()
