"""Both ways between this package and skada, which brings domain adaptation into scikit-learn's pipelines.

`ToSkada` gives a method of this package skada's convention: one ``X`` for all domains, and ``sample_domain``, which is
negative for the rows of a target. `FromSkada` makes a method of this package from a skada adapter, so that `TSRP` can
be put around CORAL or optimal transport. Importing skada switches scikit-learn's metadata routing on; this module does
not import it before it is needed.
"""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from tsrp._types import BoolArray, FloatArray, IntArray, LabelArray
from tsrp.base.adapter import Method
from tsrp.base.contract import Mapping, Rounds, adapts
from tsrp.base.delegation import Wrapper, passed_on
from tsrp.exceptions import InputError, UsageError, WrongTypeError
from tsrp.validation import check_labels, check_samples, forget

# skada's own numbers for one source, for one target, and for a label that must not be seen.
SOURCE, TARGET, MASKED = 1, -2, -1


def _has_probabilities(estimator: ToSkada) -> bool:
    # skada asks before the fit.
    return hasattr(estimator.final_classifier, "predict_proba")


class ToSkada(Wrapper, ClassifierMixin, BaseEstimator):
    """A method of this package as an estimator of skada's kind: the last step of ``skada.make_da_pipeline``.

    All source domains together are the method's source, all target domains together its target. Labels of target rows
    are never looked at, masked or not. Once fitted, it is a rule for the target domain: `predict`, `transform` and
    `score` treat every row as a sample of the target, and rows of a source only when ``allow_source=True`` says that
    this is meant, as in skada's scorers that weight source samples by their likeness to the target.

    Parameters
    ----------
    method : estimator of this package
        Such as ``TSRP(DICD())``, ``JDA()`` or ``PerDomain(StandardScaler(), TSRP(JDA()))``.

    Attributes
    ----------
    method_ : estimator
        The fitted method.
    labels_, trust_, probability_, confident_, estimated_accuracy_, picked_, history_, n_iter_, classes_
        As the method found them. Those with one entry a sample are for the target rows, in the order in which they
        stand in ``X``.
    n_features_in_ : int

    Notes
    -----
    There is a `predict_proba`, which some of skada's scorers need, if the classifier that the method ends with has
    one: ``TSRP(JDA(), classifier=LogisticRegression())``. The default, 1-nearest-neighbour, has no probabilities.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import JDA, TSRP
    >>> from tsrp.skada import ToSkada
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> sample_domain = [1] * 60 + [-2] * 60
    >>> model = ToSkada(TSRP(JDA(n_components=4))).fit(X, y, sample_domain=sample_domain)
    >>> model.labels_.shape, model.predict(X[60:]).shape
    ((60,), (60,))
    """

    labels_ = passed_on("labels_")
    trust_ = passed_on("trust_")
    probability_ = passed_on("probability_")
    confident_ = passed_on("confident_")
    estimated_accuracy_ = passed_on("estimated_accuracy_")

    # What skada's pipelines and scorers hand over, without the user asking for it method by method.
    __metadata_request__fit: ClassVar = {"sample_domain": True}
    __metadata_request__predict: ClassVar = {"sample_domain": True, "allow_source": True}
    __metadata_request__predict_proba: ClassVar = {"sample_domain": True, "allow_source": True}
    __metadata_request__transform: ClassVar = {"sample_domain": True, "allow_source": True}
    __metadata_request__score: ClassVar = {"sample_domain": True, "allow_source": True, "sample_weight": True}

    def __init__(self, method: Any) -> None:
        self.method = method

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_domain: npt.ArrayLike | None = None) -> ToSkada:
        """Adapt the sources to the targets, and label the targets.

        Parameters
        ----------
        X : array of shape (n, m)
            Samples of all domains, in any order.
        y : array of shape (n,)
            Labels of the source rows; what stands at the target rows is not looked at.
        sample_domain : array of int, shape (n,)
            At least 0 for rows of a source, negative for rows of a target.

        Returns
        -------
        self
        """
        forget(self)
        if not adapts(self.method):
            raise WrongTypeError(
                f"method must be one of this package, such as TSRP(DICD()), but it is {self.method!r}."
            )
        n = len(check_samples(X, "X"))
        if sample_domain is None:
            raise UsageError(
                "sample_domain is missing: pass one number for each row of X, at least 0 for a source, negative for a "
                "target."
            )
        source = _source_rows(sample_domain, n)
        for rows, kind, sign in ((source, "source", "at least 0"), (~source, "target", "negative")):
            if not rows.any():
                raise UsageError(f"sample_domain holds no {kind}: at least one of its numbers must be {sign}.")
        labels = _source_labels(y, source)
        validate_data(self, X, skip_check_array=True)
        method = clone(self.method).fit(_rows(X, source), labels, _rows(X, ~source))
        self.method_ = method
        return self

    def predict(
        self, X: npt.ArrayLike, sample_domain: npt.ArrayLike | None = None, *, allow_source: bool = False
    ) -> LabelArray:
        """Label samples of the target domain.

        Parameters
        ----------
        X : array of shape (n, m)
        sample_domain : array of int, shape (n,), optional
            None: all are of a target.
        allow_source : bool, default False
            Whether rows of a source are allowed. They are treated as samples of the target.

        Returns
        -------
        array of shape (n,)
        """
        return self._ask("predict", X, sample_domain, allow_source)

    def transform(
        self, X: npt.ArrayLike, sample_domain: npt.ArrayLike | None = None, *, allow_source: bool = False
    ) -> FloatArray:
        """Project samples of the target domain; arguments as for `predict`."""
        return self._ask("transform", X, sample_domain, allow_source)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(
        self, X: npt.ArrayLike, sample_domain: npt.ArrayLike | None = None, *, allow_source: bool = False
    ) -> FloatArray:
        """The probability of each class in `classes_`; arguments as for `predict`."""
        Z = np.asarray(self._ask("transform", X, sample_domain, allow_source))
        return self.classifier_.predict_proba(Z)

    def score(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        sample_domain: npt.ArrayLike | None = None,
        *,
        sample_weight: npt.ArrayLike | None = None,
        allow_source: bool = False,
    ) -> float:
        """The share of labels that `predict` gets right, weighted by `sample_weight`; the rest as for `predict`."""
        return float(
            accuracy_score(y, self.predict(X, sample_domain, allow_source=allow_source), sample_weight=sample_weight)
        )

    def _ask(self, question: str, X: npt.ArrayLike, sample_domain: npt.ArrayLike | None, allow_source: bool) -> Any:
        check_is_fitted(self)
        if sample_domain is not None:
            source = _source_rows(sample_domain, len(check_samples(X, "X")))
            if source.any() and not allow_source:
                raise UsageError(
                    f"sample_domain holds rows of a source, but {question} is for samples of the target: leave them "
                    "out, put this step last in its pipeline, or pass allow_source=True to treat them as the target's."
                )
        return getattr(self.method_, question)(X)


