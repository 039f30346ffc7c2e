"""What the user should be told of files that were read."""

from __future__ import annotations

from collections.abc import Iterator

from tsrp.io.files import listed
from tsrp.io.frames import Frame


def column_notes(columns: list[str], there: list[str], names: list[str], of_source: list[str] | None) -> Iterator[str]:
    """What happened to the columns of a target: `there` are those that could be features, `names` those that are."""
    wanted = set(names)
    extra = [name for name in columns if name not in wanted]
    if len(extra) == 1:
        yield f"target column {extra[0]} is not a feature of the source and was left out"
    elif extra:
        yield f"target columns {listed(extra)} are not features of the source and were left out"
    if of_source is None:
        yield "the source has no column names, so target columns were matched by position"
    elif [name for name in there if name in wanted] != names:
        yield "target columns were reordered to match the source"


def side_notes(key: str, transposed: bool, *, square: bool) -> Iterator[str]:
    """Which side of an array was taken for the samples, where that is not plain."""
    side = "columns" if transposed else "rows"
    if square:
        yield f"{key} is square, so its {side} were taken for the samples"
    elif transposed:
        yield f"the columns of {key} were taken for the samples"


def unused_label(frame: Frame) -> tuple[str, ...]:
    """The notes on a source whose labels come from another file."""
    if frame.label is None:
        return frame.notes
    return (*frame.notes, f"source column {frame.label} is not a feature and was left out")
