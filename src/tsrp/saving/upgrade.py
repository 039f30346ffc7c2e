"""Models of earlier versions of the format, as the present one would have them.

Version 1 called the steps of a solver ``max_iter``, and kept in `PerDomain` what its method has too.
"""

from __future__ import annotations

from typing import Any

STEPS = ("tsrp.TSL", "tsrp.DTSL", "tsrp.TJM")
PASSED_ON = ("labels_", "confident_", "picked_", "history_", "n_iter_", "classes_")


def from_version_1(value: Any) -> Any:
    """An encoded value of version 1 in version 2; see `tsrp.saving.encoding`."""
    if isinstance(value, list):
        return [from_version_1(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "part" in value:
        kind, state = value["part"]["class"], value["part"]["state"]
        kept = {key: item for key, item in state.items() if not (kind == "tsrp.PerDomain" and key in PASSED_ON)}
        renamed = {"max_steps" if kind in STEPS and key == "max_iter" else key: item for key, item in kept.items()}
        return {"part": {"class": kind, "state": from_version_1(renamed)}}
    return {key: from_version_1(item) for key, item in value.items()}
