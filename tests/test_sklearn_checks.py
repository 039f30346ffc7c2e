"""scikit-learn's own estimator checks, on the methods with the source as its own target.

That makes them ordinary classifiers, `fit(X, y)`, and lets every check run that makes sense for one.
"""

import warnings
from typing import Any

from sklearn.base import TransformerMixin
from sklearn.utils.estimator_checks import parametrize_with_checks

from tsrp import JDA, TSRP, Adapter, GraphRidge, KernelRidge, NearestNeighbour, RowScaler, SoftScaler
from tsrp.classifiers.forest import Forest
from tsrp.registry import methods


class OnItself:
    """Adaptation of a domain to itself."""

    def fit(self, X, y, Xt=None):
        with warnings.catch_warnings():
            # The checks' data have two to ten features, and the default is 100 components.
            warnings.filterwarnings("ignore", message="n_components=")
            parent: Any = super()
            return parent.fit(X, y, X if Xt is None else Xt)

    def fit_transform(self, X, y):
        return TransformerMixin.fit_transform(self, X, y)


# Of any type for mypy: the methods' own `fit` takes more.
Remedy: Any = TSRP


class TSRPOnItself(OnItself, Remedy):
    def __init__(self, base=None, trust=0.9, inner_iterations=3):
        super().__init__(base, trust, inner_iterations)


def on_itself(kind):
    """A method's class with `OnItself`; found by name where a check pickles one."""
    made = type(f"{kind.__name__}OnItself", (OnItself, kind), {"__module__": __name__})
    globals()[made.__name__] = made
    return made()


ESTIMATORS = [
    *(on_itself(info.kind) for info in methods().values()),
    TSRPOnItself(JDA()),
    NearestNeighbour(),
    KernelRidge(),
    GraphRidge(),
    RowScaler(),
    SoftScaler(),
    Forest(n_trees=5),
]


def kept_answers(estimator):
    """Which checks an estimator cannot pass, and why."""
    if not isinstance(estimator, Adapter):
        return {}
    return {
        "check_dict_unchanged": "the first question for probabilities is answered once, and the answer kept",
        "check_classifiers_train": "a label that is probably wrong has not the largest probability",
    }


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=kept_answers)
def test_scikit_learn_check(estimator, check):
    check(estimator)
