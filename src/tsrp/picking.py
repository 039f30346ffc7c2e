"""Which target samples TSRP's strong classifier learns from: the paper's trees, or signals that a label is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp._utsp import directions, pick_classes
from tsrp.known import NOTHING, Known
from tsrp.numerics.rows import unit_rows
from tsrp.parameters import Number, OneOf
from tsrp.trust.ranks import DECIMALS, Ranks
from tsrp.trust.signals import Logistic, Propagation, of_label
from tsrp.trust.view import content_keys

TREES, SIGNALS = ("tree", "neighbours"), ("propagation", "trust")
PICKER, SHARE = OneOf((*TREES, *SIGNALS)), Number(low=0, high=1)
# Chosen on benchmark tasks with DICD by looking at their labels; docs/PICKS.md says what others give.
DEFAULT_SHARE = 0.68
# The paper's; what the signals do not confirm at first they hardly confirm later.
INNER_ITERATIONS = dict.fromkeys(TREES, 3) | dict.fromkeys(SIGNALS, 1)

# Takes target samples and their codes; returns those that are picked, and the others.
Picker: TypeAlias = Callable[[IntArray, IntArray], tuple[IntArray, IntArray]]


def make_picker(
    name: str,
    Zs: FloatArray,
    ys: IntArray,
    Zt: FloatArray,
    n_classes: int,
    *,
    trust: float,
    share: float,
    known: Known = NOTHING,
) -> Picker:
    """The picker of a round; what it learns from the projected samples it learns once.

    Parameters
    ----------
    name : {"tree", "neighbours", "propagation", "trust"}
    Zs, Zt : arrays of shape (n_source, k) and (n_target, k)
        The projected domains.
    ys : array of int, shape (n_source,)
        Class codes of the source.
    n_classes : int
    trust : float
        Of the trees, as in `utsp`.
    share : float
        Of the signals: at least this part of each pseudo class is picked.
    known : Known
        Target rows that the signals learn from too; they are not to be picked again.
    """
    if name in TREES:
        units = directions(Zt)

        def pick_by_tree(samples: IntArray, codes: IntArray) -> tuple[IntArray, IntArray]:
            picks = pick_classes(units, samples, codes, trust, name, with_tree=False)
            picked = np.sort(np.concatenate([pick.samples[pick.confident] for pick in picks]))
            # Class by class: the order decides which of several possible roots the next iteration takes.
            return picked, np.concatenate([pick.samples[~pick.confident] for pick in picks])

        return pick_by_tree
    signals = Signals.fit(Zs, ys, Zt, n_classes, logistic=name == "trust", known=known)

    def pick_by_signals(samples: IntArray, codes: IntArray) -> tuple[IntArray, IntArray]:
        picked = signals.confirm(samples, codes, share)
        return samples[picked], samples[~picked]

    return pick_by_signals


@dataclass(frozen=True, eq=False)
class Signals:
    """What speaks for each class of each target sample.

    Attributes
    ----------
    supports : list of arrays of shape (n_target, n_classes)
        By label propagation and, on request, by logistic regression; both learn from the projected source.
    """

    supports: list[FloatArray]

    @classmethod
    def fit(
        cls, Zs: FloatArray, ys: IntArray, Zt: FloatArray, n_classes: int, *, logistic: bool, known: Known = NOTHING
    ) -> Signals:
        """Learn from projected samples.

        Copies are one node of the graph, or a sample would have few other neighbours; and a source that is repeated as
        a whole says no more than it does once.
        """
        source, target = (unit_rows(Z.astype(np.float64, copy=False)) for Z in (Zs, Zt))
        (first, group), (first_of_target, group_of_target) = distinct_rows(source), distinct_rows(target)
        labelled = np.zeros((len(first) + len(first_of_target), n_classes))
        np.add.at(labelled, (group, ys), 1.0)
        np.add.at(labelled, (len(first) + group_of_target[known.rows], known.codes), 1.0)
        labelled /= np.maximum(1.0, labelled.sum(axis=1, keepdims=True))
        nodes = np.vstack([source[first], target[first_of_target]])
        supports = [_balanced(Propagation.fit(nodes, labelled).spread[len(first) :][group_of_target])]
        if logistic:
            learnt = known.beside(source, ys, target)
            supports.append(Logistic.fit(*learnt, weight=len(first) / len(source)).support(target))
        return cls(supports)

    def confirm(self, samples: IntArray, codes: IntArray, share: float) -> BoolArray:
        """Which samples to pick: those that every signal gives the label that they have, and a share of each class.

        Where the signals confirm less than that share, the labels of the highest mean rank are picked too; of equals,
        those that come first.
        """
        confirmed = np.all([support[samples].argmax(axis=1) == codes for support in self.supports], axis=0)
        own = [of_label(support[samples], codes) for support in self.supports]
        # Means of ranks that are equal must not differ by rounding.
        strength = np.round(np.mean([Ranks.among(values).of(values) for values in own], axis=0), DECIMALS)
        # Class by class, what is confirmed first, then by strength.
        order = np.lexsort((-strength, ~confirmed, codes))
        sizes = np.bincount(codes)
        place = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        confirmed[order[place < np.ceil(share * sizes[codes[order]])]] = True
        return confirmed


def distinct_rows(units: FloatArray) -> tuple[IntArray, IntArray]:
    """The first of each group of rows that are equal but for rounding, and the group of each row.

    Examples
    --------
    >>> import numpy as np
    >>> distinct_rows(np.array([[0.6, 0.8], [1.0, 0.0], [0.6, 0.8]]))
    (array([0, 1]), array([0, 1, 0]))
    """
    _, first, group = np.unique(content_keys(np.round(units, DECIMALS)), return_index=True, return_inverse=True)
    # In the order of the rows, so that nodes are in that of samples if there are no copies.
    order = np.argsort(first)
    return first[order], np.argsort(order)[group]


def _balanced(spread: FloatArray) -> FloatArray:
    """Shares in which classes that have come to many samples count less, so that a few do not take over the others.

    Class mass normalisation (Zhu, Ghahramani, Lafferty, ICML 2003) would make all classes equally large in the target,
    which they need not be; the square root goes half of that way.
    """
    mass = spread.sum(axis=0)
    balanced = spread / np.sqrt(np.where(mass > 0, mass, 1.0))
    return balanced / balanced.sum(axis=1, keepdims=True)
