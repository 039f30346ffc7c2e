"""Refusal of work that this machine cannot hold, rather than being stopped by it half-way."""

from __future__ import annotations

import os

from tsrp.exceptions import InputError


def check_memory(what: str, needed: float, advice: str) -> None:
    """Refuse if so many bytes are more than this machine has, where it says how much that is."""
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if needed > there:
            raise InputError(
                f"{what} needs about {needed / 1e9:.0f} GB, and this machine has {there / 1e9:.0f} GB; {advice}."
            )
