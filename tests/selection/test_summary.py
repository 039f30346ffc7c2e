"""How sure a choice is, in words."""

import numpy as np
import pandas as pd

from tsrp.selection import Candidate, Selection, Trial, summarise
from tsrp.selection.given import Given


def selection(*rows):
    """A search that found these: method, score (None for a failure), labels."""
    trials = [
        Trial(
            Candidate.named(name),
            None if score is None else np.array(list(labels)),
            {},
            1.0,
            "" if score is not None else "no",
        )
        for name, score, labels in rows
    ]
    table = pd.DataFrame(
        {"method": [r[0] for r in rows], "snd": [r[1] for r in rows], "error": [trial.error for trial in trials]}
    )
    table["snd"] = table["snd"].astype(float)
    return Selection(table.sort_values("snd", ascending=False, kind="stable"), trials, "snd", Given([], [], [], False))


def test_a_clear_lead_is_told():
    said = summarise(selection(("jda", 1.0, "aaaa"), ("nn", 0.5, "aabb"), ("pca", 0.0, "bbbb")))
    assert said == [
        "The best candidate is ahead of the next by 50% of the scores' range.",
        "The best and the next give 50% of the target rows the same label.",
    ]


def test_scores_that_are_nearly_tied_are_not_sure():
    said = summarise(selection(("jda", 1.0, "a"), ("bda", 0.99, "a"), ("tca", 0.97, "a"), ("pca", 0.0, "a")))
    assert said[0] == "The choice is not sure: 2 others are within 5% of the scores' range of the best."
    said = summarise(selection(("jda", 1.0, "a"), ("bda", 0.99, "a"), ("pca", 0.0, "a")))
    assert said[0].startswith("The choice is not sure: another candidate is within")


def test_equal_scores_choose_nothing():
    said = summarise(selection(("jda", 1.0, "a"), ("bda", 1.0, "a")))
    assert said[0] == "All 2 candidates have the same score: it does not choose, and the first is taken."


def test_nn_as_the_best_is_told():
    said = summarise(selection(("nn", 1.0, "a"), ("jda", 0.5, "a"), ("bda", 0.0, "a")))
    assert said[-1] == "By this score no adaptation is better than nearest neighbours alone."


def test_one_candidate_is_no_choice():
    assert summarise(selection(("nn", 1.0, "a"))) == ["There was one candidate, so nothing was chosen."]
    said = summarise(selection(("nn", 1.0, "a"), ("jda", None, "")))
    assert said == ["One candidate did not fail, so nothing was chosen."]
