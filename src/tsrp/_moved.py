"""Modules that were documented under another name: importing the old one still gives the new one, with a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "tsrp.adaptation": "tsrp.base.adapter",
    "tsrp.confidence": "tsrp.trust.judgement",
    "tsrp.linalg": "tsrp.numerics",
    "tsrp.linalg.terms": "tsrp.numerics.terms",
    "tsrp.projections": "tsrp.base",
    "tsrp.projections.contract": "tsrp.base.contract",
    "tsrp.projections.maps": "tsrp.base.maps",
    "tsrp.projections.once": "tsrp.base.once",
    "tsrp.projections.spectral": "tsrp.base.spectral",
    "tsrp.steps": "tsrp.progress",
}


def _new_name(old: str) -> str | None:
    """Where a module is now; a method's, which a pickle may name, is where all methods are."""
    folder, _, name = old.rpartition(".")
    if folder == "tsrp.projections" and old not in MOVED:
        from tsrp.registry import method_names

        return f"tsrp.methods.{name}" if name in method_names() else None
    return MOVED.get(old)


class _MovedFinder:
    # A finder and a loader as `importlib.abc` describes them, which takes longer to import than all of this.
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if _new_name(fullname) else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        new = _new_name(spec.name)
        assert new is not None
        warnings.warn(f"{spec.name} is {new} now.", DeprecationWarning, stacklevel=2)
        # Its own names, so that what is imported from the old module is the same object.
        old = ModuleType(spec.name)
        vars(old).update({k: v for k, v in vars(import_module(new)).items() if not k.startswith("__")})
        old.__path__ = []
        return old

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: the names are there."""


def find_moved_modules() -> None:
    """Have old names found, after everything else."""
    if not any(type(finder).__name__ == _MovedFinder.__name__ for finder in sys.meta_path):
        sys.meta_path.append(_MovedFinder())
