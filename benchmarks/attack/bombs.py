"""Small files that declare, or unpack to, far more than memory can hold.

python -m benchmarks.attack.bombs    # in a process of their own, whose peak of memory is printed behind each
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.attack.forging import packed, read_members, write_members

LABELS = "label\n" + "a\nb\n" * 3
ZEROS = bytes(1 << 20)
MEGABYTES = 640
# Of memory, what a file may take and what the process then takes at most, in bytes; of disk, what a bomb may have.
LIMIT, PEAK, LARGEST = 400e6, 1e9, 10e6


def npy_declares_too_much(folder: Path) -> Path:
    path = folder / "declares.npy"
    _write_npy_header(path, (10**9, 10**6))
    return path


def npz_declares_too_much(folder: Path) -> Path:
    path, member = folder / "declares.npz", folder / "X.npy"
    _write_npy_header(member, (10**9, 10**6))
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(member, "X.npy")
        archive.writestr("y.npy", _npy(np.arange(6)))
    return path


def npz_unpacks_to_too_much(folder: Path) -> Path:
    path = folder / "packed.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("y.npy", _npy(np.arange(6)))
        with archive.open("X.npy", "w", force_zip64=True) as member:
            header = io.BytesIO()
            np.lib.format.write_array_header_1_0(
                header, {"descr": "<f8", "fortran_order": False, "shape": (6, MEGABYTES * len(ZEROS) // 48)}
            )
            member.write(header.getvalue())
            for _ in range(MEGABYTES):
                member.write(ZEROS)
    return path


def npz_packed_by_another_program(folder: Path) -> Path:
    """Python's zipfile unpacks bzip2 without a limit."""
    path, packer = folder / "bzip2.npz", bz2.BZ2Compressor()
    packed = b"".join(packer.compress(ZEROS) for _ in range(2 * MEGABYTES)) + packer.flush()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("y.npy", _npy(np.arange(6)))
        archive.writestr("X.npy", packed)
        stored = archive.getinfo("X.npy")
        stored.compress_type, stored.file_size = zipfile.ZIP_BZIP2, 10_000
    return path


def hdf5_that_was_never_written(folder: Path) -> Path:
    import h5py

    path = folder / "unwritten.mat"
    with h5py.File(path, "w") as file:
        file.create_dataset("X", (10**7, 10**5), "f8", chunks=(1000, 1000))
        file["y"] = np.arange(6)
    return path


def hdf5_chunk_beyond_its_dataset(folder: Path) -> Path:
    import h5py

    path = folder / "chunk.mat"
    with h5py.File(path, "w") as file:
        chunks = (2**15 - 1, 2**14)
        X = file.create_dataset("X", (4, 6), "f8", chunks=chunks, maxshape=(None, None), compression="gzip")
        X.id.write_direct_chunk((0, 0), _packed_zeros(chunks[0] * chunks[1] * 8))
        file["y"] = np.arange(6)
    return path


def hdf5_cells_of_one_array(folder: Path) -> Path:
    import h5py

    path = folder / "cells.mat"
    with h5py.File(path, "w") as file:
        file["X"] = np.zeros((4, 10_000))
        text = file.create_dataset("#refs#/a", data=np.zeros((2_000_000, 1), "u2"), compression="gzip")
        text.attrs["MATLAB_class"] = np.bytes_("char")
        y = file.create_dataset("y", (10_000, 1), h5py.ref_dtype)
        y[...] = np.full((10_000, 1), text.ref)
        y.attrs["MATLAB_class"] = np.bytes_("cell")
    return path


def hdf5_chunk_beyond_itself(folder: Path) -> Path:
    import h5py

    path = folder / "beyond.mat"
    with h5py.File(path, "w") as file:
        X = file.create_dataset("X", (1000, 6), "f8", chunks=(1000, 600), maxshape=(None, None), compression="gzip")
        X.id.write_direct_chunk((0, 0), _packed_zeros(5 * MEGABYTES * len(ZEROS)))
        file["y"] = np.arange(6)
    return path


def hdf5_records_of_one_text(folder: Path) -> Path:
    """Each record points to the same bytes of the file."""
    import h5py

    path, n = folder / "records.mat", 3_000
    kind = np.dtype([("text", h5py.vlen_dtype(np.dtype("u1")))])
    with h5py.File(path, "w") as file:
        file["X"] = np.zeros((4, n))
        one = file.create_dataset("one", (1,), kind, chunks=(1,))
        one[...] = np.array([(np.zeros(1_000_000, "u1"),)], dtype=kind)
        _, pointer = one.id.read_direct_chunk((0,))
        y = file.create_dataset("y", (n,), kind, chunks=(n,), compression="gzip")
        y.id.write_direct_chunk((0,), zlib.compress(n * pointer))
    return path


