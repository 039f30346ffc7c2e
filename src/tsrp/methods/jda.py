"""JDA: joint distribution adaptation."""

from __future__ import annotations

from tsrp.base.spectral import SpectralMethod, View
from tsrp.numerics.terms import Term, mmd
from tsrp.registry import register


@register(
    "jda",
    summary="aligns the domains and their classes",
    reference="Long et al., ICCV 2013",
    cost="a small eigenproblem per round",
    small={
        "": {"n_components": 5},
        "primal": {"n_components": 5, "kernel": "primal", "ridge": 0.1},
        "rbf": {"n_components": 5, "kernel": "rbf", "gamma": 0.5},
    },
)
class JDA(SpectralMethod):
    """Joint distribution adaptation: a projection in which the domains' means, overall and class by class, agree.

    Minimises ``C * M0 + sum_c Mc`` (the maximum mean discrepancy of the domains and of their classes, divided by its
    Frobenius norm) plus ``ridge`` times the size of the projection, at fixed total variance. The target's classes are
    the pseudo labels of the round before. Rows are scaled to unit length before and after the projection.

    Parameters
    ----------
    n_components : int, default 100
        Dimensions of the projection. More than the data has are reduced to what it has, with a warning.
    ridge : float, default 1.0
        Weight of the regulariser (lambda). It stands against a matrix that grows with the number n of samples: as n
        with "primal", as n^2 with "linear" and "rbf". The published settings are for 450 to 4,000 samples.
    ridge_scale : {"absolute", "relative"}, default "absolute"
        "relative": `ridge` is multiplied by the trace of that matrix ``F' H F``, so that it means the same for any
        number of samples of a kind; about 1e-5 with "linear" and 5e-5 with "primal" is usual.
    kernel : {"linear", "primal", "rbf"}, default "linear"
        "primal" projects the features themselves; "linear" and "rbf" the rows of a kernel matrix. The rbf kernel
        needs memory for all n x n pairs of samples.
    gamma : float or "median", default 1.0
        Of the rbf kernel ``exp(-gamma |x - y|^2)`` on rows of unit length; "median" is one over the median squared
        distance of all pairs.
    max_iter : int, default 10
        At most this many rounds; fewer if the labels settle.
    classifier : scikit-learn classifier, optional
        Labels the target in each round; None is 1-nearest-neighbour.
    max_fit_rows : int, optional
        Learn from at most so many rows of each domain, and label all; None: learn from all.

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
    history_ : list of Round
        What happened in each round.
    n_iter_ : int
        Rounds that were run.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int

    References
    ----------
    M. Long, J. Wang, G. Ding, J. Sun, P. S. Yu: Transfer feature learning with joint distribution adaptation.
    ICCV 2013.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import JDA
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> model = JDA(n_components=4).fit(X[:60], y[:60], X[60:] + 1.0)
    >>> model.labels_.shape
    (60,)
    """

    def _theta(self, view: View) -> Term:
        return joint_mmd(view, mu=0.5)


def joint_mmd(view: View, mu: float) -> Term:
    """(1 - mu) C M0 + mu sum_c Mc, of norm 1; M0 alone while the target has no labels."""
    marginal, conditional = (1 - mu) * view.n_classes, mu
    if view.yt is None:
        marginal = 1.0
    return mmd(view.ys, view.yt, view.n_target, view.n_classes, marginal, conditional).normalised()
