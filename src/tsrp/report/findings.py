"""What there is to say about a fit, as numbers: how right it is, the domains, the rounds, the classes, every label.

Nothing here knows of HTML; `tsrp.report.page` shows it, `tsrp.report.diagnostics` judges it.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tsrp._cached import cached_property
from tsrp._types import BoolArray, FloatArray, IntArray
from tsrp.base.records import FitRecord
from tsrp.columns import CONSTANT, SCALE, OddColumn, odd_columns
from tsrp.divergence import a_distance, mmd
from tsrp.exceptions import UsageError
from tsrp.io.written import is_unknown
from tsrp.numerics.neighbours import nearest
from tsrp.numerics.threads import one_blas_thread
from tsrp.progress import Round
from tsrp.report.labelling import Labelling, misfits, prepare
from tsrp.report.samples import Samples, check_show, show_features, show_values
from tsrp.report.style import centred, plane, principal_plane
from tsrp.report.truth import Truth, check_truth, judge
from tsrp.trust.calibration import share_out_below
from tsrp.trust.comparison import Comparison
from tsrp.trust.estimate import EstimatedAccuracy
from tsrp.trust.judgement import CONFIDENT_AT, check_confident_at

if TYPE_CHECKING:
    from tsrp.report.diagnostics import Diagnostic
    from tsrp.report.verdict import Verdict

# Rows of each domain at most: more would only cost time (distances) or hide each other (planes).
IN_MMD, IN_A_DISTANCE, IN_PLANE, IN_TSNE = 5_000, 1_000, 10_000, 500
# Enough for groups to show; most of a report's time goes here.
TSNE_STEPS = 350
# Shares of rows that differ by less say the same.
SAME_SHARE = 0.025
# A distance between fewer rows than this says nothing.
FEWEST = 20
PACKAGES = ("tsrp", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True, eq=False)
class Distances:
    """How far apart the domains are, before and after adaptation: A-distance on held-out halves, and squared MMD."""

    a_before: float
    a_after: float
    mmd_before: float
    mmd_after: float

    @property
    def words(self) -> str:
        """The A-distances as shares of rows that are told apart, and what follows."""
        before, after = ((1 + a / 2) / 2 for a in (self.a_before, self.a_after))
        change = before - after
        drawn = (
            "closer than" if change > SAME_SHARE else "further apart than" if change < -SAME_SHARE else "as close as"
        )
        return (
            f"Before adaptation {before:.0%} of unseen rows can be told to be of the source or of the target, after it "
            f"{after:.0%}; 50% would be guessing. The domains are {drawn} before."
        )


@dataclass(frozen=True, eq=False)
class Plane:
    """Both domains in the plane.

    Attributes
    ----------
    source, target : arrays of int
        The rows that are shown.
    before, after : arrays of shape (len(source) + len(target), 2)
        Their points, the source's first.
    """

    source: IntArray
    target: IntArray
    before: FloatArray
    after: FloatArray


@dataclass(frozen=True, eq=False)
class Findings:
    """All there is to say about a fit.

    Attributes
    ----------
    method : str
        For example ``"DICD+TSRP"``.
    parameters, versions : mappings
    date : datetime
    files : tuple of two str, or None
        Where source and target come from.
    ids : list of str or None
        What the user calls the target's rows.
    numbers : array of int, shape (n_rows,)
        Of a target that the fit learned some rows of: which rows these are. All that is here is about them.
    n_target : int
        How many rows the target has.
    n_features : int
    classes : list of str
        The names of the classes; everything else speaks of their codes 0..C-1.
    source, labels, crude, unadapted : arrays of int
        Classes of the source; of the target: given, crude ones of the last round, 1-nearest-neighbour's before.
    probability : array of float
        That the target's labels are right.
    confident_at : float
        The probability from which a label is called confident.
    runner_up : array of int
        The most probable of the other classes.
    runner_up_probability : array of float
    estimated : EstimatedAccuracy
    comparison : Comparison
        With what one would do without adaptation.
    members : list of dict
        The rows of `Panel.members_`, the weightiest member first; empty if the model is not a panel.
    student_share : float or None
        Of the vote, for a panel's student; None if the model is not a panel.
    doubt : float
        How far a panel doubts that adaptation helps; 0 if the model is not a panel.
    doubt_reason : str
        Why, in words; empty if there is no doubt.
    columns : list of OddColumn
        Columns that may not be features and change what the method does. One that is constant does not, nor does a
        large one if features are scaled.
    remedied : bool
        Whether the method remedies its crude labels.
    rounds : list of Round
    flows : array of shape (C, C)
        How many samples the last round's remedy took from one class (row) to another (column); 0 on the diagonal.
    distances : Distances or None
        None if a domain has too few rows.
    principal : Plane
        Two principal components.
    tsne : Plane or None
        A t-SNE of some rows; None if there are too few.
    truth : Truth or None
    labelling : Labelling
        Rows for somebody to label.
    misfits : list of arrays of int
        Of each class the target rows whose labels are least probable; empty if nobody said how to show samples.
    samples : Samples
        What the rows to label and the misfits look like.
    command : str or None
        The command that was run, with which it is run again with known labels.
    """

    method: str
    parameters: Mapping[str, str]
    versions: Mapping[str, str]
    date: datetime
    files: tuple[str, str] | None
    ids: list[str] | None
    numbers: IntArray
    n_target: int
    n_features: int
    classes: list[str]
    source: IntArray
    labels: IntArray
    crude: IntArray
    unadapted: IntArray
    probability: FloatArray
    confident_at: float
    runner_up: IntArray
    runner_up_probability: FloatArray
    estimated: EstimatedAccuracy
    comparison: Comparison
    members: list[dict[str, Any]]
    student_share: float | None
    doubt: float
    doubt_reason: str
    columns: list[OddColumn]
    remedied: bool
    rounds: list[Round]
    flows: IntArray
    distances: Distances | None
    principal: Plane
    tsne: Plane | None
    truth: Truth | None
    labelling: Labelling
    misfits: list[IntArray]
    samples: Samples
    command: str | None

    @property
    def seconds(self) -> float:
        """Time of all rounds."""
        return sum(r.seconds for r in self.rounds)

    @property
    def confident(self) -> BoolArray:
        """Which labels are as probable as was asked for."""
        return self.probability >= self.confident_at

    @cached_property
    def by_probability(self) -> IntArray:
        """The target's rows, the most probable label first."""
        return np.argsort(-self.probability, kind="stable")

    @cached_property
    def verdict(self) -> Verdict:
        """Whether to believe the labels, in a line."""
        from tsrp.report.verdict import judge_all

        return judge_all(self)

    @cached_property
    def diagnostics(self) -> list[Diagnostic]:
        """Signs that adaptation did harm, the gravest first."""
        from tsrp.report.diagnostics import diagnose

        return diagnose(self)

    def shares(self, codes: IntArray) -> FloatArray:
        """The share of each class."""
        return np.bincount(codes, minlength=len(self.classes)) / len(codes)


