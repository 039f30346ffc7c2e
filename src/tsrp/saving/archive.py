"""The file of a saved model: a ZIP archive of a manifest in JSON, arrays in NumPy's format, and checksums.

docs/model-format.md describes it for those who read it without this package.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import zipfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tsrp.base.fitted import FittedModel
from tsrp.exceptions import InputError, TsrpError, UsageError
from tsrp.io.files import check_input, check_place, reading, replacing
from tsrp.memory import check_memory, memory_limit
from tsrp.saving.fields import Reader, Scope, Writer
from tsrp.saving.parts import MODELS, SCHEMAS
from tsrp.saving.schema import ASSESSED, read_part, write_part
from tsrp.saving.trial import check_usable
from tsrp.spec import MethodSpec

FORMAT, VERSION = "tsrp model", 4
# Bytes that Python takes for each byte of JSON, at most.
OBJECTS = 30
# Characters of a reason in an error.
LONGEST = 150
MANIFEST, CHECKSUM = "manifest.json", "manifest.sha256"
# The same model is the same file, whenever it is saved.
NO_DATE = (1980, 1, 1, 0, 0, 0)


def save(model: FittedModel, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Save a fitted model; `model.save(path)` is the usual way (see there)."""
    path = Path(path)
    check_place(path, overwrite)
    check_is_fitted(model)
    # What it says of its labels is found now, if it was not asked yet.
    _ = model.calibration_
    content, arrays = encode(model)
    try:
        check_usable(decode(content, arrays, lambda size: None))
    except ValueError as error:
        raise UsageError(
            f"this {type(model).__name__} cannot be saved, as it could not be loaded again ({_brief(error)}): fit it "
            "to other samples, for example rescaled ones, or use joblib.dump."
        ) from error
    write(path, content, arrays, overwrite, MethodSpec.of(model))


def encode(model: Any) -> tuple[Any, list[Any]]:
    """A model as JSON and arrays."""
    writer = Writer(type(model).__name__, SCHEMAS)
    return write_part(model, MODELS, Scope(ASSESSED), writer), writer.arrays


def decode(content: Any, arrays: list[Any], reserve: Callable[[float], None]) -> Any:
    """The model of JSON and arrays; `reserve` is told of memory beside that of the arrays before it is taken."""
    reader = Reader("model", SCHEMAS, arrays, reserve)
    try:
        model = read_part(content, MODELS, Scope(ASSESSED), reader)
        reader.finish()
    except TsrpError:
        raise
    except Exception as error:
        raise ValueError(f"{reader.where}: {error}") from error
    return model


def write(path: Path, content: Any, arrays: list[Any], overwrite: bool = False, spec: MethodSpec | None = None) -> None:
    """Write the file of a model that is JSON and arrays."""
    packed = [_pack(array) for array in arrays]
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "written by": {package: version(package) for package in ("tsrp", "scikit-learn", "numpy")},
        # For people and other programs; what is loaded is the model.
        "method": None if spec is None else {"name": spec.name, **json.loads(spec.record)},
        "model": content,
        "arrays": [_sha256(data) for data in packed],
    }
    text = json.dumps(manifest, indent=1, allow_nan=False).encode()
    with replacing(path, overwrite) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        _add(archive, MANIFEST, text)
        _add(archive, CHECKSUM, _sha256(text).encode())
        for number, data in enumerate(packed):
            _add(archive, _member(number), data)


