"""The scores by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tsrp.selection import scores


@dataclass(frozen=True)
class Score:
    """A score as the command line lists it.

    Attributes
    ----------
    function : callable
        Of a fitted model and the domains; or, if there are `weights`, of all candidates' labels and their weights.
    summary, reference, cost : str
    weights : tuple of str
        If it looks at all candidates together: the scores whose product is the weight of a candidate's vote.
    """

    function: Callable[..., Any]
    summary: str
    reference: str
    cost: str
    weights: tuple[str, ...] = ()


SCORES = {
    "consensus": Score(
        scores.consensus,
        "agreement with the majority of all candidates, weighted by their neighbours and round trips",
        "of this package",
        "as neighbours and round-trip",
        weights=("neighbours", "round-trip"),
    ),
    "round-trip": Score(
        scores.round_trip,
        "source labels that come back from the labelled target within the projection",
        "of this package",
        "one search for neighbours",
    ),
    "neighbours": Score(
        scores.neighbour_information,
        "information in the labels of neighbours among the target's z-scores",
        "of this package",
        "one product of all target pairs",
    ),
    "agreement": Score(
        scores.agreement,
        "rows that TSRP picks and whose crude label its remedy keeps",
        "of this package, from TSRP's signals",
        "one remedy",
    ),
    "reverse": Score(
        scores.reverse_validation,
        "source labels that come back when the method adapts in the other direction",
        "Zhong et al., ECML PKDD 2010",
        "another fit",
    ),
    "snd": Score(
        scores.soft_neighbourhood_density,
        "soft neighbourhood density of the target's class probabilities",
        "Saito et al., ICCV 2021",
        "a logistic regression, one product of all target pairs",
    ),
    "certainty": Score(
        scores.certainty,
        "minus the mean entropy of the target's class probabilities",
        "Morerio et al., ICLR 2018",
        "a logistic regression",
    ),
    "information": Score(
        scores.information,
        "mutual information of target samples and classes: certain, and all classes in use",
        "Shi and Sha, ICML 2012",
        "a logistic regression",
    ),
    "importance": Score(
        scores.importance_weighted,
        "minus the error on held-out source samples, weighted by how target-like they are (IWCV, DEV)",
        "Sugiyama et al., JMLR 2007; You et al., ICML 2019",
        "another fit, a logistic regression",
    ),
}
DEFAULT_SCORE = "consensus"
