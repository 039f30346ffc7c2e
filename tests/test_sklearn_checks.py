"""scikit-learn's own estimator checks, on the methods with the source as its own target.

That makes them ordinary classifiers, `fit(X, y)`, and lets every check run that makes sense for one.
"""

import warnings

from sklearn.base import TransformerMixin
from sklearn.utils.estimator_checks import parametrize_with_checks

from tsrp import BDA, CDML, DICD, DTSL, GFK, JDA, NN, PCA, RTML, TCA, TJM, TSL, TSRP, NearestNeighbour


class OnItself(TransformerMixin):
    """Adaptation of a domain to itself."""

    def fit(self, X, y):
        with warnings.catch_warnings():
            # The checks' data have two to ten features, and the default is 100 components.
            warnings.filterwarnings("ignore", message="n_components=")
            return super().fit(X, y, X)


class NNOnItself(OnItself, NN):
    pass


class JDAOnItself(OnItself, JDA):
    pass


class BDAOnItself(OnItself, BDA):
    pass


class DICDOnItself(OnItself, DICD):
    pass


class PCAOnItself(OnItself, PCA):
    pass


class GFKOnItself(OnItself, GFK):
    pass


class TCAOnItself(OnItself, TCA):
    pass


class TSLOnItself(OnItself, TSL):
    pass


class TJMOnItself(OnItself, TJM):
    pass


class DTSLOnItself(OnItself, DTSL):
    pass


class CDMLOnItself(OnItself, CDML):
    pass


class RTMLOnItself(OnItself, RTML):
    pass


class TSRPOnItself(OnItself, TSRP):
    def __init__(self, base=None, trust=0.9, inner_iterations=3):
        super().__init__(base, trust, inner_iterations)


ESTIMATORS = [
    *(NNOnItself(), JDAOnItself(), BDAOnItself(), DICDOnItself(), TSRPOnItself(JDA()), NearestNeighbour()),
    *(PCAOnItself(), GFKOnItself(), TCAOnItself(), TSLOnItself(), TJMOnItself(), DTSLOnItself()),
    *(CDMLOnItself(), RTMLOnItself()),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
