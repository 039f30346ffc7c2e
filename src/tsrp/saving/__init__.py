"""Saved models: a documented format of arrays and JSON that runs no code when it is loaded."""

from tsrp.saving.archive import load, save

__all__ = ["load", "save"]
