"""Results without fits, for tests of what is done with them. Importable by worker processes."""

import os
import signal
import zlib

from tsrp.bench.cells import Cell
from tsrp.bench.scoring import Result, RoundScore


def fake(cell: Cell, accuracy: float | None = None, error: str | None = None) -> Result:
    """A result that hangs on the cell alone."""
    if error is not None:
        return Result(cell, None, None, None, (), 0.1, error=error)
    if accuracy is None:
        accuracy = zlib.crc32(str((cell, cell.settings)).encode()) % 10_000 / 10_000
    rounds = tuple(RoundScore(accuracy / 2, accuracy * (i + 1) / 10, 0.5, accuracy, 0.01) for i in range(10))
    return Result(cell, accuracy, 0.5, accuracy, rounds, 0.1, None, ("a note",), {"tsrp": "1", "python": "3"})


def fake_or_die(cell: Cell, data_dir: object) -> Result:
    """DICD takes the whole process with it."""
    if cell.method == "dicd":
        os.kill(os.getpid(), signal.SIGKILL)
    return fake(cell)
