"""TSRP: pick the confident target samples, and relabel the uncertain ones with a classifier that learns from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from tsrp._types import FloatArray, IntArray, LabelArray
from tsrp._utsp import DEFAULT_TRUST, TRUST
from tsrp.base.adapter import DEFAULT_ROUNDS, Adapter, Outcome
from tsrp.base.blocked import BlockedDomains
from tsrp.base.contract import BaseMethod, LabelsItself, Rounds, check_base, prepare, uses_target_labels
from tsrp.classifiers.nearest_neighbour import NearestNeighbour
from tsrp.classifiers.training import is_nearest_neighbour, is_transductive, predict_codes, trainer
from tsrp.known import NOTHING, Known
from tsrp.numerics.neighbours import GrowingPool
from tsrp.parameters import Classifier, Number, OneOf, Optional, check_parameters
from tsrp.picking import DEFAULT_SHARE, INNER_ITERATIONS, PICKER, SHARE, make_picker
from tsrp.validation import Domains


def remedy(
    Zs: FloatArray,
    ys: IntArray,
    Zt: FloatArray,
    crude: IntArray,
    classes: LabelArray,
    *,
    trust: float,
    inner_iterations: int,
    picker: str = "tree",
    share: float = DEFAULT_SHARE,
    strong_classifier: Any = None,
    strong_training: str = "confident",
    known: Known = NOTHING,
    searched: GrowingPool | None = None,
) -> Outcome:
    """The inner loop: pick among the uncertain, learn from all picked so far, relabel the rest, again.

    Parameters
    ----------
    Zs, Zt : arrays of shape (n_source, k) and (n_target, k)
        The projected domains.
    ys, crude : arrays of int
        Class codes of the source, crude class codes of the target.
    classes : array of shape (n_classes,)
        What the codes mean.
    trust, inner_iterations, picker, share, strong_classifier, strong_training
        As in `TSRP`.
    known : Known, optional
        Target rows whose class is known: they are picked before all others.
    searched : GrowingPool, optional
        Of the source, where all target samples have been searched for; the strong 1-nearest-neighbour goes on with it.

    Returns
    -------
    Outcome
    """
    codes = known.over(crude.copy())
    picked = known.mask(len(Zt)).astype(int)
    learnt: IntArray = np.empty(0, dtype=np.intp)
    uncertain: IntArray = np.flatnonzero(picked == 0)
    pick = make_picker(picker, Zs, ys, Zt, len(classes), trust=trust, share=share, known=known)
    search = searched or GrowingPool(Zs, Zt) if is_nearest_neighbour(strong_classifier) else None
    if search is not None:
        search.add(known.rows)

    def strong() -> Any:
        Z, labels = known.beside(Zs, ys, Zt)
        pool = np.vstack([Z, Zt[learnt]]), np.concatenate([labels, codes[learnt]])
        weights = known.weights(len(ys), len(learnt))
        return trainer(strong_classifier, *pool, classes, Zt[uncertain], weights)(codes[uncertain])

    for iteration in range(1, inner_iterations + 1):
        if len(uncertain) == 0:
            break
        confident, uncertain = pick(uncertain, codes[uncertain])
        picked[confident] = iteration
        if strong_training == "confident":
            learnt = np.concatenate([learnt, confident])
            if search is not None:
                search.add(confident)
        if len(uncertain) == 0:
            break
        if search is None:
            codes[uncertain] = predict_codes(strong(), Zt[uncertain], classes)
        else:
            labels = np.concatenate([ys, known.codes, codes[learnt]])
            codes[uncertain] = labels[search.nearest(uncertain)]
    return Outcome(codes, picked, strong)


class SourceNeighbours:
    """The weak 1-nearest-neighbour of a round; the search of its last prediction is kept, for the strong one."""

    def __init__(self, trained: NearestNeighbour, labels: LabelArray) -> None:
        self._trained, self._labels = trained, labels

    def predict(self, Z: FloatArray) -> LabelArray:
        """The label of each sample's nearest neighbour."""
        self.pool = self._trained.search(Z)
        return self._labels[self.pool.nearest(np.arange(len(Z)))]

    def __repr__(self) -> str:
        return repr(self._trained)


