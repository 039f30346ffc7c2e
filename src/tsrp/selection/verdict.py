"""What a vote of fitted members comes to: their weights, what each class counts, and what a student makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tsrp._types import FloatArray
from tsrp.classifiers.forest import Forest
from tsrp.progress import Stage, report
from tsrp.selection.answers import UNKNOWN, Answers
from tsrp.selection.doubt import LEAST_SUPPORT, Doubt, doubt_in_adaptation, support
from tsrp.selection.members import LEAVES, Fitted
from tsrp.selection.movement import Movement
from tsrp.selection.student import join, student_weight, teach
from tsrp.selection.vote import Weights, assortativities, class_factors, target_neighbours, vote
from tsrp.validation import Domains

N_STAGES = 4


@dataclass(frozen=True, eq=False)
class Verdict:
    """A vote on the target.

    Attributes
    ----------
    weights : Weights
        Of the members.
    doubt : Doubt
        How far it is in doubt that adaptation helps: members that see features as they are share so much.
    source_accuracy : float
        The share of the source's labels that these two give without having learnt from them; NaN if unknown.
    factors : array of shape (n_classes,)
        What a vote for each class counts.
    student : Forest
        What learned the target from the members' vote.
    student_weight : float
        What the student counts; the members together count 1.
    label_votes : array of shape (n_target, n_classes)
        The share of each class in the members' vote, if each votes for its label alone.
    member_votes : array of shape (n_target, n_classes)
        The share of each class in the members' vote, which those divide among the classes that have probabilities.
    votes : array of shape (n_target, n_classes)
        The same with the student's vote.
    """

    weights: Weights
    doubt: Doubt
    source_accuracy: float
    factors: FloatArray
    student: Forest
    student_weight: float
    label_votes: FloatArray
    member_votes: FloatArray
    votes: FloatArray

    @classmethod
    def of(cls, members: Sequence[Fitted], domains: Domains) -> Verdict:
        """Count the votes of these members."""
        _tell(1, "neighbouring rows")
        neighbours = target_neighbours(domains.Xt)
        labellings, families = [own.codes for own in members], [own.member.family for own in members]
        classes, known, n = domains.classes, domains.known, len(domains.Xt)
        shares = np.bincount(domains.ys, minlength=len(classes)) / len(domains.ys)
        undoubted = Weights.of(labellings, families, assortativities(labellings, neighbours, shares), known)
        _tell(2, "whether to adapt")
        doubt, answers = _doubt(members, domains)
        weights, share = undoubted.doubted(doubt.share, [own.as_they_are for own in members], answers.merits)
        plain = vote(labellings, weights.weight, n, np.ones(len(classes)))
        factors = class_factors(plain, shares)
        label_votes = vote(labellings, weights.weight, n, factors)
        _tell(3, "the student")
        # Of labels alone, so that the student has something to add to what probabilities say.
        codes, sureness = known.over(label_votes.argmax(axis=1)), label_votes.max(axis=1)
        sureness[known.rows] = 1.0
        student, said = teach(domains.Xt, classes[codes], sureness, -(-n // LEAVES))
        weight = student_weight(plain, shares)
        _tell(4, "the vote")
        # One by one: with many classes, probabilities are large.
        member_votes = vote((own.ballot() for own in members), weights.weight, n, factors)
        votes = join(member_votes, said, weight, classes, student.classes_)
        return cls(
            weights,
            replace(doubt, share=share),
            answers.accuracy,
            factors,
            student,
            weight,
            label_votes,
            member_votes,
            votes,
        )


def _tell(number: int, what: str) -> None:
    report(Stage(number, N_STAGES, what))


def _doubt(members: Sequence[Fitted], domains: Domains) -> tuple[Doubt, Answers]:
    """How far adaptation is in doubt, and what classifiers of the source said if it was worth asking."""
    enough = support(domains.Xs, len(domains.classes))
    if enough <= LEAST_SUPPORT:
        return Doubt(0.0, ""), UNKNOWN
    answers = Answers.of(domains.Xs, domains.ys, domains.Xt)
    doubt = doubt_in_adaptation(
        [own.codes for own in members if own.as_they_are],
        [own.codes for own in members if not own.as_they_are and not own.member.adapts],
        [(own.member.family, own.codes) for own in members if own.member.adapts],
        Movement.of(domains.Xs, domains.ys, domains.Xt),
        answers,
        enough,
    )
    return doubt, answers
