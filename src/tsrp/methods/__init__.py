"""The methods of adaptation, one file each, named as the method is; `tsrp.registry` finds them here."""

from __future__ import annotations

from typing import Any

# Where these were before the methods had this folder to themselves.
_NOW_IN_SPEC = ("CLASSIFIERS", "PREPROCESSING", "WRAPPERS", "defaults", "make_method", "parse_settings")


def __getattr__(name: str) -> Any:
    if name == "METHODS":
        from tsrp.registry import methods

        return methods()
    if name in _NOW_IN_SPEC:
        from tsrp import spec

        return getattr(spec, name)
    raise AttributeError(f"module 'tsrp.methods' has no attribute {name!r}")