class Base:
    """What `TSRP` can be put around; the parameters of a method of this package are checked with its own."""

    def check(self, name: str, value: Any) -> None:
        check_base(value)
        if isinstance(value, Adapter):
            check_parameters(value)


class TSRP(Adapter):
    """Trusted samples with remedied pseudo labels, around any method that works with pseudo labels.

    In each round the base method projects both domains and a weak classifier, trained on the source, gives the target
    crude labels. `utsp` picks the confident ones among them, class by class; a strong classifier, trained on the
    source and on the confident samples, relabels the uncertain ones, which are then judged again. The remedied labels
    go into the base method's next round.

    Parameters
    ----------
    base : NN, JDA, BDA, DICD, another method of this package, a scikit-learn transformer, or any object of the contract
        The projection; the contract is in `tsrp.base.contract`.
    trust : float in [0, 1], default 0.9
        Which quantile of its class's similarities a pair of samples must reach to be joined (rho). 0 trusts every
        label, so that nothing is remedied; 1 trusts the most similar pair of each class only.
    inner_iterations : int, optional
        How often the uncertain samples are judged and relabelled in a round (IT). None: 3, or 1 if signals pick.
    max_iter : int, optional
        At most this many rounds. None: as many as the base says, 10 if it does not say. A base that makes no use of
        target labels needs one.
    classifier : scikit-learn classifier, optional
        The weak classifier. None: the base's own, 1-nearest-neighbour if it has none.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.
    strong_classifier : scikit-learn classifier, optional
        None: of the same kind as the weak one; 1-nearest-neighbour if that is transductive, as `GraphRidge` is, and
        has learnt from the target already, or if it is the base's own, as those of `AGECS`, `CMMS` and `SPL` are.
    picker : {"tree", "neighbours", "trust", "propagation"}, default "tree"
        How the samples are picked that the strong classifier learns from. "tree" is the paper's UTSP; "neighbours"
        trusts every sample that has a neighbour (the ablation TSRP_N). "trust" picks the labels that two signals
        confirm, label propagation and logistic regression; "propagation" asks the first alone. On most data "trust"
        gives the best labels (docs/PICKS.md).
    share : float in [0, 1], default 0.68
        Of the signals: at least this part of each pseudo class is picked, so that a class which they do not know is
        not taken over by the others. 1 trusts every label.
    strong_training : {"confident", "source"}, default "confident"
        "source" trains the strong classifier on the source alone (the ablation TSRP_C).

    Attributes
    ----------
    labels_ : array of shape (n_target,)
        Labels of the target.
    trust_ : array of shape (n_target,)
        How far to trust each of them, from 0 to 1: to sort by.
    probability_ : array of shape (n_target,)
        That the label is right.
    confident_ : array of bool, shape (n_target,)
        Whether that is at least 0.9.
    estimated_accuracy_ : EstimatedAccuracy
        How many labels are right. Like the three above it is computed when it is first asked for.
    picked_ : array of int, shape (n_target,)
        In which inner iteration of the last round a sample was picked for the strong classifier to learn from: 1 at
        first sight, 2 or more after it had been relabelled, 0 never. A part of the algorithm: by default it follows the
        size of a pseudo class more than its correctness.
    history_ : list of Round
        What happened in each round.
    n_iter_ : int
        Rounds that were run.
    base_ : object
        The base as it was used.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int

    References
    ----------
    Improving Pseudo Labels With Intra-Class Similarity for Unsupervised Domain Adaptation.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import JDA, TSRP
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> model = TSRP(JDA(n_components=4)).fit(X[:60], y[:60], X[60:] + 1.0)
    >>> model.labels_.shape, model.confident_.dtype
    ((60,), dtype('bool'))
    """

    constraints: ClassVar = {
        "base": Base(),
        "trust": TRUST,
        "inner_iterations": Optional(Number(low=1, whole=True)),
        "max_iter": Optional(Number(low=1, whole=True)),
        "strong_classifier": Classifier(),
        "picker": PICKER,
        "share": SHARE,
        "strong_training": OneOf(("confident", "source")),
    }

    def __init__(
        self,
        base: Any,
        trust: float = DEFAULT_TRUST,
        inner_iterations: int | None = None,
        *,
        max_iter: int | None = None,
        classifier: Any = None,
        max_fit_rows: int | None = None,
        strong_classifier: Any = None,
        picker: str = "tree",
        share: float = DEFAULT_SHARE,
        strong_training: str = "confident",
    ) -> None:
        self.base = base
        self.trust = trust
        self.inner_iterations = inner_iterations
        self.max_iter = max_iter
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows
        self.strong_classifier = strong_classifier
        self.picker = picker
        self.share = share
        self.strong_training = strong_training

    def _begin(self, domains: Domains) -> Rounds:
        # Also for objects that know nothing of scikit-learn, which are copied.
        self.base_ = clone(self.base, safe=False)
        if isinstance(domains, BlockedDomains):
            return self.base_.prepare_blocks(domains.Xs, domains.ys, domains.Xt, len(domains.classes))
        return prepare(self.base_, domains.Xs, domains.ys, domains.Xt, len(domains.classes))

    @property
    def _limit(self) -> int | None:
        return self.max_fit_rows or getattr(self.base, "max_fit_rows", None)

    @property
    def takes_blocks(self) -> bool:
        """Whether `fit` takes samples in blocks: if the base does."""
        return bool(getattr(self.base, "takes_blocks", False))

    def _n_rounds(self) -> int:
        if not (self._projects_anew() or is_transductive(self._weak_classifier())):
            return 1
        if self.max_iter is not None:
            return self.max_iter
        # A foreign transformer's max_iter counts something else.
        own = getattr(self.base_, "max_iter", None) if isinstance(self.base_, BaseMethod) else None
        return DEFAULT_ROUNDS if own is None else int(own)

    def _projects_anew(self) -> bool:
        return uses_target_labels(self.base_)

    def _weak_classifier(self) -> Any:
        if self.classifier is not None:
            return self.classifier
        if isinstance(self.base, Adapter):
            return self.base.final_classifier
        return getattr(self.base, "classifier", None) if isinstance(self.base, BaseMethod) else None

    @property
    def final_classifier(self) -> Any:
        """The strong classifier, untrained: that of the remedy, which `predict` asks too."""
        if self.strong_classifier is not None:
            return self.strong_classifier
        weak = self._weak_classifier()
        return None if is_transductive(weak) else weak

    @property
    def method_name(self) -> str:
        """The base's name and TSRP's."""
        return f"{type(self.base).__name__}+TSRP"

    def _weak_trainer(
        self, rounds: Rounds, Zs: FloatArray, Zt: FloatArray, domains: Domains
    ) -> Callable[[IntArray | None], Any]:
        train = super()._weak_trainer(rounds, Zs, Zt, domains)
        weak, strong = self._weak_classifier(), self.final_classifier
        own = weak is None and isinstance(rounds, LabelsItself)
        # Where labels are known the weak one learns from these rows too.
        if own or len(domains.known) or not (is_nearest_neighbour(weak) and is_nearest_neighbour(strong)):
            return train
        return lambda guess: SourceNeighbours(train(guess), domains.classes[domains.ys])

    def _remedy(self, Zs: FloatArray, Zt: FloatArray, crude: IntArray, domains: Domains, weak: Any) -> Outcome:
        return remedy(
            Zs,
            domains.ys,
            Zt,
            crude,
            domains.classes,
            trust=self.trust,
            inner_iterations=self.inner_iterations or INNER_ITERATIONS[self.picker],
            picker=self.picker,
            share=self.share,
            strong_classifier=self.final_classifier,
            strong_training=self.strong_training,
            known=domains.known,
            searched=weak.pool if isinstance(weak, SourceNeighbours) else None,
        )
