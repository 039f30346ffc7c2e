"""A student of the vote: trees that learn the target itself from the labels that a panel voted for."""

from __future__ import annotations

import numpy as np

from tsrp._types import FloatArray, LabelArray
from tsrp.classifiers.forest import LARGEST, Forest
from tsrp.selection.vote import shift_of_shares

N_TREES = 100
# Weights of rows are rounded: their last bits depend on the processor, and would decide between splits that tie.
DECIMALS = 6
# What a student counts beside the members, who together count 1: where the target's shares of the classes are those of
# the source, and how much more where they are others, for there members are wrong about the shares, and it is not.
WEIGHT, WEIGHT_BY_SHIFT = 0.5, 5.0


def teach(Xt: FloatArray, labels: LabelArray, sureness: FloatArray, min_samples_leaf: int) -> tuple[Forest, FloatArray]:
    """Trees that learn the target from the vote on it, and what they say of its rows.

    Members look at the target through the source. A student looks at the target alone: what the vote says of most rows
    of a kind, it says of all of them. Only trees that did not learn from a row are asked about it, so that a student
    does not just repeat the vote.

    Parameters
    ----------
    Xt : array of shape (n_target, m)
    labels : array of shape (n_target,)
        By the vote.
    sureness : array of shape (n_target,)
        What each row counts: the share of its label in the vote.
    min_samples_leaf : int

    Returns
    -------
    student : Forest
    shares : array of shape (n_target, n_classes)
        Of the student's classes, in their order.

    Examples
    --------
    >>> Xt = np.array([[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5]]).T
    >>> student, shares = teach(Xt, np.array([0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1]), np.ones(12), 1)
    >>> student.classes_[shares.argmax(axis=1)].tolist()
    [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    """
    student = Forest(N_TREES, min_samples_leaf=min_samples_leaf)
    # Whatever is larger lies on the same side of every threshold.
    samples = np.clip(Xt, -LARGEST, LARGEST)
    return student, student.fit_out_of_bag(samples, labels, np.round(sureness, DECIMALS))


def student_weight(votes: FloatArray, shares: FloatArray) -> float:
    """What a student counts beside members whose votes are these, if classes have these shares in the source.

    Examples
    --------
    >>> student_weight(np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([0.5, 0.5]))
    0.5
    """
    return WEIGHT + WEIGHT_BY_SHIFT * shift_of_shares(votes, shares)


def join(votes: FloatArray, shares: FloatArray, weight: float, classes: LabelArray, taught: LabelArray) -> FloatArray:
    """The votes of members, in the order of `classes`, and a student's shares, in that of those it was taught.

    Examples
    --------
    >>> join(np.array([[0.6, 0.4, 0.0]]), np.array([[0.0, 1.0]]), 1.0, np.array(["a", "b", "c"]), np.array(["a", "b"]))
    array([[0.3, 0.7, 0. ]])
    """
    joined = votes.copy()
    joined[:, np.searchsorted(classes, taught)] += weight * shares
    return joined / (1 + weight)