def _source_rows(sample_domain: npt.ArrayLike, n: int) -> BoolArray:
    """Which rows are of a source."""
    try:
        numbers = np.asarray(sample_domain, dtype=float)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.array_equal(numbers, np.trunc(numbers)):
        raise UsageError("sample_domain must hold whole numbers: at least 0 for a source, negative for a target.")
    if numbers.shape != (n,):
        raise UsageError(
            f"sample_domain has the shape {numbers.shape}, but X has {n} rows: pass one number for each row."
        )
    return numbers >= 0


def _source_labels(y: npt.ArrayLike, source: BoolArray) -> LabelArray:
    """The labels of the source rows, none of them masked."""
    if y is None or np.shape(y)[:1] != source.shape:
        check_labels(y, "y", n_samples=len(source), of="X")
    labels = np.asarray(y)[source]
    masked = int((labels == MASKED).sum()) if labels.dtype.kind in "if" else 0
    if masked:
        raise UsageError(
            f"y holds {MASKED} in {masked} source row(s), which is skada's mark of an unknown label: label these rows "
            "or leave them out, and number the classes from 0."
        )
    check_labels(labels, "y (of the source rows)", n_samples=len(labels), of="X")
    return labels


def _rows(X: Any, rows: BoolArray) -> Any:
    # A data frame stays one: a transformer within the method may ask for its columns.
    return X.iloc[rows.nonzero()[0]] if hasattr(X, "iloc") else np.asarray(X)[rows]


class MovingAdapter:
    """A skada adapter that moves samples."""

    def check(self, name: str, value: Any) -> None:
        try:
            skada = importlib.import_module("skada")
        except ImportError as error:
            raise ImportError(
                'FromSkada needs the package skada, which is not installed: run  pip install "tsrp[skada]".'
            ) from error
        if isinstance(value, type):
            raise WrongTypeError(f"{name} must be an object, not a class: pass {value.__name__}().")
        kind = type(value).__name__
        if not isinstance(value, skada.BaseAdapter):
            raise WrongTypeError(
                f"{name} must be an adapter of skada, such as CORALAdapter() (not the pipeline CORAL()), but its type "
                f"is {kind}."
            )
        if hasattr(value, "compute_weights"):
            raise WrongTypeError(
                f"{name} must move samples, as CORALAdapter() does, but {kind} weights them, and the classifiers here "
                "take no weights: use it in a pipeline of skada."
            )