def find(
    model: Any,
    *,
    truth: npt.ArrayLike | None = None,
    ids: Sequence[Any] | None = None,
    files: tuple[str, str] | None = None,
    confident_at: float = CONFIDENT_AT,
    suggest: int | None = None,
    audit: int | None = None,
    show: tuple[str, Sequence[Any]] | None = None,
    image_folder: str | os.PathLike[str] = ".",
    command: str | None = None,
) -> Findings:
    """Look at a model and at the domains that it was fitted to.

    Parameters
    ----------
    model : estimator of this package
        Fitted in this process: it still has its data.
    truth : array of shape (n_target,), optional
        True labels of the target; None, NaN or empty where they are not known.
    ids : sequence of length n_target, optional
        What the target's rows are called. None: the row names of the target, if it was a data frame that has any.
    files : tuple of two str, optional
        Where source and target come from.
    confident_at : float in [0, 1], default 0.9
        The probability from which a label is called confident.
    suggest, audit : int, optional
        How many rows somebody should label to improve the labels, and to measure accuracy; 20 each if not given.
    show : tuple of {"text", "image"} and a sequence of length n_target, optional
        Texts, or paths of image files, by which a person recognises rows. None: some features are shown.
    image_folder : path, default "."
        Where image files are; none is opened elsewhere.
    command : str, optional
        The command that was run.

    Returns
    -------
    Findings

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import NN, TSRP
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> findings = find(TSRP(NN()).fit(X[:60], y[:60], X[60:]), truth=y[60:])
    >>> findings.method, findings.truth.accuracy
    ('NN+TSRP', 1.0)
    """
    check_confident_at(confident_at)
    check_show(show, len(model.labels_))
    checked_ids = _ids(model, ids)
    n_target = len(model.labels_)
    numbers = np.arange(n_target)
    if model.others_ is not None:
        numbers = model.others_.fitted
        truth, show = _of_rows(numbers, model, truth, show)
        checked_ids = None if checked_ids is None else [checked_ids[row] for row in numbers.tolist()]
        model = model.of_fit()
    labelling = prepare(model, suggest, audit)
    record: FitRecord = model.fit_record_
    seen = record.given
    before, after = _centred(seen.Xs, seen.Xt), _centred(record.Zs, record.Zt)
    names = [str(name) for name in seen.classes.tolist()]
    labels, crude = (np.searchsorted(seen.classes, given) for given in (model.labels_, model.history_[-1].crude))
    unadapted = seen.ys[nearest(record.adapted.Xs, record.adapted.Xt)]
    flows = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(flows, (crude, labels), crude != labels)
    probability, comparison = model.probability_, model.compare()
    judged = None
    if truth is not None:
        judged = judge(truth, model, labels, unadapted, probability >= confident_at, comparison)
    odd_ones = [] if show is None else misfits(labels, probability, model.known_, len(names))
    rows = dict.fromkeys(np.concatenate([labelling.rows, *odd_ones]).tolist())
    if show is None:
        samples = show_features(rows, seen.Xs, seen.ys, seen.Xt, getattr(model, "feature_names_in_", None))
    else:
        samples = show_values(rows, show, image_folder)
    with one_blas_thread():
        runner_up, runner_up_probability = _runners_up(labels, probability, model.evidence_.chances(record.Zt))
        return Findings(
            method=model.method_name,
            parameters=_parameters(model),
            versions={name: version(name) for name in PACKAGES} | {"Python": platform.python_version()},
            date=datetime.now().astimezone(),
            files=files,
            ids=checked_ids,
            numbers=numbers,
            n_target=n_target,
            n_features=seen.Xs.shape[1],
            classes=names,
            source=seen.ys,
            labels=labels,
            crude=crude,
            unadapted=unadapted,
            probability=probability,
            confident_at=confident_at,
            runner_up=runner_up,
            runner_up_probability=runner_up_probability,
            estimated=model.estimated_accuracy_,
            comparison=comparison,
            members=model.members_.to_dict("records") if hasattr(model, "members_") else [],
            student_share=_student_share(model),
            doubt=getattr(model, "doubt_", 0.0),
            doubt_reason=getattr(model, "doubt_reason_", ""),
            columns=_columns(model),
            remedied=hasattr(model, "picked_"),
            rounds=list(model.history_),
            flows=flows,
            truth=judged,
            distances=_distances(before, after),
            principal=_plane(before, after, IN_PLANE, principal_plane),
            tsne=_plane(before, after, IN_TSNE, _tsne) if _can_be_spread(before, after) else None,
            labelling=labelling,
            misfits=odd_ones,
            samples=samples,
            command=command,
        )


