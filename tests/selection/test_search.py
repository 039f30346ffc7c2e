"""The search: every candidate tried, scored, ranked."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from tests.support.domains import global_random_state, make_domains
from tsrp import JDA, NN
from tsrp.memory import limited_memory
from tsrp.selection import SCORES, Candidate, Trial, search

CANDIDATES = [
    "nn",
    Candidate.named("jda", {"n_components": 5}),
    Candidate.named("jda+tsrp", {"n_components": 5}, "zscore"),
]


@cache
def search_by_all_scores():
    Xs, ys, Xt, _ = make_domains()
    return search(Xs, ys, Xt, CANDIDATES, score=list(SCORES))


def test_the_table_holds_what_the_scores_say_of_each_fit(domains):
    Xs, ys, Xt, _ = domains
    found = search_by_all_scores()
    assert list(found.table) == ["method", "settings", "preprocess", *SCORES, "seconds", "error"]
    for number, candidate in enumerate(map(Candidate.of, CANDIDATES)):
        model = candidate.estimator.fit(Xs, ys, Xt)
        np.testing.assert_array_equal(found.trials[number].labels, model.labels_)
        for name, score in SCORES.items():
            if not score.weights:
                assert found.table.loc[number, name] == score.function(model, Xs, ys, Xt)
    labels = np.array([trial.labels for trial in found.trials])
    for name, score in SCORES.items():
        if score.weights:
            votes = found.table.sort_index()[list(score.weights)].prod(axis=1)
            np.testing.assert_array_equal(found.table.sort_index()[name], score.function(labels, votes))


def test_data_frames_are_scored_as_arrays_are(domains):
    Xs, ys, Xt, _ = domains
    frames = [pd.DataFrame(X).add_prefix("f") for X in (Xs, Xt)]
    model, framed = NN().fit(Xs, ys, Xt), NN().fit(frames[0], ys, frames[1])
    for score in SCORES.values():
        if not score.weights:
            # Frames hold columns together, so that sums run in another order.
            expected = pytest.approx(score.function(model, Xs, ys, Xt), rel=1e-9)
            assert score.function(framed, frames[0], ys, frames[1]) == expected


@pytest.mark.parametrize("score", SCORES)
def test_the_best_candidate_has_the_highest_score_and_is_fitted(domains, score):
    Xs, ys, Xt, _ = domains
    found = search(Xs, ys, Xt, CANDIDATES, score=score)
    assert found.table[score].is_monotonic_decreasing
    best = found.table.index[0]
    assert found.best is found.trials[best].candidate
    np.testing.assert_array_equal(found.model.labels_, found.trials[best].labels)


def test_processes_change_nothing(domains):
    Xs, ys, Xt, _ = domains
    one, two = search_by_all_scores().table, search(Xs, ys, Xt, CANDIDATES, score=list(SCORES), n_jobs=2).table
    pd.testing.assert_frame_equal(one.drop(columns="seconds"), two.drop(columns="seconds"), check_exact=True)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_limit_of_memory_holds_in_every_process(domains, n_jobs):
    Xs, ys, Xt, _ = domains
    with limited_memory("10KB"):
        found = search(Xs, ys, Xt, ["nn", Candidate.named("jda", {"kernel": "rbf"})], n_jobs=n_jobs)
    errors = dict(zip(found.table["method"], found.table["error"], strict=True))
    assert errors["nn"] == ""
    assert "more than the 10 KB that it may take" in errors["jda"]


def test_of_equals_the_first_is_taken(domains):
    Xs, ys, Xt, _ = domains
    found = search(Xs, ys, Xt, [NN(unit_rows=True), "nn", NN()])
    tied = found.table[found.table[found.score] == found.table[found.score].max()]
    assert tied.index.is_monotonic_increasing


def test_a_candidate_that_fails_is_a_row_with_its_reason(domains):
    Xs, ys, Xt, _ = domains
    found = search(Xs, ys, Xt, [JDA(5, kernel="cubic"), "nn"])
    last = found.table.iloc[-1]
    assert last["error"].startswith("kernel must be one of")
    assert np.isnan(last[found.score])
    assert found.best.method == "nn"


def test_if_all_fail_the_reason_of_the_first_is_one_sentence(domains):
    Xs, ys, Xt, _ = domains
    with pytest.raises(ValueError, match=r"^every candidate failed; the first, JDA\(.*\): kernel must be one of"):
        search(Xs, ys, Xt, [JDA(5, kernel="cubic")])


def test_estimators_and_the_random_state_are_left_alone(domains):
    Xs, ys, Xt, _ = domains
    mine, state = NN(), global_random_state()
    search(Xs, ys, Xt, [mine], score="importance")
    assert not hasattr(mine, "labels_")
    assert global_random_state() == state


def test_the_callback_sees_the_trials_in_order(domains):
    Xs, ys, Xt, _ = domains
    seen: list[Trial] = []
    search(Xs, ys, Xt, CANDIDATES, callback=seen.append)
    assert [trial.candidate.method for trial in seen] == ["nn", "jda", "jda+tsrp"]


def test_without_candidates_the_default_ones_are_tried(domains):
    Xs, ys, Xt, yt = domains
    found = search(Xs, ys, Xt)
    assert len(found.table) == 18
    assert (found.table["error"] == "").all()
    assert np.mean(found.trials[found.table.index[0]].labels == yt) > 0.8


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"score": "luck"}, "there is no score 'luck'; there are consensus"),
        ({"score": []}, "score is empty"),
        ({"candidates": []}, "candidates is empty"),
        ({"candidates": ["dcid"]}, "there is no method 'dcid'"),
        ({"ys": np.zeros(60)}, "ys holds one class only"),
        ({"Xt": np.full((5, 12), np.nan)}, "Xt: 60 values are NaN"),
    ],
)
def test_input_that_cannot_be_used_is_refused_before_any_fit(domains, changes, sentence):
    Xs, ys, Xt, _ = domains
    with pytest.raises(ValueError, match=sentence):
        search(**{"Xs": Xs, "ys": ys, "Xt": Xt, **changes})