def load(path: str | os.PathLike[str]) -> Any:
    """Load a model that `save` has written.

    Nothing in the file is run: it holds arrays and JSON, which names classes of a fixed list only.

    Parameters
    ----------
    path : path

    Returns
    -------
    model
        As it was when it was saved, but for `report`, which needs the data of the fit.

    Raises
    ------
    InputError
        If the file is not such a model, is damaged or cut short, was changed since, or is of a newer format.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import tsrp
    >>> model = tsrp.NN().fit([[0.0], [1.0]], ["low", "high"], [[0.2], [0.9]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(Path(folder, "model.tsrp"))
    ...     tsrp.load(Path(folder, "model.tsrp")).predict([[0.7]]).tolist()
    ['high']
    """
    path = Path(path)
    check_input(path)
    with open(path, "rb") as file:
        if file.read(2) != b"PK":
            raise _foreign(path)
    with reading(path, "a saved model"), zipfile.ZipFile(path) as archive:
        memory = _Memory(path)
        manifest = _manifest(path, archive, memory)
        expected = [MANIFEST, CHECKSUM, *(_member(number) for number in range(len(manifest["arrays"])))]
        if sorted(archive.namelist()) != sorted(expected):
            raise _foreign(path)
        arrays = [_unpack(path, archive, number, known) for number, known in enumerate(manifest["arrays"])]
        try:
            model = decode(manifest["model"], arrays, memory.take)
            check_usable(model)
        except TsrpError as error:
            # It is not the caller who has given the samples of the trial.
            raise error if memory.exceeded else ValueError(f"it labels no sample: {_brief(error)}") from error
        except ValueError as error:
            raise ValueError(_brief(error)) from error
    return model


class _Memory:
    """What a model takes so far, in bytes; what would go beyond the limit is refused."""

    def __init__(self, path: Path) -> None:
        self._path, self._taken, self.exceeded = path, 0.0, False

    def take(self, size: float) -> None:
        self._taken += size
        self.exceeded = self._taken > memory_limit()
        check_memory(str(self._path), self._taken, "use a smaller model")


def _manifest(path: Path, archive: zipfile.ZipFile, memory: _Memory) -> Any:
    """The manifest, of the format that this version reads, and unchanged."""
    members = {member.filename: member for member in archive.infolist()}
    # Nothing is compressed, so that a small file cannot fill the memory.
    stored = all(member.compress_type == zipfile.ZIP_STORED for member in archive.infolist())
    if MANIFEST not in members or not stored:
        raise _foreign(path)
    total = sum(member.file_size for member in archive.infolist())
    if total > path.stat().st_size:
        raise ValueError("its members overlap")
    memory.take(total + OBJECTS * members[MANIFEST].file_size)
    text = archive.read(MANIFEST)
    manifest = json.loads(text, parse_constant=_no_number, object_pairs_hook=_without_repetition)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise _foreign(path)
    written = manifest["version"]
    if type(written) is not int or not 1 <= written < 1000 or not isinstance(manifest["arrays"], list):
        raise _foreign(path)
    if written != VERSION:
        by = manifest.get("written by")
        writer = str(by.get("tsrp", "?") if isinstance(by, dict) else "?")
        writer = writer if re.fullmatch(r"[\w.+]{1,40}", writer) else "?"
        advice = "upgrade tsrp" if written > VERSION else "fit and save it again"
        raise InputError(
            f"{path} is a model of format {written}, written by tsrp {writer}, but this is tsrp {version('tsrp')}, "
            f"which reads format {VERSION}: {advice}."
        )
    if archive.read(CHECKSUM).decode() != _sha256(text):
        raise _changed(path, MANIFEST)
    return manifest


def _unpack(path: Path, archive: zipfile.ZipFile, number: int, checksum: str) -> Any:
    data = archive.read(_member(number))
    if _sha256(data) != checksum:
        raise _changed(path, _member(number))
    file = io.BytesIO(data)
    array = np.lib.format.read_array(file, allow_pickle=False)
    # Elements of no bytes can be any number of them.
    if file.tell() != len(data) or array.size > len(data):
        raise ValueError(f"{_member(number)} holds more than an array")
    return array


def _brief(error: Exception) -> str:
    """What went wrong, in a length that fits into a sentence."""
    reason = next(iter(str(error).splitlines()), "").rstrip(".") or type(error).__name__
    return reason if len(reason) <= LONGEST else f"{reason[:LONGEST]}..."


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a value of JSON")


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key of the manifest is repeated")
    return found


def _pack(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, NO_DATE), data)


def _member(number: int) -> str:
    return f"arrays/{number}.npy"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _foreign(path: Path) -> InputError:
    return InputError(f"{path} is not a model saved by tsrp: name a file that model.save wrote.")


def _changed(path: Path, member: str) -> InputError:
    return InputError(
        f"{path} was changed after it was saved ({member} does not match its checksum): do not use it; save or copy it "
        "again."
    )
