"""Which target samples TSRP's strong classifier learns from: the paper's trees, or signals that a label is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from tsrp._types import FloatArray, IntArray
from tsrp._utsp import pick_classes
from tsrp.numerics.rows import unit_rows
from tsrp.trust.ranks import Ranks
from tsrp.trust.signals import Logistic, Propagation, of_label

TREES = ("tree", "neighbours")
SIGNALS = ("propagation", "trust")
DEFAULT_SHARE = 0.7

# Takes target samples and their codes; returns those that are picked, and the others class by class.
Picker: TypeAlias = Callable[[IntArray, IntArray], tuple[IntArray, IntArray]]


def make_picker(
    name: str, Zs: FloatArray, ys: IntArray, Zt: FloatArray, n_classes: int, *, trust: float, share: float
) -> Picker:
    """The picker of a round, of projected samples; what it learns from them is learnt once.

    Parameters
    ----------
    name : {"tree", "neighbours", "propagation", "trust"}
    Zs, ys, Zt : arrays
        The projected domains, and the source's class codes.
    n_classes : int
    trust : float
        Of the trees.
    share : float
        Of the signals: the part of each pseudo class that is picked.
    """
    if name in TREES:

        def pick_by_tree(samples: IntArray, codes: IntArray) -> tuple[IntArray, IntArray]:
            picks = pick_classes(Zt[samples], codes, trust, name, with_tree=False)
            picked = np.sort(np.concatenate([samples[pick.samples[pick.confident]] for pick in picks]))
            # Class by class: the order decides which of several possible roots the next iteration takes.
            return picked, np.concatenate([samples[pick.samples[~pick.confident]] for pick in picks])

        return pick_by_tree
    supports = _supports(name, Zs, ys, Zt, n_classes)

    def pick_by_signal(samples: IntArray, codes: IntArray) -> tuple[IntArray, IntArray]:
        signals = [of_label(support[samples], codes) for support in supports]
        strength = signals[0] if len(signals) == 1 else np.mean([Ranks.among(s).of(s) for s in signals], axis=0)
        best = np.zeros(len(samples), dtype=bool)
        for code in np.unique(codes):
            own = np.flatnonzero(codes == code)
            # The first of those that are equal.
            best[own[np.argsort(-strength[own], kind="stable")[: int(np.ceil(share * len(own)))]]] = True
        return samples[best], samples[~best]

    return pick_by_signal


def _supports(name: str, Zs: FloatArray, ys: IntArray, Zt: FloatArray, n_classes: int) -> list[FloatArray]:
    """What speaks for each class of each target sample, by one signal or by two."""
    units = unit_rows(np.vstack([Zs, Zt]))
    known = np.zeros((len(units), n_classes))
    known[np.arange(len(ys)), ys] = 1.0
    supports = [Propagation.fit(units, known).spread[len(ys) :]]
    if name == "trust":
        supports.append(Logistic.fit(units[: len(ys)], ys).support(units[len(ys) :]))
    return supports