def _of_rows(
    rows: IntArray, model: Any, truth: npt.ArrayLike | None, show: tuple[str, Sequence[Any]] | None
) -> tuple[Any, Any]:
    """What is given for all rows of the target, for some of them."""
    if truth is not None:
        cells = check_truth(truth, len(model.labels_))
        truth = [cells[row] for row in rows.tolist()]
        truth = None if all(map(is_unknown, truth)) else truth
    return truth, None if show is None else (show[0], [show[1][row] for row in rows.tolist()])


def _columns(model: Any) -> list[OddColumn]:
    record = model.fit_record_
    is_scaled = hasattr(model, "members_") or record.adapted is not record.given
    harmless = {CONSTANT, SCALE} if is_scaled else {CONSTANT}
    columns = odd_columns(*(model._with_names(X) for X in (record.given.Xs, record.given.Xt)))
    return [column for column in columns if column.kind not in harmless]


def _student_share(model: Any) -> float | None:
    weight = getattr(model, "student_weight_", None)
    return None if weight is None else weight / (1 + weight)


def _ids(model: Any, ids: Sequence[Any] | None) -> list[str] | None:
    if ids is None:
        index = getattr(model, "target_index_", None)
        # Numbers that pandas gave to the rows are not names.
        return None if index is None or type(index).__name__ == "RangeIndex" else [str(name) for name in index]
    if len(ids) != len(model.labels_):
        raise UsageError(f"ids has {len(ids)} entries, but Xt has {len(model.labels_)} rows: pass one for each row.")
    return [str(name) for name in ids]


