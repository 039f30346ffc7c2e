"""A vote of members, each weighed by what can be said of its labels without a true one.

Members that are right agree with each other, for there is one way to be right, and neighbouring rows agree on right
labels. Members of a family go wrong in the same way: who agrees only with those of its own family is not confirmed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tsrp._types import FloatArray, IntArray
from tsrp.known import NOTHING, Known
from tsrp.numerics.cosines import nearest_cosines
from tsrp.numerics.rows import unit_rows
from tsrp.preprocessing import SoftScaler
from tsrp.selection.agreement import kappa
from tsrp.trust.original import Scaling

NEIGHBOURS = 6
# How much it counts to agree with the others, that neighbouring rows agree, and to be right where the label is known.
AGREEMENT_POWER, ASSORTATIVITY_POWER, RIGHT_POWER = 6, 4, 4
# So many known labels count as much as that members are equally good.
PRIOR = 10
# To agree with members that count much counts more than with others; after a few rounds the weights hardly change. If
# they still do, by so much of the vote, smaller steps are taken.
ROUNDS, UNSETTLED, SMALLER_STEPS = 5, 0.05, 100
# As a share of the best: who agrees with nobody that counts may still be all that is left.
LEAST_AGREEMENT = 1e-3


@dataclass(frozen=True, eq=False)
class Weights:
    """What each member of a vote counts, and why.

    Attributes
    ----------
    weight : array of shape (n_members,)
        Shares of the vote. Their sum is 1.
    agreement : array of shape (n_members,)
        The mean share of a member's label in the votes of the other families.
    assortativity : array of shape (n_members,)
        How far neighbouring rows have the same label, beyond chance.
    right : array of shape (n_members,)
        The share of known rows that a member labels rightly, without having learnt from them; NaN if none is known.
    merit_by_known : array of shape (n_members,)
        What being right on known rows counts: 1, or less than the best does.
    """

    weight: FloatArray
    agreement: FloatArray
    assortativity: FloatArray
    right: FloatArray
    merit_by_known: FloatArray

    @classmethod
    def of(
        cls,
        labellings: Sequence[IntArray],
        families: Sequence[str],
        assortativity: FloatArray,
        known: Known = NOTHING,
        *,
        powers: tuple[float, float] = (AGREEMENT_POWER, ASSORTATIVITY_POWER),
    ) -> Weights:
        """Weigh members by the labels that they give.

        Parameters
        ----------
        labellings : sequence of arrays of int, shape (n_target,)
            Each member's class codes of the target, known rows as if they were not.
        families : sequence of str
            The family of each member.
        assortativity : array of shape (n_members,)
            How far neighbouring rows have the same label, by each.
        known : Known, default nothing
        powers : tuple of two floats
            Of agreement and of assortativity in the weights.

        Examples
        --------
        >>> labellings = [np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])]
        >>> Weights.of(labellings, ["a", "b", "c"], np.array([0.5, 0.5, 0.4])).weight.round(2).tolist()
        [0.5, 0.5, 0.0]
        """
        alike = np.array([[np.mean(own == other) for other in labellings] for own in labellings])
        strangers = np.array([[own != other for other in families] for own in families])
        sizes = np.array([families.count(family) for family in families])
        of_agreement, of_assortativity = powers
        right: FloatArray = np.full(len(labellings), np.nan)
        merit_by_known: FloatArray = np.ones(len(labellings))
        if len(known):
            right = np.array([np.mean(own[known.rows] == known.codes) for own in labellings])
            shrunk = (len(known) * right + PRIOR * right.mean()) / (len(known) + PRIOR)
            merit_by_known = _relative(shrunk) ** RIGHT_POWER
        merit = _relative(assortativity) ** of_assortativity * merit_by_known

        def next_round(weight: FloatArray) -> tuple[FloatArray, FloatArray]:
            agreement = _agreement(alike, strangers, weight)
            return agreement, merit * np.maximum(_relative(agreement), LEAST_AGREEMENT) ** of_agreement

        weight = merit / sizes
        for _ in range(ROUNDS):
            before = weight
            agreement, weight = next_round(before)
        if np.abs(weight / weight.sum() - before / before.sum()).sum() / 2 > UNSETTLED:
            # Two members that agree with nobody but each other take turns: each counts when the other one did.
            weight = merit / sizes
            for _ in range(SMALLER_STEPS):
                agreement, following = next_round(weight)
                weight = np.sqrt(weight / weight.sum() * following)
        return cls(weight / weight.sum(), agreement, assortativity, right, merit_by_known)

    def doubted(self, doubt: float, as_they_are: Sequence[bool], merits: Sequence[float]) -> tuple[Weights, float]:
        """Weights in which members that see features as they are share so much of the vote, and how much it is.

        Which is less if others are more often right on known rows. Those that see features as they are have a merit
        each, in their order; they share it by these, and by what they have right on known rows.
        """
        decide = np.asarray(as_they_are)
        if not doubt or not decide.any():
            return self, 0.0
        share = doubt * float(self.merit_by_known[decide].mean())
        counts = np.zeros(len(decide))
        counts[decide] = merits * self.merit_by_known[decide]
        return replace(self, weight=(1 - share) * self.weight + share * counts / counts.sum()), share


def assortativities(
    labellings: Sequence[IntArray], neighbours: Sequence[IntArray], shares: FloatArray | None = None
) -> FloatArray:
    """The assortativity of each labelling: the mean over the spaces in which rows are neighbours.

    Parameters
    ----------
    labellings : sequence of arrays of int, shape (n_target,)
    neighbours : sequence of arrays of int, shape (n_target, k)
    shares : array of shape (n_classes,), optional
        Of the classes in the source: neighbours agree by chance at least as often as they do with these.

    Examples
    --------
    >>> assortativities([np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])], [np.array([[1], [0], [3], [2]])])
    array([1., 0.])
    """
    least = 0.0 if shares is None else float(shares @ shares)
    return np.array([np.mean([label_assortativity(own, near, least) for near in neighbours]) for own in labellings])


def label_assortativity(codes: IntArray, neighbours: IntArray, least_chance: float = 0.0) -> float:
    """Newman's assortativity of labels among neighbours: 1 if all neighbours share theirs, 0 if as many as by chance.

    Unlike mutual information it does not grow with the number of classes: a target that lacks classes is labelled best
    by a member that does not use them. Below 0 and for a single class it is 0. With a `least_chance` labels must agree
    more often than this, too: if nearly all of the source is of one class, groups of equal size among the target's rows
    are no sign of the other class.

    References
    ----------
    M. Newman: Mixing patterns in networks. Physical Review E 67, 2003.

    Examples
    --------
    >>> label_assortativity(np.array([0, 0, 1, 1]), np.array([[1], [0], [3], [2]]))
    1.0
    """
    if neighbours.size == 0:
        return 0.0
    return max(0.0, kappa(np.repeat(codes, neighbours.shape[1]), codes[neighbours].ravel(), least_chance))


def vote(
    ballots: Iterable[IntArray | FloatArray], weights: Sequence[float] | FloatArray, n_target: int, factors: FloatArray
) -> FloatArray:
    """The share of each class in a weighted vote on each row.

    Parameters
    ----------
    ballots : iterable of arrays of shape (n_target,) or (n_target, n_classes)
        Of each member: the codes of its labels, or the shares by which it divides its vote among the classes.
    weights : sequence of float
        What each member counts.
    n_target : int
    factors : array of shape (n_classes,)
        What a vote for each class counts.

    Examples
    --------
    >>> vote([np.array([0, 1]), np.array([[1.0, 0.0], [0.5, 0.5]])], [0.75, 0.25], 2, np.ones(2)).tolist()
    [[1.0, 0.0], [0.125, 0.875]]
    """
    total = np.zeros((n_target, len(factors)))
    rows = np.arange(n_target)
    for own, weight in zip(ballots, weights, strict=True):
        if own.ndim == 1:
            total[rows, own] += weight
        else:
            total += weight * own
    total *= factors
    return total / total.sum(axis=1, keepdims=True)


def class_factors(votes: FloatArray, shares: FloatArray) -> FloatArray:
    """What a vote for each class counts: 1, or less for a class that is rarer in the target than in the source.

    Members learned that classes have the source's shares. A class that gets fewer votes than that is rare or missing in
    the target, and single votes for it are more often wrong: they count by the ratio of its share of the votes to that
    in the source, over the same ratio of all classes that have at least their share. But shares of votes are not quite
    those of the true labels: the ratio is taken to the power `shift_of_shares`, and nearly equal ones change nothing.

    Parameters
    ----------
    votes : array of shape (n_target, n_classes)
    shares : array of shape (n_classes,)
        Of the classes in the source.

    References
    ----------
    M. Saerens, P. Latinne, C. Decaestecker: Adjusting the outputs of a classifier to new a priori probabilities. Neural
    Computation 14, 2002. (There the power is 1, and classes that have more than their share are corrected too.)

    Examples
    --------
    >>> class_factors(np.repeat([[0.9, 0.1], [0.6, 0.4]], 50, axis=0), np.array([0.5, 0.5])).round(2).tolist()
    [1.0, 0.77]
    """
    found = _shares_found(votes, shares)
    has_its_share = found >= shares
    ratio = found / shares
    ratio[has_its_share] = found[has_its_share].sum() / shares[has_its_share].sum()
    return (ratio / ratio.max()) ** shift_of_shares(votes, shares)


def shift_of_shares(votes: FloatArray, shares: FloatArray) -> float:
    """How far the classes' shares of a vote are from those in the source, from 0 (the same) to 1 (others).

    d ** 2, at most 1, where d is the sum of the absolute differences: shares that are nearly equal hardly count.

    Examples
    --------
    >>> round(shift_of_shares(np.repeat([[0.9, 0.1], [0.6, 0.4]], 50, axis=0), np.array([0.5, 0.5])), 2)
    0.24
    """
    return min(1.0, float(np.abs(_shares_found(votes, shares) - shares).sum() ** 2))


def _shares_found(votes: FloatArray, shares: FloatArray) -> FloatArray:
    """The classes' shares of a vote."""
    # As many rows as there are classes are added with the source's shares, so that a few rows say little.
    n, n_classes = votes.shape
    return (votes.sum(axis=0) + n_classes * shares) / (n + n_classes)


