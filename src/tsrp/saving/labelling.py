"""Labels that a saved model gives the rows of files, block by block: here, or by the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tsrp._types import BoolArray, FloatArray, LabelArray
from tsrp.blocked.cluster import in_order
from tsrp.exceptions import InputError
from tsrp.io.blocks import ROWS, Blocks, Remarks
from tsrp.io.dasked import Part, PartBlocks, addresses, parts_of
from tsrp.io.files import kind_of
from tsrp.io.frames import TABLES
from tsrp.io.large import files_of, with_rows
from tsrp.memory import given_limit, held_at_a_time, limited_memory
from tsrp.trust.judgement import CONFIDENT_AT


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Some consecutive rows, labelled.

    Attributes
    ----------
    ids : array of shape (n,) or None
        What identifies them, if a column does.
    labels, probability, confident : arrays of shape (n,)
        As in `Judgement`.
    """

    ids: LabelArray | None
    labels: LabelArray
    probability: FloatArray
    confident: BoolArray


@dataclass(frozen=True, eq=False)
class Labelling:
    """How a model labels files.

    Parameters
    ----------
    model : fitted model
    confident_at : float, default 0.9
        The probability from which a label is called confident.
    rows : int, default 10,000
        At most so many rows are held at a time; fewer if a low limit of memory is set.
    options : dict, default none
        How files are read, as `Blocks` takes it; what it does not say is as the model has it.

    Attributes
    ----------
    remarks : Remarks
        What the user should be told of the files that are labelled by now.

    Examples
    --------
    >>> import tempfile
    >>> from tsrp import NN
    >>> model = NN().fit([[0.0], [1.0]], ["low", "high"], [[0.2], [0.9]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(Path(folder, "new.npy"), [[0.7], [0.1], [0.8]])
    ...     labelled = list(Labelling(model, rows=2).here(Path(folder, "new.npy")))
    >>> [block.labels.tolist() for block in labelled]
    [['high', 'low'], ['high']]
    """

    model: Any
    confident_at: float = CONFIDENT_AT
    rows: int = ROWS
    options: dict[str, Any] = field(default_factory=dict)
    remarks: Remarks = field(default_factory=Remarks, init=False)

    def here(self, path: Path) -> Iterator[LabelledRows]:
        """The rows of a file, or of the Parquet files of a folder or a pattern, labelled by this process."""
        # Files that cannot be read are refused before the first is labelled.
        for blocks in [self._open(Blocks, file) for file in with_rows(files_of(path))]:
            yield from self._judged(blocks)
            self.remarks.add(blocks.remarks)

    def on_cluster(self, path: Path) -> Iterator[LabelledRows]:
        """The rows of Parquet files in the same order, labelled by the workers of the Dask cluster that is connected.

        The files may also be at an address that fsspec knows.
        """
        parts = in_order(partial(parts_of, rows=self._rows), ((address,) for address in addresses(path)))
        calls = ((part,) for own in parts for part in own)
        nothing = True
        for labelled, remarks in in_order(partial(_label_part, self, given_limit()), calls):
            nothing = False
            self.remarks.add(remarks)
            yield labelled
        if nothing:
            raise InputError(f"{path} has no rows: add samples.")

    @property
    def _rows(self) -> int:
        return held_at_a_time(self.rows, 8 * self.model.n_features_in_)

    def _open(self, kind: type[Blocks], file: Any) -> Blocks:
        names = getattr(self.model, "feature_names_in_", None)
        features = None if names is None else names.tolist(), self.model.n_features_in_
        # Arrays have neither categories nor decimal marks.
        is_table = kind_of(Path(getattr(file, "address", file))) in TABLES
        stored = {"categorical": self.model.categorical_, "decimal": self.model.decimal_} if is_table else {}
        return kind(file, *features, fill=self.model.fill_values_, rows=self._rows, **stored | self.options)

    def _judged(self, blocks: Blocks) -> Iterator[LabelledRows]:
        for block in blocks:
            judged = self.model.predict_confidence(block.samples, confident_at=self.confident_at)
            yield LabelledRows(block.ids, judged.labels, judged.probability, judged.confident)


def _label_part(labelling: Labelling, max_memory: float | None, part: Part) -> tuple[LabelledRows, Remarks]:
    with limited_memory(max_memory):
        blocks = labelling._open(PartBlocks, part)
        found = list(labelling._judged(blocks))
    columns = zip(*((rows.ids, rows.labels, rows.probability, rows.confident) for rows in found), strict=True)
    return LabelledRows(*map(_joined, columns)), blocks.remarks


def _joined(parts: Sequence[Any]) -> Any:
    return None if parts[0] is None else np.concatenate(parts)
