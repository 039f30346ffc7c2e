"""All attacks, one after another; prints the table of docs/reliability.md and fails if one succeeds.

python -m benchmarks.attack            # about as many as the page says
python -m benchmarks.attack 0.05       # a twentieth of them
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.attack import bombs, fits, models, results, signals

# Bytes that this process and each of its children may have: an attack that succeeds must not take the machine with it.
MEMORY = 8 * 10**9
GOOD = {"refused", "served", "serves", "sound", "ended"}


def main(share: float = 1.0) -> int:
    """Run the attacks; how many succeeded."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    def number(full: int) -> int:
        return max(1, round(share * full))

    with tempfile.TemporaryDirectory() as folder:
        places = {name: Path(folder, name) for name in ("results", "values", "models", "signals")}
        for place in places.values():
            place.mkdir()
        found: dict[str, Counter[str]] = {
            "bombs": Counter("refused" if bomb.refused else bomb.bomb for bomb in bombs.outcomes()),
            "damaged results files": results.damage_files(places["results"], number(1_000)),
            "odd values in results files": results.odd_values(places["values"]),
            "forged models": models.forge(places["models"], number(900)),
            "SIGTERM while writing": signals.end_writers(places["signals"], number(30)),
            "fits to odd data": fits.fit_odd_data(number(6_000)),
        }
    print("| attack | tried | outcome |\n|---|---:|---|")
    for attack, outcomes in found.items():
        outcomes = +outcomes  # without zeros
        said = ", ".join(f"{n:,} {outcome}" for outcome, n in outcomes.most_common())
        print(f"| {attack} | {outcomes.total():,} | {said} |")
    return sum(n for outcomes in found.values() for outcome, n in outcomes.items() if outcome not in GOOD)


if __name__ == "__main__":
    sys.exit(min(main(*map(float, sys.argv[1:])), 1))
