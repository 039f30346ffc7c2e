"""What `tsrp adapt` says of a fit, to people and to programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tsrp.cli.choosing import AUTO
from tsrp.cli.console import note, out
from tsrp.cli.counts import LabelCounts

# How many members of a panel the summary names.
IN_SUMMARY = 3


def summary_of(
    model: Any, method: str, settings: Mapping[str, Any], elapsed: float, confident_at: float
) -> dict[str, Any]:
    """What the command prints, for programs."""
    confident = model.probability_ >= confident_at
    counts = LabelCounts()
    counts.add(model.labels_, confident)
    if method == AUTO:
        how: dict[str, Any] = {"members": {voter.name: voter.weight for voter in model.voters_}}
    else:
        how = {"rounds": int(model.n_iter_)}
    return {
        "method": method,
        "settings": dict(settings),
        "rows": counts.rows,
        "known labels": int(model.known_.sum()),
        **how,
        "seconds": round(elapsed, 3),
        "estimated accuracy": float(model.estimated_accuracy_.value),
        "confident share": float(confident.mean()),
        "classes": counts.summary(model.classes_),
    }


def print_summary(model: Any, method: str, elapsed: float, confident_at: float) -> None:
    """The same for people."""
    how = _members(model) if method == AUTO else f"{model.n_iter_} round{'s' if model.n_iter_ > 1 else ''}"
    out.print(f"{method}: {len(model.labels_):,} target rows labelled in {elapsed:.1f} s, {how}", highlight=False)
    confident = model.probability_ >= confident_at
    n_known = int(model.known_.sum())
    if n_known:
        out.print(f"{n_known:,} labels were known, and are kept", highlight=False)
    out.print(
        f"{model.estimated_accuracy_}; {_percent(confident.mean())} of the rows at {confident_at:g} or more",
        highlight=False,
    )
    counts = LabelCounts()
    counts.add(model.labels_, confident)
    out.print(counts.table(model.classes_))


def _members(panel: Any) -> str:
    """Who decided, and whether adaptation was needed."""
    voters = [voter for voter in panel.voters_ if not voter.error]
    for reason, failed in _by_reason(voter for voter in panel.voters_ if voter.error).items():
        note(f"{', '.join(failed)}: no part in the vote, {reason}")
    best = sorted(voters, key=lambda voter: -voter.weight)[:IN_SUMMARY]
    names = "; ".join(voter.name for voter in best)
    if panel.adaptation_doubted_:
        return f"by a vote of {len(voters)}; weightiest: {names}; adaptation in doubt: {panel.doubt_reason_}"
    as_well = not panel.adaptation_needed_ and not panel.estimated_accuracy_.equal_rows
    needed = "; no adaptation needed: a classifier of the source alone does as well by estimate" if as_well else ""
    by = "agreement, neighbours and known labels" if panel.known_.any() else "agreement and neighbours"
    return f"by a vote of {len(voters)}; best by {by}: {names}{needed}"


def _by_reason(failed: Iterable[Any]) -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for voter in failed:
        reasons.setdefault(voter.error, []).append(voter.name)
    return reasons


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")