def target_neighbours(Xt: FloatArray) -> list[IntArray]:
    """The neighbours of each target row by cosine, in spaces that no method made: as given, softly scaled, z-scores.

    One column of large values is all that counts among rows as given, so that these alone say little. Copies of a row
    are no neighbours of it, as they say nothing about its label.

    Examples
    --------
    >>> [near.shape for near in target_neighbours(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.1]]))]
    [(3, 2), (3, 2), (3, 2)]
    """
    _, first, copies = np.unique(Xt, axis=0, return_index=True, return_inverse=True)
    distinct = Xt[first]
    softly = SoftScaler().fit_transform(distinct)
    spaces = unit_rows(distinct), unit_rows(softly), Scaling.of(distinct).rows(distinct)
    near = (nearest_cosines(rows, rows, NEIGHBOURS, others=True)[0] for rows in spaces)
    return [first[own][copies.ravel()] for own in near]


def _agreement(alike: FloatArray, strangers: npt.NDArray[np.bool_], weight: FloatArray) -> FloatArray:
    """The mean agreement of each member with those of other families, weighted; 1 if there are none."""
    counted = strangers * weight
    total = counted.sum(axis=1)
    return np.divide((alike * counted).sum(axis=1), total, out=np.ones_like(total), where=total > 0)


def _relative(values: FloatArray) -> FloatArray:
    """Values as shares of the largest; all 1 if none says anything, as of a single row."""
    return values / values.max() if values.max() > 0 else np.ones_like(values)
