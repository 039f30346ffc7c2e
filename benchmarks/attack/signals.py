"""Signals to processes that compute and write."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from tsrp.cli.console import handle_signals, reporting_errors
from tsrp.io.writers import label_writer, write_labels

CATCHABLE = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
# Says when signals are waited for, and is the command then. Jobs in the background begin with some of them ignored.
COMMAND = f"""
import signal
for number in {[int(number) for number in CATCHABLE]}:
    signal.signal(number, signal.SIG_DFL)
from tsrp.cli import handle_signals, main
handle_signals()
print('ready', flush=True)
main()
"""
COMMANDS = {
    "tune": ["--jobs", "2", "--method", "nn", "--method", "jda", "--method", "jda+tsrp", "--output", "tuned.csv"],
    "adapt": ["--method", "jda", "--output", "labels.csv", "--report", "report.html"],
}
# The commands take about so many seconds.
SECONDS = 6.0
# Seconds after which whoever still holds the pipes of a process that has ended counts as left.
PATIENCE = 10.0


def end_writers(folder: Path, n: int, seed: int = 0) -> Counter[str]:
    """End n writers at some moment of their writing; how many ended as they should, and what files were left."""
    rng = np.random.default_rng(seed)
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    found: Counter[str] = Counter()
    for i in range(n):
        path, number = folder / f"{i}.csv", int(rng.choice(CATCHABLE))
        writer = context.Process(target=_write, args=(path,))
        writer.start()
        while not any(folder.iterdir()) and writer.is_alive():
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.05))
        # A signal during a finaliser is lost, as Python ignores what that raises: whoever ends a process asks again.
        while writer.is_alive():
            os.kill(writer.pid or 0, number)
            writer.join(5)
        left = sorted(file.name for file in folder.iterdir())
        found["ended" if writer.exitcode == 128 + number else f"exit code {writer.exitcode}"] += 1
        found["files left"] += len(left)
        for file in folder.iterdir():
            file.unlink()
    return found


def _write(path: Path) -> None:
    """As `tsrp predict` does, without end."""
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for number in CATCHABLE:
        signal.signal(number, signal.SIG_DFL)
    handle_signals()

    @reporting_errors
    def write_on() -> None:
        with label_writer(path) as write:
            while True:
                write({"label": np.arange(1000)})

    write_on()


def end_commands(folder: Path, n: int, seed: int = 0) -> Counter[str]:
    """End `tsrp tune` and `tsrp adapt --report` n times at some moment, also by SIGKILL.

    How many ended with the exit code of the signal, or were done before; and what was left of them otherwise.
    """
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(120, 4)), np.arange(120) % 3
    X[:, :3] += 2 * np.eye(3)[y]
    for name, rows in (("source", slice(0, 60)), ("target", slice(60, 120))):
        columns = {f"f{i}": X[rows, i] for i in range(4)}
        write_labels(folder / f"{name}.csv", columns | ({"label": y[rows]} if name == "source" else {}))
    found: Counter[str] = Counter()
    for i in range(n):
        name, number = list(COMMANDS)[i % 2], int(rng.choice([*CATCHABLE, signal.SIGKILL]))
        found[_end_command(folder / str(i), name, number, rng.uniform(0, SECONDS))] += 1
    return found


def _end_command(place: Path, name: str, number: int, after: float) -> str:
    """Send a signal to a command after some seconds; what came of it."""
    (place / "temporary").mkdir(parents=True)
    environment = os.environ | {"TMPDIR": str(place / "temporary")}
    # The processes that it starts are in its session, and hold its pipes.
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, name, "../source.csv", "../target.csv", *COMMANDS[name]],
        cwd=place,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.send_signal(number)
        process.wait()
    try:
        _, said = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"{name} leaves processes"
    if process.returncode == -signal.SIGKILL == -number:
        return "ended"
    if any((place / "temporary").iterdir()) or any(place.glob("*.tmp")):
        return f"{name} leaves files"
    # Python gives signals back to the system at its very end, when everything is written.
    is_done = process.returncode == -number and (place / COMMANDS[name][-1]).exists()
    if is_done or process.returncode in (0, 128 + number):
        return "ended"
    return f"{name}: exit code {process.returncode} after signal {number}: {' '.join(said.split())[-200:]}"
