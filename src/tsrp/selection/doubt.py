"""Whether adaptation helps at all, by members that do not adapt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.selection.agreement import LEAST_KAPPA, kappa
from tsrp.selection.answers import Answers
from tsrp.selection.movement import Movement

# Between these a reason rises from 0 to 1. How well members without adaptation agree beside members with it, as a ratio
# of kappas; and the larger ratio that is asked for where only members without adaptation say that features mean the
# same: by agreeing on nearly all of the target, or by saying the same if each domain is scaled by itself.
RATIOS, LARGE_RATIOS = (0.9, 1.2), (2.0, 4.0)
ALIKE, SCALED_ALIKE = (0.85, 0.95), (0.6, 0.8)
# How far features mean the same, by where they are; how far the domains are the same, and what is enough of that if
# classifiers are at home in the target.
UNMOVED, SAME, NEARLY_SAME = (0.2, 0.4), (0.7, 0.9), (0.4, 0.6)
# How strange answers on the target are, and how far classifiers agree on them, for classifiers that are at home there.
STRANGE, AGREED = (0.15, 0.25), (0.5, 0.8)
# How much the features tell about the classes, in the source itself.
SKILL = (0.1, 0.3)
# How much there is to go by. With less than the first nothing is in doubt.
SUPPORT = LEAST_SUPPORT, ENOUGH_SUPPORT = 0.5, 1.5

SAME_FEATURES = "features seem to mean the same as in the source"
NO_SKILL = "features tell little about the classes, in the source itself"


@dataclass(frozen=True)
class Doubt:
    """How far it is in doubt that adaptation helps.

    Attributes
    ----------
    share : float
        From 0 to 1.
    reason : str
        The strongest one, in words; empty if there is no doubt.
    """

    share: float
    reason: str


def doubt_in_adaptation(
    as_they_are: Sequence[IntArray],
    rescaled: Sequence[IntArray],
    adapted: Sequence[tuple[str, IntArray]],
    movement: Movement,
    answers: Answers,
    support: float,
) -> Doubt:
    """How far it is in doubt that adaptation helps: the strongest of four reasons, as far as there are samples.

    Methods of adaptation, and scaling each domain by itself, take it that features have moved, and that classes are
    about as frequent in the target as in the source. Where that is not so they go wrong, and each in its own way:

    - Methods of different families agree less with each other than classifiers of different kinds do that learned from
      the source alone, on features as they are. But these may agree on what is wrong, if features have moved: other
      shares of the classes must explain the movement, or the classifiers be at home in the target.
    - The same by far, and one of two more signs. Classifiers of different kinds agree on nearly all of the target,
      beyond chance: where features have moved, they seldom go wrong in the same way. Or they say the same if each
      domain is scaled by itself: scales, at least, have not moved.
    - The domains are hardly to be told apart.
    - Classifiers are hardly better than chance in the source itself, so that groups in the target are hardly classes.

    Parameters
    ----------
    as_they_are : sequence of arrays of int, shape (n_target,)
        The codes by classifiers of the source alone; nothing is doubted without two.
    rescaled : sequence of arrays of int, shape (n_target,)
        The codes by classifiers of the source that see each domain scaled by itself.
    adapted : sequence of tuples (family, array of int, shape (n_target,))
        The codes by members that adapt; nothing is doubted without two families.
    movement : Movement
    answers : Answers
    support : float
        How much there is to go by: `support`.

    Examples
    --------
    >>> a, b, c = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1, 1]), np.array([1, 1, 0, 1, 0, 1])
    >>> moved = Movement(explained=0.8, confused=0.1)
    >>> asked = Answers(accuracy=0.9, skill=0.9, strangeness=0.5, consensus=0.5, merits=(1.0, 1.0))
    >>> doubt_in_adaptation([a, a], [], [("one", b), ("other", c)], moved, asked, support=9.0)
    Doubt(share=1.0, reason='features seem to mean the same as in the source')
    """
    between = [(one, other) for (own, one), (family, other) in combinations(adapted, 2) if own != family]
    if len(as_they_are) < 2 or not between:
        return Doubt(0.0, "")
    agreement = _mean_kappa(combinations(as_they_are, 2))
    ratio = agreement / max(LEAST_KAPPA, _mean_kappa(between))
    scaled_alike = _mean_kappa(product(as_they_are, rescaled)) if rescaled else 0.0
    at_home = (1 - _rise(answers.strangeness, STRANGE)) * _rise(answers.consensus, AGREED)
    unmoved = max(_rise(movement.explained + movement.confused, UNMOVED), at_home)
    same = max(
        _rise(ratio, RATIOS) * unmoved,
        _rise(ratio, LARGE_RATIOS) * max(_rise(agreement, ALIKE), _rise(scaled_alike, SCALED_ALIKE)),
        _rise(movement.confused, SAME),
        _rise(movement.confused, NEARLY_SAME) * at_home,
    )
    unskilled = 1 - _rise(answers.skill, SKILL)
    share = _rise(support, SUPPORT) * max(same, unskilled)
    if share == 0:
        return Doubt(0.0, "")
    return Doubt(share, NO_SKILL if unskilled >= same else SAME_FEATURES)


def support(Xs: FloatArray, n_classes: int) -> float:
    """How much there is to go by in a source: samples of a class, over the root of the number of features.

    Of a few samples with many features nothing can be said: classifiers learn little, and trees confuse the domains.

    Examples
    --------
    >>> support(np.zeros((100, 25)), n_classes=2)
    10.0
    """
    n, m = Xs.shape
    return n / float(n_classes * np.sqrt(m))


def _mean_kappa(pairs: Iterable[tuple[IntArray, IntArray]]) -> float:
    return float(np.mean([kappa(one, other) for one, other in pairs]))


def _rise(value: float, bounds: tuple[float, float]) -> float:
    """From 0 at the lower bound to 1 at the upper one."""
    return float(np.interp(value, bounds, (0.0, 1.0)))
