"""The two files that `adapt` and `tune` read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tsrp.cli.console import note

if TYPE_CHECKING:
    from tsrp.datasets.formats import Table


def read_domains(
    source: Path,
    target: Path,
    label: str | None,
    *,
    labels_file: Path | None,
    features_key: str | None,
    beside: Sequence[str] = (),
) -> tuple[Table, Table]:
    """Source and target, complete and finite; the columns named in `beside` are no features."""
    from tsrp.datasets.formats import read_source, read_target
    from tsrp.validation import check_finite

    old = read_source(source, label, features_key=features_key, labels_path=labels_file, without=beside)
    new = read_target(target, old, label, features_key=features_key, beside=beside)
    for table in (old, new):
        check_finite(table.X, str(table.path), table.names)
    return old, new


def note_tables(*tables: Table) -> None:
    """What the user should know of files that were read."""
    for table in tables:
        for sentence in table.notes:
            note(sentence)
