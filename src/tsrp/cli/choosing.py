"""The method that the options of `tsrp adapt` ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

AUTO = "auto"
# What settings are for, if no method is named.
ONE_METHOD = "dicd+tsrp"


def build(
    method: str | None,
    budget: str | None,
    settings: list[str],
    trust: float | None,
    preprocess: str,
    max_fit_rows: int | None = None,
) -> tuple[Any, str, Mapping[str, Any]]:
    """The unfitted model that the options ask for, its name, and the settings that they name."""
    from tsrp.exceptions import UsageError
    from tsrp.spec import NO_PREPROCESSING, MethodSpec, parse_settings

    values = parse_settings(settings)
    if trust is not None:
        if "trust" in values:
            raise UsageError("trust is given twice, by --trust and by --set.")
        values["trust"] = trust
    is_set = bool(values) or preprocess != NO_PREPROCESSING
    name = (method or (ONE_METHOD if is_set else AUTO)).strip().lower()
    if name != AUTO:
        if budget is not None:
            raise UsageError(f"--budget is for --method auto, and {name} is one method.")
        if max_fit_rows is not None:
            values["max_fit_rows"] = max_fit_rows
        return MethodSpec(name, values, preprocess).build(), name, values
    if is_set:
        raise UsageError("--trust, --set and --preprocess are for one method: name it, such as --method dicd+tsrp.")
    from tsrp.parameters import check_parameters
    from tsrp.selection.panel import Panel

    panel = Panel("normal" if budget is None else _number_or_word(budget), n_jobs=-1)
    if max_fit_rows is not None:
        panel.set_params(max_fit_rows=max_fit_rows)
    check_parameters(panel)
    return panel, name, values


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text.strip().lower()
