"""How sure a choice is, in words."""

from __future__ import annotations

import numpy as np

from tsrp.selection.search import NEARLY, Selection


def summarise(found: Selection) -> list[str]:
    """Say how far the best candidate is ahead, how much depends on it, and whether plain NN would do as well.

    Parameters
    ----------
    found : Selection

    Returns
    -------
    list of str
        Sentences.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp.selection import search, summarise
    >>> X, y = make_blobs(120, n_features=5, random_state=0)
    >>> summarise(search(X[:60], y[:60], X[60:] + 1.0, ["nn"]))
    ['There was one candidate, so nothing was chosen.']
    """
    done = found.table[found.table["error"] == ""]
    if len(done) == 1:
        only = "There was one candidate" if len(found.table) == 1 else "One candidate did not fail"
        return [f"{only}, so nothing was chosen."]
    scores = done[found.score].to_numpy()
    best, second = (found.trials[number] for number in done.index[:2])
    reach = scores[0] - scores[-1]
    tied = found.n_tied
    if reach == 0:
        said = [f"All {len(done)} candidates have the same score: it does not choose, and the first is taken."]
    elif tied:
        others = "another candidate is" if tied == 1 else f"{tied} others are"
        said = [f"The choice is not sure: {others} within {NEARLY:.0%} of the scores' range of the best."]
    else:
        lead = (scores[0] - scores[1]) / reach
        said = [f"The best candidate is ahead of the next by {lead:.0%} of the scores' range."]
    agreed = float(np.mean(best.labels == second.labels))
    said.append(f"The best and the next give {agreed:.0%} of the target rows the same label.")
    if best.candidate.method == "nn":
        said.append("By this score no adaptation is better than nearest neighbours alone.")
    return said
