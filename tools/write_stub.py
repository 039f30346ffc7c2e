"""Writes src/tsrp/__init__.pyi, from which editors and type checkers know what `tsrp` exports.

The names are loaded lazily, and those of the methods come from the registry; a type checker sees neither.

    python tools/write_stub.py            # write it
    python tools/write_stub.py --check    # say whether it is what it should be
"""

from __future__ import annotations

import sys
from pathlib import Path

import tsrp
from tsrp.registry import method_names

STUB = Path(tsrp.__file__).with_suffix(".pyi")


def stub() -> str:
    """An import of each name that `tsrp` exports."""
    homes = tsrp._HOMES | {name.upper(): f"tsrp.methods.{name}" for name in method_names()}
    lines = ["# Written by tools/write_stub.py (make stubs)."]
    lines += [f"from {home} import {name} as {name}" for name, home in sorted(homes.items(), key=lambda it: it[::-1])]
    return "\n".join([*lines, "", "__version__: str", ""])


if __name__ == "__main__":
    if "--check" not in sys.argv:
        STUB.write_text(stub(), encoding="utf-8")
    elif not STUB.is_file() or STUB.read_text(encoding="utf-8") != stub():
        sys.exit("src/tsrp/__init__.pyi is not what the registry says: run  make stubs.")
