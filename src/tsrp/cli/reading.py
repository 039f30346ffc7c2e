"""The two files that `adapt` and `tune` read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tsrp.cli.console import Exit, failing_with, note

if TYPE_CHECKING:
    from tsrp.datasets.formats import Table


def read_domains(
    source: Path, target: Path, label: str | None, *, labels_file: Path | None, features_key: str | None, quiet: bool
) -> tuple[Table, Table]:
    """Source and target, complete and finite; what the user should know of them is noted."""
    from tsrp.datasets.formats import read_source, read_target
    from tsrp.validation import check_finite

    with failing_with(Exit.INPUT):
        old = read_source(source, label, features_key=features_key, labels_path=labels_file)
        new = read_target(target, old, label, features_key=features_key)
        for table in (old, new):
            check_finite(table.X, str(table.path), table.names)
    if not quiet:
        for sentence in (*old.notes, *new.notes):
            note(sentence)
    return old, new