def hdf5_cells_of_nothing(folder: Path) -> Path:
    import h5py

    path, n = folder / "nothing.mat", 20_000_000
    with h5py.File(path, "w") as file:
        file["X"] = np.zeros((4, 6))
        y = file.create_dataset("y", (n, 1), h5py.ref_dtype, chunks=(n, 1), compression="gzip")
        y.id.write_direct_chunk((0, 0), zlib.compress(bytes(8 * n)))
        y.attrs["MATLAB_class"] = np.bytes_("cell")
    return path


def mat5_unpacks_to_too_much(folder: Path) -> Path:
    """The numbers are stored as bytes and become eight times as large."""
    path, side = folder / "packed.mat", 30_000
    title = struct.pack("<IIIIIIiiIHH", 6, 8, 6, 0, 5, 8, side, side, 1 | 1 << 16, ord("X"), 0)
    body = title + struct.pack("<II", 2, side * side)
    head = struct.pack("<II", 14, len(body) + side * side) + body
    packed = _packed_zeros(side * side, head)
    path.write_bytes(b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM" + struct.pack("<II", 15, len(packed)) + packed)
    return path


def parquet_of_one_value(folder: Path) -> Path:
    import pyarrow
    from pyarrow import parquet

    path, rows = folder / "constant.parquet", 10**7
    codes = pyarrow.array(np.zeros(rows, np.int32))
    columns = {
        "f": pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array([1.5])),
        "label": pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(["a"])),
    }
    table = pyarrow.table(columns)
    with parquet.ParquetWriter(path, table.schema, store_schema=False) as writer:
        for _ in range(10):
            writer.write_table(table, row_group_size=rows)
    return path


def parquet_of_one_text(folder: Path) -> Path:
    import pyarrow
    from pyarrow import parquet

    path, rows = folder / "text.parquet", 10**5
    texts = pyarrow.DictionaryArray.from_arrays(np.zeros(rows, np.int32), pyarrow.array(["x" * 100_000]))
    table = pyarrow.table({"f": np.zeros(rows), "label": texts})
    parquet.write_table(table, path, store_schema=False, compression="none")
    return path


def parquet_of_one_day(folder: Path) -> Path:
    """Dates become objects."""
    import pyarrow
    from pyarrow import parquet

    path, rows = folder / "day.parquet", 20_000_000
    days = pyarrow.array(np.zeros(rows, np.int32)).cast(pyarrow.date32())
    parquet.write_table(pyarrow.table({"f": days, "label": days.is_null()}), path, store_schema=False)
    return path


def gzip_of_zeros(folder: Path) -> Path:
    path = folder / "zeros.csv.gz"
    head, block = gzip.compress(b"a,b,label\n"), gzip.compress(b"0,0,a\n" * 200_000)
    path.write_bytes(head + 1_300 * block)
    return path


def gzip_of_short_cells(folder: Path) -> Path:
    """A hundred megabytes of text, and fifty million numbers."""
    path, n = folder / "short.csv.gz", 1_000
    names = ",".join(f"f{j}" for j in range(n))
    block = gzip.compress((b"1" + b",1" * n + b"\n") * 1_000)
    path.write_bytes(gzip.compress(f"label,{names}\n".encode()) + 50 * block)
    return path


def gzip_of_blank_labels(folder: Path) -> Path:
    path = folder / "blank.csv.gz"
    path.write_bytes(120 * gzip.compress(b"\n" * len(ZEROS)))
    return path


def csv_of_one_wide_row(folder: Path) -> Path:
    """The first row decides how many columns pandas makes, whatever the header says."""
    path = folder / "wide.csv"
    path.write_text("a,b,label\n" + "1," * 1_000_000 + "1\n")
    return path


def csv_of_columns(folder: Path) -> Path:
    path, n = folder / "columns.csv", 800_000
    names = ",".join(f"c{j:x}" for j in range(n))
    path.write_text(f"{names},label\n{'0,' * n}a\n")
    return path


def csv_of_one_long_label(folder: Path) -> Path:
    path = folder / "long.csv"
    path.write_text("f,label\n" + "1,a\n" * 500_000 + "2," + "b" * 100_000 + "\n")
    return path


def model_of_long_labels(folder: Path) -> Path:
    """Labels are numbers of one byte; those of one class stand for a text of ten thousand characters."""
    path = _saved_model(folder / "labels.tsrp", np.zeros((100_000, 1)))
    return _forged_model(path, lambda text: text.replace(b'"a"', b'"' + b"a" * 10_000 + b'"'))


def model_of_many_features(folder: Path) -> Path:
    """Nothing of it has a size that contradicts the number of features: no array has a row."""
    path, n = _saved_model(folder / "features.tsrp", [[0.2], [0.9]]), 100_000_000
    members = read_members(path)
    manifest = json.loads(members["manifest.json"].replace(b'"n_features_in_": 1', b'"n_features_in_": %d' % n))
    arrays = [np.load(io.BytesIO(members[f"arrays/{i}.npy"])) for i in range(len(manifest["arrays"]))]
    write_members(path, packed(manifest, [np.zeros((0, n)) if array.ndim == 2 else array for array in arrays]))
    return path


