"""How labels compare with true ones, where these are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tsrp._types import BoolArray, IntArray
from tsrp.exceptions import InputError
from tsrp.io.written import is_unknown, meaning
from tsrp.trust.comparison import Comparison

# Fewer say nothing about the accuracy of all rows.
FEWEST_TRUE = 20


@dataclass(frozen=True, eq=False)
class Truth:
    """How the labels compare with true ones.

    Attributes
    ----------
    names : list of str
        The source's classes, then those that only the truth has.
    codes : array of int, shape (n_target,)
        The true classes as numbers of `names`; -1 where the truth is not known.
    before, after : arrays of shape (n_names, n_classes)
        Counts: true class (row) and label (column), by 1-nearest-neighbour without adaptation and by the method.
    right : array of bool, shape (n_target,)
        Whether each label is the true one.
    accuracy_of_alternatives : mapping of str to float
        By the names of the alternatives without adaptation.
    crude_by_round, by_round : lists of float
        Accuracy of the weak classifier's labels and of the remedied ones in each round.
    """

    names: list[str]
    codes: IntArray
    before: IntArray
    after: IntArray
    right: BoolArray
    accuracy_before: float
    accuracy: float
    accuracy_confident: float | None
    accuracy_uncertain: float | None
    accuracy_of_alternatives: Mapping[str, float]
    crude_by_round: list[float]
    by_round: list[float]

    @property
    def is_enough(self) -> bool:
        """Whether so many true labels say more than an estimate."""
        return self.n_known >= FEWEST_TRUE

    @property
    def n_known(self) -> int:
        """How many rows have a true label."""
        return int((self.codes >= 0).sum())


def check_truth(truth: npt.ArrayLike, n_target: int) -> list[Any]:
    """The true labels one by one, if there is a place for each row and a label in some of them."""
    cells = np.asarray(truth, dtype=object)
    if cells.shape != (n_target,):
        raise InputError(
            f"truth must hold one label for each of the {n_target} rows of Xt; its shape is {cells.shape}."
        )
    if all(map(is_unknown, cells.tolist())):
        raise InputError("truth holds no true label: leave it out, or fill in some of them.")
    return cells.tolist()


def judge(
    truth: npt.ArrayLike,
    model: Any,
    labels: IntArray,
    unadapted: IntArray,
    confident: BoolArray,
    comparison: Comparison,
) -> Truth:
    """Compare the labels of a fit, as codes, and those of alternatives with the truth."""
    given = model.fit_record_.given
    classes, names = given.classes, [str(name) for name in given.classes.tolist()]
    cells = check_truth(truth, len(labels))
    # What a class may be called, its own value first.
    written = {name.strip(): name for name in names} | dict(zip(classes.tolist(), names, strict=True))
    texts = [None if is_unknown(cell) else meaning(cell, written, str(cell).strip()) for cell in cells]
    known = np.array([text is not None for text in texts])
    everything = names + sorted({text for text in texts if text is not None} - set(names))
    number = {name: i for i, name in enumerate(everything)}
    codes = np.array([-1 if text is None else number[text] for text in texts])

    def accuracy(given: IntArray, among: BoolArray) -> float | None:
        return float((given == codes)[among].mean()) if among.any() else None

    def confusion(given: IntArray) -> IntArray:
        counts = np.zeros((len(everything), len(names)), dtype=int)
        np.add.at(counts, (codes[known], given[known]), 1)
        return counts

    def over_rounds(kind: str) -> list[float]:
        return [float((np.searchsorted(classes, getattr(r, kind)) == codes)[known].mean()) for r in model.history_]

    return Truth(
        names=everything,
        codes=codes,
        before=confusion(unadapted),
        after=confusion(labels),
        right=labels == codes,
        accuracy_before=float((unadapted == codes)[known].mean()),
        accuracy=float((labels == codes)[known].mean()),
        accuracy_confident=accuracy(labels, known & confident),
        accuracy_uncertain=accuracy(labels, known & ~confident),
        accuracy_of_alternatives={
            way.name: float((np.searchsorted(classes, way.labels) == codes)[known].mean())
            for way in comparison.alternatives
        },
        crude_by_round=over_rounds("crude"),
        by_round=over_rounds("labels"),
    )


def known_accuracy(labels: npt.ArrayLike, truth: npt.ArrayLike) -> tuple[float, int]:
    """The share of right labels among rows whose true label is known, and how many these are.

    Examples
    --------
    >>> known_accuracy(["cat", "dog", "dog"], ["cat", "cat", ""])
    (0.5, 2)
    """
    names = np.asarray(labels).tolist()
    written = {str(name).strip(): str(name) for name in names} | {name: str(name) for name in names}
    pairs = [
        (str(name), meaning(cell, written, str(cell).strip()))
        for name, cell in zip(names, check_truth(truth, len(names)), strict=True)
        if not is_unknown(cell)
    ]
    return sum(name == true for name, true in pairs) / len(pairs), len(pairs)
