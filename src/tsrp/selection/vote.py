"""A vote of labellings, each weighed by what can be said of it without a true label.

Members that are right agree with each other, for there is one way to be right, and neighbouring rows agree on right
labels. Members of a family, which go wrong in the same way, share a vote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.numerics.cosines import nearest_cosines
from tsrp.numerics.rows import unit_rows
from tsrp.preprocessing import SoftScaler
from tsrp.trust.information import neighbour_information

NEIGHBOURS = 6
# How much it counts to agree with the others, and that neighbouring rows agree.
AGREEMENT_POWER, INFORMATION_POWER = 4, 2


@dataclass(frozen=True, eq=False)
class Weights:
    """What each member of a vote counts, and why.

    Attributes
    ----------
    weight : array of shape (n_members,)
        Shares of the vote. Their sum is 1; members of a family share theirs.
    merit : array of shape (n_members,)
        What a member would count alone in its family; the best has the largest.
    agreement : array of shape (n_members,)
        The mean share of a member's label in the votes of the other families.
    information : array of shape (n_members,)
        Mutual information of a target row's label and those of its neighbours.
    """

    weight: FloatArray
    merit: FloatArray
    agreement: FloatArray
    information: FloatArray

    @classmethod
    def of(cls, scores: Sequence[FloatArray], families: Sequence[str], neighbours: Sequence[IntArray]) -> Weights:
        """Weigh members by their votes.

        Parameters
        ----------
        scores : sequence of arrays of shape (n_target, n_classes)
            The votes of each member: rows sum to 1.
        families : sequence of str
            The family of each member.
        neighbours : sequence of arrays of shape (n_target, k)
            The neighbours of each target row, in one or more spaces.

        Examples
        --------
        >>> votes = np.eye(2)[[[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]]]
        >>> weighed = Weights.of(list(votes), ["a", "b", "c"], [np.array([[1], [0], [3], [2]])])
        >>> weighed.weight.round(2).tolist()
        [0.5, 0.5, 0.0]
        """
        codes = [own.argmax(axis=1) for own in scores]
        agreement = _agreement(scores, codes, families)
        information = np.array([np.mean([neighbour_information(own, near) for near in neighbours]) for own in codes])
        sizes = np.array([families.count(family) for family in families])
        merit = _relative(agreement) ** AGREEMENT_POWER * _relative(information) ** INFORMATION_POWER
        weights = merit / sizes
        return cls(weights / weights.sum(), merit, agreement, information)


def vote(scores: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """The weighted mean of votes.

    Examples
    --------
    >>> vote([np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])], np.array([0.5, 0.5])).tolist()
    [[0.75, 0.25]]
    """
    total = np.zeros_like(scores[0], dtype=np.float64)
    for own, weight in zip(scores, weights, strict=True):
        total += weight * own
    return total


def target_neighbours(Xt: FloatArray) -> list[IntArray]:
    """The neighbours of each target row by cosine, in two spaces that no method made: as given, and softly scaled.

    Examples
    --------
    >>> [near.shape for near in target_neighbours(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.1]]))]
    [(3, 2), (3, 2)]
    """
    spaces = unit_rows(Xt), unit_rows(SoftScaler().fit_transform(Xt))
    return [nearest_cosines(rows, rows, NEIGHBOURS, others=True)[0] for rows in spaces]


def _agreement(scores: Sequence[FloatArray], codes: Sequence[IntArray], families: Sequence[str]) -> FloatArray:
    """How far each member agrees with the others; every other family counts as one."""
    distinct = list(dict.fromkeys(families))
    by_family = {
        name: np.mean([own for own, f in zip(scores, families, strict=True) if f == name], axis=0) for name in distinct
    }
    if len(distinct) == 1:
        return np.ones(len(scores))
    total = sum(by_family.values())
    rows = np.arange(len(scores[0]))
    return np.array(
        [
            float(((total - by_family[family])[rows, own] / (len(distinct) - 1)).mean())
            for own, family in zip(codes, families, strict=True)
        ]
    )


def _relative(values: FloatArray) -> FloatArray:
    """Values as shares of the largest; all 1 if none says anything, as of a single row."""
    return values / values.max() if values.max() > 0 else np.ones_like(values)
