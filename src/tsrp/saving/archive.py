"""The file of a saved model: a ZIP archive of a manifest in JSON, arrays in NumPy's format, and checksums.

docs/model-format.md describes it for those who read it without this package.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tsrp.base.fitted import FittedModel
from tsrp.exceptions import InputError
from tsrp.io.files import check_input, check_place, reading, replacing
from tsrp.saving.checks import check_usable
from tsrp.saving.encoding import Arrays, decode, encode
from tsrp.saving.upgrade import upgraded
from tsrp.spec import MethodSpec

FORMAT, VERSION = "tsrp model", 3
MANIFEST, CHECKSUM = "manifest.json", "manifest.sha256"
# The same model is the same file, whenever it is saved.
NO_DATE = (1980, 1, 1, 0, 0, 0)


def save(model: FittedModel, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Save a fitted model; `model.save(path)` is the usual way (see there)."""
    path = Path(path)
    check_place(path, overwrite)
    check_is_fitted(model)
    arrays: Arrays = []
    content = encode(model, arrays, type(model).__name__)
    packed = [_pack(array) for array in arrays]
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "written by": {package: version(package) for package in ("tsrp", "scikit-learn", "numpy")},
        # For people and other programs; what is loaded is the model.
        "method": None if (spec := MethodSpec.of(model)) is None else {"name": spec.name, **json.loads(spec.record)},
        "model": content,
        "arrays": [_sha256(data) for data in packed],
    }
    text = json.dumps(manifest, indent=1).encode()
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
        manifest = _manifest(path, archive)
        expected = [MANIFEST, CHECKSUM, *(_member(number) for number in range(len(manifest["arrays"])))]
        if sorted(archive.namelist()) != sorted(expected):
            raise _foreign(path)
        arrays = [_unpack(path, archive, number, known) for number, known in enumerate(manifest["arrays"])]
        written = manifest["version"]
        content = manifest["model"] if written == VERSION else upgraded(manifest["model"], written)
        model = decode(content, arrays)
        if not isinstance(model, FittedModel):
            raise _foreign(path)
        check_is_fitted(model)
        # A model of many features holds something for each of them.
        if model.n_features_in_ > max((side for array in arrays for side in array.shape), default=0):
            raise ValueError(f"it holds nothing of {model.n_features_in_:,} features")
        check_usable(model)
    return model


def _manifest(path: Path, archive: zipfile.ZipFile) -> Any:
    """The manifest, of a format that this version reads, and unchanged."""
    # Nothing is compressed, so that a small file cannot fill the memory.
    stored = all(member.compress_type == zipfile.ZIP_STORED for member in archive.infolist())
    if MANIFEST not in archive.namelist() or not stored:
        raise _foreign(path)
    if sum(member.file_size for member in archive.infolist()) > path.stat().st_size:
        raise ValueError("its members overlap")
    text = archive.read(MANIFEST)
    manifest = json.loads(text, parse_constant=_no_number, object_pairs_hook=_without_repetition)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise _foreign(path)
    if type(manifest["version"]) is not int or manifest["version"] < 1:
        raise _foreign(path)
    if manifest["version"] > VERSION:
        writer = manifest.get("written by", {}).get("tsrp", "?")
        raise InputError(
            f"{path} is a model of format {manifest['version']}, written by tsrp {writer}, but this is tsrp "
            f"{version('tsrp')}, which reads formats up to {VERSION}: upgrade tsrp."
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
