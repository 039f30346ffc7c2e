"""All attacks, one after another; prints the table of docs/reliability.md and fails if one succeeds.

python -m benchmarks.attack            # all of them; the page gets the table
python -m benchmarks.attack 0.05       # a twentieth of them
"""

from __future__ import annotations

import re
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from benchmarks.attack import bombs, files, fits, forks, models, replaced, results, signals, texts

PAGE = Path("docs/reliability.md")
HEADER = "| attack | tried | outcome |\n|---|---:|---|\n"
# Bytes and seconds of a processor that this process and each of its children may have: an attack that succeeds must not
# take the machine with it.
MEMORY, SECONDS = 8 * 10**9, 30 * 60
GOOD = {"refused", "served", "serves", "sound", "ended", "drawn"}


def main(share: float = 1.0) -> int:
    """Run the attacks; how many succeeded."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    def number(full: int) -> int:
        return max(1, round(share * full))

    lines, succeeded = [HEADER], 0
    print(HEADER, end="")
    with tempfile.TemporaryDirectory() as folder:
        for attack, run in _attacks(Path(folder), number).items():
            outcomes = +run()
            lines.append(_line(attack, outcomes))
            print(lines[-1], end="", flush=True)
            succeeded += sum(n for outcome, n in outcomes.items() if outcome not in GOOD)
    table = "".join(lines)
    if share == 1:
        page = PAGE.read_text()
        PAGE.write_text(re.sub(re.escape(HEADER) + r"(\|.*\n)*", lambda _: table, page))
    return succeeded


def _attacks(folder: Path, number: Callable[[int], int]) -> dict[str, Callable[[], Counter[str]]]:
    """Each attack by what the page calls it; `number` says how many of all are tried."""

    def place(name: str) -> Path:
        (folder / name).mkdir()
        return folder / name

    return {
        "small files that declare or unpack to too much (NPY, NPZ, MAT 5, MAT 7.3, Parquet, gzip, CSV)": lambda: (
            Counter("refused" if bomb.refused else bomb.bomb for bomb in bombs.outcomes())
        ),
        "data files with bytes changed, cut off or inserted (the same formats)": lambda: files.damage_data_files(
            place("files"), number(8_000)
        ),
        "data files (CSV, Parquet, NPY) replaced, written to or cut short while they are read": lambda: (
            replaced.change_files(place("replaced"), number(200))
        ),
        "control characters, escape sequences and what is no Unicode as labels, identifiers and names": lambda: (
            texts.print_texts(place("texts"), texts.TEXTS[: number(len(texts.TEXTS))])
        ),
        "results files with bytes changed, cut off or inserted": lambda: results.damage_files(
            place("results"), number(1_000)
        ),
        "values of other kinds in the columns of a results file": lambda: results.odd_values(place("values")),
        "forged models whose checksums were made right again": lambda: models.forge(place("models"), number(5_000)),
        "SIGTERM, SIGHUP and SIGINT while a file of labels is written": lambda: signals.end_writers(
            place("signals"), number(30)
        ),
        "these and SIGKILL while `tsrp tune` and `tsrp adapt --report` run": lambda: signals.end_commands(
            place("commands"), number(60)
        ),
        "processes forked while other threads ask models of the same class": lambda: forks.ask_in_forks(number(40)),
        "fits to odd data: few rows, one feature, duplicates, scales from 5e-324 to 1e300": lambda: fits.fit_odd_data(
            number(6_000)
        ),
        "reports of odd data: large constant columns, times, columns dead in one domain, equal rows": lambda: (
            fits.draw_reports(number(150))
        ),
    }


def _line(attack: str, outcomes: Counter[str]) -> str:
    said = ", ".join(f"{n:,} {outcome}" for outcome, n in outcomes.most_common())
    return f"| {attack} | {outcomes.total():,} | {said} |\n"


if __name__ == "__main__":
    sys.exit(min(main(*map(float, sys.argv[1:])), 1))
