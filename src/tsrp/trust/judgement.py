"""Labels of samples, and how far to trust each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tsrp.exceptions import UsageError

if TYPE_CHECKING:
    # The command line, which shows the default below, is not to wait for numpy.
    from tsrp._types import BoolArray, FloatArray, LabelArray

# A label is called confident from this probability on, if nothing else is asked for.
CONFIDENT_AT = 0.9


@dataclass(frozen=True, eq=False)
class Judgement:
    """Labels of samples, and how far to trust each.

    Attributes
    ----------
    labels : array of shape (n,)
        As `predict` has them.
    probability : array of shape (n,)
        That the label is right.
    trust : array of shape (n,)
        From 0 to 1, to sort by: the mean rank of the label, among those of the fitted target, by five signals.
    confident : array of bool, shape (n,)
        Whether the probability is as high as was asked for.
    """

    labels: LabelArray
    probability: FloatArray
    trust: FloatArray
    confident: BoolArray


def check_confident_at(confident_at: float) -> None:
    """Refuse what is not a probability."""
    if not (isinstance(confident_at, float | int) and 0 <= confident_at <= 1):
        raise UsageError(f"`confident_at` must be a probability from 0 to 1, but it is {confident_at!r}.")
