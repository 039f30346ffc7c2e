"""What a fit was given and made of it: the questions about its labels are asked of this."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp.base.blocked import BlockedDomains
from tsrp.numerics.neighbours import nearest
from tsrp.trust.blocked import nearest_by_components, originals_in_blocks, view_of_blocks
from tsrp.trust.evidence import Evidence
from tsrp.trust.view import View
from tsrp.validation import Domains


@dataclass(frozen=True, eq=False)
class FitRecord:
    """What a fit was given and made of it.

    Attributes
    ----------
    given : Domains
        Both domains as the user passed them.
    adapted : Domains
        Both domains as the method was given them: preprocessed, if there was preprocessing.
    Zs, Zt : arrays of shape (n_source, k) and (n_target, k)
        Both domains as the last round projected them. What a method does to the source may differ from what its
        `transform` does to samples to come.
    whole : array or data frame of shape (n_all, m), or None
        All rows of the target as they go to `predict`, if the fit learned from some of them.
    """

    given: Domains
    adapted: Domains
    Zs: FloatArray
    Zt: FloatArray
    whole: Any = field(default=None, kw_only=True)

    def evidence(self, codes: IntArray) -> Evidence:
        """What speaks for these labels of the target."""
        given = self.given
        return Evidence.of(View.of(given.Xs, self.Zs, given.ys, given.Xt, self.Zt, codes, len(given.classes)))

    def unadapted(self, codes: IntArray, evidence: Evidence) -> float:
        """The share of these labels that 1-nearest-neighbour gives too, without adaptation."""
        given = self.given
        return float(np.mean(given.ys[nearest(given.Xs, given.Xt)] == codes))


@dataclass(frozen=True, eq=False)
class BlockedRecord(FitRecord):
    """What a fit to samples in blocks was given: what is asked of the samples takes passes over them."""

    given: BlockedDomains

    def evidence(self, codes: IntArray) -> Evidence:
        """What speaks for these labels of the target."""
        given = self.given
        Xs, Xt, n_classes = given.Xs, given.Xt, len(given.classes)
        view = view_of_blocks(Xs, self.Zs, given.ys, Xt, self.Zt, codes, n_classes)
        return Evidence.of(view, originals_in_blocks(Xs, given.ys, Xt, view))

    def unadapted(self, codes: IntArray, evidence: Evidence) -> float:
        """As of samples in memory, but by their principal components: all pairs in blocks would be many passes."""
        given = self.given
        return float(np.mean(given.ys[nearest_by_components(given.Xs, given.Xt, evidence)] == codes))


def record_of(domains: Domains, Zs: FloatArray, Zt: FloatArray) -> FitRecord:
    """The record of a fit to these domains."""
    kind = BlockedRecord if isinstance(domains, BlockedDomains) else FitRecord
    return kind(domains, domains, Zs, Zt)  # type: ignore[arg-type]