def model_of_many_names(folder: Path) -> Path:
    """Nine megabytes of JSON become a hundred and eighty of lists."""
    path = _saved_model(folder / "names.tsrp", [[0.2], [0.9]])
    lists = b'"history_": [' + b"[]," * 3_000_000 + b"0"
    return _forged_model(path, lambda text: text.replace(b'"history_": [', lists + b",", 1))


# They say what they need, or what they unpack to shows it.
DECLARING: tuple[Callable[[Path], Path], ...] = (
    npy_declares_too_much,
    npz_declares_too_much,
    npz_unpacks_to_too_much,
    hdf5_that_was_never_written,
    hdf5_chunk_beyond_its_dataset,
    hdf5_cells_of_one_array,
    hdf5_cells_of_nothing,
    mat5_unpacks_to_too_much,
    parquet_of_one_value,
    parquet_of_one_text,
    parquet_of_one_day,
    gzip_of_zeros,
    gzip_of_short_cells,
    gzip_of_blank_labels,
    csv_of_columns,
    csv_of_one_long_label,
)
# They say something else than what is in them.
LYING: tuple[Callable[[Path], Path], ...] = (
    npz_packed_by_another_program,
    hdf5_chunk_beyond_itself,
    hdf5_records_of_one_text,
    csv_of_one_wide_row,
    model_of_long_labels,
    model_of_many_features,
    model_of_many_names,
)
BOMBS = (*DECLARING, *LYING)


class Outcome(NamedTuple):
    """What a command made of a bomb: its name and bytes, exit code, sentence, and the process's peak until then."""

    bomb: str
    size: int
    code: int
    sentence: str
    peak: float

    @property
    def refused(self) -> bool:
        """In one sentence, that says how much it would need if the file does, and in little memory."""
        lies = self.bomb in {make.__name__ for make in LYING}
        said = self.code == 3 and "\n" not in self.sentence and (lies or "needs about" in self.sentence)
        return said and self.size <= LARGEST and self.peak < PEAK


def outcomes() -> list[Outcome]:
    """Of all bombs, in a process of their own."""
    lines = subprocess.run([sys.executable, "-m", __name__], capture_output=True, text=True, check=True).stdout
    return [Outcome(*json.loads(line)) for line in lines.splitlines()]


def explode(folder: Path) -> Iterator[Outcome]:
    """Let a command read each bomb, in this process."""
    from typer.testing import CliRunner

    from tsrp.cli import app

    labels, array = folder / "labels.csv", folder / "six.npy"
    labels.write_text(LABELS)
    np.save(array, np.zeros((6, 4)))
    for make in BOMBS:
        path = make(folder)
        command: list[Any] = ["adapt", path, path, "--method", "nn"]
        if path.suffix == ".npy":
            command += ["--labels-file", labels]
        elif make is gzip_of_blank_labels:
            command = ["adapt", array, array, "--method", "nn", "--labels-file", path]
        elif path.suffix == ".tsrp":
            command = ["predict", path, array]
        command += ["--max-memory", int(LIMIT)]
        result = CliRunner().invoke(app, [str(word) for word in command], env={"TERM": "dumb"})
        peak = _peak()
        yield Outcome(make.__name__, path.stat().st_size, result.exit_code, result.stderr.strip(), peak)
        path.unlink()


def _peak() -> float:
    """Bytes that this process had at most."""
    status = Path("/proc/self/status")
    if status.exists():
        # What the kernel counts for the process would be no less than what its parent had when it was started.
        [kilobytes] = re.findall(r"VmHWM:\s*(\d+) kB", status.read_text())
        return 1024 * int(kilobytes)
    import resource

    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _write_npy_header(path: Path, shape: tuple[int, ...]) -> None:
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
        file.write(bytes(1000))


def _saved_model(path: Path, target: Any) -> Path:
    from tsrp import NN

    NN().fit([[0.0], [1.0]], ["a", "b"], target).save(path)
    return path


def _forged_model(path: Path, forge: Callable[[bytes], bytes]) -> Path:
    """A saved model with another manifest, whose checksum is right."""
    members = read_members(path)
    text = members["manifest.json"] = forge(members["manifest.json"])
    members["manifest.sha256"] = hashlib.sha256(text).hexdigest().encode()
    write_members(path, members)
    return path


def _npy(array: npt.NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def _packed_zeros(n: int, head: bytes = b"") -> bytes:
    """`head` and n zeros as zlib packs them. A packed block is repeated: packing gigabytes would take long."""
    pack = zlib.compressobj()
    start = pack.compress(head) + pack.flush(zlib.Z_FULL_FLUSH)
    block = pack.compress(ZEROS) + pack.flush(zlib.Z_FULL_FLUSH)
    rest = pack.compress(bytes(n % len(ZEROS))) + pack.flush()
    return start + (n // len(ZEROS)) * block + rest


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for outcome in explode(Path(folder)):
            print(json.dumps(outcome))
