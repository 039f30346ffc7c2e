"""Models of earlier versions of the format, as the present one would have them.

Version 1 called the steps of a solver ``max_iter``, and kept in `PerDomain` what its method has too. Version 2 knew
which labels UTSP had picked, but no probabilities: such a model can only label samples.
"""

from __future__ import annotations

from typing import Any

STEPS = ("tsrp.TSL", "tsrp.DTSL", "tsrp.TJM")
PASSED_ON = ("labels_", "confident_", "picked_", "history_", "n_iter_", "classes_")
PICKS = ("confident_", "trusted_")


def upgraded(value: Any, version: int) -> Any:
    """An encoded value of an earlier version in version 3; see `tsrp.saving.encoding`."""
    if isinstance(value, list):
        return [upgraded(item, version) for item in value]
    if not isinstance(value, dict):
        return value
    if "part" in value:
        kind, state = value["part"]["class"], value["part"]["state"]
        dropped = (*PICKS, *PASSED_ON) if version == 1 and kind == "tsrp.PerDomain" else PICKS
        kept = {key: item for key, item in state.items() if key not in dropped}
        if version == 1 and kind in STEPS:
            kept = {"max_steps" if key == "max_iter" else key: item for key, item in kept.items()}
        return {"part": {"class": kind, "state": upgraded(kept, version)}}
    return {key: upgraded(item, version) for key, item in value.items()}
