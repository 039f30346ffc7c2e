"""Check the sdist and the wheel in a folder: what they hold, and that each works in an empty environment.

`make dist` runs it after building them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
# Benchmark data, saved models and results.
DATA = {".mat", ".npz", ".npy", ".parquet", ".h5", ".sqlite", ".tsrp", ".dat", ".zip", ".gz", ".pkl"}
RELATIVE_LINK = re.compile(r"""(?:\]\(|\bsrc="|\bhref=")(?!https?:|mailto:|#)[^)"]+""")


def main() -> None:
    """Check both files of the folder that the command line names."""
    folder = Path(sys.argv[1])
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    check_sdist(sdist)
    check_wheel(wheel)
    for file in (sdist, wheel):
        check_install(file)


def check_sdist(file: Path) -> None:
    """It has all that is under version control there, and no data."""
    with tarfile.open(file) as archive:
        names = {str(PurePosixPath(*PurePosixPath(m.name).parts[1:])) for m in archive if m.isfile()}
    for folder in ("src/tsrp", "tests", "docs", "benchmarks"):
        missing = {name for name in tracked(folder) if name not in names}
        demand(not missing, file, f"lacks {sorted(missing)}")
    data = {name for name in names if PurePosixPath(name).suffix in DATA}
    demand(not data, file, f"holds data: {sorted(data)}")
    print(f"{file.name}: {len(names)} files, no data")


def check_wheel(file: Path) -> None:
    """It has the package with all its files and nothing else, and a README that works away from the checkout."""
    with zipfile.ZipFile(file) as archive:
        names = set(archive.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        text = archive.read(metadata).decode()
    about = PurePosixPath(metadata).parts[0]
    package = {name for name in names if not name.startswith(f"{about}/")}
    ours = {name.removeprefix("src/") for name in tracked("src/tsrp")}
    demand(package == ours, file, f"differs from src/tsrp in {sorted(package ^ ours)}")
    demand("tsrp/py.typed" in names, file, "lacks py.typed")
    links = RELATIVE_LINK.findall(text)
    demand(not links, file, f"has relative links in its README: {links}")
    print(f"{file.name}: {len(package)} files of src/tsrp, no relative link")


def check_install(file: Path) -> None:
    """It installs by itself, and the command and the import work there."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        scripts = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin")
        for command in (
            ["python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(file.resolve())],
            ["tsrp", "--version"],
            ["python", "-W", "error", "-c", "from tsrp import TSRP, DICD"],
        ):
            subprocess.run([scripts / command[0], *command[1:]], cwd=folder, check=True)
    print(f"{file.name}: installs, and works")


def tracked(folder: str) -> set[str]:
    """The files of a folder that are under version control."""
    listed = subprocess.run(["git", "ls-files", "-z", folder], cwd=ROOT, check=True, capture_output=True, text=True)
    return set(listed.stdout.split("\0")) - {""}


def demand(holds: bool, file: Path, complaint: str) -> None:
    """End with the complaint unless the condition holds."""
    if not holds:
        sys.exit(f"{file.name} {complaint}")


if __name__ == "__main__":
    main()
