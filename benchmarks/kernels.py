"""Whether other processors give the same results: OpenBLAS runs with the kernels of four of them.

For each of them: the goldens, the code of the documentation's pages, and every tenth published figure.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

from benchmarks.goldens import differences

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "kernels"
KERNELS = ("SkylakeX", "Haswell", "Zen", "Nehalem")
PYTEST = (sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup")


def run(kernel: str, *command: str) -> str | None:
    """What a command printed with these kernels; None if it failed."""
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernel, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(f"{kernel}: {' '.join(command[1:4])} failed\n{done.stdout[-4000:]}")
        return None
    return done.stdout


def published_tenth() -> list[str]:
    """Every tenth test of a published figure."""
    collected = run(KERNELS[0], *PYTEST[:4], "-n", "0", "--collect-only", "tests/test_published.py") or ""
    figures = (line for line in collected.splitlines() if "to_the_hundredth" in line)
    return list(islice(figures, 0, None, 10))


def passes(kernel: str, figures: list[str]) -> bool:
    """Whether everything is the same with these kernels as with the first ones."""
    goldens = FOLDER / f"{kernel}.npz"
    ran = run(kernel, sys.executable, "-m", "benchmarks.goldens", str(goldens)) is not None
    found = differences(FOLDER / f"{KERNELS[0]}.npz", goldens) if ran else ["nothing was computed"]
    pages = run(kernel, *PYTEST, "tests/test_docs.py", "-k", "code_of_a_page") is not None
    paper = run(kernel, *PYTEST, *figures) is not None
    print(
        f"{kernel}: goldens: {', '.join(found) or 'equal'}; pages: {'equal' if pages else 'differ'}; "
        f"{len(figures)} published figures: {'equal' if paper else 'differ'}",
        flush=True,
    )
    return not found and pages and paper


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    figures = published_tenth()
    failed = [kernel for kernel in KERNELS if not passes(kernel, figures)]
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
