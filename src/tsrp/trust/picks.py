"""Which labels of unseen samples to trust: UTSP's rule, carried over from the target that was fitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tsrp._types import BoolArray, FloatArray, IntArray, LabelArray
from tsrp._utsp import SMALL_CLASS, ClassPick
from tsrp.numerics.rows import unit_rows
from tsrp.numerics.similarities import SAME
from tsrp.numerics.threads import one_blas_thread

# Similarities of so many new samples are held at a time.
BLOCK = 1024
# Of classes that UTSP trusted as a whole. Nothing is as low as the first; only a trusted sample's own direction
# reaches the second, for too few samples have shown how far such a class extends.
ANY_DIRECTION, SAME_DIRECTION = -2.0, 1.0


@dataclass(frozen=True, eq=False)
class Judgement:
    """Labels of samples, and which of them to trust.

    Attributes
    ----------
    labels : array of shape (n,)
        As `predict` has them.
    confident : array of bool, shape (n,)
        Whether a sample is as similar to a trusted target sample of its label as UTSP asked of that class.
    similarity : array of shape (n,)
        The largest cosine similarity to a trusted target sample of its label; 0 if the label has none.
    """

    labels: LabelArray
    confident: BoolArray
    similarity: FloatArray


class Trusted:
    """The target samples that UTSP trusted at first sight, and how similar it asked each class to be.

    A new sample is confident if it would have been joined to the tree of its class: if its cosine similarity to one
    of the trusted samples of its label reaches the threshold of that class.

    Attributes
    ----------
    Z : array of shape (n, k)
        The trusted samples, projected.
    codes : array of int, shape (n,)
        Their class codes.
    thresholds : array of shape (n_classes,)
    """

    def __init__(self, Z: FloatArray, codes: IntArray, thresholds: FloatArray) -> None:
        self.Z, self.codes, self.thresholds = Z, codes, thresholds

    @classmethod
    def from_picks(cls, Z: FloatArray, picks: list[ClassPick], n_classes: int) -> Trusted:
        """What is trusted of the target `Z`, from how UTSP judged its classes (labels are codes)."""
        thresholds = np.full(n_classes, SAME_DIRECTION)
        for pick in picks:
            if pick.threshold is not None:
                thresholds[pick.label] = pick.threshold
            elif len(pick.samples) > SMALL_CLASS:
                thresholds[pick.label] = ANY_DIRECTION
        samples = np.concatenate([pick.samples[pick.confident] for pick in picks])
        codes = np.concatenate([np.full(pick.confident.sum(), pick.label) for pick in picks])
        return cls(Z[samples], codes, thresholds)

    def judge(self, Z: FloatArray, codes: IntArray) -> tuple[BoolArray, FloatArray]:
        """Whether projected samples of these class codes are confident, and their similarity to what is trusted."""
        similarity = np.zeros(len(Z))
        with one_blas_thread():
            for code in np.unique(codes):
                trusted = unit_rows(self.Z[self.codes == code].astype(np.float64, copy=False))
                members = np.flatnonzero(codes == code)
                for start in range(0, len(members) if len(trusted) else 0, BLOCK):
                    part = members[start : start + BLOCK]
                    similarity[part] = (unit_rows(Z[part].astype(np.float64, copy=False)) @ trusted.T).max(axis=1)
        confident = similarity >= self.thresholds[codes] - SAME
        # Without a trusted sample of its label there is nothing to be similar to.
        confident &= np.isin(codes, self.codes)
        return confident, np.clip(similarity, -1.0, 1.0)