class FromSkada(Method):
    """A skada adapter as a method of this package, alone or within `TSRP`.

    The adapter sees the source as one domain and the target as another, and moves the samples of both; a classifier
    then labels the target. The projection makes no use of target labels, so that one round is all.

    Many adapters treat the domains differently: CORAL and optimal transport move the source onto the target. Samples
    to come belong to the target domain, so that `predict` and `transform` do with them what the adapter does with
    samples of the target, whichever domain they come from.

    Parameters
    ----------
    adapter : skada adapter
        One that moves samples, such as ``CORALAdapter()``, ``OTMappingAdapter()``, ``SubspaceAlignmentAdapter()``. An
        adapter that weights samples, labels them or leaves some out is refused in `fit`. If its ``random_state`` is
        None, 0 is used.
    classifier : scikit-learn classifier, optional
        None: 1-nearest-neighbour.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

    Attributes
    ----------
    labels_ : array of shape (n_target,)
        Labels of the target.
    trust_, probability_, confident_, estimated_accuracy_
        How far to trust them (see `JDA`).
    history_ : list of Round
    n_iter_ : int
    mapping_ : object
        Holds the fitted adapter, ``mapping_.adapter``, with all that skada keeps in it: for optimal transport that is
        a number for each pair of a source and a target sample.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int

    Examples
    --------
    >>> import sklearn
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import TSRP
    >>> from tsrp.skada import FromSkada
    >>> with sklearn.config_context():  # otherwise the import leaves metadata routing switched on
    ...     from skada import CORALAdapter
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> model = TSRP(FromSkada(CORALAdapter(reg=0.1))).fit(X[:60], y[:60], X[60:] * 2.0)
    >>> model.labels_.shape, model.get_params()["base__adapter__reg"]
    ((60,), 0.1)
    """

    uses_target_labels = False
    constraints: ClassVar = {"adapter": MovingAdapter()}

    def __init__(self, adapter: Any, *, classifier: Any = None, max_fit_rows: int | None = None) -> None:
        self.adapter = adapter
        self.classifier = classifier
        self.max_fit_rows = max_fit_rows

    def prepare(self, Xs: FloatArray, ys: IntArray, Xt: FloatArray, n_classes: int) -> Rounds:
        """Begin a fit (see `tsrp.base.contract`)."""
        adapter = clone(self.adapter)
        # Same input, same output, and the global random state left alone.
        if adapter.get_params().get("random_state", 0) is None:
            adapter.set_params(random_state=0)
        moved = adapter.fit_transform(
            np.vstack([Xs, Xt]),
            np.concatenate([ys, np.full(len(Xt), MASKED)]),
            sample_domain=np.repeat([SOURCE, TARGET], [len(Xs), len(Xt)]),
        )
        name = type(adapter).__name__
        if not isinstance(moved, np.ndarray):
            raise WrongTypeError(
                f"adapter must move samples, as CORALAdapter() does, but {name} labels them or leaves some out: use it "
                "in a pipeline of skada."
            )
        # The target goes the way of later samples, so that both agree to the last bit.
        mapping = _AsTarget(adapter)
        Zs, Zt = moved[: len(Xs)], mapping.transform(Xt)
        if not (np.isfinite(Zs).all() and np.isfinite(Zt).all()):
            raise InputError(
                f"adapter: {name} moved samples to NaN or infinity; regularise it more, or rescale the features."
            )
        return _Moved(Zs, Zt, mapping)


class _Moved:
    """The only round: the samples as the adapter moved them."""

    def __init__(self, Zs: FloatArray, Zt: FloatArray, mapping: Mapping) -> None:
        self._Zs, self._Zt, self._mapping = Zs, Zt, mapping

    def project(self, yt: IntArray | None) -> tuple[FloatArray, FloatArray]:
        return self._Zs, self._Zt

    def mapping(self) -> Mapping:
        return self._mapping


class _AsTarget:
    """A fitted adapter that takes every sample for one of the target."""

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter

    def transform(self, X: FloatArray) -> FloatArray:
        return self.adapter.transform(X, sample_domain=np.full(len(X), TARGET))
