"""A vote of labellings, each weighed by what can be said of it without a true label.

Members that are right agree with each other, for there is one way to be right, and neighbouring rows agree on right
labels. Members of a family go wrong in the same way: k of them count as the square root of k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.known import NOTHING, Known
from tsrp.numerics.cosines import nearest_cosines
from tsrp.numerics.rows import unit_rows
from tsrp.preprocessing import SoftScaler
from tsrp.trust.information import neighbour_information
from tsrp.trust.signals import of_label

NEIGHBOURS = 6
# How much it counts to agree with the others, that neighbouring rows agree, and to be right where the label is known.
AGREEMENT_POWER, INFORMATION_POWER, RIGHT_POWER = 4, 2, 4
# So many known labels count as much as that members are equally good.
PRIOR = 10


@dataclass(frozen=True, eq=False)
class Weights:
    """What each member of a vote counts, and why.

    Attributes
    ----------
    weight : array of shape (n_members,)
        Shares of the vote. Their sum is 1.
    merit : array of shape (n_members,)
        What a member would count if it were alone in its family.
    agreement : array of shape (n_members,)
        The mean share of a member's label in the votes of the other families.
    information : array of shape (n_members,)
        Mutual information of a target row's label and those of its neighbours.
    right : array of shape (n_members,)
        The share of known rows that a member labels rightly, without having learnt from them; NaN if none is known.
    """

    weight: FloatArray
    merit: FloatArray
    agreement: FloatArray
    information: FloatArray
    right: FloatArray

    @classmethod
    def of(
        cls,
        labellings: Sequence[IntArray],
        families: Sequence[str],
        n_classes: int,
        neighbours: Sequence[IntArray],
        known: Known = NOTHING,
    ) -> Weights:
        """Weigh members by the labels that they give.

        Parameters
        ----------
        labellings : sequence of arrays of int, shape (n_target,)
            Each member's class codes of the target, known rows as if they were not.
        families : sequence of str
            The family of each member.
        n_classes : int
        neighbours : sequence of arrays of shape (n_target, k)
            The neighbours of each target row, in one or more spaces.
        known : Known, default nothing

        Examples
        --------
        >>> labellings = [np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])]
        >>> weighed = Weights.of(labellings, ["a", "b", "c"], 2, [np.array([[1], [0], [3], [2]])])
        >>> weighed.weight.round(2).tolist()
        [0.46, 0.46, 0.09]
        """
        agreement = _agreement(labellings, families, n_classes)
        information = np.array(
            [np.mean([neighbour_information(own, near) for near in neighbours]) for own in labellings]
        )
        sizes = np.array([families.count(family) for family in families])
        merit = _relative(agreement) ** AGREEMENT_POWER * _relative(information) ** INFORMATION_POWER
        right = np.full(len(labellings), np.nan)
        if len(known):
            right = np.array([np.mean(own[known.rows] == known.codes) for own in labellings])
            shrunk = (len(known) * right + PRIOR * right.mean()) / (len(known) + PRIOR)
            merit = merit * _relative(shrunk) ** RIGHT_POWER
        weight = merit / np.sqrt(sizes)
        return cls(weight / weight.sum(), merit, agreement, information, right)


def vote(labellings: Sequence[IntArray], weights: Sequence[float] | FloatArray, n_classes: int) -> FloatArray:
    """The share of each class in a weighted vote on each row.

    Examples
    --------
    >>> vote([np.array([0, 1]), np.array([0, 0])], [0.75, 0.25], 2).tolist()
    [[1.0, 0.0], [0.25, 0.75]]
    """
    total = np.zeros((len(labellings[0]), n_classes))
    rows = np.arange(len(total))
    for own, weight in zip(labellings, weights, strict=True):
        total[rows, own] += weight
    return total / np.sum(weights)


def target_neighbours(Xt: FloatArray) -> list[IntArray]:
    """The neighbours of each target row by cosine, in two spaces that no method made: as given, and softly scaled.

    Examples
    --------
    >>> [near.shape for near in target_neighbours(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.1]]))]
    [(3, 2), (3, 2)]
    """
    spaces = unit_rows(Xt), unit_rows(SoftScaler().fit_transform(Xt))
    return [nearest_cosines(rows, rows, NEIGHBOURS, others=True)[0] for rows in spaces]


def _agreement(labellings: Sequence[IntArray], families: Sequence[str], n_classes: int) -> FloatArray:
    """The mean share of each member's labels in the votes of the other families, each of which counts as one."""
    by_family = {
        name: vote(own, np.ones(len(own)), n_classes)
        for name in dict.fromkeys(families)
        for own in [[codes for codes, family in zip(labellings, families, strict=True) if family == name]]
    }
    if len(by_family) == 1:
        return np.ones(len(labellings))
    everyone = np.sum(list(by_family.values()), axis=0)
    others = {name: (everyone - own) / (len(by_family) - 1) for name, own in by_family.items()}
    return np.array([of_label(others[name], own).mean() for own, name in zip(labellings, families, strict=True)])


def _relative(values: FloatArray) -> FloatArray:
    """Values as shares of the largest; all 1 if none says anything, as of a single row."""
    return values / values.max() if values.max() > 0 else np.ones_like(values)