def _parameters(model: Any) -> dict[str, str]:
    """Every parameter that is not an estimator itself, or whose estimator has no parameters."""
    values = model.get_params(deep=True)
    nested = {key.rpartition("__")[0] for key in values}
    return {key.replace("__", "."): repr(value) for key, value in values.items() if key not in nested}


Pair = tuple[FloatArray, FloatArray]


def _centred(source: FloatArray, target: FloatArray) -> Pair:
    """Both domains around one origin, in one unit: neither has a meaning here."""
    both = centred(np.vstack([source, target]))
    return both[: len(source)], both[len(source) :]


def _can_be_spread(*pairs: Pair) -> bool:
    """Whether a t-SNE of centred samples has enough rows, and rows that differ."""
    return min(map(len, pairs[0])) >= FEWEST and all(source.any() or target.any() for source, target in pairs)


def _sample(n: int, most: int) -> IntArray:
    """At most so many rows, in order; the same ones each time, and a smaller sample is part of a larger one."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).permutation(n)[:most])


def _distances(before: Pair, after: Pair) -> Distances | None:
    if min(map(len, before)) < FEWEST:
        return None
    samples = [
        [[X[_sample(len(X), most)] for X in pair] for pair in (before, after)] for most in (IN_A_DISTANCE, IN_MMD)
    ]
    a = [a_distance(*pair, held_out=True) for pair in samples[0]]
    discrepancy = [mmd(*pair) for pair in samples[1]]
    return Distances(a[0], a[1], discrepancy[0], discrepancy[1])


def _plane(before: Pair, after: Pair, most: int, flatten: Any) -> Plane:
    source, target = (_sample(len(X), most) for X in before)
    points = [flatten(np.vstack([Xs[source], Xt[target]])) for Xs, Xt in (before, after)]
    return Plane(source, target, points[0], points[1])


def _tsne(X: FloatArray) -> FloatArray:
    return plane(X, steps=TSNE_STEPS)


def _runners_up(labels: IntArray, probability: FloatArray, chances: FloatArray) -> tuple[IntArray, FloatArray]:
    """The most probable other class of each row, and its probability."""
    others = share_out_below(labels, probability, chances)
    others[np.arange(len(labels)), labels] = -1.0
    return others.argmax(axis=1), others.max(axis=1)
